"""Files and answers that are made to take much time or memory end their import with a sentence, and harm no worker."""

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from io import BytesIO
from typing import Any

import orjson
import pytest

from cms_api.core.apart import Limits
from commerce.real_estate.models import FeedRun, Property
from commerce.real_estate.services import pages, run_feed
from commerce.real_estate.types import files
from commerce.real_estate.types.files import read_records
from commerce.real_estate.types.pages import batch_from_json, map_page
from commerce.real_estate.types.reso import Rules, map_records
from tests.memory import limited_memory
from tests.webhooks.receiver import Answer, Receiver

from .builders import import_content, lines, make_feed, page, record
from .test_importing import PHOTOS, Killed
from .test_running import reso_feed

#: The limit of most tests, as small records show the same; `test_the_limit_of_a_record` has the real one.
MAX_RECORD_BYTES = 400_000
SIZE = MAX_RECORD_BYTES + 100_000
#: Python needs fifty times as much for an empty list as its two characters take.
MEMORY_BYTES = 60 * MAX_RECORD_BYTES
CSV = b"ListingKey,City\n"
LONG = "A record after record 0 is too long."
DEEP = "The file is nested too deeply."
FILES: dict[str, tuple[bytes, str]] = {
    "CSV of commas": (CSV + b"," * SIZE, LONG),
    "CSV of quotation marks": (CSV + b'"' * SIZE, LONG),
    "a row of many lines": (CSV + b'"\n",' * (SIZE // 4), LONG),
    "nested lists": (b"[" * SIZE, DEEP),
    "nested objects": (b'{"a":' * SIZE, LONG),
    "a record of nested lists": (b'[{"ListingKey":"1","a":' + b"[" * SIZE, DEEP),
    "lists": (b'[{"ListingKey":"1","a":[' + b"[]," * (SIZE // 3) + b"[]]}]", LONG),
    "many keys": (b"[{" + b",".join(b'"%d":0' % number for number in range(100_000)) + b"}]", LONG),
    "text": (b'[{"ListingKey":"' + b"a" * SIZE + b'"}]', LONG),
    "text before the list": (b'{"a":"' + b"a" * SIZE + b'","value":[]}', LONG),
    "a line of JSON": (b'{"a":"' + b"a" * SIZE + b'"}', LONG),
    "a number of a million digits": (b'[{"ListingKey":"1","ListPrice":' + b"9" * 1_000_000 + b"}]", LONG),
    "one in a line": (b'{"ListingKey":"1","ListPrice":' + b"9" * 1_000_000 + b"}", LONG),
    "a text that does not end": (b'[{"ListingKey":"1","City":"a}]', "The file is no valid JSON after record 0."),
    "another bracket": (b'[{"ListingKey":"1"},}]', "The file is no valid JSON after record 1."),
    "UTF-16": ("[]".encode("utf-16") + b"\0\xd8", "The first line of the file must name the columns, among them ListingKey."),
    "gzip": (b"\x1f\x8b" + b"\0" * 1000, "The first line of the file must name the columns, among them ListingKey."),
}


@pytest.fixture
def small_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_RECORD_BYTES", MAX_RECORD_BYTES)


def test_the_limit_of_a_record() -> None:
    """The real one, which is two mebibytes."""
    for size, sentence in ((900_000, ""), (2 * 1024 * 1024 + 1, LONG)):
        run = import_content(make_feed(), b'[{"ListingKey":"1","a":"' + b"a" * size + b'"}]')
        assert run.error == sentence


@pytest.mark.usefixtures("small_records")
@pytest.mark.parametrize("name", FILES)
def test_files(name: str) -> None:
    content, sentence = FILES[name]
    feed = make_feed()
    with limited_memory(MEMORY_BYTES):
        run = import_content(feed, content)
    assert (run.status, run.error) == ("failed", sentence)


@pytest.mark.both_databases
def test_numbers_that_can_be_read() -> None:
    content = b'[{"ListingKey":"1","ListPrice":%b,"YearBuilt":0.%b}]' % (b"9" * 1000, b"3" * 1000)
    assert [len(str(each["ListPrice"])) for each in read_records(BytesIO(content))] == [1000]


#: By name: a value as programs write it, its field, and the message about the record; empty if the record is read.
VALUES: dict[str, tuple[bytes, str, str]] = {
    "half of a pair in UTF-16": (b'"cut \\ud83d"', "City", ""),
    "a control character": (b'"a\x01b"', "City", ""),
    "NUL": (b'"a\0b"', "City", ""),
    "an escaped NUL": (b'"a\\u0000b"', "City", ""),
    "the end of a line": (b'"a\nb"', "City", ""),
    "Latin-1": (b'"M\xfcnchen"', "City", ""),
    "NaN": (b"NaN", "ListPrice", "The ListPrice is no number."),
    "NaN as a text": (b"NaN", "City", "The City is no text. It was left out."),
    "NaN where nobody looks": (b"NaN", "OwnerName", ""),
    "Infinity": (b"-Infinity", "Latitude", "The Latitude is no number. It was left out."),
    "1e400": (b"1e400", "ListPrice", "The ListPrice is no number."),
    "a very large exponent": (b"1e99999999999999999999", "ListPrice", "The ListPrice is no number."),
    "400 digits": (b"9" * 400, "ListPrice", "The ListPrice is no number."),
    "a million digits": (b"-" + b"9" * 1_000_000, "ListPrice", "The ListPrice is no number."),
    "a million decimals": (b"1." + b"9" * 1_000_000, "City", "The City is no text. It was left out."),
    "NaN as the key": (b"NaN", "ListingKey", "The ListingKey is missing."),
}


def with_value(value: bytes, name: str, *others: Any) -> bytes:
    """A list of a record with a value as it is, among others."""
    broken = orjson.dumps(record(9, **{name: "HERE"})).replace(b'"HERE"', value)
    return b"[" + b", ".join([orjson.dumps(others[0]), broken, *map(orjson.dumps, others[1:])]) + b"]"


@pytest.mark.parametrize("kind", ["answer", "object", "list", "lines"])
@pytest.mark.parametrize("name", VALUES)
def test_a_value_costs_its_record_at_most(server: Receiver, name: str, kind: str) -> None:
    value, field, sentence = VALUES[name]
    if kind == "lines" and name == "the end of a line":
        pytest.skip("This is no line.")
    listed = with_value(value, field, record(1), record(2))
    if kind == "answer":
        run = run_feed(feed=reso_feed(server, Answer(200, {}, b'{"value": %b}' % listed)))
    else:
        content = {"object": b'{"a": 1, "value": %b}' % listed, "list": listed, "lines": listed[1:-1].replace(b"}, {", b"}\n{")}
        run = import_content(make_feed(), content[kind])
    is_skipped = bool(sentence) and not sentence.endswith("It was left out.")
    assert (run.status, run.created, run.read) == ("finished", 2 if is_skipped else 3, 3)
    assert [each["message"] for each in run.problems["named"]] == ([sentence] if sentence else [])


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64])
def test_records_are_told_apart_wherever_a_file_is_cut(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(files, "PART_BYTES", size)
    records = [{"a": '\\"[{,', "b": [{"c": ["}]"]}, {}], "value": [1]}, 5, "x,]", None, [], {}, {"\\": "\\\\"}, [[[]]]]
    for indent in (None, 2):
        listed = json.dumps(records, indent=indent).encode()
        assert list(read_records(BytesIO(b" " + listed))) == records
        head = b'{"x": {"value": [7]}, "y\\"value": [8], "z": ["value"], "value"\n: '
        assert list(read_records(BytesIO(head + listed + b', "w": [9]}'))) == records


@pytest.mark.parametrize("content", [b"[]", b"[ ]", b'{"value": []}'])
def test_a_list_may_be_empty(content: bytes) -> None:
    assert list(read_records(BytesIO(content))) == []


def test_a_broken_record_leaves_the_others() -> None:
    run = import_content(make_feed(), with_value(b"{1: []}", "City", record(1), record(2)))
    assert (run.status, run.created, run.skipped) == ("finished", 2, 1)


@pytest.mark.usefixtures("small_records")
def test_records_of_a_large_file_are_read_one_after_the_other() -> None:
    heavy = record(1, a=[[]] * 60_000)
    content = lines(*({**heavy, "ListingKey": f"RE-{number}"} for number in range(8)))
    feed = make_feed()
    with limited_memory(6 * len(content)):
        run = import_content(feed, content)
    assert (run.status, run.created, len(content) > 3 * MAX_RECORD_BYTES) == ("finished", 8, True)


ANSWERS: dict[str, tuple[bytes, str]] = {
    "lists": (b'{"value":[' + b"[]," * 400_000 + b"[]]}", "The answer has more than 100,000 records."),
    "nested lists": (b'{"value":' + b"[" * SIZE, "The answer is no valid JSON."),
    "nested objects": (b'{"value":' * 100_000, "The answer is no valid JSON."),
    "many keys": (
        b"{" + b",".join(b'"%d":0' % each for each in range(200_000)) + b"}",
        "The answer has no list of records.",
    ),
    "a link that is no text": (b'{"value":[],"@odata.nextLink":NaN}', "The address of the next page is not valid."),
    "a link with half of a pair": (b'{"value":[],"@odata.nextLink":"\\ud800"}', "The address of the next page is not valid."),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers(server: Receiver, name: str) -> None:
    body, sentence = ANSWERS[name]
    feed = reso_feed(server, Answer(200, {}, body))
    with limited_memory(12_000_000):
        run = run_feed(feed=feed)
    assert (run.status, run.error) == ("failed", sentence)


@pytest.mark.parametrize("kind", ["full", "keys"])
def test_a_record_of_lists_is_as_large_as_what_is_stored(server: Receiver, kind: str) -> None:
    body = orjson.dumps({"value": [record(1)]}).replace(b"}]}", b',"a":[' + b"[]," * 200_000 + b"[]]}]}")
    feed = reso_feed(server, Answer(200, {}, body))
    with limited_memory(8_000_000):
        run = run_feed(feed=feed, kind=kind)
    assert (run.status, run.read) == ("finished", 1)


def test_the_limits_are_kept(server: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "LIMITS", Limits(memory_bytes=100_000_000))
    run = run_feed(feed=reso_feed(server, Answer(200, {}, b'{"value":[' + b"[]," * 2_000_000 + b"[]]}")))
    assert run.status == "failed"
    assert run.error.startswith("The answer ")


def test_a_page_is_mapped_as_here() -> None:
    rules = Rules("usd", "US", shows_coming_soon=True)
    records = [
        record(1, Media=PHOTOS, PhotosChangeTimestamp="2026-02-20T10:00:00.123456Z", BathroomsTotalDecimal=2.5),
        record(2, StandardStatus="Delete"),
        record(3, ListPrice="?"),
        record(4, ModificationTimestamp="2026-03-01T18:30:00+02:00", BathroomsTotalInteger=None, OnMarketDate=None),
        7,
    ]
    body = orjson.dumps({"value": records, "@odata.nextLink": "?$skiptoken=2"})
    settings = {"currency": "usd", "country": "US", "shows_coming_soon": True, "needs_stamp": True}
    found, following, count = orjson.loads(orjson.dumps(map_page(body, "https://mls.example.com/odata", settings)))
    batch = batch_from_json(found)
    assert batch == map_records(records, rules)
    assert count is None
    assert (batch.size, batch.keys, following) == (
        5,
        {f"RE-{each}" for each in range(1, 5)},
        "https://mls.example.com/odata?$skiptoken=2",
    )
    columns = batch.mapped[0].columns
    expected = (Decimal("2.5"), date(2026, 2, 20), datetime(2026, 2, 20, 10, 0, 0, 123456, UTC))
    assert (columns["baths"], columns["on_market_date"], columns["photos_changed_at"]) == expected


def test_an_import_that_ends_its_process_is_given_up(server: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(*_: Any) -> None:
        raise Killed

    feed = reso_feed(server, page(record(1)))
    whole: Callable[..., Any] = pages._get
    monkeypatch.setattr(pages, "_get", die)
    for _ in range(11):
        with pytest.raises(Killed):
            run_feed(feed=feed)
    run = run_feed(feed=feed)
    assert (run.status, run.error) == ("failed", "Too many attempts were interrupted.")
    monkeypatch.setattr(pages, "_get", whole)
    assert run_feed(feed=feed).status == "finished"
    assert (FeedRun.objects.count(), Property.objects.count()) == (2, 1)
