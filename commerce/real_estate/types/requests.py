"""Addresses of requests to a RESO Web API, and what its answers say."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

from cms_api.http.wire import instant
from cms_api.outbound.retry_after import retry_after_seconds
from commerce.common.types.lenient import read_json

from .listings import MAX_URL, RunKind

#: How far before the last complete run changes are read again: servers stamp records before they publish them.
OVERLAP = timedelta(minutes=20)
LONGEST_LINK = 2 * MAX_URL
#: The longest pause that a server may ask for, and the one without a request.
LONGEST_PAUSE, DEFAULT_PAUSE = timedelta(hours=6), timedelta(minutes=5)
_SAFE = "$(),'"
#: Records of a page: servers send more than they are asked for.
MAX_RECORDS = 100_000


class WrongAnswer(Exception):
    """An answer that is no page of records. The message is a sentence."""


def first_url(url: str, kind: RunKind, *, page_size: int, since: datetime | None, expands_media: bool) -> str:
    """Return the address of the first page of a run."""
    order = "ModificationTimestamp" if kind == RunKind.UPDATE else "ListingKey"
    options = {"$top": str(page_size), "$orderby": order}
    if kind == RunKind.KEYS:
        options["$select"] = "ListingKey"
    elif expands_media:
        options["$expand"] = "Media"
    if kind == RunKind.UPDATE and since is not None:
        stamp = str(instant(since - OVERLAP)).replace("+00:00", "Z")
        options["$filter"] = f"ModificationTimestamp gt {stamp}"
    query = "&".join(f"{name}={quote(value, safe=_SAFE + ':')}" for name, value in options.items())
    return url + ("&" if urlsplit(url).query else "?") + query


def without_media(url: str) -> str:
    """Return the address of a first page without the request for media."""
    return url.replace("&$expand=Media", "")


def read_page(body: bytes, url: str) -> tuple[list[Any], str]:
    """Return the records of an answer, and the address of the next page, or nothing after the last. Raises WrongAnswer.

    The next page must be on the same host, as the token is sent there.
    """
    try:
        answer = read_json(body)
    except ValueError:
        raise WrongAnswer("The answer is no valid JSON.") from None
    records = answer.get("value") if isinstance(answer, dict) else None
    if not isinstance(records, list):
        raise WrongAnswer("The answer has no list of records.")
    if len(records) > MAX_RECORDS:
        raise WrongAnswer(f"The answer has more than {MAX_RECORDS:,} records.")
    link = answer.get("@odata.nextLink") or ""
    return records, next_url(link, url) if link else ""


def next_url(link: Any, url: str) -> str:
    """Return the absolute address of the next page. Raises WrongAnswer if it is not on the same host."""
    try:
        found = urljoin(url, link)
        there, here = urlsplit(found), urlsplit(url)
        is_same = (there.hostname, there.port or 443) == (here.hostname, here.port or 443)
        is_plain = there.username is None and there.password is None
        found.encode("ascii")
    except (TypeError, ValueError, AttributeError):
        raise WrongAnswer("The address of the next page is not valid.") from None
    if there.scheme != "https" or not is_same or not is_plain:
        raise WrongAnswer("The next page is on another host.")
    if found == url or len(found) > LONGEST_LINK:
        raise WrongAnswer("The address of the next page is not valid.")
    return found


def pause_of(headers: Mapping[str, str], now: datetime) -> timedelta:
    """Return how long an answer asks to wait, in seconds or until a date."""
    seconds = retry_after_seconds(headers.get("Retry-After") or "", now)
    if seconds is None:
        return DEFAULT_PAUSE
    return min(max(timedelta(seconds=seconds), timedelta(seconds=1)), LONGEST_PAUSE)
