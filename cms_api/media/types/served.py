"""Media types of served files by file name, and what browsers may do with them."""

from dataclasses import dataclass
from enum import Enum
from pathlib import PurePosixPath


class Treatment(Enum):
    """How the site serves a file."""

    #: Inline: browsers run nothing in an image, video or sound if they must not sniff its type.
    SHOWN = "shown"
    #: Inline, under a policy that blocks scripts.
    INERT = "inert"
    #: As a download, never inline on the site's origin.
    SAVED = "saved"


@dataclass(frozen=True)
class FileType:
    content_type: str
    treatment: Treatment


_SHOWN = {
    "avif": "image/avif",
    "gif": "image/gif",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "m4a": "audio/mp4",
    "mov": "video/quicktime",
    "mp3": "audio/mpeg",
    "mp4": "video/mp4",
    "ogg": "audio/ogg",
    "png": "image/png",
    "wav": "audio/wav",
    "webm": "video/webm",
    "webp": "image/webp",
}

#: Documents have their own types, so that a device opens the right program. They are downloads: PDF viewers do not work under
#: a policy that blocks scripts, and without one a document must stay off the site's origin.
_SAVED = {
    "csv": "text/csv",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "epub": "application/epub+zip",
    "ics": "text/calendar",
    "odp": "application/vnd.oasis.opendocument.presentation",
    "ods": "application/vnd.oasis.opendocument.spreadsheet",
    "odt": "application/vnd.oasis.opendocument.text",
    "pdf": "application/pdf",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "zip": "application/zip",
}

_TYPES = {
    **{ending: FileType(content_type, Treatment.SHOWN) for ending, content_type in _SHOWN.items()},
    **{ending: FileType(content_type, Treatment.SAVED) for ending, content_type in _SAVED.items()},
    "svg": FileType("image/svg+xml", Treatment.INERT),
}

UNKNOWN = FileType("application/octet-stream", Treatment.SAVED)


def file_type(name: str) -> FileType:
    """Return the type by the name's extension; anything unlisted (html, xml, js and so on) is a binary download."""
    return _TYPES.get(PurePosixPath(name).suffix.lower().removeprefix("."), UNKNOWN)
