"""Damaged lines and files: they are put aside, and what waits behind them is stored."""

import errno
import logging
import os
import time
from pathlib import Path
from typing import Any

import pytest
from django.db import DataError, IntegrityError, InterfaceError, OperationalError, ProgrammingError, connection

from cms_api.analytics.models import Event, PendingEvent, StoredFile, Visit
from cms_api.analytics.services import ingesting, spool
from cms_api.analytics.services.ingesting import STORING, ingest
from cms_api.analytics.services.spool import Spool
from cms_api.analytics.services.storing import store
from cms_api.analytics.types import events

from .builders import DAY, MINUTE, goal, view

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]

LINES = {
    "the time is huge": b'{"uid":5,"kind":"view","at":1e300,"visitor":3,"path":"/x"}\n',
    "the time is long ago": b'{"uid":5,"kind":"view","at":-1e15,"visitor":3,"path":"/x"}\n',
    "the time is a text": b'{"uid":5,"kind":"view","at":"x","visitor":3,"path":"/x"}\n',
    "the number is too large": b'{"uid":18446744073709551615,"kind":"view","at":%d,"visitor":3,"path":"/x"}\n',
    "the number is a fraction": b'{"uid":5.5,"kind":"view","at":%d,"visitor":3,"path":"/x"}\n',
    "the number is a truth": b'{"uid":true,"kind":"view","at":%d,"visitor":3,"path":"/x"}\n',
    "the path is a list": b'{"uid":5,"kind":"view","at":%d,"visitor":3,"path":["/x"]}\n',
    "the path is nothing": b'{"uid":5,"kind":"view","at":%d,"visitor":3,"path":null}\n',
    "the path has a NUL": b'{"uid":5,"kind":"view","at":%d,"visitor":3,"path":"/x\\u0000"}\n',
    "the path is long": b'{"uid":5,"kind":"view","at":%d,"visitor":3,"path":"/' + b"x" * 200_000 + b'"}\n',
    "the kind is unknown": b'{"uid":5,"kind":"boo","at":%d,"visitor":3,"path":"/x"}\n',
    "the kind is long": b'{"uid":5,"kind":"' + b"x" * 300 + b'","at":%d,"visitor":3,"path":"/x"}\n',
    "the visitor is an object": b'{"uid":5,"kind":"view","at":%d,"visitor":{},"path":"/x"}\n',
    "the visitor is nothing": b'{"uid":5,"kind":"view","at":%d,"path":"/x"}\n',
    "the sum is too large": (
        b'{"uid":5,"kind":"goal","at":%d,"visitor":3,"goal":"x","value_cents":9223372036854775807}\n'
        b'{"uid":7,"kind":"goal","at":%d,"visitor":3,"goal":"x","value_cents":9223372036854775807}\n'
    ),
    "the seconds are many": b'{"uid":51,"kind":"time","at":%d,"visitor":3,"seconds":99999999999999}\n',
    "nothing": b"null\n",
    "a list": b"[]\n",
    "zeros": b"\0" * 5000 + b"\n",
    "deep": b"[" * 100_000 + b"\n",
}


def put(raw: bytes, *, ago: float = 5.0, suffix: str = ".open") -> Path:
    place = spool.folder()
    place.mkdir(exist_ok=True, parents=True)
    path = place / f"{int((time.time() - ago) * 1e9):020}-{len(list(place.iterdir())):08x}{suffix}"
    path.write_bytes(raw)
    return path


def lines(*given: events.Event) -> bytes:
    return b"".join(event.as_line() for event in given)


def left() -> list[str]:
    return sorted(path.suffix for path in spool.folder().iterdir())


def paths() -> set[str]:
    return set(Event.objects.values_list("path", flat=True))


@pytest.mark.parametrize("days", [1, 2, 5, 40])
def test_a_number_that_a_former_visit_has(days: int) -> None:
    """A page chooses it: nobody may stop the reports with one that is sent again after days."""
    now = time.time()
    store([view("/former", now - days * DAY, visitor=7, uid=4243)])
    put(lines(view("/again", now, visitor=8, uid=4243), view("/next", now + 1, visitor=8)), ago=9)
    put(lines(view("/innocent", now, visitor=9)))
    ingest()
    assert {"/former", "/next", "/innocent"} <= paths()
    assert left() == []
    assert Visit.objects.get(pk=4243).last_at == now - days * DAY
    for event in Event.objects.exclude(visit=None):
        assert event.visit.visitor == event.visitor
    # The same message again, soon.
    before = Event.objects.count(), Visit.objects.count()
    put(lines(view("/again", now, visitor=8, uid=4243)))
    ingest()
    assert (Event.objects.count(), Visit.objects.count()) == before


@pytest.mark.parametrize("name", LINES)
def test_a_bad_line_costs_no_other(name: str) -> None:
    now = time.time()
    store([view("/before", now - MINUTE, visitor=3, uid=51)])
    bad = LINES[name].replace(b"%d", b"%d" % now)
    put(lines(view("/first", now, visitor=9)) + bad + lines(view("/last", now, visitor=10)), ago=9)
    put(lines(view("/innocent", now, visitor=11)))
    ingest()
    assert {"/before", "/first", "/last", "/innocent"} <= paths()
    assert set(left()) <= {".failed"}


