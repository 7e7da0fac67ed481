"""RSVPs to events: one per address and date, which can be cancelled and reinstated. Nothing is deleted.

Only the email says whether there was an RSVP before, so that the page does not reveal who is coming.
"""

from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.accounts.selectors import find_confirmed_account, owns_address
from cms_api.auth.services.visitors import Limits, Visit, judge
from cms_api.content.models import ContentItem
from cms_api.content.selectors import type_by_id
from cms_api.core.errors import ErrorCollector, Invalid, NotFound
from cms_api.core.locks import lock_for_share
from cms_api.mail.services import queue, unconfirmed
from cms_api.mail.types import Attachment, Recipient, is_address, particulars

from ..models import Rsvp
from ..resources.invites import invite
from ..selectors.rsvps import date_of, find_date, is_offered, repeats, start_of, takes_replies, token_for, words_of
from ..types.rsvps import Answer, RsvpStatus, read_answer

PURPOSE = "events:rsvp"
#: Limit of RSVPs from one network per hour; a school may share one.
LIMITS = Limits(flood=300)
#: Limit of emails about RSVPs that strangers can cause to one mailbox per day. Later ones are sent the next day.
A_DAY = 20
#: Emails that one run of the job sends; the next run continues.
A_RUN = 500

NOT_TAKEN = "This event doesn't accept RSVPs."
OVER = "This date has passed."
OFF = "This date has been cancelled."
NO_DATE = "Choose one of the dates."


def reply(
    *, event: ContentItem, start: str, name: Any, email: Any, party_size: Any, visit: Visit | None = None, user: Any = None
) -> Rsvp | None:
    """Save an RSVP to one of an event's dates; the same address again changes its RSVP, even a cancelled one.

    `start` is the date's local start, and may be empty if there is only one. `visit` and `user` come from the public form.
    Unless the user owns the address, it gets one email an event and hour; a change within the hour is emailed when that is
    over. Submissions by robots are discarded and return None. Raises Invalid (`event`, `occurrence`, `name`, `email`,
    `party_size`), and TooManyAttempts.
    """
    if not takes_replies(event):
        raise Invalid({"event": NOT_TAKEN})
    errors = ErrorCollector()
    answer = read_answer(errors, name=name, email=email, party_size=party_size)
    row = None
    with errors.under():
        row = _date(event, start)
    errors.raise_if_any()
    assert answer
    assert row
    if visit is not None and _is_robot(visit):
        return None
    return _store(event, row, answer, is_owner=visit is None or owns_address(user, answer.email))


def _date(event: ContentItem, start: str) -> ContentItem:
    if not start.strip() and repeats(event):
        raise Invalid({"occurrence": NO_DATE})
    row = find_date(event, start.strip() or str(event.pk))
    if row is None or not date_of(row):
        raise Invalid({"occurrence": NO_DATE})
    _check_offered(row)
    return row


def _check_offered(row: ContentItem) -> None:
    if not is_offered(row):
        raise Invalid({"occurrence": OFF if date_of(row).get("cancelled") else OVER})


def _is_robot(visit: Visit) -> bool:
    """Check only the honeypot: the form may legitimately be submitted quickly, and by programs."""
    judge(purpose=PURPOSE, visit=visit, limits=LIMITS)
    return bool(visit.honeypot.strip())


@transaction.atomic
def _store(event: ContentItem, row: ContentItem, answer: Answer, *, is_owner: bool) -> Rsvp:
    event, row = _lock(event, row)
    now = timezone.now()
    same = Rsvp.objects.filter(occurrence=row, email_key=answer.email_key, party_size=answer.party_size, status=RsvpStatus.GOING)
    is_change = not same.exists()
    rsvp = Rsvp(
        event=event,
        occurrence=row,
        occurrence_start=start_of(date_of(row)),
        name=answer.name,
        email=answer.email,
        email_key=answer.email_key,
        party_size=answer.party_size,
        status=RsvpStatus.GOING,
        updated_at=now,
    )
    Rsvp.objects.bulk_create(
        [rsvp],
        update_conflicts=True,
        unique_fields=["occurrence", "email_key"],
        update_fields=["event", "occurrence_start", "name", "email", "party_size", "status", "cancelled_at", "updated_at"],
    )
    stored = Rsvp.objects.get(occurrence=row, email_key=answer.email_key)
    if is_owner:
        _notify(stored, event, row)
    else:
        _notify_or_postpone(stored, event, row, is_change=is_change)
    return stored


def _notify_or_postpone(rsvp: Rsvp, event: ContentItem, row: ContentItem, *, is_change: bool) -> None:
    """Email an address that may be a stranger's; if it had an email too recently, `send_postponed_mails` sends a change."""
    postponed_until = _postponed_until(rsvp)
    if postponed_until is None:
        _notify(rsvp, event, row)
    elif is_change:
        Rsvp.objects.filter(pk=rsvp.pk).update(mail_due_at=postponed_until)


def _postponed_until(rsvp: Rsvp) -> datetime | None:
    """Charge an email to the RSVP's address; return None if it may be sent now."""
    spent = unconfirmed.charge(purpose=PURPOSE, address=rsvp.email, about=rsvp.event_id, a_day=A_DAY)
    return None if spent.allowed else datetime.fromtimestamp(spent.resets_at, UTC)


