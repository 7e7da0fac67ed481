"""What a browser may be told of a file by its name, and what it may do with it."""

from dataclasses import dataclass
from enum import Enum
from pathlib import PurePosixPath


class Treatment(Enum):
    """How an address of the site hands out a file."""

    #: Shown where it stands: no browser runs anything of a picture, a video or a sound that it must not sniff.
    SHOWN = "shown"
    #: Shown under a policy that lets nothing run.
    INERT = "inert"
    #: Saved, never shown under the site's name.
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

#: Documents by their own type, so that a device picks the right program. They are saved rather than shown: viewers of
#: PDF refuse to work under a policy that runs nothing, and without one a document stays out of the site's origin.
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
    """The type by the name's ending; whatever is not listed (html, xml, js and the rest) is bytes to be saved."""
    return _TYPES.get(PurePosixPath(name).suffix.lower().removeprefix("."), UNKNOWN)
