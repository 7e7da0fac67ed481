"""Headers of emails as text: encoded words (RFC 2047), parameters (RFC 2231), and bytes that are neither; content of parts."""

import re
from base64 import b64decode
from binascii import a2b_qp
from collections.abc import Iterator
from email.message import Message
from urllib.parse import unquote_to_bytes

from cms_api.mail.types import plain
from cms_api.text.decoding import decode

#: Characters of a header that are read.
MAX_HEADER_CHARACTERS = 20_000
#: Parts of a value that is continued.
_MAX_PIECES = 1000
_WORD = re.compile(r"=\?([^?\s]{1,80})\?([bq])\?([^?]*(?:\?(?!=)[^?]*)*)\?=", re.IGNORECASE)
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]")
_FOLD = re.compile(r"\r?\n(?=[ \t])|\r\n?|\n")
_PARAMETER = re.compile(r"""([^\s=;"]{1,60})\s*=\s*("(?:[^"\\]|\\.)*(?:"|\Z)|[^;]*)[^;]*(?:;|\Z)""", re.DOTALL)
_ESCAPED = re.compile(r'\\(["\\])')
#: The name of a parameter, the number of the piece, and whether it has percent signs for bytes: `filename*1*`.
_PIECE = re.compile(r"([^*]+)(?:\*(\d{1,4}))?(\*)?")
_CHARSET = re.compile(r"([\w.:+-]{0,60})'[\w-]{0,40}'(.*)", re.DOTALL)


def header_text(value: str) -> str:
    """Return a header as Python's parser has it, whose bytes were perhaps not ASCII, as the text that they probably are."""
    value = str(value)[:MAX_HEADER_CHARACTERS]
    return value if value.isascii() and "\x1b" not in value else decode(value.encode("utf-8", "surrogateescape"))


def decode_words(value: str) -> str:
    """Return a header with its encoded words decoded. A character may be split between two of them."""
    return plain("".join(_decode_parts(value))) if "=?" in value else plain(value)


def _decode_parts(value: str) -> Iterator[str]:
    #: Words of one charset that follow each other, with their encoding.
    words: list[tuple[str, str]] = []
    charset, end = "", 0
    for found in _WORD.finditer(value):
        between, end = value[end : found.start()], found.end()
        # White space between two words is no part of the text.
        is_next = bool(words) and not between.strip()
        if not is_next or found[1].lower() != charset:
            yield decode(_bytes_of(words), charset)
            yield "" if is_next else between
            words = []
        words.append((found[2].lower(), found[3]))
        charset = found[1].lower()
    yield decode(_bytes_of(words), charset)
    yield value[end:]


def _bytes_of(words: list[tuple[str, str]]) -> bytes:
    """Return what words say together. Programs also split base64 between any two of its digits."""
    made, digits = b"", b""
    for encoding, text in words:
        content = text.encode("utf-8", "replace")
        if encoding == "q":
            made, digits = made + _decode_base64(digits) + a2b_qp(content, header=True), b""
            continue
        digits += _NOT_BASE64.sub(b"", content)
        if b"=" in content or len(digits) % 4 == 0:
            made, digits = made + _decode_base64(digits), b""
    return made + _decode_base64(digits)


def _decode_base64(content: bytes) -> bytes:
    """Return what base64 says, whatever stands between its digits, and however it ends."""
    digits = _NOT_BASE64.sub(b"", content)
    digits = digits[:-1] if len(digits) % 4 == 1 else digits
    return b64decode(digits + b"=" * (-len(digits) % 4))


def file_name_of(part: Message) -> str:
    """Return the name that a part of an email has as a file; empty if it has none."""
    found = (parameter_of(part, "content-disposition", "filename"), parameter_of(part, "content-type", "name"))
    return next((each for each in found if each.strip()), "")


def parameter_of(part: Message, header: str, name: str) -> str:
    """Return a parameter of a header of a part; empty if it has none."""
    values = (value for key, value in part.raw_items() if key.lower() == header)
    return next((text for value in values if (text := parameter(header_text(value), name))), "")


def parameter(header: str, name: str) -> str:
    """Return a parameter of a header: in pieces, with a charset, as encoded words or as plain text; empty if it has none."""
    simple = ""
    pieces: dict[int, tuple[bool, str]] = {}
    _, _, rest = _FOLD.sub("", header).partition(";")
    for number, found in enumerate(_PARAMETER.finditer(rest)):
        piece = _PIECE.fullmatch(found[1])
        if number >= _MAX_PIECES or piece is None or piece[1].lower() != name:
            continue
        value = _unquote(found[2])
        if piece[2] or piece[3]:
            pieces.setdefault(int(piece[2] or 0), (bool(piece[3]), value))
        else:
            simple = simple or value
    return (_join_pieces(pieces) if pieces else "") or decode_words(simple)


def _unquote(value: str) -> str:
    value = value.strip()
    return _ESCAPED.sub(r"\1", value[1:].removesuffix('"')) if value.startswith('"') else value


def _join_pieces(pieces: dict[int, tuple[bool, str]]) -> str:
    """Return a value in pieces, of which the first may name the charset."""
    charset, content = "", b""
    for place, (number, (is_encoded, value)) in enumerate(sorted(pieces.items())):
        if not place and not number and is_encoded and (found := _CHARSET.fullmatch(value)):
            charset, value = found[1], found[2]
        content += unquote_to_bytes(value) if is_encoded else value.encode("utf-8", "replace")
    return decode_words(decode(content, charset))


def content_of(part: Message) -> bytes:
    """Return the content of a part that is a text, a file or an email, without the encoding that it was sent with."""
    payload = part.get_payload()
    if isinstance(payload, list):
        return _embedded_emails(part, [each for each in payload if isinstance(each, Message)])
    try:
        found = part.get_payload(decode=True)
    except (ValueError, LookupError, AssertionError, TypeError, UnicodeError):
        found = None
    if isinstance(found, bytes):
        return found
    return payload.encode("utf-8", "surrogateescape") if isinstance(payload, str) else b""


def _embedded_emails(part: Message, emails: list[Message]) -> bytes:
    """Return the emails in a part. Python's parser takes one that is encoded for an email without headers."""
    content = b"\n".join(each.as_bytes() for each in emails)
    encoding = str(part.get("content-transfer-encoding", "")).strip().lower()
    if encoding == "base64" and not any(each.keys() for each in emails):
        return _decode_base64(content)
    return a2b_qp(content) if encoding == "quoted-printable" else content
