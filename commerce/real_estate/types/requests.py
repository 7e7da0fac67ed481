"""Addresses of requests to a RESO Web API, and what its answers say."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, quote, urljoin, urlsplit, urlunsplit

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
_MEDIA = re.compile(r"(^|,)\s*Media\b")
#: Records of a page: servers send more than they are asked for.
MAX_RECORDS = 100_000


class WrongAnswer(Exception):
    """An answer that is no page of records. The message is a sentence."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """The options of requests that a server understands."""

    expands_media: bool = True
    #: Whether listings have a `ListingKey`, and not only a `ListingKeyNumeric`.
    has_text_keys: bool = True
    #: Whether answers have the number of all records.
    counts: bool = True


def simpler_dialects(known: Dialect, kind: RunKind) -> list[Dialect]:
    """Return the dialects to be tried one after the other, for servers that refuse options that they don't know."""
    is_keys = kind == RunKind.KEYS
    tried = (
        Dialect(expands_media, has_text_keys, counts)
        for counts in (known.counts, False)
        # Keys of another kind than those of the listings would remove them all.
        for has_text_keys in (known.has_text_keys, known.has_text_keys and is_keys)
        for expands_media in (known.expands_media, known.expands_media and is_keys)
    )
    return list(dict.fromkeys(tried))


def first_url(url: str, kind: RunKind, *, since: datetime | None, dialect: Dialect) -> str:
    """Return the address of the first page of a run, with the filter and the other options that the address has itself.

    There is no `$top`: it is the greatest number of all records, not that of a page.
    """
    parts = urlsplit(url)
    own, others = {}, []
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if name.startswith("$") and name.lower() != "$format":
            own[name.lower()] = value
        else:
            others.append((name, value))
    key = "ListingKey" if dialect.has_text_keys else "ListingKeyNumeric"
    options = {"$orderby": "ModificationTimestamp" if kind == RunKind.UPDATE else key}
    if dialect.counts:
        options["$count"] = "true"
    if kind == RunKind.KEYS:
        options["$select"] = key
    else:
        expanded = own.get("$expand", "")
        if dialect.expands_media and not _MEDIA.search(expanded):
            expanded = ",".join(filter(None, (expanded, "Media")))
        options |= {name: value for name, value in (("$select", own.get("$select")), ("$expand", expanded)) if value}
    conditions = [own["$filter"]] if own.get("$filter") else []
    if kind == RunKind.UPDATE and since is not None:
        stamp = str(instant(since - OVERLAP)).replace("+00:00", "Z")
        conditions.append(f"ModificationTimestamp gt {stamp}")
    if conditions:
        options["$filter"] = conditions[0] if len(conditions) == 1 else " and ".join(f"({each})" for each in conditions)
    query = "&".join(f"{quote(name, safe='$')}={quote(value, safe=_SAFE + ':')}" for name, value in [*others, *options.items()])
    return urlunsplit(parts._replace(query=query, fragment=""))


@dataclass(frozen=True, slots=True)
class Page:
    """The records of an answer, the address of the next page or nothing, and the number of all records, if it says so."""

    records: list[Any]
    following: str
    count: int | None


def read_page(body: bytes, url: str) -> Page:
    """Return what an answer has. Raises WrongAnswer.

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
    return Page(records, next_url(link, url) if link else "", _read_count(answer.get("@odata.count")))


def _read_count(value: Any) -> int | None:
    """Return a number of records, which some servers send as text."""
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


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
