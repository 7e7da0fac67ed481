"""Addresses, headers, attachments and retry delays: rules that need no database."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from email.errors import HeaderParseError
from html import escape
from html.parser import HTMLParser
from typing import Any, Protocol

from django.core.mail.message import sanitize_address
from django.db.models import TextChoices

from cms_api.core.errors import Invalid
from cms_api.core.module import Block
from cms_api.fields.names import has_web_address
from cms_api.fields.texts import is_email
from cms_api.text.hosts import ascii_host
from cms_api.text.html import clean_html
from cms_api.text.placeholders import fill

MAX_SUBJECT = 200
MAX_ABOUT = 80
MAX_NAME = 200
#: For a person's name: quoting may double its length, and it shares a header with an address.
MAX_PERSON = 150
MAX_RECIPIENT = 320
_MAX_ENDING = 10
MAX_MEDIA_TYPE = 200
MAX_HEADER = 900
#: For all attachments of a mail together.
MAX_ATTACHED_BYTES = 10 * 1024 * 1024
#: The delays after the first, second, ... failure; a mail that fails after the last one has failed permanently.
RETRY_DELAYS = tuple(timedelta(seconds=seconds) for seconds in (60, 300, 1800, 7200, 28800))
#: How long finished mails stay in the log, which contains personal messages.
RETENTION = timedelta(days=90)
#: The error of a mail to an address that was stored before this site refused it.
NOT_MAILABLE = "This is no email address that can be mailed."
#: Stands for a text that would advertise an address.
NOT_QUOTED = "(This text contains a web address, and is not quoted here.)"

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

_EMPTY = re.compile(r"<(p|li)>(\s|<br>)*</\1>\s*")

#: A private-use character that stands for a secret while its place is checked.
_SECRET = "\uf8ed"
#: Signs that end no host, path or query, so that they make no other address with what they surround.
_SIGNS = "[" + re.escape("()[]<>\"'“”„«».,;:!?…") + "]*"
_ALONE = re.compile(_SIGNS + _SECRET + _SIGNS)
#: Programs take this for one address: only three characters surely end one. Some read on to a `>` or `"` on the line.
_RUN = re.compile(r"[^ \t\n]+")
_ADDRESS = re.compile(r"//|mailto:|www\.", re.IGNORECASE)
#: Elements inside a line of text, which do not end an address.
_IN_LINE = frozenset({"a", "b", "code", "em", "i", "img", "s", "span", "strong", "sub", "sup", "u"})


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
        try:
            return f"{local}@{ascii_host(domain)}"
        except ValueError:
            # Not the name of a domain: the address has one spelling.
            return self.address

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


def for_mail_server(address: str) -> str:
    """Return an address, perhaps with a name before it, with its domain in ASCII. Django would use an older standard."""
    before, at, rest = address.rpartition("@")
    domain = rest.removesuffix(">")
    try:
        return before + at + ascii_host(domain) + rest[len(domain) :]
    except ValueError:
        return address


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


def check_mailable(address: str, path: str = "email") -> None:
    """Raise Invalid if mail can't be sent to a stored address: before something that a person asks to be sent.

    `queue` would only write to the log that it was not.
    """
    if not is_address(address):
        raise Invalid({path: NOT_MAILABLE})


def find_recipients(values: Iterable[str]) -> dict[Recipient, bool]:
    """Return the recipients in order, without duplicates in other spellings, each with whether mail can be sent to it."""
    found: dict[str, tuple[Recipient, bool]] = {}
    for value in values:
        line = join_lines(value)
        # A name that no header can have keeps nobody from getting the mail.
        bare = line[:-1].rpartition("<")[2].strip() if line.endswith(">") else line
        sendable = next(filter(is_address, (line, bare)), None)
        recipient = Recipient(bare.lower()[:MAX_RECIPIENT]) if sendable is None else read_address(sendable)
        found.setdefault(recipient.key, (recipient, sendable is not None))
    return dict(found.values())


def address_key(address: str) -> str:
    """Return a key that is the same for all spellings of an address without a name. Does not validate."""
    return Recipient(address.strip().lower()).key


def read_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers, without those of unreasonable length. Raises ValueError for a name that callers may not set."""
    for name in headers:
        if not _HEADER_NAME.fullmatch(name) or _OURS.fullmatch(name):
            raise ValueError(f"{name!r} is no header that a caller sets.")
    lines = {name: join_lines(value) for name, value in headers.items()}
    return {name: line for name, line in lines.items() if len(line) <= MAX_HEADER}


