"""Reads emails, longer ones in a process of their own: one that is made to take for ever must not block the mailbox."""

import logging
import re
from collections.abc import Sequence
from dataclasses import replace

from cms_api.core.apart import Limits, ReadingFailed, run_apart
from cms_api.flags.selectors import get_words
from cms_api.http.secret_urls import all_routes

from ..types.files import NewFile
from ..types.mail import UNREADABLE, IncomingMail, mail_as_json, mail_from_json, read_mail, unreadable_mail

logger = logging.getLogger(__name__)

LIMITS = Limits(cpu_seconds=20)
#: Emails of so many bytes are read in this process: even hostile ones take a fraction of a second.
_SHORT_BYTES = 16 * 1024
#: Headers of mailing lists, looked for at the beginning of an email.
_LIST_HEADERS = re.compile(rb"^(precedence|list-|mailing-list|x-)", re.IGNORECASE | re.MULTILINE)
_HEAD_BYTES = 64 * 1024
#: The ends of the names of files of text, whatever type an email says that they have.
TEXT_FILES = (".txt", ".htm", ".html")
#: Bytes of a file of text in which secrets are looked for: what a mail program splits off is shorter, and this takes 0.2 seconds.
MAX_SEARCHED_BYTES = 256 * 1024


def read_incoming(raw: bytes) -> IncomingMail:
    """Read an email. One that is too much to read has its headers, if those can be read, and a text that says so.

    Answers quote the emails of this site, and deliveries that failed return them. People who read tickets must not find the
    links in them that sign somebody in: their secrets are left out. Emails that are attached are kept as they are; see
    `Attachment.is_email`.
    """
    found = _read_whole(raw, get_words("support.mailing_lists") if _LIST_HEADERS.search(raw[:_HEAD_BYTES]) else ())
    hide = all_routes().hide_in
    files = [_without_secrets(file) for file in found.files]
    return replace(found, subject=hide(found.subject), text=hide(found.text), files=files)


def _without_secrets(file: NewFile) -> NewFile:
    """Return a file of text, such as a part that a mail program has split off, without the secrets of links."""
    is_text = file.type.startswith("text/") or file.name.lower().endswith(TEXT_FILES)
    if not is_text or len(file.content) > MAX_SEARCHED_BYTES:
        return file
    # In this way of reading bytes, all others stay as they are.
    hidden = all_routes().hide_in(file.content.decode("latin-1"))
    return replace(file, content=hidden.encode("latin-1", "replace"))


def _read_whole(raw: bytes, lists: Sequence[str]) -> IncomingMail:
    if len(raw) <= _SHORT_BYTES:
        return read_mail(raw, lists)
    head = raw.replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    if found := _read_apart(raw, lists):
        return found
    found = _read_apart(b"\n\n".join([head[:_SHORT_BYTES], UNREADABLE.encode()]), lists)
    # Of headers that are cut off, none proves who the sender is.
    return replace(found, authentication=(), size=len(raw)) if found else unreadable_mail(raw)


def _read_apart(content: bytes, lists: Sequence[str]) -> IncomingMail | None:
    try:
        return mail_from_json(run_apart(mail_as_json, content, list(lists), limits=LIMITS))
    except ReadingFailed as problem:
        logger.warning("An email of %s bytes %s", len(content), problem)
        return None
