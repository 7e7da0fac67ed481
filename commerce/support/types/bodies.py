"""The text and the files of an email."""

import re
from dataclasses import dataclass, field
from email.message import Message

from cms_api.mail.types import plain
from cms_api.text.decoding import decode
from cms_api.text.html import text_lines

from .files import NewFile
from .mime import content_of, file_name_of, parameter_of
from .tickets import MAX_BODY, MAX_FILE_NAME, MAX_FILE_TYPE, MAX_FILES

#: Stands for the text of an email that has none.
NO_TEXT = "(No text)"
MAX_PARTS = 1000
_EMAILS = frozenset({"message/rfc822", "message/global"})
#: HTML is read up to so many characters.
_MAX_HTML_CHARACTERS = 500_000
_MEDIA_TYPE = re.compile(r"[a-z0-9.+-]+/[a-z0-9.+-]+")
_ANSWER = re.compile(r"^ATTENDEE[^\n]*?PARTSTAT=(ACCEPTED|DECLINED|TENTATIVE)", re.IGNORECASE | re.MULTILINE)
_METHOD = re.compile(r"^METHOD:REPLY\s*$", re.IGNORECASE | re.MULTILINE)
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass
class Body:
    text: str = ""
    files: list[NewFile] = field(default_factory=list)


@dataclass
class _Reading:
    texts: list[str] = field(default_factory=list)
    files: list[NewFile] = field(default_factory=list)
    #: The answer to an invitation.
    answer: str = ""
    parts: int = 0


def body_of(message: Message) -> Body:
    """Return the text of an email, converted from HTML if there is no other, and its files."""
    reading = _Reading()
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
    if kind in _EMAILS or (kind.startswith("message/") and part.is_multipart()):
        _add_file(part, reading, content_of(part), fallback="forwarded.eml" if kind in _EMAILS else "report.txt")
    elif part.is_multipart():
        children = [child for child in part.get_payload() if isinstance(child, Message)]
        if kind == "multipart/alternative":
            _read_alternative(children, reading)
        else:
            for child in children:
                _read(child, reading)
    elif kind in {"text/plain", "text/html"} and not _is_file(part):
        reading.texts.append(_text(part, kind))
    else:
        content = content_of(part)
        if kind == "text/calendar":
            reading.answer = reading.answer or _calendar_answer(decode(content, _charset(part)))
        _add_file(part, reading, content, fallback="invite.ics" if kind == "text/calendar" else "")


def _read_alternative(children: list[Message], reading: _Reading) -> None:
    """Read the plain text, or else the HTML, of a part with several versions of one text, and all files in it."""
    plain_ones = [child for child in children if child.get_content_type() == "text/plain" and not _is_file(child)]
    written = [child for child in plain_ones if _text(child, "text/plain").strip()]
    for child in children:
        if child in plain_ones:
            if child in written[:1]:
                _read(child, reading)
            continue
        inner = _Reading(parts=reading.parts)
        _read(child, inner)
        reading.parts, reading.answer = inner.parts, reading.answer or inner.answer
        reading.files += inner.files
        if not written and inner.texts:
            reading.texts += inner.texts
            written = [child]


def _text(part: Message, kind: str) -> str:
    text = decode(content_of(part), _charset(part), is_markup=kind == "text/html")
    if kind == "text/html":
        return plain(text_lines(plain(text[:_MAX_HTML_CHARACTERS])))[:MAX_BODY]
    return plain(text.replace("\u2028", "\n").replace("\u2029", "\n")).replace("\ufeff", "")


def _charset(part: Message) -> str:
    return parameter_of(part, "content-type", "charset")


def _is_file(part: Message) -> bool:
    return part.get_content_disposition() == "attachment" or bool(file_name_of(part))


def _add_file(part: Message, reading: _Reading, content: bytes, *, fallback: str = "") -> None:
    if len(reading.files) >= MAX_FILES or (not content and not file_name_of(part)):
        return
    kind = part.get_content_type()
    name = file_name(file_name_of(part)) or fallback or f"file.{kind.partition('/')[2][:10]}"
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
