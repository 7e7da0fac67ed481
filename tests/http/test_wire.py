"""The wire formats: instants, dates, tags and envelopes."""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import orjson
import pytest

from cms_api.http import wire

PARIS = ZoneInfo("Europe/Paris")


def test_it_works() -> None:
    moment = datetime(2026, 3, 1, 19, 30, 15, 999_999, tzinfo=PARIS)
    assert wire.instant(moment) == "2026-03-01T18:30:15+00:00"
    assert wire.instant(None) is None
    assert wire.parse_instant("2026-03-01T18:30:15+00:00", PARIS) == datetime(2026, 3, 1, 18, 30, 15, tzinfo=UTC)


READ: list[tuple[str, datetime]] = [
    ("2026-03-01T18:30:00Z", datetime(2026, 3, 1, 18, 30, tzinfo=UTC)),
    ("2026-03-01T18:30:00+00:00", datetime(2026, 3, 1, 18, 30, tzinfo=UTC)),
    ("2026-03-01T18:30:00-05:30", datetime(2026, 3, 2, 0, 0, tzinfo=UTC)),
    ("2026-03-01T18:30:00+0200", datetime(2026, 3, 1, 16, 30, tzinfo=UTC)),
    ("2026-03-01T18:30:00.123456Z", datetime(2026, 3, 1, 18, 30, 0, 123_456, tzinfo=UTC)),
    ("2026-03-01T18:30", datetime(2026, 3, 1, 17, 30, tzinfo=UTC)),
    ("2026-03-01 18:30:00", datetime(2026, 3, 1, 17, 30, tzinfo=UTC)),
    ("2026-07-01T18:30", datetime(2026, 7, 1, 16, 30, tzinfo=UTC)),
    ("20260301T183000Z", datetime(2026, 3, 1, 18, 30, tzinfo=UTC)),
    ("2026-W09-7T18:30Z", datetime(2026, 3, 1, 18, 30, tzinfo=UTC)),
    ("2026-03-01", datetime(2026, 2, 28, 23, 0, tzinfo=UTC)),
    ("2026-07-01", datetime(2026, 6, 30, 22, 0, tzinfo=UTC)),
    ("2024-02-29", datetime(2024, 2, 28, 23, 0, tzinfo=UTC)),
    ("0001-01-02T00:00:00Z", datetime(1, 1, 2, tzinfo=UTC)),
    ("9999-12-30T23:59:59Z", datetime(9999, 12, 30, 23, 59, 59, tzinfo=UTC)),
]


@pytest.mark.parametrize(("text", "moment"), READ)
def test_any_iso_8601_form_is_read(text: str, moment: datetime) -> None:
    found = wire.parse_instant(text, PARIS)
    assert (found, found.tzinfo) == (moment, UTC)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            " ",
            "nan",
            "now",
            "today",
            "1700000000",
            "1e9",
            "18:30",
            "2026",
            "2026-03",
            "2026-3-1",
            "01/03/2026",
            "2026/03/01",
        ),
        *("2024-02-30", "2025-02-29", "2026-13-01", "2026-00-01", "2026-01-32", "2026-01-01T25:00", "2026-01-01T10:60"),
        *(
            "2026-01-01T10:00:00+99:00",
            "2026-01-01T10:00:00ZZ",
            "2026-01-01Tten",
            "2026-01-01T",
            "T10:00",
            "2026-01-01T10:00 Europe/Paris",
        ),
        *("0000-01-01", "10000-01-01", "0001-01-01", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00"),
        *("9999-12-31T00:00:00Z", "9999-12-31T23:59:59-14:00", "-2026-01-01", "+2026-01-01", "2026-01-01\0", "2026-01-01 "),
        *("٢٠٢٤-٠١-٠١", "２０２４-01-01", "2026-01-01T10:00:00−05:00", "9" * 5000),
    ],
)
def test_everything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"[\s\S]*"):
        wire.parse_instant(text, PARIS)


@pytest.mark.parametrize("zone", ["Etc/GMT+12", "Pacific/Kiritimati", "America/New_York", "Asia/Kathmandu"])
def test_what_is_read_can_be_shown_in_every_zone(zone: str) -> None:
    for text in ("0001-01-02T00:00:00Z", "9999-12-30T23:59:59Z"):
        assert wire.parse_instant(text, PARIS).astimezone(ZoneInfo(zone))


def test_a_day() -> None:
    assert wire.parse_day("2026-03-01") == date(2026, 3, 1)
    for text in ("2026-02-30", "2026-3-1", "20260301", "2026-03-01T00:00", ""):
        with pytest.raises(ValueError, match=r"[\s\S]*"):
            wire.parse_day(text)


def test_an_instant_is_utc_whatever_it_was() -> None:
    moment = datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=5, minutes=45)))
    assert wire.instant(moment) == "2026-03-01T06:15:00+00:00"


def test_a_tag_is_of_its_parts_and_their_borders() -> None:
    assert wire.entity_tag("a", b"b") == wire.entity_tag(b"a", "b")
    tags = {wire.entity_tag(*parts) for parts in (("ab",), ("a", "b"), ("", "ab"), ("ab", ""), ())}
    assert len(tags) == 5
    assert all(tag.startswith('"') and tag.endswith('"') and tag.isascii() for tag in tags)


MATCHES: list[tuple[str, bool]] = [
    ('"a"', True),
    ('W/"a"', True),
    ('"b", "a"', True),
    ('"b","a","c"', True),
    ("*", True),
    (" * ", True),
    ('"b"', False),
    ("a", False),
    ("", False),
    ("**", False),
    ('"a', False),
    (",,,", False),
]


@pytest.mark.parametrize(("header", "matches"), MATCHES)
def test_tags_are_compared_weakly(header: str, matches: bool) -> None:
    assert wire.tag_matches(header, '"a"') is matches


def read(answer: wire.Answer) -> Any:
    return orjson.loads(answer.body)


def test_a_single_resource() -> None:
    assert wire.one({"id": 1, "name": "é", "none": None}).body == '{"data":{"id":1,"name":"é","none":null}}'.encode()
    assert wire.one(b'{"id":1}').body == b'{"data":{"id":1}}'
    assert (wire.one({"id": 1}, status=201).status, wire.one({"id": 1}).status) == (201, 200)
    assert read(wire.one({"id": 1}, meta={"already": True})) == {"data": {"id": 1}, "meta": {"already": True}}


def test_a_deletion() -> None:
    assert read(wire.confirm_deletion(7)) == {"data": {"id": 7, "deleted": True}}


def test_many_resources() -> None:
    assert wire.many([], {}, {}).body == b'{"data":[],"links":{},"meta":{}}'
    found = read(wire.many([{"id": 1}, b'{"id":2}'], {"first": None}, {"total": 2}))
    assert found == {"data": [{"id": 1}, {"id": 2}], "links": {"first": None}, "meta": {"total": 2}}
