"""Wire formats shared by all resources: instants, JSON, envelopes and conditional responses."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

import orjson
from django.utils.dateparse import parse_date, parse_datetime

Fragment = bytes
Record = Mapping[str, Any] | Fragment

# A day away from the limits of the calendar, so that any instant between can be shown in every timezone.
_EARLIEST = datetime(1, 1, 2, tzinfo=UTC)
_LATEST = datetime(9999, 12, 30, 23, 59, 59, tzinfo=UTC)


def instant(moment: datetime | None) -> str | None:
    """Return an aware datetime as UTC in whole seconds: `2026-03-01T18:30:00+00:00`."""
    return None if moment is None else moment.astimezone(UTC).replace(microsecond=0).isoformat()


def record(row: Any) -> dict[str, Any]:
    """Return the keys of every record: its id, and when it was created and changed."""
    return {"id": row.pk, "created_at": instant(row.created_at), "updated_at": instant(row.updated_at)}


def parse_instant(text: str, timezone: ZoneInfo) -> datetime:
    """Parse any ISO 8601 form to an aware UTC datetime; a bare date is the start of that day in `timezone`.

    Raises ValueError for other text, and for dates so near the limits of the calendar that some timezone could not show them.
    """
    if not text.isascii():
        raise ValueError(text)
    day = _day(text)
    if day is not None:
        moment: datetime | None = datetime.combine(day, time())
    else:
        moment = parse_datetime(text)
    if moment is None:
        raise ValueError(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone)
    try:
        moment = moment.astimezone(UTC)
    except OverflowError as problem:
        raise ValueError(text) from problem
    if not _EARLIEST <= moment <= _LATEST:
        raise ValueError(text)
    return moment


def parse_day(text: str) -> date:
    """Parse a `YYYY-MM-DD` date. Raises ValueError."""
    day = _day(text)
    if day is None:
        raise ValueError(text)
    return day


def is_day(text: str) -> bool:
    return len(text) == 10 and text[4] == text[7] == "-"


def _day(text: str) -> date | None:
    return parse_date(text) if is_day(text) else None


def dump(value: Any) -> bytes:
    """Return compact UTF-8 JSON; an orjson.Fragment inside is inserted as it is."""
    return orjson.dumps(value)


def entity_tag(*parts: bytes | str) -> str:
    """Return a strong ETag over the given parts."""
    digest = hashlib.blake2b(digest_size=12)
    for part in parts:
        digest.update(part.encode() if isinstance(part, str) else part)
        digest.update(b"\0")
    return f'"{digest.hexdigest()}"'


def tag_matches(if_none_match: str, tag: str) -> bool:
    """Return whether an If-None-Match header names the tag (weakly compared) or any (`*`)."""
    if if_none_match.strip() == "*":
        return True
    return any(candidate.strip().removeprefix("W/") == tag for candidate in if_none_match.split(","))


@dataclass(slots=True)
class Answer:
    """An endpoint's response: JSON, its status, and an ETag if one is known without reading the body."""

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    tag: str = ""


def one(record: Record, *, status: int = 200, meta: Mapping[str, Any] | None = None) -> Answer:
    """Return a single resource: `{"data": {...}}`, with `meta` beside it if given."""
    data = record if isinstance(record, bytes) else dump(record)
    if meta is None:
        return Answer(b'{"data":' + data + b"}", status)
    return Answer(b'{"data":' + data + b',"meta":' + dump(meta) + b"}", status)


def rows(records: Iterable[Record], meta: Mapping[str, Any]) -> Answer:
    """Return the rows of a report: `{"data": [...], "meta": {...}}`."""
    return Answer(dump({"data": list(records), "meta": meta}))


def with_meta(answer: Answer, **more: Any) -> Answer:
    """Return the answer of a single resource with more keys in its `meta`."""
    document = orjson.loads(answer.body)
    return replace(answer, body=dump({**document, "meta": {**document.get("meta", {}), **more}}))


def confirm_deletion(record_id: int) -> Answer:
    return one({"id": record_id, "deleted": True})


def many(records: Iterable[Record], links: Mapping[str, Any], meta: Mapping[str, Any]) -> Answer:
    """Return a list's envelope; records are dicts or cached JSON."""
    found = [orjson.Fragment(record) if isinstance(record, bytes) else record for record in records]
    return Answer(dump({"data": found, "links": links, "meta": meta}))
