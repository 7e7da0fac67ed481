"""Reads emails, longer ones in a process of their own: one that is made to take for ever must not block the mailbox."""

import logging
from dataclasses import replace

from cms_api.core.apart import Limits, ReadingFailed, run_apart

from ..types.mail import UNREADABLE, IncomingMail, mail_as_json, mail_from_json, read_mail, unreadable_mail

logger = logging.getLogger(__name__)

LIMITS = Limits(cpu_seconds=20)
#: Emails of so many bytes are read in this process: even hostile ones take a fraction of a second.
_SHORT_BYTES = 16 * 1024


def read_incoming(raw: bytes) -> IncomingMail:
    """Read an email. One that is too much to read has its headers, if those can be read, and a text that says so."""
    if len(raw) <= _SHORT_BYTES:
        return read_mail(raw)
    head = raw.replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    if found := _read_apart(raw):
        return found
    found = _read_apart(b"\n\n".join([head[:_SHORT_BYTES], UNREADABLE.encode()]))
    # Of headers that are cut off, none proves who the sender is.
    return replace(found, authentication=(), size=len(raw)) if found else unreadable_mail(raw)


def _read_apart(content: bytes) -> IncomingMail | None:
    try:
        return mail_from_json(run_apart(mail_as_json, content, limits=LIMITS))
    except ReadingFailed as problem:
        logger.warning("An email of %s bytes %s", len(content), problem)
        return None
