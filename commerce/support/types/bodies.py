"""The text and the files of an email."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import Message

from cms_api.mail.types import plain
from cms_api.text.html import text_lines

from .files import NewFile
from .tickets import MAX_BODY, MAX_FILE_NAME, MAX_FILE_TYPE, MAX_FILES

#: Stands for the text of an email that has none.
NO_TEXT = "(No text)"
MAX_PARTS = 1000
#: HTML is read up to so many characters.
_MAX_HTML_CHARACTERS = 500_000
_MEDIA_TYPE = re.compile(r"[a-z0-9.+-]+/[a-z0-9.+-]+")
_ANSWER = re.compile(r"^ATTENDEE[^\n]*?PARTSTAT=(ACCEPTED|DECLINED|TENTATIVE)", re.IGNORECASE | re.MULTILINE)
_METHOD = re.compile(r"^METHOD:REPLY\s*$", re.IGNORECASE | re.MULTILINE)
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

Decode = Callable[[bytes, str], str]


@dataclass
class Body:
    text: str = ""
    files: list[NewFile] = field(default_factory=list)


@dataclass
class _Reading:
    decode: Decode
    texts: list[str] = field(default_factory=list)
    files: list[NewFile] = field(default_factory=list)
    #: The answer to an invitation.
    answer: str = ""
    parts: int = 0


def body_of(message: Message, decode: Decode) -> Body:
    """Return the text of an email, converted from HTML if there is no other, and its files."""
    reading = _Reading(decode)
    _read(message, reading)
    text = "\n\n".join(filter(None, (text.strip("\n") for text in reading.texts)))
    if not text.strip():
        text = reading.answer or NO_TEXT
    return Body(text, reading.files)


def _read(part: Message, reading: _Reading) -> None:
    reading.parts += 1
    if reading.parts > MAX_PARTS:
        return
    kind = part.get_content_type()
    if kind == "message/rfc822" or (kind.startswith("message/") and part.is_multipart()):
        inner = part.get_payload()
        content = b"\n".join(each.as_bytes() for each in inner if isinstance(each, Message)) if isinstance(inner, list) else b""
        _add_file(part, reading, content, fallback="forwarded.eml" if kind == "message/rfc822" else "report.txt")
    elif part.is_multipart():
        children = [child for child in part.get_payload() if isinstance(child, Message)]
        if kind == "multipart/alternative":
            _read_alternative(children, reading)
        else:
            for child in children:
                _read(child, reading)
    elif kind in {"text/plain", "text/html"} and not _is_file(part):
        reading.texts.append(_text(part, reading, kind))
    else:
        content = _content(part)
        if kind == "text/calendar":
            reading.answer = reading.answer or _calendar_answer(reading.decode(content, _parameter(part, "charset")))
        _add_file(part, reading, content, fallback="invite.ics" if kind == "text/calendar" else "")


def _read_alternative(children: list[Message], reading: _Reading) -> None:
    """Read the plain text, or else the HTML, of a part with several versions of one text, and all files in it."""
    plain_ones = [child for child in children if child.get_content_type() == "text/plain" and not _is_file(child)]
    written = [child for child in plain_ones if _text(child, reading, "text/plain").strip()]
    for child in children:
        if child in plain_ones:
            if child in written[:1]:
                _read(child, reading)
            continue
        inner = _Reading(reading.decode, parts=reading.parts)
        _read(child, inner)
        reading.parts, reading.answer = inner.parts, reading.answer or inner.answer
        reading.files += inner.files
        if not written and inner.texts:
            reading.texts += inner.texts
            written = [child]


def _text(part: Message, reading: _Reading, kind: str) -> str:
    text = reading.decode(_content(part), _parameter(part, "charset"))
    if kind == "text/html":
        return plain(text_lines(plain(text[:_MAX_HTML_CHARACTERS])))[:MAX_BODY]
    return plain(text.replace("\u2028", "\n").replace("\u2029", "\n")).replace("\ufeff", "")


def _content(part: Message) -> bytes:
    try:
        found = part.get_payload(decode=True)
    except (ValueError, LookupError, AssertionError, TypeError, UnicodeError):
        found = None
    if isinstance(found, bytes):
        return found
    payload = part.get_payload()
    return payload.encode("utf-8", "surrogateescape") if isinstance(payload, str) else b""


def _parameter(part: Message, name: str) -> str:
    try:
        found = part.get_param(name)
    except (ValueError, LookupError, TypeError, UnicodeError):
        return ""
    return found[2] if isinstance(found, tuple) else str(found or "")


def _filename(part: Message) -> str:
    try:
        return part.get_filename() or ""
    except (ValueError, LookupError, TypeError, UnicodeError):
        return ""


def _is_file(part: Message) -> bool:
    return part.get_content_disposition() == "attachment" or bool(_filename(part))


def _add_file(part: Message, reading: _Reading, content: bytes, *, fallback: str = "") -> None:
    if len(reading.files) >= MAX_FILES or (not content and not _filename(part)):
        return
    kind = part.get_content_type()
    name = file_name(_filename(part)) or fallback or f"file.{kind.partition('/')[2][:10]}"
    is_type = bool(_MEDIA_TYPE.fullmatch(kind)) and len(kind) <= MAX_FILE_TYPE
    reading.files.append(NewFile(name, content, kind if is_type else "application/octet-stream"))


def file_name(given: str) -> str:
    """Return a sender's name for a file, without folders and characters that are not shown."""
    bare = _UNSAFE.sub("", given).replace("\\", "/").rpartition("/")[2].strip(". ")
    stem, dot, extension = bare.rpartition(".")
    return stem[: MAX_FILE_NAME - 21] + dot + extension[:20] if dot else bare[:MAX_FILE_NAME]


def _calendar_answer(calendar: str) -> str:
    """Return the answer to an invitation in words; empty if it is none."""
    unfolded = re.sub(r"\r?\n[ \t]", "", calendar[:MAX_BODY])
    found = _ANSWER.search(unfolded) if _METHOD.search(unfolded) else None
    return f"Invitation {found[1].lower()}." if found else ""