def read_attachments(attachments: Sequence[Attachment]) -> list[Attachment]:
    """Return the attachments, with names that fit on one line. Raises Invalid."""
    for attachment in attachments:
        if len(attachment.type) > MAX_MEDIA_TYPE or not _MEDIA_TYPE.fullmatch(attachment.type):
            raise Invalid({"attachments": "The media type of an attachment is invalid."})
    if sum(len(attachment.content) for attachment in attachments) > MAX_ATTACHED_BYTES:
        raise Invalid({"attachments": "The attachments must not be larger than 10 MB together."})
    return [replace(attachment, name=_file_name(attachment.name)) for attachment in attachments]


def _file_name(name: str) -> str:
    """Return the name of a file as it can be sent; one that is too long keeps its ending."""
    line = join_lines(name) or "attachment"
    if len(line) <= MAX_NAME:
        return line
    stem, dot, ending = line.rpartition(".")
    return line[:MAX_NAME] if not dot or len(ending) > _MAX_ENDING else stem[: MAX_NAME - len(ending) - 1] + dot + ending


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
    return join_lines(value)


def join_lines(value: str) -> str:
    """Return any text as a part of a header: on one line, without surrounding, repeated or invisible spaces.

    Titles hold what they were copied with: “ ” that were read in another encoding contain control characters.
    """
    return " ".join(_UNSENDABLE.sub(" ", value).split())


def plain(value: str) -> str:
    """Return text that can be stored and sent: uniform line endings, no characters that are not text."""
    return _NOT_TEXT.sub("", value.replace("\r\n", "\n").replace("\r", "\n"))


def quote_without_links(text: str) -> str:
    """Return a visitor's text as a mail to an address that may be a stranger's quotes it: not at all if it has a web address."""
    return NOT_QUOTED if has_web_address(text) else text


def drop_empty_blocks(html: str) -> str:
    """Return HTML without empty paragraphs and items; what was around one stays apart."""
    return _EMPTY.sub("\n", html)


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


def find_misplaced(words: Words, secrets: Collection[str]) -> dict[str, list[str]]:
    """Return sentences, by part of the mail, for secrets that are neither alone in the text nor the whole address of a link.

    As a part of another address, or in that of a picture, a secret would be sent to whoever answers there.
    """
    found: dict[str, list[str]] = {}
    for name in sorted(secrets):
        marked = {part: _mark_secret(source, name) for part, source in vars(words).items()}
        html = _LinesOfHtml()
        html.feed(drop_empty_blocks(clean_html(marked["html"])))
        html.close()
        wrong = {
            "subject": not _is_alone(marked["subject"]),
            "text": not _is_alone(marked["text"]),
            "html": html.has_misplaced or not _is_alone("".join(html.lines)),
        }
        for part in (part for part, is_wrong in wrong.items() if is_wrong):
            found.setdefault(part, []).append(
                f"{{{{ {name} }}}} must stand alone, with spaces around it and no web address before it on its line, "
                "or be the whole address of a link."
            )
    return found


def _mark_secret(source: str, secret: str) -> str:
    """Return a text as it is sent, with a mark for the secret and a letter for each other value."""
    return fill(plain(source), lambda name: _SECRET if name == secret else "x")


def _is_alone(text: str) -> bool:
    """Return whether no secret in a text is joined to anything but punctuation, or follows an address on its line."""
    if any(_SECRET in run and not _ALONE.fullmatch(run) for run in _RUN.findall(text)):
        return False
    before = [line.rpartition(_SECRET)[0] for line in text.split("\n")]
    return not any(_ADDRESS.search("".join(each.split())) for each in before)


class _LinesOfHtml(HTMLParser):
    """Reads the text of clean HTML, with a line for each block, and notes secrets in attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.has_misplaced = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            is_whole_link = (tag, name, value) == ("a", "href", _SECRET)
            self.has_misplaced |= _SECRET in (value or "") and not is_whole_link
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in _IN_LINE:
            self.lines.append("\n")

    def handle_data(self, data: str) -> None:
        self.lines.append(data.replace("\n", " "))
