"""Addresses, headers, attachments and retry delays: rules that need no database."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from email.errors import HeaderParseError
from html import escape
from typing import Any, Protocol

from django.core.mail.message import sanitize_address
from django.db.models import TextChoices
from django.utils.encoding import punycode

from cms_api.core.errors import Invalid
from cms_api.core.module import Block
from cms_api.fields.texts import is_email

MAX_SUBJECT = 200
MAX_ABOUT = 80
MAX_NAME = 200
#: For a person's name: quoting may double its length, and it shares a header with an address.
MAX_PERSON = 150
MAX_MEDIA_TYPE = 200
MAX_HEADER = 900
#: For all attachments of a mail together.
MAX_ATTACHED_BYTES = 10 * 1024 * 1024
#: The delays after the first, second, ... failure; a mail that fails after the last one has failed permanently.
RETRY_DELAYS = tuple(timedelta(seconds=seconds) for seconds in (60, 300, 1800, 7200, 28800))
#: How long finished mails stay in the log, which contains personal messages.
RETENTION = timedelta(days=90)

#: Characters that would end a header or are not text; a lone surrogate cannot be encoded at all.
_UNSENDABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_NOT_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_HEADER_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,70}")
#: Headers that are set from the mail's row, or that would change how it is parsed.
_OURS = re.compile(
    r"from|sender|to|cc|bcc|reply-to|subject|date|message-id|mime-version|auto-submitted|return-path|received|(content|resent)-.*",
    re.IGNORECASE,
)
_MEDIA_TYPE = re.compile(r"[a-z0-9.+-]+/[a-z0-9.+-]+(; ?[a-z0-9-]+=[A-Za-z0-9._-]+)*")


class MailState(TextChoices):
    WAITING = "waiting"
    SENT = "sent"
    FAILED = "failed"
    REPLACED = "replaced"


class AutoSubmitted(TextChoices):
    """How an email came about, for the programs that receive it (RFC 3834): they answer only what a person wrote."""

    BY_PERSON = "", "Written by a person"
    GENERATED = "auto-generated", "Generated"
    REPLIED = "auto-replied", "Automatic reply"


@dataclass(frozen=True)
class Attachment:
    """An attached file. `type` may have parameters: `text/calendar; method=REQUEST`.

    A file that takes long to make, such as a document, is made when the mail is sent, and no transaction waits for it:
    `maker` is the dotted path of a function that returns the content, called with what `made_from` names, which is JSON.
    """

    name: str
    content: bytes = b""
    type: str = "application/octet-stream"
    maker: str = ""
    made_from: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Visitor:
    """The visitor who entered an address before a mail to it is queued: the account, or None for one who was not signed in."""

    user: Any = None


@dataclass(frozen=True)
class Recipient:
    """A recipient: the address in lower case, and a name of any text that fits on one line."""

    address: str
    name: str = ""

    @property
    def key(self) -> str:
        """Return a key that is the same for all spellings of an address."""
        local, _, domain = self.address.rpartition("@")
        return f"{local}@{punycode(domain)}"

    def __str__(self) -> str:
        if not self.name:
            return self.address
        quoted = self.name.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{quoted}" <{self.address}>'


@dataclass(frozen=True)
class Words:
    """The subject, text and HTML of a mail, with placeholders until it is rendered."""

    subject: str
    text: str
    html: str


def read_address(value: str, path: str = "to") -> Recipient:
    """Parse one recipient: `jane@example.com` or `Doe, Jane <jane@example.com>`, with or without quotes. Raises Invalid."""
    if _UNSENDABLE.search(value):
        raise Invalid({path: "An address must be a single line."})
    name, address = "", value.strip()
    if address.endswith(">"):
        name, _, address = address[:-1].rpartition("<")
        name = name.strip()
        if len(name) > 1 and name[0] == name[-1] == '"':
            name = re.sub(r"\\(.)", r"\1", name[1:-1])
    found = Recipient(address.strip().lower(), name[:MAX_PERSON])
    if not _is_sendable(found):
        raise Invalid({path: "Must be a valid email address."})
    return found


def _is_sendable(recipient: Recipient) -> bool:
    if not is_email(recipient.address):
        return False
    try:
        sanitize_address((recipient.name, recipient.address), "utf-8")
        sanitize_address(str(recipient), "utf-8")
    except (ValueError, HeaderParseError, IndexError):
        return False
    return True


def is_address(value: str) -> bool:
    """Return whether mail can be sent to this address."""
    try:
        read_address(value)
    except Invalid:
        return False
    return True


def read_addresses(values: Iterable[str]) -> list[Recipient]:
    """Return the recipients in order, without duplicates in other spellings. Raises Invalid."""
    found: dict[str, Recipient] = {}
    for value in values:
        recipient = read_address(value)
        found.setdefault(recipient.key, recipient)
    return list(found.values())


def read_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers. Raises Invalid for a value of several lines, ValueError for a name that callers may not set."""
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name) or _OURS.fullmatch(name):
            raise ValueError(f"{name!r} is no header that a caller sets.")
        if _UNSENDABLE.search(value) or len(value) > MAX_HEADER:
            raise Invalid({f"headers.{name}": "Must be one line of reasonable length."})
    return dict(headers)


def read_attachments(attachments: Sequence[Attachment]) -> list[Attachment]:
    """Return the attachments. Raises Invalid."""
    for attachment in attachments:
        if not attachment.name or len(attachment.name) > MAX_NAME or _UNSENDABLE.search(attachment.name):
            raise Invalid({"attachments": "The name of an attachment must be one line of at most 200 characters."})
        if len(attachment.type) > MAX_MEDIA_TYPE or not _MEDIA_TYPE.fullmatch(attachment.type):
            raise Invalid({"attachments": "The media type of an attachment is invalid."})
    if sum(len(attachment.content) for attachment in attachments) > MAX_ATTACHED_BYTES:
        raise Invalid({"attachments": "The attachments must not be larger than 10 MB together."})
    return list(attachments)


class QueuedMail(Protocol):
    """A mail, as listeners of `mail.queued` get it."""

    pk: int
    recipient: str
    subject: str
    message_id: str


def one_line(value: str, path: str) -> str:
    """Return text for a subject, without surrounding, repeated or invisible spaces. Raises Invalid if it has several lines."""
    if _UNSENDABLE.search(value.replace("\t", " ")):
        raise Invalid({path: f"The {path} must be a single line."})
    return " ".join(value.split())


def plain(value: str) -> str:
    """Return text that can be stored and sent: uniform line endings, no characters that are not text."""
    return _NOT_TEXT.sub("", value.replace("\r\n", "\n").replace("\r", "\n"))


def particulars(pairs: Iterable[tuple[str, str]]) -> Block:
    """Return a table of labels and values, such as the answers to a form."""
    rows = [(plain(label), plain(value)) for label, value in pairs]
    lines = [f"{label}:{_indent(value)}" for label, value in rows]
    cells = [f'<tr><th scope="row">{escape(label)}</th><td>{_lines(value)}</td></tr>' for label, value in rows]
    return Block("\n".join(lines), f"<table>{''.join(cells)}</table>")


def _indent(value: str) -> str:
    return f" {value}" if "\n" not in value else "\n  " + value.replace("\n", "\n  ")


def _lines(value: str) -> str:
    return escape(value).replace("\n", "<br>")
