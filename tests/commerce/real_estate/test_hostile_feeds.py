"""Files and answers that are made to take much time or memory end their import with a sentence, and harm no worker."""

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
from commerce.real_estate.types.files import MAX_RECORD_BYTES, UnreadableFile, read_records
from commerce.real_estate.types.pages import batch_from_json, map_page
from commerce.real_estate.types.reso import Rules, map_records
from tests.memory import limited_memory
from tests.webhooks.receiver import Answer, Receiver

from .builders import import_content, lines, make_feed, page, record
from .test_importing import PHOTOS, Killed
from .test_running import reso_feed

SIZE = MAX_RECORD_BYTES + 100_000
#: Python needs fifty times as much for an empty list as its two characters take.
MOST = 60 * MAX_RECORD_BYTES
CSV = b"ListingKey,City\n"
LONG = "A record after record 0 is too long."
DEEP = "The file is nested too deeply."
NUMBER = "A number after record 0 is too long."
FILES: dict[str, tuple[bytes, str]] = {
    "CSV of commas": (CSV + b"," * SIZE, LONG),
    "CSV of quotation marks": (CSV + b'"' * SIZE, LONG),
    "a row of many lines": (CSV + b'"\n",' * (SIZE // 4), LONG),
    "nested lists": (b"[" * SIZE, DEEP),
    "nested objects": (b'{"a":' * SIZE, LONG),
    "a record of nested lists": (b'[{"ListingKey":"1","a":' + b"[" * SIZE, DEEP),
    "lists": (b'[{"ListingKey":"1","a":[' + b"[]," * (SIZE // 3) + b"[]]}]", LONG),
    "a million keys": (b"[{" + b",".join(b'"%d":0' % number for number in range(1_000_000)) + b"}]", LONG),
    "text": (b'[{"ListingKey":"' + b"a" * SIZE + b'"}]', LONG),
    "text before the list": (b'{"a":"' + b"a" * SIZE + b'","value":[]}', LONG),
    "a line of JSON": (b'{"a":"' + b"a" * SIZE + b'"}', LONG),
    "a number of a million digits": (b'[{"ListingKey":"1","ListPrice":' + b"9" * 1_000_000 + b"}]", NUMBER),
    "a negative one": (b'[{"ListingKey":"1","ListPrice":-' + b"9" * 4_301 + b"}]", NUMBER),
    "one in a line": (b'{"ListingKey":"1","ListPrice":' + b"9" * 1_000_000 + b"}", NUMBER),
    "UTF-16": ("[]".encode("utf-16") + b"\0\xd8", "The first line of the file must name the columns, among them ListingKey."),
    "gzip": (b"\x1f\x8b" + b"\0" * 1000, "The first line of the file must name the columns, among them ListingKey."),
}


@pytest.mark.parametrize("name", FILES)
def test_files(name: str) -> None:
    content, sentence = FILES[name]
    feed = make_feed()
    with limited_memory(MOST):
        run = import_content(feed, content)
    assert (run.status, run.error) == ("failed", sentence)


@pytest.mark.parametrize("place", range(0, 2048, 97))
def test_a_number_is_found_wherever_it_begins(place: int) -> None:
    with pytest.raises(UnreadableFile):
        list(read_records(BytesIO(b'[{"a":"%b","ListPrice":%b}]' % (b"x" * place, b"9" * 4_301))))


@pytest.mark.both_databases
def test_numbers_that_can_be_read() -> None:
    content = b'[{"ListingKey":"1","ListPrice":%b,"YearBuilt":0.%b}]' % (b"9" * 1000, b"3" * 1000)
    assert [len(str(each["ListPrice"])) for each in read_records(BytesIO(content))] == [1000]


def test_records_of_a_large_file_are_read_one_after_the_other() -> None:
    heavy = record(1, a=[[]] * 300_000)
    content = lines(*({**heavy, "ListingKey": f"RE-{number}"} for number in range(8)))
    feed = make_feed()
    with limited_memory(6 * len(content)):
        run = import_content(feed, content)
    assert (run.status, run.created, len(content) > 3 * MAX_RECORD_BYTES) == ("finished", 8, True)


ANSWERS: dict[str, tuple[bytes, str]] = {
    "lists": (b'{"value":[' + b"[]," * 2_000_000 + b"[]]}", "The answer has more than 100,000 records."),
    "nested lists": (b'{"value":' + b"[" * SIZE, "The answer is no valid JSON."),
    "nested objects": (b'{"value":' * 100_000, "The answer is no valid JSON."),
    "a million keys": (
        b"{" + b",".join(b'"%d":0' % each for each in range(1_000_000)) + b"}",
        "The answer has no list of records.",
    ),
    "a number of a million digits": (b'{"value":[' + b"9" * 1_000_000 + b"]}", "The answer is no valid JSON."),
    "half of a pair in UTF-16": (b'{"value":["\\ud800"]}', "The answer is no valid JSON."),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers(server: Receiver, name: str) -> None:
    body, sentence = ANSWERS[name]
    feed = reso_feed(server, Answer(200, {}, body))
    with limited_memory(60_000_000):
        run = run_feed(feed=feed)
    assert (run.status, run.error) == ("failed", sentence)


@pytest.mark.parametrize("kind", ["full", "keys"])
def test_a_record_of_lists_is_as_large_as_what_is_stored(server: Receiver, kind: str) -> None:
    body = orjson.dumps({"value": [record(1)]}).replace(b"}]}", b',"a":[' + b"[]," * 1_000_000 + b"[]]}]}")
    feed = reso_feed(server, Answer(200, {}, body))
    with limited_memory(40_000_000):
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
    found, following = orjson.loads(orjson.dumps(map_page(body, "https://mls.example.com/odata", settings)))
    batch = batch_from_json(found)
    assert batch == map_records(records, rules)
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
