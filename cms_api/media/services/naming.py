"""Names of uploaded files: the original name, sanitized, and the name that the file is stored under."""

import re
import secrets
import unicodedata

from anyascii import anyascii
from django.utils.text import slugify

from ..models import dated_folder
from ..types import MAX_NAME

MAX_STEM = 60
_LAST_PART = re.compile(r"[^/\\]*\Z")


def shown_name(name: str) -> str:
    """Return the last part of a name, without invisible or direction-changing characters; at most MAX_NAME characters."""
    found = _LAST_PART.search(name)
    last = found[0] if found else ""
    visible = "".join(each for each in last if unicodedata.category(each)[0] not in "CZ" or each == " ").strip()
    stem, dot, extension = visible.rpartition(".")
    return f"{stem[: MAX_NAME - len(extension) - 1]}{dot}{extension}"[-MAX_NAME:] if stem else visible[:MAX_NAME]


def split(name: str) -> tuple[str, str]:
    """Split at the last dot: the stem, and the extension in lower case. A leading dot begins no extension."""
    stem, _, extension = name.rpartition(".")
    return (stem, extension.lower()) if stem else (name, "")


def stored_path(name: str, *, taken: bool = False) -> str:
    """Return `media/YYYY/MM/name.ext` in safe ASCII, with a random suffix if `taken`.

    The only dot is the extension's, so that no server derives a type from another part of the name.
    """
    stem, extension = split(name)
    slug = slugify(anyascii(stem).replace(".", "-"))[:MAX_STEM].strip("-_") or "file"
    suffix = f"-{secrets.token_hex(3)}" if taken else ""
    return f"{dated_folder()}/{slug}{suffix}.{extension}" if extension else f"{dated_folder()}/{slug}{suffix}"
