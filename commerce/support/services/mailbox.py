"""Reads the support mailbox by IMAP, over TLS only."""

import imaplib
import logging
import re
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from django.conf import settings

from cms_api.auth.services.budgets import spend
from cms_api.core import outages
from cms_api.core.locks import refuse_in_transaction

from ..types.mail import MAX_MAIL_BYTES
from .receiving import keep_unread, receive_mail

logger = logging.getLogger(__name__)

#: Seconds for each answer of the server, and after which a run ends, as other jobs wait for it; the next one continues.
TIMEOUT_SECONDS = 10
RUN_SECONDS = 20
#: How often an email is tried again within a day that an outage, or the connection, kept from being received.
MAX_RETRIES = 2
_DAY_SECONDS = 24 * 3600
#: Kept in place of an email that the server does not hand out.
_NOT_FETCHED = "Subject: Not received\n\nThe email {uid} of the support mailbox could not be fetched. It is flagged there.\n"
_SIZE = re.compile(rb"RFC822\.SIZE (\d+)")


def read_mailbox() -> int:
    """Receive the unread emails of the mailbox, and mark each as read once it is stored (periodic job).

    Return how many there were. If a run ends between the two, the email is received again, which changes nothing. One that fails
    keeps no others waiting; if it fails again and again, it is flagged in the mailbox, and kept as it arrived.
    """
    if not settings.SUPPORT_IMAP:
        return 0
    done = 0
    ends = time.monotonic() + RUN_SECONDS
    with _mailbox() as box:
        for uid in _fetch_unread(box):
            if time.monotonic() > ends:
                break
            try:
                raw = _fetch(box, uid)
            except (imaplib.IMAP4.error, OSError):
                # The connection may be of no more use.
                if not _may_retry(uid):
                    with _mailbox() as another:
                        _set_aside(another, uid, _NOT_FETCHED.format(uid=uid.decode()).encode())
                raise
            if raw is None:
                continue
            try:
                receive_mail(raw=raw)
            except Exception as problem:
                logger.exception("The email %s of the support mailbox could not be received.", uid.decode())
                if not outages.find(problem) or not _may_retry(uid):
                    _set_aside(box, uid, raw)
                continue
            box.uid("STORE", uid.decode(), "+FLAGS", r"(\Seen)")
            done += 1
    return done


def _may_retry(uid: bytes) -> bool:
    """Count a failure; return whether the email may be tried again."""
    return spend(f"support:mailbox:{uid.decode()}", MAX_RETRIES, window=_DAY_SECONDS).allowed


def _set_aside(box: imaplib.IMAP4, uid: bytes, raw: bytes) -> None:
    """Flag an email that fails again and again for people to look at, and keep it in quarantine.

    While nothing can be stored, the fault is not its own, and it stays unread.
    """
    try:
        keep_unread(raw=raw)
    except Exception:
        logger.exception("The email %s of the support mailbox could not be set aside.", uid.decode())
        return
    logger.error("The email %s of the support mailbox is set aside: it can't be received.", uid.decode())
    box.uid("STORE", uid.decode(), "+FLAGS", r"(\Seen \Flagged)")


@contextmanager
def _mailbox() -> Iterator[imaplib.IMAP4]:
    """Yield a connection with the folder selected."""
    refuse_in_transaction("Reading a mailbox")
    given: dict[str, Any] = settings.SUPPORT_IMAP
    context = ssl.create_default_context()
    if settings.SUPPORT_IMAP_CA_BUNDLE:
        context.load_verify_locations(settings.SUPPORT_IMAP_CA_BUNDLE)
    host, port = given["host"], given["port"]
    box: imaplib.IMAP4
    if given["starttls"]:
        box = imaplib.IMAP4(host, port, timeout=TIMEOUT_SECONDS)
    else:
        box = imaplib.IMAP4_SSL(host, port, ssl_context=context, timeout=TIMEOUT_SECONDS)
    try:
        if given["starttls"]:
            box.starttls(context)
        box.login(given["user"], given["password"])
        folder = given["folder"].replace("\\", "\\\\").replace('"', '\\"')
        answer, _ = box.select(f'"{folder}"')
        if answer != "OK":
            raise imaplib.IMAP4.error(f"The folder {given['folder']} cannot be opened.")
        yield box
    finally:
        # A connection that has ended is closed all the same.
        with suppress(Exception):
            box.logout()
        with suppress(Exception):
            box.shutdown()


def _fetch_unread(box: imaplib.IMAP4) -> list[bytes]:
    _, data = box.uid("SEARCH", "UNSEEN")
    return data[0].split() if data and data[0] else []


def _fetch(box: imaplib.IMAP4, uid: bytes) -> bytes | None:
    """Return an email; None for one that is gone, or too large, which is flagged for people to look at."""
    name = uid.decode()
    _, data = box.uid("FETCH", name, "(RFC822.SIZE)")
    size = _SIZE.search(b" ".join(each if isinstance(each, bytes) else each[0] for each in data if each))
    if size and int(size[1]) > MAX_MAIL_BYTES:
        logger.error("The email %s of the support mailbox is too large: %s bytes.", name, int(size[1]))
        box.uid("STORE", name, "+FLAGS", r"(\Seen \Flagged)")
        return None
    # Peeking leaves it unread until it is stored.
    _, data = box.uid("FETCH", name, "(BODY.PEEK[])")
    return next((bytes(each[1]) for each in data if isinstance(each, tuple)), None)
