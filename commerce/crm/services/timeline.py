"""The timeline: what happened with a contact, told by the modules that saw it."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any

from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone

from cms_api.core.errors import Invalid, required
from cms_api.flags.selectors import is_on
from cms_api.mail.models import OutgoingMail
from commerce.common.services import BATCH
from commerce.common.types import email_key

from ..models import Activity, Contact
from ..selectors import find_contacts
from ..types import MAX_NOTES, MAX_SUMMARY, ActivityKind, Happening

FEATURE = "crm"


class _Gone(Exception):
    """An address has come to lead elsewhere."""


def tell(*, email: str, happening: Happening, at: datetime | None = None) -> None:
    """Writes what happened into the timeline of whoever has this address; nothing where the CRM is off or knows nobody.

    Called in the transaction of what happened, which may hold any rows by then, other contacts too: it waits for nobody who
    changes the contact. Only whoever deletes or merges it is waited for, and they wait for nobody by then.
    """
    tell_all([(email, happening)], at=at)


@transaction.atomic
def tell_all(happenings: Sequence[tuple[str, Happening]], *, at: datetime | None = None) -> None:
    """`tell` of many addresses, in a handful of statements."""
    if not happenings or not is_on(FEATURE):
        return
    addresses = [email for email, _ in happenings]
    known: dict[str, Contact] | None = None
    while known is None:
        with suppress(_Gone):
            known = _find_and_keep(addresses)
    record(lines=[(known[key], happening) for email, happening in happenings if (key := email_key(email)) in known], at=at)


@transaction.atomic
def _find_and_keep(addresses: Sequence[str]) -> dict[str, Contact]:
    """Whoever has these addresses, kept. Where somebody was merged or deleted meanwhile, nobody is kept, and it raises _Gone."""
    known = find_contacts(addresses)
    ids = {contact.pk for contact in known.values()}
    if _keep(ids) != ids:
        raise _Gone
    return known


@transaction.atomic
def record(*, lines: Sequence[tuple[Contact, Happening]], at: datetime | None = None, body: str = "", user: Any = None) -> None:
    """Writes lines into the timelines of contacts: those that were not told before, of contacts that are still there.

    The given contacts know of their last activity afterwards.
    """
    at = at or timezone.now()
    held = _keep({contact.pk for contact, _ in lines})
    fresh: dict[object, Activity] = {}
    for contact, happening in lines:
        if contact.pk in held:
            key = (contact.pk, happening.kind, happening.reference) if happening.reference else object()
            fresh.setdefault(key, _line(contact, happening, at, body, user))
    for told in _told(fresh.values()):
        fresh.pop(told, None)
    # Where somebody tells the same at this moment, the constraint lets one line in.
    written = sorted(fresh.values(), key=lambda line: (line.contact_id, line.kind, line.reference))
    Activity.objects.bulk_create(written, batch_size=BATCH, ignore_conflicts=True)
    _note_activity({line.contact_id for line in written}, at)
    for line in written:
        contact = line.contact
        contact.last_activity_at = max(contact.last_activity_at or at, at)


def _line(contact: Contact, happening: Happening, at: datetime, body: str, user: Any) -> Activity:
    return Activity(
        contact=contact,
        kind=happening.kind,
        summary=happening.summary[:MAX_SUMMARY],
        body=body,
        reference=happening.reference,
        link=happening.link,
        user=user,
        happened_at=at,
    )


def _keep(ids: set[int]) -> set[int]:
    """Those of these contacts that are still there, and stay until the transaction ends; they may be changed by others."""
    rows = Contact.objects.filter(pk__in=ids)
    if connection.vendor != "postgresql" or not ids:
        return set(rows.values_list("pk", flat=True))
    with connection.cursor() as cursor:
        # Django has no name for this lock.
        cursor.execute('SELECT id FROM crm_contact WHERE id = ANY(%s) ORDER BY email COLLATE "C" FOR KEY SHARE', [sorted(ids)])
        return {pk for (pk,) in cursor.fetchall()}


def _note_activity(ids: set[int], at: datetime) -> None:
    """Sets when something last happened with contacts: now, or after the transaction with those whom somebody else changes."""
    late = Contact.objects.filter(Q(last_activity_at=None) | Q(last_activity_at__lt=at), pk__in=ids)
    free = list(late.select_for_update(skip_locked=True, no_key=True).values_list("pk", flat=True))
    Contact.objects.filter(pk__in=free).update(last_activity_at=at)
    for pk in ids - set(free):
        transaction.on_commit(partial(late.filter(pk=pk).update, last_activity_at=at))


def _told(lines: Iterable[Activity]) -> list[tuple[int, str, str]]:
    """What of these is in the timelines already."""
    known = [line for line in lines if line.reference]
    same = {
        "contact__in": {line.contact_id for line in known},
        "kind__in": {line.kind for line in known},
        "reference__in": {line.reference for line in known},
    }
    return list(Activity.objects.filter(**same).values_list("contact_id", "kind", "reference")) if known else []


def add_note(*, contact: Contact, text: str, user: Any = None) -> None:
    """Writes down what somebody says of a contact. Raises Invalid for nothing, and for too much."""
    text = text.strip()
    if not text:
        raise Invalid({"text": required("text")})
    if len(text) > MAX_NOTES:
        raise Invalid({"text": f"The text may not be greater than {MAX_NOTES} characters."})
    summary = " ".join(text.split())
    record(lines=[(contact, Happening(ActivityKind.NOTE, summary))], body=text, user=user)


def follow_mails(mails: Sequence[OutgoingMail]) -> None:
    """Writes each mail into the timeline of whoever it goes to."""
    tell_all(
        [
            (mail.recipient, Happening(ActivityKind.MAIL, mail.subject, f"mail:{mail.pk}", f"/admin/mail/log/{mail.pk}/"))
            for mail in mails
        ]
    )
