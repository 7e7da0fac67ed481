"""The file types that a form accepts, and their size limits."""

from collections.abc import Mapping

MIB = 1024 * 1024
MAX_FILE_BYTES = 10 * MIB
#: Limit of a whole post: several files and everything else in it.
MAX_POST_BYTES = 40 * MIB

#: Allowed extensions, and the first bytes of such files; empty for text files.
BEGINNINGS: Mapping[str, tuple[bytes, ...]] = {
    "pdf": (b"%PDF-",),
    "jpg": (b"\xff\xd8\xff",),
    "jpeg": (b"\xff\xd8\xff",),
    "png": (b"\x89PNG\r\n\x1a\n",),
    "gif": (b"GIF87a", b"GIF89a"),
    "webp": (b"RIFF",),
    "docx": (b"PK\x03\x04",),
    "xlsx": (b"PK\x03\x04",),
    "pptx": (b"PK\x03\x04",),
    "odt": (b"PK\x03\x04",),
    "ods": (b"PK\x03\x04",),
    "doc": (b"\xd0\xcf\x11\xe0",),
    "xls": (b"\xd0\xcf\x11\xe0",),
    "rtf": (b"{\\rtf",),
    "txt": (),
    "csv": (),
}
