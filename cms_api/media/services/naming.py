"""What an uploaded file is called: the name people gave it, made harmless, and the name it is stored under."""

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
    """The last part of a name, without characters that are invisible or turn the others round; at most MAX_NAME of them."""
    found = _LAST_PART.search(name)
    last = found[0] if found else ""
    visible = "".join(each for each in last if unicodedata.category(each)[0] not in "CZ" or each == " ").strip()
    stem, dot, extension = visible.rpartition(".")
    return f"{stem[: MAX_NAME - len(extension) - 1]}{dot}{extension}"[-MAX_NAME:] if stem else visible[:MAX_NAME]


def split(name: str) -> tuple[str, str]:
    """What stands before the last dot, and the extension after it in lower case; no extension where nothing stands before."""
    stem, _, extension = name.rpartition(".")
    return (stem, extension.lower()) if stem else (name, "")


def stored_path(name: str, *, taken: bool = False) -> str:
    """`media/YYYY/MM/name.ext` in safe ASCII, with a suffix of chance where the plain one is taken.

    No dot is left but the extension's: no server may take a file for what another of its endings says.
    """
    stem, extension = split(name)
    slug = slugify(anyascii(stem).replace(".", "-"))[:MAX_STEM].strip("-_") or "file"
    suffix = f"-{secrets.token_hex(3)}" if taken else ""
    return f"{dated_folder()}/{slug}{suffix}.{extension}" if extension else f"{dated_folder()}/{slug}{suffix}"
