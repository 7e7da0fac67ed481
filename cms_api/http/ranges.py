"""Byte ranges (RFC 9110, section 14): the part of a file that a request asks for."""

import re

from django.http import HttpRequest
from django.utils.http import parse_http_date_safe

#: One range: from a to b, from a on, or the last n bytes. 18 digits are enough for the size of any file.
_RANGE = re.compile(r"bytes\s*=\s*(?:(\d{1,18})\s*-\s*(\d{1,18})?|-\s*(\d{1,18}))\s*", re.ASCII | re.IGNORECASE)


class Unsatisfiable(Exception):
    """The file has none of the requested bytes."""


def wanted_range(request: HttpRequest, size: int, tag: str, modified: int) -> tuple[int, int] | None:
    """Return the first and last byte that a GET asks for, of a file with this size, ETag and mtime (whole seconds since 1970).

    None for the whole file: also if several ranges are requested, if the header is malformed, or if If-Range names another
    version of the file.
    """
    header = request.META.get("HTTP_RANGE", "")
    if not header or request.method != "GET" or not _is_current(request.META.get("HTTP_IF_RANGE", ""), tag, modified):
        return None
    match = _RANGE.fullmatch(header)
    if match is None:
        return None
    first, last, suffix = match.groups()
    if suffix is not None:
        start, end = max(size - int(suffix), 0), size - 1
    else:
        start, end = int(first), min(int(last), size - 1) if last is not None else size - 1
        if last is not None and int(last) < start:
            return None
    if start >= size or start > end:
        raise Unsatisfiable
    return start, end


def _is_current(if_range: str, tag: str, modified: int) -> bool:
    """Return whether If-Range names this version. A weak tag never matches, because the bytes behind it may differ."""
    if not if_range:
        return True
    if if_range.startswith(('"', "W/")):
        return if_range == tag and not tag.startswith("W/")
    return parse_http_date_safe(if_range) == modified
