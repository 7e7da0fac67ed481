"""Received emails, read so that no email is too malformed: whatever cannot be read is replaced, not refused."""

import hashlib
import re
import secrets
from base64 import b64decode, b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from email import message_from_bytes
from email.errors import HeaderParseError
from email.message import Message
from email.utils import getaddresses, parseaddr
from typing import Any

from cms_api.core.errors import Invalid
from commerce.common.types import MAX_EMAIL, MAX_NAME, read_email

from .automatic import Bounce, automatic_reason, bounce_of
from .bodies import Body, body_of
from .files import NewFile
from .lists import AUTHORS, list_key, trusted_keys, without_via
from .mime import decode_words, header_text
from .tickets import MAX_SUBJECT

MAX_MAIL_BYTES = 50 * 1024 * 1024
#: Ids of one email that are looked up, newest first.
MAX_IDS = 200
#: Stands for the address of a sender who gave none; mail to `.invalid` is never sent (RFC 2606).
NOBODY = "unknown@sender.invalid"
#: Headers that name the addresses an email was sent to.
_RECIPIENTS = ("to", "cc", "delivered-to", "x-original-to", "envelope-to", "x-envelope-to", "x-forwarded-to", "resent-to")
#: Stands for the text of an email that is too much to read.
UNREADABLE = "(This email couldn't be read. The original is attached to the received email.)"
#: Longer ids are stored as their hash.
_MAX_ID = 255
#: Some programs leave the brackets out.
_ID = re.compile(r"<\s*([^<>\s]{1,2000})\s*>|([^\s<>,;\"()]{1,1000}@[^\s<>,;\"()]{1,1000})")
_ADDRESS = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[\w-]+(?:\.[\w-]+)+")
_FORWARDED = re.compile(r"\s*(fwd?|wg|tr|rv|enc|doorst|vs|vb|pd|i)\s*:", re.IGNORECASE)


@dataclass(frozen=True)
class IncomingMail:
    """An email, read and sanitised: no text has NUL, surrogates, or more characters than its column."""

    digest: str
    size: int
    sender: str
    sender_name: str
    subject: str
    recipients: Sequence[str]
    message_id: str
    #: The ids that it refers to, newest first.
    refers_to: Sequence[str]
    text: str
    files: Sequence[NewFile]
    is_forward: bool
    #: Why it counts as written by a machine; empty if it does not.
    automatic: str
    bounce: Bounce | None
    #: Whether the mail server marked it as spam.
    is_spam: bool
    #: The values of X-Loop.
    loops: Sequence[str] = field(default_factory=tuple)
    #: The findings of mail servers about the sender, newest first; none if the email names several senders.
    authentication: Sequence[str] = field(default_factory=tuple)


def read_mail(raw: bytes, trusted_lists: Sequence[str] = ()) -> IncomingMail:
    """Read an email. One that a person wrote through a trusted list is not automatic."""
    try:
        return _read(raw, message_from_bytes(raw), trusted_lists)
    except (RecursionError, ValueError, LookupError, TypeError, AttributeError, IndexError, HeaderParseError, AssertionError):
        # Parts nested thousands deep, and what the library stumbles over: the text as it arrived.
        head, _, body = raw.replace(b"\r\n", b"\n").partition(b"\n\n")
        shallow = message_from_bytes(head + b"\n\n")
        del shallow["Content-Type"], shallow["Content-Transfer-Encoding"]
        shallow.set_payload(body[: 2 * 1024 * 1024].decode("ascii", "surrogateescape"))
        return _read(raw, shallow, trusted_lists)


def mail_as_json(raw: bytes, trusted_lists: Sequence[str] = ()) -> dict[str, Any]:
    """Read an email for `core.apart`; `mail_from_json` makes it an IncomingMail again."""
    read = read_mail(raw, trusted_lists)
    files = [{**asdict(file), "content": b64encode(file.content).decode()} for file in read.files]
    return {**asdict(replace(read, files=())), "files": files}


def mail_from_json(found: Mapping[str, Any]) -> IncomingMail:
    files = [NewFile(**{**file, "content": b64decode(file["content"])}) for file in found["files"]]
    bounce = Bounce(tuple(found["bounce"]["refers_to"]), found["bounce"]["reason"]) if found["bounce"] else None
    return IncomingMail(**{**found, "files": files, "bounce": bounce})


def unreadable_mail(raw: bytes) -> IncomingMail:
    """Return an email of which nothing can be read, but that it came."""
    return IncomingMail(
        digest=hashlib.sha256(raw).hexdigest(),
        size=len(raw),
        sender=NOBODY,
        sender_name="",
        subject="(Unreadable email)",
        recipients=(),
        message_id="",
        refers_to=(),
        text=UNREADABLE,
        files=(),
        is_forward=False,
        automatic="",
        bounce=None,
        is_spam=False,
    )


