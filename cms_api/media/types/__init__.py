"""Accepted file types and their detection; pure rules, as the processing process does not load Django."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

MAX_UPLOAD_BYTES = 100 * 1024 * 1024
MAX_WIDTH = 2400
MAX_PIXELS = 50_000_000
#: Pixels of all frames of an animation together.
MAX_MOVING_PIXELS = 400_000_000
MAX_SVG_BYTES = 1024 * 1024
MAX_SVG_DEPTH = 100

MAX_NAME = 255
MAX_ALT = 255
MAX_CAPTION = 500


class Kind(StrEnum):
    IMAGE = "image"
    VIDEO = "video"
    #: A document; not shown by the API.
    FILE = "file"


#: The kinds that the API shows.
SHOWN = (Kind.IMAGE.value, Kind.VIDEO.value)

SVG = "image/svg+xml"
PICTURES = {
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "png": "image/png",
    "gif": "image/gif",
    "webp": "image/webp",
    "svg": SVG,
    "avif": "image/avif",
}
VIDEOS = {"mp4": "video/mp4", "webm": "video/webm", "mov": "video/quicktime"}
#: The media type of every extension that may be uploaded.
MEDIA_TYPES = {**PICTURES, **VIDEOS}

#: Allowed document types: nothing that a browser would run.
DOCUMENTS = (
    *("pdf", "txt", "csv", "rtf", "ics", "vcf", "epub", "zip"),
    *("doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp"),
    *("mp3", "m4a", "ogg", "wav"),
)

_MP4_BRANDS = frozenset(
    {
        *(b"isom", b"iso2", b"iso3", b"iso4", b"iso5", b"iso6", b"iso7", b"iso8", b"iso9"),
        *(b"mp41", b"mp42", b"mp71", b"avc1", b"hvc1", b"hev1", b"av01", b"dash", b"mmp4", b"MSNV"),
        *(b"M4V ", b"M4VH", b"M4VP", b"F4V ", b"3gp4", b"3gp5", b"3gp6"),
    }
)
#: First atoms of QuickTime files that predate the `ftyp` box.
_OLD_QUICKTIME = frozenset({b"moov", b"mdat", b"wide", b"pnot"})
_EBML = b"\x1a\x45\xdf\xa3"
_EBML_DOCTYPE = b"\x42\x82"

#: The number of bytes that `sniff` needs.
SNIFFED_BYTES = 4096


def sniff(head: bytes) -> str | None:
    """Return the media type detected from the first bytes of a file; None if it may not be uploaded."""
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    if head.startswith(_EBML):
        return "video/webm" if _doctype(head) == b"webm" else None
    if head[4:8] == b"ftyp":
        return _detect_brand(head)
    if head[4:8] in _OLD_QUICKTIME:
        return "video/quicktime"
    if head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"<":
        return SVG
    return None


def _detect_brand(head: bytes) -> str | None:
    """Detect an ISO base media file by its major brand, then by its compatible ones."""
    size = int.from_bytes(head[:4])
    brands = [head[8:12], *(head[at : at + 4] for at in range(16, min(size, len(head)), 4))]
    for brand in brands:
        if brand in {b"avif", b"avis"}:
            return "image/avif"
        if brand == b"qt  ":
            return "video/quicktime"
        if brand in _MP4_BRANDS:
            return "video/mp4"
    return None


def _doctype(head: bytes) -> bytes:
    """Return the DocType element of an EBML header."""
    at = head.find(_EBML_DOCTYPE, 4, 200)
    if at < 0 or not head[at + 2 : at + 3] or not head[at + 2] & 0x80:
        return b""
    return head[at + 3 : at + 3 + (head[at + 2] & 0x7F)].rstrip(b"\0")


@dataclass(frozen=True)
class Variant:
    """A smaller copy of an image, and the filter by which Wagtail finds it."""

    name: str
    width: int
    format: str
    spec: str


VARIANTS = tuple(
    variant
    for width in (480, 960, 1600)
    for variant in (
        Variant(f"w{width}", width, "WEBP", f"width-{width}|format-webp|webpquality-80"),
        Variant(f"w{width}-avif", width, "AVIF", f"width-{width}|format-avif|avifquality-60"),
    )
)
WEBP_QUALITY, AVIF_QUALITY = 80, 60


@dataclass(frozen=True)
class Reference:
    """A use of a file of the library: the record's label, its edit URL, and how it uses the file."""

    label: str
    address: str
    use: str


class StoredFile(Protocol):
    """A file of the library, as a `media_usage` gets it."""

    @property
    def pk(self) -> int: ...

    @property
    def path(self) -> str | None: ...


class MediaUsage(Protocol):
    """The interface of the `media_usage` that a module with media declares."""

    def references(self, media: StoredFile) -> list[Reference]:
        """Return every use of the file in the module."""

    def clear(self, media: StoredFile) -> None:
        """Remove the file from every record. Called in the transaction that deletes the file, which has its row locked."""

    def refresh(self, media_ids: Collection[int]) -> None:
        """React to changed URLs or texts of files. Called in the transaction that changes them."""
