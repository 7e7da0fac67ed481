"""Statements that PostgreSQL prepares, and the switch that lets it prepare none."""

from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet

from cms_api.content.models import ContentItem
from cms_api.core import reading, statements, versions
from cms_api.core.models import Version
from cms_api.core.reading import compile_once
from cms_api.text.search import matching, placeholder_values, placeholder_words
from config.settings import environment
from tests.builders import make_item

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
on_postgresql = pytest.mark.skipif(connection.vendor != "postgresql", reason="Is about PostgreSQL's statements.")

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
OFTEN = environment.PREPARE_AFTER + 2
SIZES = (7, 70_000, 2**40)
SQL = "SELECT %s + value, %s FROM core_version WHERE name = %s"


def execute(value: int, *, binary: bool = False) -> list[Any]:
    with statements.cursor(binary=binary) as cursor:
        cursor.execute(SQL, [value, b"\0\xff", "known"])
        return [(number, bytes(content)) for number, content in cursor.fetchall()]


def prepared_like(part: str) -> list[str]:
    """The statements with this text that the connection has prepared."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements WHERE position(%s IN statement) > 0", [part])
        return [statement for (statement,) in cursor.fetchall()]


@pytest.fixture
def known() -> None:
    Version.objects.create(name="known", value=1)


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prepared statements are off, as by DATABASE_PREPARED_STATEMENTS=0."""
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "prepare_threshold", None)


@on_postgresql
def test_it_works(known: None) -> None:
    """Integers of every size are of one type, so that they share a statement."""
    assert prepared_like("+ value") == []
    for _ in range(OFTEN):
        for value in SIZES:
            assert execute(value) == [(value + 1, b"\0\xff")]
    assert prepared_like("+ value") == ["SELECT $1 + value, $2 FROM core_version WHERE name = $3"]


@on_postgresql
def test_errors_of_prepared_statements(known: None) -> None:
    def insert(name: str) -> None:
        with transaction.atomic(), statements.cursor() as cursor:
            cursor.execute("INSERT INTO core_version (name, value) VALUES (%s, 1)", [name])

    for number in range(OFTEN):
        insert(f"version-{number}")
    with pytest.raises(IntegrityError, match="core_version"):
        insert("known")
    with transaction.atomic():
        transaction.set_rollback(True)
        with pytest.raises(transaction.TransactionManagementError):
            insert("other")


@on_postgresql
def test_what_is_called_around_statements_is_called(known: None) -> None:
    called: list[str] = []

    def note(run: Any, sql: str, *more: Any) -> Any:
        called.append(sql)
        return run(sql, *more)

    for _ in range(OFTEN):
        execute(7)
    with connection.execute_wrapper(note):
        assert execute(7) == [(8, b"\0\xff")]
    assert called == [SQL]


@on_postgresql
def test_the_switch(known: None, without: None) -> None:
    for _ in range(OFTEN):
        assert execute(7) == [(8, b"\0\xff")]
    assert prepared_like("+ value") == []


def test_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    def threshold() -> int | None:
        options = environment.database("postgresql://site@db/site", tmp_path)["OPTIONS"]
        found: int | None = options["prepare_threshold"]
        return found

    monkeypatch.delenv("DATABASE_PREPARED_STATEMENTS", raising=False)
    assert threshold() == environment.PREPARE_AFTER
    monkeypatch.setenv("DATABASE_PREPARED_STATEMENTS", "0")
    assert threshold() is None


@on_postgresql
def test_values_in_binary_format(known: None) -> None:
    for _ in range(OFTEN):
        assert execute(7, binary=True) == execute(7)


@on_postgresql
def test_hot_reads_and_writes_are_prepared() -> None:
    make_item(title="One")
    for _ in range(OFTEN):
        versions.bump("known")
        versions.forget()
        versions.snapshot()
        compile_once("one", lambda: ContentItem.objects.order_by("pk").values_list("pk")).rows(0, 2)
    assert prepared_like("INSERT INTO core_version")
    assert prepared_like("SELECT name, value FROM core_version")
    assert prepared_like('FROM "content_contentitem"')


@on_postgresql
def test_a_search_is_prepared_for_all_words() -> None:
    def search() -> QuerySet[Any, Any]:
        return matching(ContentItem.objects.order_by("pk"), placeholder_words("one")).values_list("pk")

    items = {title: make_item(title=title) for title in ("One", "Two")}
    for title, item in list(items.items()) * OFTEN:
        values = placeholder_values(ContentItem, title)
        assert compile_once("words", search).rows(0, 2, values) == [(item.pk,)]
    assert len(prepared_like("@@")) == 1


@on_postgresql
@pytest.mark.django_db(transaction=True)
def test_a_rolled_back_transaction_and_a_changed_table() -> None:
    """psycopg drops prepared statements then, and what follows is prepared again."""
    Version.objects.create(name="known", value=1)
    for _ in range(OFTEN):
        execute(7)
    with pytest.raises(IntegrityError), transaction.atomic():
        Version.objects.bulk_create([Version(name="known", value=2)])
    with closing(connection.copy()) as other, other.cursor() as cursor:
        cursor.execute("ALTER TABLE core_version ADD COLUMN more integer")
    try:
        for _ in range(OFTEN):
            assert execute(7) == [(8, b"\0\xff")]
        assert len(prepared_like("+ value")) == 1
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE core_version DROP COLUMN more")


@pytest.fixture(autouse=True)
def _none_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_kept", {})
