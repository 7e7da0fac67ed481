"""Sends due mails over shared connections: any number of workers, each mail by one of them at a time."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from smtplib import SMTPDataError, SMTPException, SMTPRecipientsRefused, SMTPResponseException
from typing import Any

from django.core import mail as django_mail

from cms_api.core.leases import Stop, never
from cms_api.core.queues import Failed, Round, RowWork

from ..models import OutgoingMail
from ..types import RETRY_DELAYS
from .messages import message

logger = logging.getLogger(__name__)

#: Far longer than any attempt: the mail server has 20 seconds for each of its few responses.
LEASE = timedelta(minutes=10)


def send_due(*, stop: Stop = never) -> Round:
    """Send everything that is due now, over one connection.

    If the mail server cannot be reached, only the first mail loses an attempt, and the round ends: the others neither wait for
    a dead server one by one, nor lose an attempt.
    """
    return SENDING.run_due(stop=stop)


class _Sending(RowWork[OutgoingMail]):
    @contextmanager
    def session(self) -> Iterator[Callable[[OutgoingMail], None]]:
        """Yield a function that sends mails over one connection, reopened after each failure."""
        connection = django_mail.get_connection()

        def send(mail: OutgoingMail) -> None:
            try:
                _send(mail, connection)
            except Failed:
                _close(connection)
                raise

        try:
            yield send
        finally:
            _close(connection)


def _send(mail: OutgoingMail, connection: Any) -> None:
    """Hand a mail to the mail server. Raises Failed."""
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
    text = answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())


def _close(connection: Any) -> None:
    """Close the connection, ignoring errors: the response to QUIT changes nothing."""
    with suppress(Exception):
        connection.close()


#: A mail that the server has accepted counts as sent even if the lease has expired meanwhile.
SENDING = _Sending(OutgoingMail, lease=LEASE, delays=RETRY_DELAYS, fenced=False)
