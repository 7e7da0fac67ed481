"""Receives emails: each becomes a message or a ticket, or is kept with the reason why it did not; none is received twice."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.conf import settings
from django.core.files.base import ContentFile
from django.db import IntegrityError, transaction
from django.utils import timezone

from cms_api.auth.services.budgets import spend
from cms_api.core import outages
from cms_api.flags.selectors import get_setting
from cms_api.mail.selectors import is_own_message
from cms_api.mail.types import Recipient

from ..models import Message, ReceivedMail, Ticket
from ..selectors.addresses import is_own_address, ticket_of_addresses
from ..selectors.tickets import key_of_ids, message_of_ids, takes_part, ticket_of_subject
from ..types.authentication import is_authenticated, is_forged
from ..types.incoming import Incoming
from ..types.mail import NOBODY, IncomingMail, unreadable_mail
from ..types.tickets import MAX_REASON, MAX_SUBJECT, Channel, MailOutcome
from .cutting import answer_of
from .notices import loop_mark
from .opening import store_ticket
from .reading import read_incoming
from .replying import add_customer_message

logger = logging.getLogger(__name__)

HOUR = 3600
#: The outcomes of emails that are kept as they arrived. Others are the site's own, or return one.
KEPT = {MailOutcome.OPENED, MailOutcome.REPLIED, MailOutcome.QUARANTINED}
#: Messages that one sender adds to tickets in an hour before they count as written by a machine.
MAX_REPLIES_PER_HOUR = 60


@dataclass(frozen=True)
class _Match:
    ticket: Ticket
    #: Whether the sender takes part in it; others have nothing but a reply address, or an id.
    is_participant: bool


def receive_mail(*, raw: bytes, recipients: Sequence[str] = ()) -> ReceivedMail:
    """Receive an email, and return what came of it; the result of the first time if it is received again.

    `recipients` are the addresses that the mail server delivers it to, if it says so. The text is read and cut before the
    transaction begins. Raises nothing that depends on the email: one that this can't be done with is quarantined, as it arrived.
    """
    try:
        return _receive_read(read_incoming(raw), raw, recipients)
    except Exception as problem:
        if outages.find(problem):
            raise
        logger.exception("An email is kept unread: it could not be received.")
        return keep_unread(raw=raw)


def keep_unread(*, raw: bytes) -> ReceivedMail:
    """Keep an email as it arrived, in a ticket in quarantine that says that it can't be read."""
    return _receive_read(unreadable_mail(raw), raw, ())


def _receive_read(mail: IncomingMail, raw: bytes, recipients: Sequence[str]) -> ReceivedMail:
    known = ReceivedMail.objects.filter(digest=mail.digest).first()
    if known is not None:
        return known
    answer, full_text = answer_of(mail)
    incoming = Incoming(
        answer,
        Channel.EMAIL,
        email=mail.sender,
        name=mail.sender_name,
        files=mail.files,
        full_text=full_text,
        is_automatic=bool(mail.automatic),
        mail_key=mail.message_id,
    )
    try:
        with transaction.atomic():
            return _receive(mail, raw, recipients, incoming)
    except IntegrityError:
        # Another process has received it meanwhile.
        known = ReceivedMail.objects.filter(digest=mail.digest).first()
        if known is None:
            raise
        return known


def _receive(mail: IncomingMail, raw: bytes, recipients: Sequence[str], incoming: Incoming) -> ReceivedMail:
    received = ReceivedMail(
        digest=mail.digest,
        sender=mail.sender,
        subject=mail.subject[:MAX_SUBJECT],
        size=mail.size,
        outcome=MailOutcome.IGNORED,
        received_at=timezone.now(),
    )
    # The unique digest lets one of two processes continue.
    received.save(force_insert=True)
    _decide(received, mail, [*recipients, *mail.recipients], incoming)
    if received.outcome in KEPT:
        received.original.save("", ContentFile(raw), save=False)
    try:
        received.save()
    except BaseException:
        received.original.delete(save=False)
        raise
    return received


def _decide(received: ReceivedMail, mail: IncomingMail, addresses: Sequence[str], incoming: Incoming) -> None:
    if reason := _own(mail):
        received.outcome, received.reason = MailOutcome.LOOPED, reason
        return
    if mail.bounce is not None:
        _note_bounce(received, mail, addresses)
        return
    match = _match(mail, addresses)
    if match is None:
        # Nothing that it quotes is known: it is the first email of somebody, or of a form with lines like those of a quote.
        _open(received, mail, replace(incoming, body=incoming.full_text or incoming.body, full_text=""))
        if received.outcome == MailOutcome.OPENED and (claimed := ticket_of_subject(mail.subject, mail.sender)):
            received.reason = f"Its subject names {claimed.number}, but nothing proves that {mail.sender} sent it."[:MAX_REASON]
    else:
        _add(received, mail, match, incoming)


