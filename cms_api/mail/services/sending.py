"""Sends due mails over shared connections: any number of workers, each mail by one of them at a time."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from smtplib import SMTPDataError, SMTPException, SMTPRecipientsRefused, SMTPResponseException
from typing import Any

from django.core import mail as django_mail

from cms_api.core import registry
from cms_api.core.leases import Stop, free_parked, never, ours, renewing
from cms_api.core.locks import refuse_in_transaction
from cms_api.core.queues import Failed, Round, RowWork
from cms_api.text.printable import printable

from ..models import OutgoingMail
from ..types import NOT_MAILABLE, RETRY_DELAYS, MailState, is_address
from . import unconfirmed
from .messages import message
from .queueing import get_replaced_values

logger = logging.getLogger(__name__)

#: Another worker sends a mail so long after the one that had it has died. It is renewed while a mail server is slow to answer.
LEASE = timedelta(minutes=1)
#: The error of a mail that waits for the budget of its recipient.
OVER_BUDGET = "Delayed: visitors have caused many emails to this address."


def send_due(*, stop: Stop = never) -> Round:
    """Send everything that is due now, over one connection.

    If the mail server cannot be reached, only the first mail loses an attempt, and the round ends: the others neither wait for
    a dead server one by one, nor lose an attempt.
    """
    return SENDING.run_due(stop=stop)


class _Sending(RowWork[OutgoingMail]):
    def free_parked(self) -> None:
        mails = OutgoingMail.objects.order_by()
        free_parked(mails.filter(is_limited=False), self.lease, self.delays)
        # These also wait for the budgets of their recipients, whose windows last no longer than a day.
        free_parked(mails.filter(is_limited=True), self.lease, self.delays, longest=timedelta(days=1))

    @contextmanager
    def session(self) -> Iterator[Callable[[OutgoingMail], None]]:
        """Yield a function that sends mails over one connection, reopened after each failure."""
        connection = django_mail.get_connection()

        def send(mail: OutgoingMail) -> None:
            if _replace_outdated(mail):
                return
            _admit(mail)
            try:
                with renewing(mail, LEASE):
                    _send(mail, connection)
            except Failed:
                _close(connection)
                raise

        try:
            yield send
        finally:
            _close(connection)


def _replace_outdated(mail: OutgoingMail) -> bool:
    """End a mail whose earlier attempt failed or was interrupted, if a later one about its record was sent to its recipient.

    The earlier state must not arrive after the later one.
    """
    if not mail.about or mail.attempts <= 1:
        return False
    later = OutgoingMail.objects.filter(about=mail.about, recipient=mail.recipient, pk__gt=mail.pk, state=MailState.SENT)
    return later.order_by().exists() and bool(ours(mail).update(**get_replaced_values()))


def _admit(mail: OutgoingMail) -> None:
    """Charge a limited mail to the budget of its recipient, once. Raises Failed, until the window ends, if it is spent."""
    if not mail.is_limited:
        return
    # A limited mail to staff is about a record. Without one, its address was `entered_by` a visitor.
    to_staff = bool(mail.about) and mail.template in registry.mails() and registry.mail(mail.template).to_staff
    spent = unconfirmed.charge_mailbox(address=mail.recipient, about=mail.about, to_staff=to_staff)
    if not spent.allowed:
        raise Failed(OVER_BUDGET, at_least=timedelta(seconds=spent.seconds_left))
    OutgoingMail.objects.filter(pk=mail.pk).update(is_limited=False)


def _send(mail: OutgoingMail, connection: Any) -> None:
    """Hand a mail to the mail server. Raises Failed."""
    refuse_in_transaction("Sending mail")
    if not is_address(mail.recipient):
        raise Failed(NOT_MAILABLE, final=True)
    try:
        connection.open()
    except Exception as problem:
        logger.warning("The mail server cannot be reached: %s", problem)
        raise Failed(f"The mail server cannot be reached: {_describe(problem)}", outage=True) from None
    try:
        connection.send_messages([message(mail)])
    except SMTPRecipientsRefused as refusal:
        code, answer = next(iter(refusal.recipients.values()))
        raise Failed(f"The recipient was refused: {code} {_text(answer)}", final=_is_final(code)) from None
    except SMTPDataError as refusal:
        raise Failed(f"The mail was refused: {_describe(refusal)}", final=_is_final(refusal.smtp_code)) from None
    except (SMTPException, OSError) as problem:
        raise Failed(f"The mail couldn't be delivered to the mail server: {_describe(problem)}") from None
    except Exception as problem:
        logger.exception("The mail %s could not be sent.", mail.pk)
        raise Failed(f"The mail could not be sent: {_describe(problem)}") from None


def _is_final(code: int) -> bool:
    return 500 <= code < 600


def _describe(problem: Exception) -> str:
    if isinstance(problem, SMTPResponseException):
        return f"{problem.smtp_code} {_text(problem.smtp_error)}"
    return _text(str(problem) or type(problem).__name__)


def _text(answer: bytes | str) -> str:
    return printable(answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer)


def _close(connection: Any) -> None:
    """Close the connection, ignoring errors: the response to QUIT changes nothing."""
    with suppress(Exception):
        connection.close()


#: A mail that the server has accepted counts as sent even if the lease has expired meanwhile.
SENDING = _Sending(OutgoingMail, lease=LEASE, delays=RETRY_DELAYS, fenced=False)
