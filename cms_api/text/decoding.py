"""Decodes text that others wrote, by the labels of the WHATWG Encoding Standard as browsers read them. It needs no database.

The encoding is the first of these: a byte order mark, the label that came with the text, one inside HTML or XML, and what the
bytes look like.
"""

import codecs
import re
from functools import lru_cache

import webencodings

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
#: Say nothing but that a text was meant to be ASCII. The standard reads them as Windows-1252.
_ASCII = frozenset({"ascii", "us-ascii", "ansi_x3.4-1968", "iso646-us", "iso-ir-6"})
#: Codecs of Python that are none of text, or slow for long texts.
_NO_TEXT = frozenset({"punycode", "idna", "unicode-escape", "raw-unicode-escape", "undefined", "mbcs", "oem"})
_UTF_16 = frozenset({"utf-16-le", "utf-16-be"})
_DECLARED = re.compile(
    rb"""<meta\b[^>]{0,500}?\bcharset\s*=\s*["']?\s*([\w.:-]{1,60})|<\?xml\b[^>]{0,200}?\bencoding\s*=\s*["']([\w.:-]{1,60})""",
    re.IGNORECASE,
)
#: Bytes in which HTML and XML name their encoding, and in which zeros show UTF-16.
_HEAD_BYTES = 4096
#: Browsers read the first as the second, which has more characters.
_LARGER = {"gbk": "gb18030"}
_JIS = re.compile(rb"\x1b(\$[@B]|\$\(D|\([BJI])")
#: One character of EUC-JP, or one byte.
_EUC_JP = re.compile(rb"\x8e[\xa1-\xdf]|\x8f[\xa1-\xfe]{2}|[\xa1-\xfe]{2}|[\x00-\x7f]+|.", re.DOTALL)
#: Never in texts in Windows-1252: bytes without a character, a y with two dots or a thorn, a capital letter after a small
#: one, and a capital letter with an accent alone.
_NOT_WINDOWS_1252 = re.compile(
    rb"[\x81\x8d\x8f\x90\x9d\xfe\xff]|[a-z][\xc0-\xd6\xd8-\xde]|(?<![A-Za-z\x80-\xff])[\xc2-\xd6\xd8-\xde](?![A-Za-z\x80-\xff])"
)


def decode(content: bytes, label: str = "", *, is_markup: bool = False) -> str:
    """Return bytes as text. `label` is the name of a charset, if one is given; `is_markup` looks for one in HTML or XML.

    A byte that fits no character becomes one replacement character. A label that cannot be right is overruled: bytes that are
    valid UTF-8, where they are not valid by the label.
    """
    for mark, name in _BOMS:
        if content.startswith(mark):
            return content[len(mark) :].decode(name, "replace")
    codec = _codec(label) or (_codec(_declared_label(content)) if is_markup else None)
    if (codec is None or codec.name == "utf-8") and _JIS.search(content):
        codec = _codec("iso-2022-jp")
    if codec is None:
        return _detect(content)
    if codec.name in _UTF_16:
        return content.decode(_order_of_utf_16(content) or codec.name, "replace")
    if codec.name == "iso2022_jp":
        return _decode_euc_jp(_as_euc_jp(content))
    for larger in (_LARGER.get(codec.name), "utf-8"):
        try:
            return codec.decode(content, "strict")[0] if larger is None else content.decode(larger)
        except (UnicodeError, ValueError):
            continue
    if codec.name == "utf-8":
        return _decode_broken_utf_8(content)
    return _decode_euc_jp(content) if codec.name == "euc_jp" else codec.decode(content, "replace")[0]