def _own(mail: IncomingMail) -> str:
    """Return why an email is one of this site's own that has come back; empty if it is not."""
    if loop_mark() in [each.strip() for each in mail.loops]:
        return "It has the X-Loop of this site."
    if mail.message_id and is_own_message(f"<{mail.message_id}>"):
        return "It was sent by this site."
    if mail.sender != NOBODY and is_own_address(mail.sender):
        return "Its sender is an address of this site."
    return ""


def _note_bounce(received: ReceivedMail, mail: IncomingMail, addresses: Sequence[str]) -> None:
    """Note on a message that its email could not be delivered."""
    assert mail.bounce is not None
    ids = list(mail.bounce.refers_to)
    message, key = message_of_ids(ids), key_of_ids(ids)
    ticket = key.ticket if key else None
    if ticket is None:
        named = ticket_of_addresses(addresses)
        ticket = Ticket.objects.filter(pk=named).first() if named else None
    received.reason = mail.bounce.reason[:MAX_REASON]
    if ticket is None:
        return
    received.outcome, received.ticket, received.message = MailOutcome.BOUNCED, ticket, message
    if message is not None:
        Message.objects.filter(pk=message.pk).update(bounced_at=timezone.now(), bounce_reason=received.reason)


def _match(mail: IncomingMail, addresses: Sequence[str]) -> _Match | None:
    """Return the ticket that an email answers: by the token of its address, by the ids it refers to, or by its subject.

    Anybody can write a number into a subject, and another's address as the sender: it counts if the mail server has proved that.
    The id of an email that the requester wrote is known to all who got a copy: with it alone, and where the mail server would
    prove it, a sender takes part if it has. Nobody takes part as a sender that the server has found to be forged.
    """
    host = settings.SUPPORT_AUTHENTICATION_HOST
    is_proved = is_authenticated(mail.sender, mail.authentication, host)
    named = ticket_of_addresses(addresses)
    ticket, is_trusted = Ticket.objects.filter(pk=named).first() if named else None, not is_forged(mail.authentication, host)
    if ticket is None and mail.refers_to and (key := key_of_ids(list(mail.refers_to))):
        ticket, is_trusted = key.ticket, is_trusted and (key.is_sent or is_proved or not host)
    if ticket is None and is_proved:
        ticket = ticket_of_subject(mail.subject, mail.sender)
    return None if ticket is None else _Match(ticket, is_trusted and takes_part(ticket, mail.sender))


def _open(received: ReceivedMail, mail: IncomingMail, incoming: Incoming) -> None:
    reason = ""
    if mail.automatic:
        reason = f"Written by a machine: {mail.automatic}."
    elif mail.is_spam:
        reason = "Marked as spam by the mail server."
    elif mail.sender == NOBODY:
        reason = "The sender's address is missing or invalid."
    elif not _may_open(mail.sender):
        reason = "Too many emails by this sender."
    ticket = Ticket(subject=mail.subject or "(No subject)", name=mail.sender_name, email=mail.sender)
    store_ticket(ticket, incoming, spam_reason=reason)
    received.outcome, received.reason = (MailOutcome.QUARANTINED if reason else MailOutcome.OPENED), reason[:MAX_REASON]
    received.ticket, received.message = ticket, ticket.messages.get()


def _add(received: ReceivedMail, mail: IncomingMail, match: _Match, incoming: Incoming) -> None:
    flood = "" if mail.automatic or _may_reply(mail.sender) else "Too many emails by this sender."
    is_automatic = bool(mail.automatic or flood)
    added = add_customer_message(match.ticket, replace(incoming, is_automatic=is_automatic, is_participant=match.is_participant))
    received.outcome = MailOutcome.OPENED if added.ticket.message_count == 1 else MailOutcome.REPLIED
    received.reason = (mail.automatic or flood)[:MAX_REASON]
    received.ticket, received.message = added.ticket, added


def _may_open(sender: str) -> bool:
    limit = max(1, int(get_setting("support.tickets_per_hour")))
    return spend(f"support:open:{Recipient(sender).key}", limit, window=HOUR).allowed


def _may_reply(sender: str) -> bool:
    return spend(f"support:reply:{Recipient(sender).key}", MAX_REPLIES_PER_HOUR, window=HOUR).allowed
