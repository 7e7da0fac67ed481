"""Calendar files for people who come to a date of an event. Each has a higher SEQUENCE than the last one of the same person."""

from cms_api.content.models import ContentItem
from cms_api.flags.services import notify
from cms_api.mail.types import Attachment, address_key

from ..models import CalendarInvite, Rsvp
from ..resources.invites import invite
from ..selectors.feeds import date_of, event_of, numbers_of, sequence_of
from ..selectors.rsvps import date_of as read_date
from ..selectors.rsvps import start_of
from ..types.rsvps import RsvpStatus


def invitation(
    *,
    event: ContentItem,
    row: ContentItem,
    name: str,
    email: str,
    people: int = 1,
    is_cancelled: bool = False,
    has_left: bool = False,
) -> list[Attachment]:
    """Return the attachment of an email about one date, `row`: a calendar file with `method=REQUEST`, or `CANCEL`.

    It has the UID that the date has in feeds. There is none if the date is already cancelled in the person's calendar, nor if a
    person who `has_left` a date that takes place is still expected there, by an RSVP or a ticket. Call in the transaction that
    queues the email.
    """
    is_cancelled = is_cancelled or has_left
    if has_left and _is_expected(event, row, email):
        return []
    date = date_of(row, event_of(event), numbers_of(event.pk))
    stored = CalendarInvite.objects.filter(number=date.number, email_key=_key(email))
    last = stored.select_for_update().first()
    if last is not None and last.is_cancelled and is_cancelled:
        return []
    number = max(last.sequence + 1 if last else 0, sequence_of(event.pk))
    CalendarInvite.objects.update_or_create(
        number=date.number,
        email_key=_key(email),
        defaults={"event": event, "sequence": number, "is_cancelled": is_cancelled},
    )
    content = invite(event=event, date=date, name=name, email=email, party_size=people, sequence=number, cancelled=is_cancelled)
    method = "CANCEL" if is_cancelled else "REQUEST"
    return [Attachment("invite.ics", content, f"text/calendar; method={method}; charset=utf-8")]


def _is_expected(event: ContentItem, row: ContentItem, email: str) -> bool:
    date = read_date(row)
    if date.get("cancelled"):
        return False
    if Rsvp.objects.filter(occurrence=row, email_key=_key(email), status=RsvpStatus.GOING).exists():
        return True
    return any(notify("events.guest_leaving", event, start_of(date), email))


def _key(email: str) -> str:
    return address_key(email)
