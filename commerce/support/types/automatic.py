"""Emails that machines write (RFC 3834), and reports of emails that could not be delivered (RFC 3464)."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from email.message import Message
from typing import Protocol

from cms_api.mail.types import plain

from .tickets import MAX_REASON

_MACHINES = frozenset({"mailer-daemon", "postmaster", "mail-daemon"})
_PRECEDENCE = frozenset({"bulk", "junk", "list", "auto_reply"})
_STATUS = re.compile(r"^(status|diagnostic-code|final-recipient|action):\s*(.+(?:\n[ \t].+)*)", re.IGNORECASE | re.MULTILINE)
#: Parts of a report that are looked at.
_MAX_PARTS = 50
_MAX_TEXT = 100_000


class ReadHeaders(Protocol):
    def first(self, name: str) -> str: ...

    def all(self, name: str) -> list[str]: ...

    def has(self, name: str) -> bool: ...


@dataclass(frozen=True, slots=True)
class Bounce:
    """A report that an email could not be delivered: its ids, and why. A delay is no bounce."""

    refers_to: tuple[str, ...]
    reason: str


def automatic_reason(headers: ReadHeaders, content_type: str, sender: str) -> str:
    """Return why an email counts as written by a machine; empty if it does not."""
    submitted = headers.first("auto-submitted").partition(";")[0].strip().lower()
    checks = {
        f"Auto-Submitted: {submitted[:50]}": submitted not in {"", "no"},
        "a report of a mail server": content_type == "multipart/report",
        "an empty return path": any(value.strip() == "<>" for value in headers.all("return-path")),
        "sent by a mail server": sender.partition("@")[0] in _MACHINES,
        f"Precedence: {headers.first('precedence').strip()[:50]}": headers.first("precedence").strip().lower() in _PRECEDENCE,
        "a mailing list": headers.has("list-id"),
        "X-Auto-Response-Suppress": headers.first("x-auto-response-suppress").strip().lower() not in {"", "none"},
        "an automatic reply": headers.has("x-autoreply") or headers.has("x-autorespond") or headers.has("x-auto-reply"),
    }
    return next((reason for reason, applies in checks.items() if applies), "")


def bounce_of(
    message: Message, headers: ReadHeaders, sender: str, message_ids: Callable[[Iterable[str]], list[str]]
) -> Bounce | None:
    """Return the report in an email; None if it is not one."""
    is_report = message.get_content_type() == "multipart/report"
    by_machine = sender.partition("@")[0] in _MACHINES or any(value.strip() == "<>" for value in headers.all("return-path"))
    if not (is_report or (by_machine and headers.has("x-failed-recipients"))):
        return None
    found: list[str] = []
    status = ""
    for number, part in enumerate(message.walk()):
        if number > _MAX_PARTS:
            break
        kind = part.get_content_type()
        if kind == "message/delivery-status":
            status += _text(part)
        elif kind in {"message/rfc822", "text/rfc822-headers", "message/rfc822-headers"}:
            found += message_ids(re.findall(r"^message-id:\s*(<[^\n]*>)", _text(part), re.IGNORECASE | re.MULTILINE))
    fields = {name.lower(): " ".join(value.split()) for name, value in _STATUS.findall(plain(status))}
    if fields.get("action", "failed").lower() in {"delayed", "delivered", "relayed", "expanded"}:
        return None
    reason = fields.get("diagnostic-code") or fields.get("status") or headers.first("x-failed-recipients") or "It was returned."
    also = message_ids([headers.first("in-reply-to"), *headers.all("references")])
    return Bounce(tuple(dict.fromkeys([*found, *also])), " ".join(reason.split())[:MAX_REASON])


def _text(part: Message) -> str:
    """Return a part with the parts inside it as text."""
    text = part.as_string() if part.is_multipart() else str(part.get_payload(decode=False))
    return plain(text)[:_MAX_TEXT]
