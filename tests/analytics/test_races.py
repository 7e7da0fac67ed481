"""Workers that store at once, as on several hosts: everything is counted once."""

from pathlib import Path

import pytest

from cms_api.analytics.models import Event, PendingEvent, StoredFile, Visit
from cms_api.analytics.selectors import reports
from cms_api.analytics.services import ingesting, spool, storing
from cms_api.analytics.services.ingesting import ingest
from cms_api.analytics.services.spool import Spool
from cms_api.analytics.types.events import Event as NewEvent
from tests.client import together
from tests.unprotected import meet_before, without_transactions

from .builders import MINUTE, NOON, goal, view
from .test_ingesting import WINTER

pytestmark = pytest.mark.django_db(transaction=True)
FILES, EACH, WORKERS = 6, 30, 4


def append(*events: NewEvent) -> None:
    """Leave events in a file of their own, as a process does."""
    Spool().append(b"".join(event.as_line() for event in events))


def fill() -> None:
    """Leave the views of the same visitors in several files, and an order of each."""
    for number in range(FILES):
        append(*(view(f"/p{number}", NOON + number * MINUTE + person, person) for person in range(1, EACH + 1)))
    for person in range(1, EACH + 1):
        event = goal(NOON + 8 * MINUTE, person)
        PendingEvent.objects.create(line=event.as_line(), at=event.at)


def is_counted_once() -> None:
    assert Event.objects.count() == FILES * EACH + EACH
    assert Visit.objects.count() == EACH
    found = reports.summary(WINTER)
    assert (found["visitors"], found["pageviews"], found["sessions"]) == (EACH, FILES * EACH, EACH)
    assert (found["bounce_rate"], found["conversions"]) == (0, EACH)
    assert reports.conversions(WINTER)[0]["conversion_rate"] == 1
    assert not PendingEvent.objects.exists()
    assert not list(spool.folder().iterdir())


def test_workers_that_take_the_same_files() -> None:
    fill()
    together(lambda _: ingest(at_once=True), WORKERS)
    ingest(at_once=True)
    is_counted_once()
    assert not StoredFile.objects.exists()


def test_workers_of_several_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each takes its own files, with views of the same visitors."""
    fill()
    files = list(spool.take_files(at_once=True))

    def store_some(worker: int) -> None:
        for path in files[worker::WORKERS]:
            ingesting._store_file(path)
            path.unlink()

    together(store_some, WORKERS)
    ingest(at_once=True)
    is_counted_once()


def test_control_without_transactions_visitors_are_counted_often(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(2):
        append(view(f"/p{number}", NOON + number * MINUTE))
    files = list(spool.take_files(at_once=True))
    without_transactions(monkeypatch)
    monkeypatch.setattr(ingesting, "wait_for_others", lambda: None)
    meet_before(monkeypatch, storing._Batch, "_write", threads=2)
    together(lambda number: ingesting._store_file(files[number]), 2)
    found = reports.summary(WINTER)
    assert (found["visitors"], found["pageviews"], found["sessions"]) == (2, 2, 2)


def test_a_file_that_cannot_be_stored_does_not_stop_the_others(caplog: pytest.LogCaptureFixture) -> None:
    append(view("/first"))
    append(view("/x", device="d" * 40, country="\0", at="noon"))  # type: ignore[arg-type]
    append(view("/last", NOON + MINUTE))
    assert ingest(at_once=True) == 2
    assert sorted(Event.objects.values_list("path", flat=True)) == ["/first", "/last"]
    assert [path.suffix for path in spool.folder().iterdir()] == [".failed"]
    assert "can't be stored" in caplog.text
    assert ingest(at_once=True) == 0


def test_torn_lines_are_left_out(tmp_path: Path) -> None:
    Spool().append(view("/first").as_line() + view("/torn").as_line()[:-20] + b"\n" + b"[]\n{}\n" + view("/last").as_line())
    assert ingest(at_once=True) == 2
