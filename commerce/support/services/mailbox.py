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

from cms_api.core import outages
from cms_api.core.locks import refuse_in_transaction

from ..types.mail import MAX_MAIL_BYTES
from .receiving import receive_mail

logger = logging.getLogger(__name__)

#: Seconds for each answer of the server, and after which a run ends, as other jobs wait for it; the next one continues.
TIMEOUT_SECONDS = 10
RUN_SECONDS = 20
#: Emails in a row that an outage kept from being received before a run ends: the database is away.
_MAX_FAILURES = 3
_SIZE = re.compile(rb"RFC822\.SIZE (\d+)")


def read_mailbox() -> int:
    """Receive the unread emails of the mailbox, and mark each as read once it is stored (periodic job).

    Return how many there were. If a run ends between the two, the email is received again, which changes nothing.
    """
    if not settings.SUPPORT_IMAP:
        return 0
    done = failures = 0
    ends = time.monotonic() + RUN_SECONDS
    with _mailbox() as box:
        for uid in _fetch_unread(box):
            if time.monotonic() > ends or failures >= _MAX_FAILURES:
                break
            raw = _fetch(box, uid)
            if raw is None:
                continue
            try:
                receive_mail(raw=raw)
            except Exception as problem:
                logger.exception("The email %s of the support mailbox could not be received.", uid.decode())
                if outages.find(problem):
                    failures += 1
                else:
                    # It would fail again, and keep others waiting: people look at it in the mailbox.
                    box.uid("STORE", uid.decode(), "+FLAGS", r"(\Seen \Flagged)")
                continue
            box.uid("STORE", uid.decode(), "+FLAGS", r"(\Seen)")
            done, failures = done + 1, 0
    return done


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