@lru_cache(maxsize=128)
def _codec(label: str) -> codecs.CodecInfo | None:
    """Return the codec of a label; None if it has none, or means ASCII, which says nothing about other characters.

    Emails have labels that browsers ignore or refuse, such as UTF-7 and ISO-2022-KR: those are Python's own.
    """
    name = label.strip().strip("'\"").partition("*")[0].strip().lower()
    if not name or name in _ASCII:
        return None
    found = webencodings.lookup(name)
    if found is not None and found.name != "replacement":
        info: codecs.CodecInfo = found.codec_info
        return info
    try:
        codec = codecs.lookup(name)
        # Not every codec is one of text.
        "a".encode(codec.name)
    except (LookupError, ValueError, UnicodeError):
        return None
    if codec.name.replace("_", "-") in _NO_TEXT:
        return None
    # Such as `cp936`, which is a name of Python's for GBK.
    return _codec(codec.name) if codec.name != name and codec.name not in {"iso2022_kr", "hz"} else codec


def _declared_label(content: bytes) -> str:
    """Return the charset that HTML or XML names; these bytes were read as ASCII to find it, so they are no UTF-16."""
    found = _DECLARED.search(content[:_HEAD_BYTES])
    name = (found[1] or found[2]).decode("ascii", "replace") if found else ""
    return "utf-8" if name.lower().startswith("utf-16") else name


def _detect(content: bytes) -> str:
    if order := _order_of_utf_16(content):
        return content.decode(order, "replace")
    try:
        return content.decode()
    except UnicodeDecodeError:
        return _decode_broken_utf_8(content)


def _order_of_utf_16(content: bytes) -> str:
    """Return the byte order of UTF-16, which has a zero in most of its pairs in Western texts; empty if there is none."""
    head = content[:_HEAD_BYTES]
    high, low = head[0::2].count(0), head[1::2].count(0)
    if 3 * (high + low) <= len(head) or 10 * min(high, low) > len(head):
        return ""
    return "utf-16-be" if high > low else "utf-16-le"


def _decode_broken_utf_8(content: bytes) -> str:
    """Return a text of which some bytes are not UTF-8: in Windows-1252 if none of them is, and it looks so."""
    text = content.decode("utf-8", "replace")
    has_utf_8 = any(character > "\x7f" and character != "\ufffd" for character in text)
    return text if has_utf_8 or _NOT_WINDOWS_1252.search(content) else content.decode("cp1252", "replace")


def _as_euc_jp(content: bytes) -> bytes:
    """Return text in ISO-2022-JP as EUC-JP. Its escapes switch between sets of characters; a line begins with ASCII."""
    made = bytearray()
    for line in content.splitlines(keepends=True):
        first, *pieces = _JIS.split(line)
        made += first
        for escape, piece in zip(pieces[::2], pieces[1::2], strict=True):
            if escape in {b"(B", b"(J"}:
                made += piece
                continue
            prefix, size = {b"(I": (b"\x8e", 1), b"$(D": (b"\x8f", 2)}.get(escape, (b"", 2))
            for place in range(0, len(piece), size):
                unit = piece[place : place + size]
                is_whole = len(unit) == size and min(unit) > 0x20
                made += prefix + bytes(byte | 0x80 for byte in unit) if is_whole else unit
    return bytes(made)


def _decode_euc_jp(content: bytes) -> str:
    """Return text in EUC-JP, with the characters that its makers added, such as ①, which Python's codec does not know."""
    return "".join(map(_decode_unit, _EUC_JP.findall(content)))


def _decode_unit(unit: bytes) -> str:
    if unit[0] < 0x80:
        return unit.decode("ascii")
    if len(unit) == 1:
        return "\ufffd"
    if unit[0] == 0x8F:
        return unit.decode("euc_jp", "replace")
    if unit[0] == 0x8E:
        return unit[1:].decode("cp932", "replace")
    # The same table, in the order of Shift JIS: two rows of 94 characters in each of its own.
    row, cell = unit[0] - 0xA1, unit[1] - 0xA1 + 94 * ((unit[0] - 0xA1) % 2)
    lead, trail = row // 2 + (0x81 if row < 62 else 0xC1), cell + (0x40 if cell < 63 else 0x41)
    return bytes((lead, trail)).decode("cp932", "replace")
