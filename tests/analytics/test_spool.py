"""Lines in files: none is lost and none is stored twice, whoever writes, takes or dies meanwhile."""

import os
import signal
import threading
import time
from collections import Counter
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from cms_api.analytics.services import ingesting, spool
from cms_api.analytics.services.spool import Full, Spool, take_files

THREADS, PROCESSES, LINES = 4, 2, 2_500


def _append(place: str, name: str, number: int) -> None:
    """Append lines from several threads of a process of its own."""
    settings.VAR_DIR = place
    own = Spool()

    def write(thread: int) -> None:
        for line in range(number):
            own.append(b"%s-%d-%d\n" % (name.encode(), thread, line))

    threads = [threading.Thread(target=write, args=(thread,)) for thread in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _append_and_die(place: str) -> None:
    settings.VAR_DIR = place
    Spool().append(b"acknowledged\n")
    os.kill(os.getpid(), signal.SIGKILL)


def _start(work: Any, *values: Any) -> Any:
    process = get_context("fork").Process(target=work, args=values)
    process.start()
    return process


def _take() -> Counter[bytes]:
    found: Counter[bytes] = Counter()
    for path in take_files(at_once=True):
        found.update(path.read_bytes().splitlines())
        path.unlink()
    return found


def test_nothing_is_lost_while_files_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "MAX_FILE_BYTES", 20_000)
    processes = [_start(_append, str(tmp_path), f"p{number}", LINES) for number in range(PROCESSES)]
    found: Counter[bytes] = Counter()
    while any(process.is_alive() for process in processes):
        found += _take()
    for process in processes:
        process.join()
    found += _take()
    expected = {
        b"p%d-%d-%d" % (process, thread, line)
        for process in range(PROCESSES)
        for thread in range(THREADS)
        for line in range(LINES)
    }
    assert len(expected) == 20_000
    assert found == Counter(expected)


def test_what_a_process_wrote_before_it_was_killed_is_there(tmp_path: Path) -> None:
    process = _start(_append_and_die, str(tmp_path))
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert list(_take()) == [b"acknowledged"]


def test_a_file_is_left_to_its_process_for_a_moment() -> None:
    Spool().append(b"line\n")
    assert not list(take_files())
    (path,) = spool.folder().iterdir()
    old = path.with_name(f"{time.time_ns() - 2_000_000_000:020}-abc.open")
    path.rename(old)
    assert [found.suffix for found in take_files()] == [".taken"]


def test_beyond_the_capacity_lines_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    Spool().append(b"line\n")
    monkeypatch.setattr(spool, "MAX_SPOOL_BYTES", 4)
    with pytest.raises(Full):
        Spool().append(b"line\n")
    assert list(_take()) == [b"line"]
    Spool().append(b"line\n")


def test_a_line_that_was_written_in_part_is_not_the_beginning_of_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    own, write = Spool(), os.write
    own.append(b"first\n")
    monkeypatch.setattr(os, "write", lambda file, lines: write(file, lines[:3]))
    with pytest.raises(OSError, match="full"):
        own.append(b"second\n")
    monkeypatch.setattr(os, "write", write)
    own.append(b"third\n")
    assert list(_take()) == [b"first", b"third"]


def test_files_of_other_names_do_not_stop_the_worker() -> None:
    spool.folder().mkdir()
    (spool.folder() / "notes.txt").write_text("hello")
    (spool.folder() / "README.open").write_text("hello")
    assert [path.name for path in take_files()] == ["README.taken"]
    assert (spool.folder() / "notes.txt").exists()


def test_a_file_that_disappears_is_another_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Spool()
    own.append(b"line\n")
    (path,) = spool.folder().iterdir()
    listed = [path]
    path.unlink()
    monkeypatch.setattr(Path, "iterdir", lambda folder: iter(listed))
    assert not [found for found in take_files(at_once=True) if found.exists()]
    own.append(b"line\n")


@pytest.mark.django_db
@pytest.mark.parametrize(("storm", "expected"), [(10, 1 + 1 + 5), (10**6, 1 + 1 + 1)])
@pytest.mark.both_databases
def test_the_worker_rests_longer_while_a_storm_lasts(storm: int, expected: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not after files that were begun long ago."""
    rests: list[float] = []
    monkeypatch.setattr(ingesting, "STORM_BYTES_PER_SECOND", storm)
    monkeypatch.setattr(ingesting, "REST_PER_SECOND", 1.0)
    monkeypatch.setattr(ingesting, "STORM_REST_PER_SECOND", 5.0)
    monkeypatch.setattr(ingesting, "_store_file", lambda path: (path.unlink(), 1)[1])
    clock = iter(range(100))
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    monkeypatch.setattr("time.sleep", rests.append)
    spool.folder().mkdir()
    for at_once in (False, True):
        for begun in (1, 2, time.time_ns() - 2 * 10**9):
            (spool.folder() / f"{begun:020}-abc.open").touch()
        # Without `at_once` it is not taken yet.
        (spool.folder() / f"{time.time_ns():020}-abd.open").write_bytes(bytes(1000))
        assert ingesting.ingest(at_once=at_once) == (5 if at_once else 3)
    # A file takes a second of this clock.
    assert sum(rests) == expected


@pytest.mark.django_db
@pytest.mark.parametrize("reason", ["the storm is over", "the worker stops"])
def test_a_long_rest_ends_early(reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rests: list[float] = []

    def sleep(seconds: float) -> None:
        rests.append(seconds)
        if reason == "the storm is over":
            monkeypatch.setattr(ingesting, "STORM_BYTES_PER_SECOND", 10**6)

    monkeypatch.setattr(ingesting, "STORM_BYTES_PER_SECOND", 10)
    monkeypatch.setattr("time.sleep", sleep)
    new = spool.folder() / f"{time.time_ns():020}-abc.taken"
    spool.folder().mkdir()
    new.write_bytes(bytes(1000))
    ingesting._rest(new, 60.0, lambda: reason == "the worker stops" and len(rests) == 1)
    assert len(rests) == (1 if reason == "the worker stops" else 60 * ingesting.REST_PER_SECOND / ingesting.STORM_CHECK_SECONDS)
