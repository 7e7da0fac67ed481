"""Records activities in contacts' timelines, for all modules."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from cms_api.core.errors import Invalid, required_message
from cms_api.flags.selectors import is_on
from cms_api.mail.types import QueuedMail
from commerce.common.services import BATCH
from commerce.common.types import email_key

from ..models import Activity, Contact
from ..selectors import find_contacts
from ..types import MAX_NOTES, MAX_SUMMARY, ActivityKind, NewActivity
from .locking import lock_contacts_for_share

FEATURE = "crm"


def record_activity(*, email: str, activity: NewActivity, at: datetime | None = None) -> None:
    """Record an activity in the timeline of the contact with this address; do nothing if there is none or the CRM is off.

    Call in the transaction of the recorded event. That transaction may already have locked any rows, even other contacts:
    this waits only for merges, moves and deletions of contacts, and those, once they have begun, wait for no other lock.
    """
    record_activities([(email, activity)], at=at)


@transaction.atomic
def record_activities(activities: Sequence[tuple[str, NewActivity]], *, at: datetime | None = None) -> None:
    """`record_activity` for many addresses, with only a few statements."""
    if not activities or not is_on(FEATURE):
        return
    lock_contacts_for_share()
    known = find_contacts(email for email, _ in activities)
    write_activities([(known[key], activity) for email, activity in activities if (key := email_key(email)) in known], at=at)


def write_activities(
    activities: Sequence[tuple[Contact, NewActivity]], *, at: datetime | None = None, body: str = "", user: Any = None
) -> None:
    """Write the activities that are not in the timelines yet. The caller must have locked contacts before reading these.

    Updates `last_activity_at` of the given contacts.
    """
    at = at or timezone.now()
    fresh: dict[object, Activity] = {}
    for contact, activity in activities:
        key = (contact.pk, activity.kind, activity.reference) if activity.reference else object()
        fresh.setdefault(key, _line(contact, activity, at, body, user))
    for known in _find_known(fresh.values()):
        fresh.pop(known, None)
    # If another transaction records the same activity concurrently, the constraint admits only one.
    written = sorted(fresh.values(), key=lambda line: (line.contact_id, line.kind, line.reference))
    Activity.objects.bulk_create(written, batch_size=BATCH, ignore_conflicts=True)
    _touch({line.contact_id for line in written}, at)
    for line in written:
        contact = line.contact
        contact.last_activity_at = max(contact.last_activity_at or at, at)


def _line(contact: Contact, activity: NewActivity, at: datetime, body: str, user: Any) -> Activity:
    return Activity(
        contact=contact,
        kind=activity.kind,
        summary=activity.summary[:MAX_SUMMARY],
        body=body,
        reference=activity.reference,
        link=activity.link,
        user=user,
        happened_at=at,
    )


def _touch(ids: set[int], at: datetime) -> None:
    """Set `last_activity_at` of contacts; for rows locked by others, after the transaction, so as not to wait for them."""
    late = Contact.objects.filter(Q(last_activity_at=None) | Q(last_activity_at__lt=at), pk__in=ids)
    free = list(late.select_for_update(skip_locked=True, no_key=True).values_list("pk", flat=True))
    Contact.objects.filter(pk__in=free).update(last_activity_at=at)
    for pk in ids - set(free):
        transaction.on_commit(partial(late.filter(pk=pk).update, last_activity_at=at))


def _find_known(lines: Iterable[Activity]) -> list[tuple[int, str, str]]:
    """Return contact, kind and reference of recorded activities, among them all of the given ones that are recorded."""
    named = [line for line in lines if line.reference]
    same = {
        "contact__in": {line.contact_id for line in named},
        "kind__in": {line.kind for line in named},
        "reference__in": {line.reference for line in named},
    }
    return list(Activity.objects.filter(**same).values_list("contact_id", "kind", "reference")) if named else []


@transaction.atomic
def add_note(*, contact: Contact, text: str, user: Any = None) -> None:
    """Add a note to a contact's timeline, unless the contact is gone. Raises Invalid if the text is empty or too long."""
    text = text.strip()
    if not text:
        raise Invalid({"text": required_message("text")})
    if len(text) > MAX_NOTES:
        raise Invalid({"text": f"The text may not be greater than {MAX_NOTES} characters."})
    summary = " ".join(text.split())
    lock_contacts_for_share()
    if Contact.objects.filter(pk=contact.pk).exists():
        write_activities([(contact, NewActivity(ActivityKind.NOTE, summary))], body=text, user=user)


def record_mails(mails: Sequence[QueuedMail]) -> None:
    """Record each email in its recipient's timeline."""
    record_activities(
        [
            (mail.recipient, NewActivity(ActivityKind.MAIL, mail.subject, f"mail:{mail.pk}", f"/admin/mail/log/{mail.pk}/"))
            for mail in mails
        ]
    )
