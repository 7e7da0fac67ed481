"""Indexes that are added to tables in use: built beside writers, built again after an interruption, and removed."""

import threading
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.db import NotSupportedError, OperationalError, connection, connections, migrations, models
from django.db.migrations.state import ProjectState

from cms_api.core.indexes import AddIndexConcurrently, RemoveIndexConcurrently
from tests.waiting import another_session, until, waiting

pytestmark = pytest.mark.django_db(transaction=True)
on_postgresql = pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has one writer at a time.")

APP, TABLE, NAME = "core", "core_throwaway", "throwaway_by_value"
CREATE = migrations.CreateModel("Throwaway", [("id", models.BigAutoField(primary_key=True)), ("value", models.IntegerField())])
INSERT = f"INSERT INTO {TABLE} (value) VALUES (1)"


def index() -> models.Index:
    return models.Index(fields=["value"], name=NAME)


ADD = AddIndexConcurrently("throwaway", index())


def after(operation: Any, state: ProjectState) -> ProjectState:
    changed = state.clone()
    operation.state_forwards(APP, changed)
    return changed


EMPTY = ProjectState()
WITH_TABLE = after(CREATE, EMPTY)
WITH_INDEX = after(ADD, WITH_TABLE)


def run(operation: Any, *, backwards: bool = False, atomic: bool = False, before: ProjectState = WITH_TABLE) -> None:
    """Do to the database what a migration with this operation does."""
    states = before, after(operation, before)
    with connection.schema_editor(atomic=atomic) as editor:
        if backwards:
            operation.database_backwards(APP, editor, *reversed(states))
        else:
            operation.database_forwards(APP, editor, *states)


def run_in_a_thread(operation: Any) -> threading.Thread:
    def build() -> None:
        run(operation)
        connections.close_all()

    thread = threading.Thread(target=build)
    thread.start()
    return thread


def indexed() -> list[str]:
    """Return the columns of the index; none if there is no such index, or if the database does not use it."""
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, TABLE)
        if connection.vendor == "postgresql":
            cursor.execute("SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid")
            for (name,) in cursor.fetchall():
                found.pop(name)
    return list(found[NAME]["columns"]) if NAME in found else []


def exists() -> bool:
    with connection.cursor() as cursor:
        return NAME in connection.introspection.get_constraints(cursor, TABLE)


@pytest.fixture(autouse=True)
def table() -> Iterator[None]:
    with connection.schema_editor() as editor:
        CREATE.database_forwards(APP, editor, EMPTY, WITH_TABLE)
    with connection.cursor() as cursor:
        cursor.execute(INSERT)
    yield
    with connection.schema_editor() as editor:
        CREATE.database_backwards(APP, editor, WITH_TABLE, EMPTY)


def test_it_works() -> None:
    run(ADD)
    assert indexed() == ["value"]
    run(ADD, backwards=True)
    assert not exists()
    run(ADD, backwards=True)
    run(ADD)
    assert indexed() == ["value"]


def test_an_index_is_removed_and_added_again() -> None:
    remove = RemoveIndexConcurrently("throwaway", NAME)
    run(ADD)
    for _ in range(2):
        run(remove, before=WITH_INDEX)
        assert not exists()
    run(remove, backwards=True, before=WITH_INDEX)
    assert indexed() == ["value"]


def test_an_index_that_was_left_behind_is_built_again() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE INDEX {NAME} ON {TABLE} (id)")
    run(ADD)
    assert indexed() == ["value"]


@on_postgresql
def test_an_interrupted_index_is_built_again() -> None:
    with another_session() as writer:
        writer.execute(INSERT)
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = 100")
        try:
            with pytest.raises(OperationalError):
                run(ADD)
        finally:
            with connection.cursor() as cursor:
                cursor.execute("RESET lock_timeout")
    # It is there, but the database does not use it.
    assert (exists(), indexed()) == (True, [])
    run(ADD)
    assert indexed() == ["value"]


@on_postgresql
@pytest.mark.parametrize(
    ("operation", "waits"),
    [(ADD, False), (migrations.AddIndex("throwaway", index()), True)],
    ids=["concurrently", "control: with the table locked"],
)
def test_writers_do_not_wait_for_it(operation: Any, waits: bool) -> None:
    """A long transaction delays the index. Writers that come later do not wait for both."""
    with another_session() as earlier, another_session() as later:
        earlier.execute(INSERT)
        later.execute("SET lock_timeout = 100")
        later.commit()
        building = run_in_a_thread(operation)
        try:
            until(waiting)
            if waits:
                with pytest.raises(psycopg.errors.LockNotAvailable):
                    later.execute(INSERT)
                later.rollback()
            else:
                later.execute(INSERT)
                later.commit()
            assert not indexed()
        finally:
            earlier.commit()
            building.join()
    assert indexed() == ["value"]


@on_postgresql
@pytest.mark.parametrize("backwards", [False, True])
def test_it_is_refused_in_a_transaction(backwards: bool) -> None:
    if backwards:
        run(ADD)
    with pytest.raises(NotSupportedError, match="atomic = False"):
        run(ADD, backwards=backwards, atomic=True)
    assert exists() is backwards
