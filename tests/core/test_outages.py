"""Which errors are outages, and how seldom a server that is away is asked."""

import errno
import logging
import os
import socket
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from django.core.exceptions import DisallowedHost
from django.db import IntegrityError, OperationalError, connection, transaction
from django.db.models import F

from cms_api.core import outages
from cms_api.core.models import Version
from cms_api.core.outages import Busy, CircuitBreaker, DatabaseUnavailable, DiskFull, FilesUnavailable, Outage, ShortRecords
from cms_api.media.services.storage import StorageUnavailable
from config.settings import environment
from tests.client import together

on_postgresql = pytest.mark.skipif(connection.vendor != "postgresql", reason="Is about PostgreSQL's connections.")


def error_of(work: Callable[[], object]) -> Exception:
    with pytest.raises(Exception) as found:  # noqa: PT011
        work()
    return found.value


def write_to_a_full_disk() -> None:
    with open("/dev/full", "wb", buffering=0) as file:
        file.write(b"0")


def fill(path: Path) -> None:
    with closing(sqlite3.connect(path)) as file:
        file.execute("CREATE TABLE big (text TEXT)")
        file.execute("PRAGMA max_page_count = 3")
        file.execute("INSERT INTO big VALUES (?)", ["x" * 100_000])


def write_to_a_locked_file(path: Path) -> None:
    with closing(sqlite3.connect(path)) as one, closing(sqlite3.connect(path, timeout=0)) as other:
        one.execute("CREATE TABLE empty (text TEXT)")
        one.execute("BEGIN IMMEDIATE")
        other.execute("INSERT INTO empty VALUES ('')")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="There is no /dev/full.")
def test_a_full_disk() -> None:
    assert outages.find(error_of(write_to_a_full_disk)) is DiskFull


@pytest.mark.parametrize("number", [errno.EIO, errno.EROFS, errno.ESTALE])
def test_a_disk_that_is_broken_or_away(number: int) -> None:
    assert outages.find(OSError(number, "away")) is FilesUnavailable


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE])
def test_too_many_open_files(number: int) -> None:
    assert outages.find(OSError(number, "too many")) is Outage


@pytest.mark.parametrize("number", [errno.EACCES, errno.ENOENT, errno.ENOTCONN])
def test_errors_that_may_be_mistakes(number: int) -> None:
    assert outages.find(OSError(number, "unknown")) is None


def test_errors_of_the_embedded_database(tmp_path: Path) -> None:
    assert outages.find(error_of(lambda: fill(tmp_path / "full"))) is DiskFull
    assert outages.find(error_of(lambda: write_to_a_locked_file(tmp_path / "locked"))) is DatabaseUnavailable
    assert outages.find(error_of(lambda: sqlite3.connect(tmp_path / "missing" / "file"))) is DatabaseUnavailable
    assert outages.find(error_of(lambda: sqlite3.connect(":memory:").execute("SELECT * FROM missing"))) is None


def test_an_error_that_followed_an_outage_is_one_too() -> None:
    def raise_after(first: Exception) -> None:
        try:
            raise first
        except OSError:
            raise ValueError("Not prepared for this.")  # noqa: B904

    assert outages.find(error_of(lambda: raise_after(OSError(errno.ENOSPC, "full")))) is DiskFull
    assert outages.find(error_of(lambda: raise_after(StorageUnavailable("away")))) is StorageUnavailable
    assert outages.find(error_of(lambda: raise_after(OSError(errno.ENOENT, "missing")))) is None
    assert outages.find(ValueError("A mistake.")) is None


@pytest.mark.django_db
@pytest.mark.both_databases
def test_mistakes_in_statements_are_no_outages() -> None:
    def execute(statement: str) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)

    assert outages.find(error_of(lambda: execute("SELECT * FROM missing"))) is None
    assert outages.find(error_of(lambda: execute("SELEC 1"))) is None
    Version.objects.create(name="twice", value=1)
    twice = error_of(lambda: execute("INSERT INTO core_version (name, value) VALUES ('twice', 2)"))
    assert isinstance(twice, IntegrityError)
    assert outages.find(twice) is None