def test_lines_that_the_database_refuses_are_kept() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite takes any text")
    now = time.time()
    bad = view("/" + "x" * 5000, now, visitor=3)
    put(lines(view("/first", now, visitor=9), bad, view("/last", now, visitor=10)))
    assert ingest() == 2
    assert left() == [".failed"]
    (kept,) = spool.folder().iterdir()
    assert kept.read_bytes() == bad.as_line()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert not StoredFile.objects.exists()


@pytest.mark.parametrize("kind", [DataError, IntegrityError, ProgrammingError, OverflowError, KeyError])
def test_what_can_never_be_stored_is_put_aside(kind: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    real = ingesting.store

    def refuse(found: Any) -> None:
        real(found)
        if any(event.path.startswith("/bad") for event in found):
            raise kind("x")

    monkeypatch.setattr(ingesting, "store", refuse)
    now = time.time()
    many = [view(f"/bad/{number}", now, visitor=number) for number in range(1, 200)]
    put(lines(view("/first", now, visitor=900), *many, view("/last", now, visitor=901)))
    put(lines(view("/innocent", now, visitor=902)))
    ingest()
    assert {path for path in paths() if path.startswith("/bad")} == set()
    assert "/innocent" in paths()
    (kept,) = spool.folder().iterdir()
    assert kept.suffix == ".failed"
    assert set(kept.read_bytes().splitlines()) >= {event.as_line().strip() for event in many}


OUTAGES = [InterfaceError("closed"), OperationalError("away"), MemoryError(), OSError(errno.ENOSPC, "full")]


@pytest.mark.parametrize("problem", OUTAGES)
def test_an_outage_leaves_what_waits(problem: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    put(lines(view("/first", now, visitor=9)))
    PendingEvent.objects.create(line=goal(now, visitor=9).as_line(), at=now - 60)

    def fail(found: Any) -> None:
        raise problem

    with monkeypatch.context() as patched:
        patched.setattr(ingesting, "store", fail)
        with pytest.raises(type(problem)):
            ingest()
        with pytest.raises(type(problem)):
            ingesting._store_pending(now)
    assert left() == [".taken"]
    assert PendingEvent.objects.count() == 1
    assert ingest() == 2
    assert left() == []


def test_a_conversion_that_cannot_be_stored() -> None:
    now = time.time()
    bad = [b'{"uid":5,"kind":"goal","at":1e300,"visitor":3,"goal":"x"}\n', b"null\n"]
    refused = goal(now - 55, visitor=8, goal="x" * 300).as_line() if connection.vendor == "postgresql" else b"[]\n"
    for line in (*bad, refused):
        PendingEvent.objects.create(line=line, at=now - 60)
    PendingEvent.objects.create(line=goal(now - 50, visitor=9).as_line(), at=now - 50)
    ingest()
    assert not PendingEvent.objects.exists()
    assert Event.objects.filter(kind="goal").count() == 1
    (kept,) = spool.folder().iterdir()
    assert (kept.suffix, sorted(kept.read_bytes().splitlines(keepends=True))) == (".failed", sorted([*bad, refused]))


@pytest.mark.parametrize("suffix", [".open", ".taken"])
@pytest.mark.parametrize("kind", ["folder", "pipe", "link", "unreadable"])
def test_what_is_no_file_is_passed_over(
    kind: str, suffix: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    place = spool.folder()
    place.mkdir(parents=True)
    path = place / f"{1:020}-abc{suffix}"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to(path)
    else:
        path.write_bytes(lines(view("/unreadable", time.time(), visitor=1)))
        real = Path.open

        def open_other(self: Path, *given: Any, **named: Any) -> Any:
            if self == path:
                raise PermissionError(errno.EACCES, "Permission denied")
            return real(self, *given, **named)

        monkeypatch.setattr(Path, "open", open_other)
    with caplog.at_level(logging.ERROR):
        for number in range(3):
            put(lines(view(f"/innocent/{number}", time.time(), visitor=9)))
            assert ingest() == 1
    assert [record.message for record in caplog.records if str(path) in record.message] == [caplog.records[0].message]
    # Nor does it keep the worker busy, nor pages from leaving more.
    assert STORING.take(lambda: False) is None
    Spool().append(view("/more", time.time(), visitor=9).as_line())


def test_a_file_that_was_named_by_a_clock_that_was_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    own, real = Spool(), time.time_ns
    with monkeypatch.context() as patched:
        patched.setattr(time, "time_ns", lambda: real() + 7200 * 10**9)
        own.append(view("/a", time.time(), visitor=1).as_line())
    own.append(view("/b", time.time(), visitor=1).as_line())
    assert ingest() == 2
    own.append(view("/c", time.time(), visitor=1).as_line())
    (path,) = spool.folder().iterdir()
    assert abs(spool.begun_at(path) - time.time()) < 60
