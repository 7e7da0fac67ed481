"""Sends what is due: any number of workers, each mail one's at a time, and many mails over one connection."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from smtplib import SMTPDataError, SMTPException, SMTPRecipientsRefused, SMTPResponseException
from typing import Any

from django.core import mail as django_mail
from django.db import close_old_connections
from django.db.models import F
from django.utils import timezone

from ..models import OutgoingMail
from ..types import LADDER, LOST_ATTEMPTS, MailState
from .messages import message

logger = logging.getLogger(__name__)

#: How long a mail is one worker's. An attempt ends long before: the mail server has 20 seconds for each of its few answers.
LEASE = timedelta(minutes=10)
#: How long the periodic job sends; a worker's sender is always at it.
JOB = 20.0
#: How many mails are looked up at once.
BATCH = 50
MAX_ERROR = 500


@dataclass
class Round:
    """What came of sending what was due."""

    attempts: int = 0
    reachable: bool = True


@dataclass(frozen=True)
class Outcome:
    """What came of an attempt; without an error the mail server has taken the mail."""

    error: str = ""
    #: Whether another attempt would be refused like this one.
    final: bool = False
    reachable: bool = True


def send_due(*, stop: Callable[[], bool] = lambda: False) -> Round:
    """Sends everything that is due now, over one connection.

    Where the mail server cannot be reached, that counts against the first mail in line, and the round is over: the others
    neither wait for a dead server one after the other, nor lose an attempt by it.
    """
    found = Round()
    connection = django_mail.get_connection()
    try:
        for mail in _claimed(stop):
            found.attempts += 1
            outcome = _attempt(mail, connection)
            _record(mail, outcome)
            if outcome.error:
                _close(connection)
            if not outcome.reachable:
                found.reachable = False
                break
    finally:
        _close(connection)
    return found


def send_for_a_while() -> None:
    """For `run_due` and hosts without a worker: sends what is due, but not for so long that other jobs wait."""
    ends = time.monotonic() + JOB
    send_due(stop=lambda: time.monotonic() > ends)


def _claimed(stop: Callable[[], bool]) -> Iterator[OutgoingMail]:
    """The mails that are due, the longest first, each after it has become this worker's."""
    while True:
        due = OutgoingMail.objects.filter(state=MailState.WAITING, next_attempt_at__lte=timezone.now())
        keys = list(due.order_by("next_attempt_at", "id").values_list("pk", flat=True)[:BATCH])
        for key in keys:
            if stop():
                return
            if claim(key):
                yield OutgoingMail.objects.get(pk=key)
        if not keys:
            return


def claim(key: int) -> bool:
    """Makes a due mail this worker's until the lease ends, and counts the attempt before it is made."""
    now = timezone.now()
    due = OutgoingMail.objects.filter(pk=key, state=MailState.WAITING, next_attempt_at__lte=now)
    return due.update(attempts=F("attempts") + 1, lost=F("lost") + 1, next_attempt_at=now + LEASE) == 1


def _attempt(mail: OutgoingMail, connection: Any) -> Outcome:
    if mail.lost > LOST_ATTEMPTS:
        return Outcome("Too many attempts were interrupted.", final=True)
    try:
        connection.open()
    except Exception as problem:
        logger.warning("The mail server cannot be reached: %s", problem)
        return Outcome(f"The mail server cannot be reached: {_said(problem)}", reachable=False)
    try:
        connection.send_messages([message(mail)])
    except SMTPRecipientsRefused as refusal:
        code, answer = next(iter(refusal.recipients.values()))
        return Outcome(f"The recipient was refused: {code} {_text(answer)}", final=_is_final(code))
    except SMTPDataError as refusal:
        return Outcome(f"The mail was refused: {_said(refusal)}", final=_is_final(refusal.smtp_code))
    except (SMTPException, OSError) as problem:
        return Outcome(f"The mail couldn't be delivered to the mail server: {_said(problem)}")
    except Exception as problem:
        logger.exception("The mail %s could not be sent.", mail.pk)
        return Outcome(f"The mail could not be sent: {_said(problem)}")
    return Outcome()


def _is_final(code: int) -> bool:
    return 500 <= code < 600


def _said(problem: Exception) -> str:
    if isinstance(problem, SMTPResponseException):
        return f"{problem.smtp_code} {_text(problem.smtp_error)}"
    return _text(str(problem) or type(problem).__name__)


def _text(answer: bytes | str) -> str:
    text = answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())


def _record(mail: OutgoingMail, outcome: Outcome) -> None:
    now = timezone.now()
    waiting = OutgoingMail.objects.filter(pk=mail.pk, state=MailState.WAITING)
    if not outcome.error:
        # Also where the lease has ended meanwhile: the mail is out.
        waiting.update(state=MailState.SENT, error="", lost=0, next_attempt_at=None, finished_at=now)
        return
    failures = mail.failures + 1
    seen: dict[str, Any] = {"failures": failures, "lost": 0, "error": outcome.error[:MAX_ERROR]}
    mine = waiting.filter(attempts=mail.attempts)
    if outcome.final or failures > len(LADDER):
        mine.update(**seen, state=MailState.FAILED, next_attempt_at=None, finished_at=now)
    else:
        mine.update(**seen, next_attempt_at=now + LADDER[failures - 1])


def _close(connection: Any) -> None:
    """Quietly: what the mail server says to a goodbye changes nothing."""
    with suppress(Exception):
        connection.close()


class Sender:
    """Sends what is due until it is told to stop; after it found no mail server it waits a while."""

    def __init__(self, pause: float = 0.5, outage: float = 30.0) -> None:
        self._pause, self._outage = pause, outage
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="mail", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Begins no more attempts and waits for the one that runs."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                reachable = send_due(stop=self._stop.is_set).reachable
            except Exception:
                logger.exception("What is due could not be sent.")
                reachable = False
            close_old_connections()
            self._stop.wait(self._pause if reachable else self._outage)
