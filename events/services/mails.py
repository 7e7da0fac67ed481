"""The emails about RSVPs: those that guests cause wait for an hour, notices of what others change do not.

All to an address that a visitor entered without signing in have the budget of its mailbox."""

from datetime import UTC, datetime

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from cms_api.accounts.selectors import find_confirmed_account
from cms_api.content.models import ContentItem
from cms_api.content.selectors import type_by_id
from cms_api.content.types import Status
from cms_api.core import batches, jobs
from cms_api.flags.selectors import is_on
from cms_api.mail.services import queue, unconfirmed
from cms_api.mail.types import Attachment, Recipient, Visitor, is_address, particulars

from ..models import Rsvp
from ..selectors.rsvps import CANCEL, date_of, is_offered, takes_replies, words_of
from ..types.rsvps import ACTIVE, Notice, RsvpStatus
from .invitations import invitation
from .locks import lock_event

PURPOSE = "events:rsvp"
JOB = "send_postponed_rsvp_mails"
#: Limit of emails about RSVPs that strangers can cause to one mailbox per day. Later ones are sent the next day.
MAILS_PER_DAY = 20
#: Emails that one run of the job sends; the next run continues.
EMAILS_PER_RUN = 500

_TEMPLATES = {
    RsvpStatus.GOING: "event_rsvp",
    RsvpStatus.WAITING: "event_rsvp_waiting",
    RsvpStatus.CANCELLED: "event_rsvp_cancelled",
}


def give_notice(rsvps: QuerySet[Rsvp], notice: Notice) -> None:
    """Email people about what was done to their RSVPs, soon after the caller's transaction."""
    if rsvps.update(notice=notice, mail_due_at=timezone.now()):
        jobs.run_soon(JOB)


def notify_or_postpone(rsvp: Rsvp, event: ContentItem, row: ContentItem, *, is_change: bool, note: str = "") -> None:
    """Email an address that may be a stranger's; if it had an email too recently, `send_postponed_mails` sends a change."""
    postponed_until = _postponed_until(rsvp)
    if postponed_until is None:
        notify(rsvp, event, row, note=note)
    elif is_change:
        # A notice that is about to be sent says the same.
        Rsvp.objects.filter(pk=rsvp.pk, notice="").update(mail_due_at=postponed_until)


def _postponed_until(rsvp: Rsvp) -> datetime | None:
    """Charge an email to the RSVP's address; return None if it may be sent now."""
    spent = unconfirmed.charge(purpose=PURPOSE, address=rsvp.email, about=rsvp.event_id, a_day=MAILS_PER_DAY)
    return None if spent.allowed else datetime.fromtimestamp(spent.resets_at, UTC)


def send_postponed_mails() -> None:
    """Send the notices and postponed emails that are due, about the current state of their RSVPs (a periodic job)."""
    if not is_on("events"):
        return
    batches.each(_due().order_by("mail_due_at", "pk").values_list("pk", flat=True), _send_postponed_mail, limit=EMAILS_PER_RUN)


def resume_notices(event: ContentItem) -> None:
    """Send the notices that have waited for an event to be published, soon after the caller's transaction."""
    if takes_replies(event) and _due().filter(event=event).exists():
        jobs.run_soon(JOB)


def _due() -> QuerySet[Rsvp]:
    """Return the RSVPs whose emails are due.

    While an event is not published, the notice of a change waits, unless its date is over. That of a cancellation does not.
    """
    now = timezone.now()
    is_ready = ~Q(notice__in=[Notice.MOVED, Notice.RSVP]) | Q(event__status=Status.PUBLISHED)
    return Rsvp.objects.filter(is_ready | Q(occurrence__ends_at__lt=now), mail_due_at__lte=now)


@transaction.atomic
def _send_postponed_mail(pk: int) -> None:
    event_id = _due().filter(pk=pk).values_list("event_id", flat=True).first()
    event = lock_event(event_id) if event_id else None
    # As locked: it may have changed since it was found.
    rsvp = _due().filter(pk=pk).select_related("occurrence").first() if event else None
    if event is None or rsvp is None:
        return
    if not Rsvp.objects.filter(pk=pk, mail_due_at=rsvp.mail_due_at).update(mail_due_at=None, notice=""):
        return
    row = rsvp.occurrence
    if row.ends_at is None or row.ends_at < timezone.now():
        # There is nothing to confirm.
        return
    if rsvp.notice:
        if rsvp.status in ACTIVE:
            notify(rsvp, event, row, notice=Notice(rsvp.notice))
    elif takes_replies(event) and is_offered(row):
        notify_or_postpone(rsvp, event, row, is_change=True)


def notify(
    rsvp: Rsvp,
    event: ContentItem,
    row: ContentItem,
    *,
    notice: Notice = Notice.RSVP,
    note: str = "",
    is_invited: bool = True,
    is_deleted: bool = False,
) -> None:
    """Queue the email about the RSVP's current status or its date; with a calendar attachment, unless it is waiting.

    It replaces a postponed one. It has no name except that of an account that has confirmed the address: the name in the RSVP may
    be a stranger's message. `is_invited` says whether an RSVP that is cancelled had an invitation, `is_deleted` whether its event
    is about to be deleted, which cancels the date.
    """
    Rsvp.objects.filter(pk=rsvp.pk).exclude(mail_due_at=None).update(mail_due_at=None, notice="")
    account = find_confirmed_account(rsvp.email)
    name = account.get_full_name() if account else ""
    event.type = row.type = type_by_id(event.type_id)
    status = RsvpStatus(rsvp.status)
    if is_deleted or date_of(row).get("cancelled"):
        notice = Notice.CANCELLED if status in ACTIVE else notice
    elif notice == Notice.CANCELLED:
        # The date is back.
        notice = Notice.RSVP
    is_public = event.status == Status.PUBLISHED and not is_deleted
    template = {Notice.MOVED: "event_moved", Notice.CANCELLED: "event_cancelled"}.get(notice) or _TEMPLATES[status]
    people = "1 person" if rsvp.party_size == 1 else f"{rsvp.party_size} people"
    venue = event.data.get("venue")
    details = [
        ("When", words_of(date_of(row))),
        ("Where", venue if isinstance(venue, str) else ""),
        ("Party size", people),
        ("Please note", note),
    ]
    context = {
        "name": name,
        "event": " ".join(event.title.split()),
        "details": particulars([(label, value) for label, value in details if value]),
        "event_url": (event.url if is_public else "") or settings.BASE_URL,
    }
    is_off = status == RsvpStatus.CANCELLED or notice == Notice.CANCELLED
    if not is_off:
        context["cancel_url"] = CANCEL.url(rsvp)
    person = str(Recipient(rsvp.email, name))
    attachments: list[Attachment] = []
    if is_invited and status != RsvpStatus.WAITING:
        attachments = invitation(
            event=event,
            row=row,
            name=name,
            email=rsvp.email,
            people=rsvp.party_size,
            is_cancelled=is_off,
            has_left=is_off and notice != Notice.CANCELLED,
        )
    queue(
        template=template,
        to=[person if is_address(person) else rsvp.email],
        context=context,
        attachments=attachments,
        about=f"rsvp:{rsvp.pk}",
        # An RSVP without a network is that of an account that has confirmed the address.
        entered_by=Visitor() if rsvp.network else None,
    )