def send_postponed_mails() -> None:
    """Send the postponed emails that are due, about the current state of their RSVPs (periodic job)."""
    due = Rsvp.objects.filter(mail_due_at__lte=timezone.now()).order_by("mail_due_at")
    for pk in list(due.values_list("pk", flat=True)[:A_RUN]):
        _send_postponed_mail(pk)


@transaction.atomic
def _send_postponed_mail(pk: int) -> None:
    due = Rsvp.objects.filter(pk=pk, mail_due_at__lte=timezone.now())
    found = due.select_related("event", "occurrence").first()
    if found is None:
        return
    try:
        event, row = _lock(found.event, found.occurrence)
    except Invalid:
        # The date is over or cancelled, or the event closed: there is nothing to confirm.
        due.update(mail_due_at=None)
        return
    if due.update(mail_due_at=None):
        # As locked: it may have changed since it was found.
        _notify_or_postpone(Rsvp.objects.get(pk=pk), event, row, is_change=True)


def _lock(event: ContentItem, row: ContentItem) -> tuple[ContentItem, ContentItem]:
    """Return the current event and date, locked against editing and removal until the transaction ends."""
    stored = ContentItem.objects.select_for_update(no_key=True).defer("cached_json").filter(pk=event.pk).first()
    if stored is None or not takes_replies(stored):
        raise Invalid({"event": NOT_TAKEN})
    found: ContentItem | None = stored
    if row.pk != stored.pk:
        found = (
            ContentItem.objects.filter(pk=row.pk, owner_id=stored.pk).first() if lock_for_share(ContentItem, [row.pk]) else None
        )
    if found is None or start_of(date_of(found)) != start_of(date_of(row)):
        raise Invalid({"occurrence": NO_DATE})
    _check_offered(found)
    stored.type = found.type = type_by_id(stored.type_id)
    return stored, found


@transaction.atomic
def cancel(*, rsvp: Rsvp, user: Any = None) -> bool:
    """Cancel an RSVP and notify the guest; return False if already cancelled."""
    now = timezone.now()
    going = Rsvp.objects.filter(pk=rsvp.pk, status=RsvpStatus.GOING)
    if not going.update(status=RsvpStatus.CANCELLED, cancelled_at=now, updated_at=now, mail_due_at=None):
        return False
    stored = _stored(rsvp)
    if user is not None:
        log(instance=stored, action="events.call_off", user=user)
    _notify(stored, stored.event, stored.occurrence)
    return True


@transaction.atomic
def reinstate(*, rsvp: Rsvp, user: Any = None) -> bool:
    """Reinstate a cancelled RSVP; return False if not cancelled. Raises Invalid if its date is cancelled or past."""
    stored = _stored(rsvp)
    event, row = _lock(stored.event, stored.occurrence)
    off = Rsvp.objects.filter(pk=rsvp.pk, status=RsvpStatus.CANCELLED)
    if not off.update(status=RsvpStatus.GOING, cancelled_at=None, updated_at=timezone.now()):
        return False
    stored = _stored(rsvp)
    if user is not None:
        log(instance=stored, action="events.reinstate", user=user)
    _notify(stored, event, row)
    return True


def _stored(rsvp: Rsvp) -> Rsvp:
    found = Rsvp.objects.select_related("event", "occurrence").filter(pk=rsvp.pk).first()
    if found is None:
        raise NotFound
    return found


def _notify(rsvp: Rsvp, event: ContentItem, row: ContentItem) -> None:
    """Queue the email about the RSVP's current status, with a calendar attachment.

    It replaces a postponed one. It has no name except that of an account that has confirmed the address: the name in the RSVP may
    be a stranger's message.
    """
    Rsvp.objects.filter(pk=rsvp.pk).exclude(mail_due_at=None).update(mail_due_at=None)
    account = find_confirmed_account(rsvp.email)
    name = account.get_full_name() if account else ""
    event.type = row.type = type_by_id(event.type_id)
    is_off = rsvp.status == RsvpStatus.CANCELLED
    people = "1 person" if rsvp.party_size == 1 else f"{rsvp.party_size} people"
    venue = event.data.get("venue")
    details = [("When", words_of(date_of(row))), ("Where", venue if isinstance(venue, str) else ""), ("Party size", people)]
    context = {
        "name": name,
        "event": " ".join(event.title.split()),
        "details": particulars([(label, value) for label, value in details if value]),
        "event_url": event.url or settings.BASE_URL,
    }
    if not is_off:
        context["cancel_url"] = settings.BASE_URL + reverse("rsvp_cancel", args=[token_for(rsvp)])
    person = str(Recipient(rsvp.email, name))
    said = invite(event=event, occurrence=row, name=name, email=rsvp.email, party_size=rsvp.party_size, cancelled=is_off)
    queue(
        template="event_rsvp_cancelled" if is_off else "event_rsvp",
        to=[person if is_address(person) else rsvp.email],
        context=context,
        attachments=[Attachment("invite.ics", said, f"text/calendar; method={'CANCEL' if is_off else 'REQUEST'}; charset=utf-8")],
    )
