"""Sizes and frames of animated formats, read from their blocks without decoding, and copies without metadata."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from .refusal import UNREADABLE, Refused

#: GIF application blocks that set how often the animation repeats.
_LOOPS = (b"NETSCAPE2.0", b"ANIMEXTS1.0")
#: WebP chunks that belong to the image itself.
_WEBP_KEPT = frozenset({b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ANIM", b"ANMF", b"ICCP"})


@dataclass
class Blocks:
    """A file's structure: canvas size, number of frames, and the byte ranges of the image itself."""

    width: int
    height: int
    frames: int
    #: (begin, end) of the parts to copy.
    kept: list[tuple[int, int]]
    lossless: bool = False


def read_gif(data: bytes) -> Blocks:
    try:
        return _read_gif(data)
    except (IndexError, struct.error):
        raise Refused(UNREADABLE) from None


def _read_gif(data: bytes) -> Blocks:
    width, height, flags = struct.unpack_from("<HHB", data, 6)
    at = 13 + _colours(flags)
    found = Blocks(width, height, 0, [(0, at)])
    while data[at] != 0x3B:
        begin = at
        if data[at] == 0x21:
            label = data[at + 1]
            at = _skip(data, at + 2)
            if label == 0xF9 or (label == 0xFF and data[begin + 3 : begin + 14] in _LOOPS):
                found.kept.append((begin, at))
        elif data[at] == 0x2C:
            left, top, wide, high, flags = struct.unpack_from("<HHHHB", data, at + 1)
            at = _skip(data, at + 11 + _colours(flags))
            found.frames += 1
            found.width, found.height = max(found.width, left + wide), max(found.height, top + high)
            found.kept.append((begin, at))
        else:
            raise Refused(UNREADABLE)
    found.kept.append((at, at + 1))
    return found


def _colours(flags: int) -> int:
    """Return the length of a colour table."""
    return 3 * 2 ** ((flags & 7) + 1) if flags & 0x80 else 0


def _skip(data: bytes, at: int) -> int:
    """Return the offset at which a chain of sub-blocks ends."""
    while data[at]:
        at += data[at] + 1
    return at + 1


def read_webp(data: bytes) -> Blocks:
    try:
        return _read_webp(data)
    except (IndexError, struct.error):
        raise Refused(UNREADABLE) from None


def _read_webp(data: bytes) -> Blocks:
    found = Blocks(0, 0, 0, [])
    for kind, begin, end in _webp_chunks(data):
        body = begin + 8
        if kind == b"VP8X":
            found.width = int.from_bytes(data[body + 4 : body + 7], "little") + 1
            found.height = int.from_bytes(data[body + 7 : body + 10], "little") + 1
        elif kind == b"VP8 " and not found.width:
            wide, high = struct.unpack_from("<HH", data, body + 6)
            found.width, found.height = wide & 0x3FFF, high & 0x3FFF
        elif kind == b"VP8L" and not found.width:
            packed = struct.unpack_from("<I", data, body + 1)[0]
            found.width, found.height = (packed & 0x3FFF) + 1, (packed >> 14 & 0x3FFF) + 1
        found.frames += kind == b"ANMF"
        found.lossless |= kind == b"VP8L"
        if kind in _WEBP_KEPT:
            found.kept.append((begin, end))
    if not found.width:
        raise Refused(UNREADABLE)
    return found


def _webp_chunks(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    at, end = 12, min(len(data), 8 + struct.unpack_from("<I", data, 4)[0])
    while at + 8 <= end:
        length = struct.unpack_from("<I", data, at + 4)[0]
        following = at + 8 + length + length % 2
        if following > end + 1:
            raise Refused(UNREADABLE)
        yield data[at : at + 4], at, min(following, len(data))
        at = following


def copy_gif(data: bytes, blocks: Blocks) -> bytes:
    return b"".join(data[begin:end] for begin, end in blocks.kept)


def copy_webp(data: bytes, blocks: Blocks) -> bytes:
    """Return a copy without EXIF and XMP, and without the flags that announce them."""
    body = bytearray(b"".join(data[begin:end] for begin, end in blocks.kept))
    if body[:4] == b"VP8X":
        body[8] &= ~0x0C
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + bytes(body)
