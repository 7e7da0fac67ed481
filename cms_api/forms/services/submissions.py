"""Handles submissions: stores, emails, captures the contact and emits the webhook event, once each, in one transaction."""

from collections.abc import Collection, Mapping
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.auth.services.visitors import Visit
from cms_api.core.errors import ErrorCollector, Invalid
from cms_api.core.locks import lock_row, lock_to_delete
from cms_api.fields import Context
from cms_api.flags.selectors import site_timezone
from cms_api.flags.services import notify
from cms_api.media.services.private import upload_name
from cms_api.webhooks.services import emit

from ..models import Form, Submission
from ..types import Received, Source, clean_data
from .files import clean_files, forget_files, keep_files
from .notices import notify_recipients
from .spam import judge

Files = Mapping[str, UploadedFile[Any]]

BY_HAND = "Marked as spam manually."


def submit(*, form: Form, data: Any, source: Source, files: Files | None = None, visit: Visit | None = None) -> Submission:
    """Submit a form. The submission has no id if the form stores none.

    `files` and `visit` come from the public form: a visitor may be a robot, so a suspicious post is quarantined until a person
    releases it. Raises Invalid, NotFound if the form was deleted meanwhile, and what `judge` raises.
    """
    if not form.enabled:
        raise Invalid({"form": "This form isn't accepting submissions."})
    cleaned, sent = _clean(form, data, files)
    reason = judge(form, visit, cleaned) if visit else ""
    with transaction.atomic():
        return _store(form, cleaned, sent, source=source, reason=reason)


def _clean(form: Form, data: Any, files: Files | None) -> tuple[dict[str, Any], Files]:
    errors = ErrorCollector()
    cleaned: dict[str, Any] = {}
    sent: Files = {}
    with errors.under():
        cleaned = clean_data(form.schema, data, Context(timezone=site_timezone()))
    if files is not None:
        with errors.under():
            sent = clean_files(form.schema, files)
    errors.raise_if_any()
    return {**cleaned, **{key: upload_name(file.name or "") for key, file in sent.items()}}, sent


def _store(form: Form, data: dict[str, Any], files: Files, *, source: Source, reason: str) -> Submission:
    # Locked until the end: if the form were deleted meanwhile, the submission would have no form.
    stored = lock_row(Form.objects.filter(pk=form.pk))
    now = timezone.now()
    submission = Submission(form=stored, data=data, source=source, created_at=now, is_spam=bool(reason), spam_reason=reason)
    if not reason:
        submission.handled_at = now
    if reason or stored.store_submissions:
        submission.save()
        keep_files(submission, files)
    if not reason:
        _process(submission)
    return submission


def _process(submission: Submission) -> None:
    """Capture the contact, notify the recipients and emit the webhook event."""
    contact_id = _capture(submission)
    if contact_id is not None:
        submission.contact_id = contact_id
        if submission.pk:
            Submission.objects.filter(pk=submission.pk).update(contact_id=contact_id)
    notify_recipients(submission)
    emit("form.submitted", submission)


def _capture(submission: Submission) -> int | None:
    form = submission.form
    received = Received(form.pk, form.name, submission.pk, submission.source, form.schema, submission.data)
    answers = notify("forms.submission_received", received)
    return next((contact_id for contact_id in answers if contact_id is not None), None)


@transaction.atomic
def release(*, submission: Submission, user: Any = None) -> bool:
    """Release a submission from quarantine and handle it. Return whether it was handled now.

    It is handled only once, however many people release it concurrently and however often it is marked as spam again. If its
    form stores no submissions, it is deleted afterwards.
    """
    quarantined = Submission.objects.filter(pk=submission.pk, is_spam=True)
    claimed = quarantined.filter(handled_at=None).update(is_spam=False, spam_reason="", handled_at=timezone.now())
    if not claimed and not quarantined.update(is_spam=False, spam_reason=""):
        return False
    found = Submission.objects.select_related("form").get(pk=submission.pk)
    log(instance=found, action="forms.release", user=user)
    if not claimed:
        return False
    if not found.form.store_submissions:
        forget_files(found.attachments.all())
        Submission.objects.filter(pk=found.pk).delete()
        found.pk = None
    _process(found)
    return True


@transaction.atomic
def mark_as_spam(*, submission: Submission, user: Any = None) -> bool:
    """Move a submission to quarantine. Return whether it was not there before. Notifications already sent are not undone."""
    marked = Submission.objects.filter(pk=submission.pk, is_spam=False).update(is_spam=True, spam_reason=BY_HAND)
    if marked:
        log(instance=submission, action="forms.mark_as_spam", user=user)
    return bool(marked)


def relink_submissions(*, contact_ids: Collection[int], to: int | None) -> None:
    """Link the submissions of contacts to another contact, or to none."""
    Submission.objects.filter(contact_id__in=contact_ids).update(contact_id=to)


@transaction.atomic
def delete_submission(*, submission: Submission, user: Any = None) -> None:
    """Deletes a submission and its files."""
    lock_to_delete(submission)
    forget_files(submission.attachments.all())
    log(instance=submission, action="wagtail.delete", user=user, deleted=True)
    submission.delete()
