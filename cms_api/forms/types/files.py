"""Which files a form takes, and how large they may be."""

from collections.abc import Mapping

MIB = 1024 * 1024
MAX_FILE = 10 * MIB
#: Of a whole post: several files, and what else is in it.
MAX_POST = 40 * MIB

#: Extensions that may come, and how such files begin; nothing for those that are text.
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