def _read(raw: bytes, message: Message, trusted_lists: Sequence[str]) -> IncomingMail:
    headers = Headers(message)
    sender, name = _sender(headers)
    lists = trusted_keys(headers, trusted_lists)
    if list_key(sender) in lists:
        sender, name = _author(headers, name, lists) or (sender, name)
    body: Body = body_of(message)
    subject = " ".join(headers.first("subject").split())[:MAX_SUBJECT]
    return IncomingMail(
        digest=digest(raw, headers),
        size=len(raw),
        sender=sender,
        sender_name=name,
        subject=subject,
        recipients=list(_addresses(headers)),
        message_id=next(iter(message_ids(headers.all("message-id"))), ""),
        refers_to=message_ids([headers.first("in-reply-to")])
        + [each for each in reversed(message_ids(headers.all("references"))) if each][:MAX_IDS],
        text=body.text,
        files=body.files,
        is_forward=bool(_FORWARDED.match(subject)),
        automatic=automatic_reason(headers, message.get_content_type(), sender, is_forwarded=bool(lists)),
        bounce=bounce_of(message, headers, sender, message_ids),
        is_spam=_is_marked(headers),
        loops=headers.all("x-loop"),
        authentication=headers.raw("authentication-results") if len(headers.raw("from")) == 1 else (),
    )


class Headers:
    """The headers of an email, decoded, in lower-case names. Malformed ones are read as far as they can be."""

    def __init__(self, message: Message) -> None:
        self._raw: dict[str, list[str]] = {}
        for name, value in message.raw_items():
            self._raw.setdefault(name.lower(), []).append(header_text(value))

    def raw(self, name: str) -> list[str]:
        """Return the values before encoded words are decoded, in which commas and angle brackets are syntax."""
        return self._raw.get(name, [])

    def all(self, name: str) -> list[str]:
        return [decode_words(value) for value in self.raw(name)]

    def first(self, name: str) -> str:
        return next(iter(self.all(name)), "")

    def has(self, name: str) -> bool:
        return name in self._raw

    def names(self) -> Iterable[str]:
        return self._raw.keys()


def _sender(headers: Headers) -> tuple[str, str]:
    """Return address and name of the sender. Reply-To is never an identity."""
    return next(_people(headers, ("from", "sender", "return-path")), (NOBODY, ""))


def _author(headers: Headers, name: str, lists: Collection[str]) -> tuple[str, str] | None:
    """Return address and name of the author of an email whose sender is the list that has forwarded it."""
    found = next((each for each in _people(headers, AUTHORS) if list_key(each[0]) not in lists), None)
    return found and (found[0], without_via([found[1], name]))


def _people(headers: Headers, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the valid addresses in headers with their names."""
    for header in names:
        for raw in headers.raw(header):
            for value in dict.fromkeys((raw, decode_words(raw))):
                name, address = _parse(value)
                if found := _address(address) or _address(next(iter(_ADDRESS.findall(value)), "")):
                    yield found, " ".join(decode_words(name).split())[: 2 * MAX_NAME]
                    break


def _parse(value: str) -> tuple[str, str]:
    try:
        return parseaddr(value)
    except RecursionError:
        return "", ""


def _address(value: str) -> str:
    """Return an address as it is stored; empty if it is invalid."""
    try:
        return read_email(value) if value and len(value) <= MAX_EMAIL else ""
    except Invalid:
        return ""


def _addresses(headers: Headers) -> Iterator[str]:
    for header in _RECIPIENTS:
        values = headers.raw(header)
        try:
            found = [address for _, address in getaddresses(values)]
        except RecursionError:
            found = [address for value in values for address in _ADDRESS.findall(value)]
        yield from (address.lower() for address in found if address)


def message_ids(values: Iterable[str]) -> list[str]:
    """Return the Message-IDs in headers, in their order, without brackets."""
    found = dict.fromkeys("".join(pair) for value in values for pair in _ID.findall(value))
    return [each if len(each) <= _MAX_ID else hashlib.sha256(each.encode()).hexdigest() for each in found][-MAX_IDS:]


def digest(raw: bytes, headers: Headers) -> str:
    """Return a digest that is the same if a mail server delivers an email again, with other headers of its own.

    An email that has neither an id nor a date cannot be told from another one, so it has a random digest.
    """
    if not headers.first("message-id").strip() and not headers.first("date").strip():
        return secrets.token_hex(32)
    made = hashlib.sha256()
    for name in ("message-id", "date", "from", "subject"):
        made.update("\n".join(headers.all(name)).encode() + b"\0")
    made.update(raw.replace(b"\r\n", b"\n").partition(b"\n\n")[2])
    return made.hexdigest()


def _is_marked(headers: Headers) -> bool:
    return headers.first("x-spam-flag").strip().lower() == "yes" or headers.first("x-spam-status").strip().lower().startswith(
        "yes"
    )
