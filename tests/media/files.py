"""Files of every kind that may be uploaded, made as the tests need them."""

import io
import struct
import zlib
from typing import Any

from PIL import Image

from cms_api.media.models import Media
from tests.client import Api

EXIF_ORIENTATION, EXIF_GPS = 0x0112, 0x8825


def drawn(width: int = 40, height: int = 30, mode: str = "RGB") -> Image.Image:
    """Red in the upper left quarter, blue elsewhere, so that the orientation is visible."""
    image = Image.new("RGB", (width, height), (0, 0, 255))
    image.paste((255, 0, 0), (0, 0, width // 2, height // 2))
    return image.convert(mode)


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    target = io.BytesIO()
    image.save(target, kind, **options)
    return target.getvalue()


def jpeg(width: int = 40, height: int = 30, **options: Any) -> bytes:
    return encoded(drawn(width, height), "JPEG", **{"quality": 95, **options})


def png(width: int = 40, height: int = 30, **options: Any) -> bytes:
    return encoded(drawn(width, height), "PNG", **options)


def moving(kind: str, width: int = 40, height: int = 30, frames: int = 3, **options: Any) -> bytes:
    images = [drawn(width, height).rotate(90 * number) for number in range(frames)]
    durations = [100 + 50 * number for number in range(frames)]
    return encoded(images[0], kind, save_all=True, append_images=images[1:], duration=durations, loop=0, **options)


def raw_png(width: int, height: int, depth: int, colours: int, pixels: bytes, *more: tuple[bytes, bytes]) -> bytes:
    """A PNG of chunks that no library would write."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, depth, colours, 0, 0, 0)
    middle = b"".join(chunk(*each) for each in more)
    body = chunk(b"IHDR", header) + middle + chunk(b"IDAT", zlib.compress(pixels, 9)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def raw_gif(width: int, height: int, frames: int) -> bytes:
    """A GIF of so many frames of one pixel."""
    frame = b"\x2c" + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02\x44\x01\x00"
    return b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + b"\0\0\0\xff\xff\xff" + frame * frames + b";"


def raw_webp(width: int, height: int, frames: int = 0) -> bytes:
    """A WebP whose header claims a canvas, and so many frames that hold nothing."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)

    size = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    body = chunk(b"VP8X", b"\x02\0\0\0" + size) + chunk(b"ANIM", b"\0" * 6) + chunk(b"ANMF", b"\0" * 24) * frames
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body


NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'


def svg(inner: str = '<rect width="10" height="10" fill="red"/>', attributes: str = 'width="60" height="40"') -> bytes:
    return f"<svg {NAMESPACES} {attributes}>{inner}</svg>".encode()


MP4 = struct.pack(">I4s4sI4s4s", 24, b"ftyp", b"isom", 512, b"isom", b"mp41") + struct.pack(">I4s", 16, b"mdat") + b"\0" * 8
MOV = struct.pack(">I4s4sI4s", 20, b"ftyp", b"qt  ", 512, b"qt  ") + struct.pack(">I4s", 16, b"mdat") + b"\0" * 8
WEBM = (
    bytes.fromhex("1a45dfa3 9f 4286 8101 42f7 8101 42f2 8104 42f3 8108 4282 84") + b"webm" + bytes.fromhex("4287 8104 4285 8102")
)


def sent(api: Api, name: str, content: bytes, **fields: Any) -> dict[str, Any]:
    """The record of an upload that must succeed."""
    response = api.upload("/media", ("file", (name, content)), *fields.items())
    assert response.status_code == 201, response.content
    record: dict[str, Any] = response.json()["data"]
    return record


def stored(record: dict[str, Any]) -> Image.Image:
    """The picture as it is served."""
    image = Image.open(io.BytesIO(content_of(record)))
    image.load()
    return image


def content_of(record: dict[str, Any]) -> bytes:
    found: Any = Media.objects.get(pk=record["id"])
    child = getattr(found, "mediaimage", None) or found.mediafile
    with child.file.open("rb") as file:
        content: bytes = file.read()
    return content


def all_files(root: Any) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
