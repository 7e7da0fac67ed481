"""Content lines of iCalendar (RFC 5545, 3.1): escaped, folded, and ended with CRLF.

Written here because icalendar takes a `\\N` that somebody typed, as in `C:\\New`, for a line break.
"""

import re

#: Octets of a line, its end left out.
WIDTH = 75

_BREAKS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
#: What has no place in a calendar: control characters, and halves of a character.
_UNWRITABLE = re.compile("[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff]")
_ESCAPES = {"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n"}
#: Parameters have escapes of their own (RFC 6868).
_IN_QUOTES = str.maketrans({"^": "^^", '"': "^'", "\n": "^n"})


def escaped(text: str) -> str:
    """A TEXT value."""
    text = _cleaned(text)
    for sign, escape in _ESCAPES.items():
        text = text.replace(sign, escape)
    return text


def quoted(text: str) -> str:
    """A parameter's value."""
    return f'"{_cleaned(text).translate(_IN_QUOTES)}"'


def text_line(name: str, text: str) -> str:
    return line(name, escaped(text))


def line(name: str, value: str) -> str:
    """A property whose value is written as it is to stand there."""
    whole = f"{name}:{value}"
    if whole.isascii() and len(whole) <= WIDTH:
        return whole + "\r\n"
    return _folded(whole.encode()).decode() + "\r\n"


def _cleaned(text: str) -> str:
    return text if text.isprintable() else _UNWRITABLE.sub("", _BREAKS.sub("\n", text))


def _folded(whole: bytes) -> bytes:
    """Cut between characters; every further part begins with a space, which counts."""
    parts, start, room = [], 0, WIDTH
    while len(whole) - start > room:
        end = start + room
        while whole[end] & 0xC0 == 0x80:
            end -= 1
        parts.append(whole[start:end])
        start, room = end, WIDTH - 1
    return b"\r\n ".join([*parts, whole[start:]])
