"""Demo forms with submissions: one with every field type, a short one, and one that stores no submissions.

Forms are recognised by their slugs, so that loading again only adds what is missing. No notifications are sent.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.core.files.base import ContentFile
from django.utils import timezone

from cms_api.core.demo import data_beside

from .models import Attachment, Form, Submission
from .services.forms import save_form

DATA = data_beside(__file__)


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the missing forms, each with its submissions."""
    for slug, values in DATA["forms"].items():
        if not Form.objects.filter(slug=slug).exists():
            form = save_form(slug=slug, values=values)
            for row in DATA["submissions"][slug]:
                _make_submission(form, **row)
                progress(1)


def _make_submission(form: Form, *, days_ago: int, source: str, data: dict[str, Any], spam_reason: str = "") -> None:
    moment = timezone.now() - timedelta(days=days_ago)
    submission = Submission.objects.create(
        form=form,
        data={field.key: data.get(field.key) for field in form.schema},
        is_spam=bool(spam_reason),
        spam_reason=spam_reason,
        source=source,
        handled_at=None if spam_reason else moment,
        created_at=moment,
    )
    if data.get("plan"):
        plan = ContentFile(DATA["files"][data["plan"]].encode(), name=data["plan"])
        attachment = Attachment(submission=submission, key="plan", filename=data["plan"], size=plan.size)
        attachment.file.save("", plan)
