"""Processes that are forked have connections to PostgreSQL, and a pool, of their own; so do the tasks of the queue."""

import gc
import os
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, connections
from django_q.cluster import get_mp_context

from cms_api.core.postgresql import base
from config.settings import environment
from tests.waiting import until

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="Is about PostgreSQL's connections."),
]


def backend() -> int:
    """The server's process of this thread's connection."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def twice() -> tuple[int, int]:
    """The same in two requests, or tasks."""
    first = backend()
    connection.close_if_unusable_or_obsolete()
    return first, backend()


def in_a_fork(work: Callable[[], Any]) -> Any:
    """Return the result of a function in a process that is forked as the task queue does."""
    ours, theirs = get_context("fork").Pipe()

    def run() -> None:
        found = work()
        gc.collect()
        theirs.send(found)

    child = get_mp_context().Process(target=run)
    child.start()
    try:
        assert ours.poll(20), "The process did not answer."
        return ours.recv()
    finally:
        child.join(20)


def test_it_works() -> None:
    """A fork keeps its own connection, and ends neither its parent's, nor that of a thread which has ended."""
    mine = backend()
    first, second = in_a_fork(twice)
    assert mine != first == second
    assert backend() == mine


def test_a_fork_that_uses_its_parents_connection_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above detects it."""
    monkeypatch.setattr(base.DatabaseWrapper, "_connection_pools", {})
    monkeypatch.setattr(base, "connections", type("None", (), {"all": staticmethod(lambda initialized_only: [])}))
    mine = backend()
    assert in_a_fork(backend) == mine
    connection.close()


@pytest.fixture
def pooled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """The connections of this thread come from a pool of two, as with DATABASE_POOL=2."""
    monkeypatch.setenv("DATABASE_POOL", "2")
    entry = environment.database(os.environ["DATABASE_URL"], tmp_path)
    connection.close()
    for name in ("CONN_MAX_AGE", "CONN_HEALTH_CHECKS"):
        monkeypatch.setitem(connection.settings_dict, name, entry[name])
    options = {**entry["OPTIONS"]["pool"], "connection_class": base.Connection}
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "pool", options)
    yield
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]


def test_a_pool_gives_its_connections_again(pooled: None) -> None:
    first = backend()
    assert isinstance(connection.connection, base.Connection)
    connection.close()
    assert connection.pool is not None  # type: ignore[attr-defined]
    assert backend() == first


def test_a_fork_opens_a_pool_of_its_own(pooled: None) -> None:
    def work() -> tuple[int, int, int]:
        first = backend()
        connection.close()
        return first, backend(), len(base._pools_of_parent)

    mine = backend()
    connection.close()
    first, second, pools = in_a_fork(work)
    assert (first == second, first != mine, pools) == (True, True, 1)
    assert backend() == mine


def test_a_pool_replaces_connections_that_the_server_has_closed(pooled: None) -> None:
    mine, pooled_connection = backend(), connection.connection
    connection.close()
    other = connections.create_connection("default")
    other.settings_dict = {**connection.settings_dict, "OPTIONS": {}}
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [mine])
    other.close()
    until(pooled_connection.has_ended)
    assert backend() != mine