@on_postgresql
@pytest.mark.django_db(transaction=True)
def test_a_transaction_that_waits_for_one_that_waits_for_it() -> None:
    """Nothing is written, and whoever asked may ask again."""
    names = ("first", "second")
    Version.objects.bulk_create(Version(name=name, value=1) for name in names)
    both = threading.Barrier(2)

    def change(number: int) -> BaseException | None:
        def write() -> None:
            with transaction.atomic():
                for name in names if number else reversed(names):
                    Version.objects.filter(name=name).update(value=F("value") + 1)
                    if name == names[1 - number]:
                        both.wait(10)

        try:
            write()
        except OperationalError as problem:
            return problem
        return None

    (ended,) = [problem for problem in together(change, 2) if problem]
    assert outages.find(ended) is Busy
    assert set(Version.objects.filter(name__in=names).values_list("value", flat=True)) == {2}


@on_postgresql
@pytest.mark.django_db(transaction=True)
def test_a_connection_that_the_server_closes() -> None:
    """Within a request it is an outage; between two requests it is replaced."""

    def terminate() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    lost = error_of(terminate)
    assert isinstance(lost, OperationalError)
    assert outages.find(lost) is DatabaseUnavailable
    connection.close_if_unusable_or_obsolete()
    assert Version.objects.count() >= 0
    with closing(connection.copy()) as other, other.cursor() as cursor, connection.cursor() as mine:
        mine.execute("SELECT pg_backend_pid()")
        cursor.execute("SELECT pg_terminate_backend(%s)", mine.fetchone())
    # As a request begins.
    connection.close_if_unusable_or_obsolete()
    assert Version.objects.count() >= 0


@on_postgresql
@pytest.mark.both_databases
@pytest.mark.django_db
def test_a_host_that_is_gone_is_noticed_within_seconds() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    parameters = connection.connection.info.get_parameters()
    assert {name: parameters[name] for name in environment.LIVENESS} == environment.LIVENESS
    # In the kernel, in milliseconds.
    with socket.socket(fileno=os.dup(connection.connection.fileno())) as used:
        assert used.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 10_000
        assert used.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1


def test_the_site_tries_again_after_a_pause_and_logs_changes_only(caplog: pytest.LogCaptureFixture) -> None:
    breaker = CircuitBreaker("The server", instead="nothing is stored", pause=0.05)
    assert not breaker.is_open()
    for _ in range(3):
        breaker.record_failure(OSError("gone"))
    assert breaker.is_open()
    time.sleep(0.06)
    assert not breaker.is_open()
    breaker.record_success()
    assert not breaker.is_open()
    breaker.record_success()
    assert caplog.messages == [
        "The server is unavailable; nothing is stored. The error is: gone",
        "The server is available again.",
    ]


class Eager(CircuitBreaker):
    """A breaker that lets everybody try after the pause, to show that the test below detects it."""

    def is_open(self) -> bool:
        return self._retry_at is not None and time.monotonic() < self._retry_at


@pytest.mark.parametrize(("kind", "is_one"), [(CircuitBreaker, True), (Eager, False)])
def test_one_of_many_threads_tries_the_server(kind: type[CircuitBreaker], is_one: bool) -> None:
    breaker = kind("The server", instead="nothing is stored", pause=0.05)
    breaker.record_failure(OSError("gone"))
    time.sleep(0.06)
    start = threading.Barrier(8)

    def attempt(_: int) -> bool:
        start.wait()
        return not breaker.is_open()

    assert (sum(together(attempt, 8)) == 1) is is_one


def test_an_outage_is_logged_as_one_line() -> None:
    def record(problem: Exception) -> str:
        made = logging.LogRecord("site", logging.ERROR, "", 0, "%s failed.", ("It",), (type(problem), problem, None))
        assert ShortRecords().filter(made)
        return logging.Formatter().format(made)

    assert record(OSError(errno.ENOSPC, "No space\nleft")) == f"It failed. [Errno {errno.ENOSPC}] No space left"
    assert "ValueError: A mistake." in record(ValueError("A mistake."))


def test_a_request_that_django_refuses_is_logged_as_one_line() -> None:
    """Anybody can send a wrong Host, as often as they like."""
    problem = DisallowedHost("Invalid HTTP_HOST header: 'evil.example'.")
    record = logging.LogRecord(
        "django.security.DisallowedHost", logging.ERROR, "", 0, str(problem), (), (DisallowedHost, problem, None)
    )
    assert ShortRecords().filter(record)
    assert logging.Formatter().format(record) == "Invalid HTTP_HOST header: 'evil.example'."
