"""Rows written by SQL that is compiled once: they are what the ORM would have written."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from cms_api.content.models import ContentItem, ContentType, ItemUnique
from cms_api.content.services.values import SLUG_ONCE
from cms_api.core.models import Version
from cms_api.core.writing import (
    Conflict,
    Sql,
    change,
    changing,
    execute_as_one,
    execute_together,
    exists,
    insert,
    inserting,
    insertions,
    reserve_id_of_each,
    reserve_ids,
    update,
)
from cms_api.webhooks.models import Endpoint

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

NOW = datetime(2026, 3, 1, 12, 30, 15, 123456, tzinfo=UTC)
TIMES = {"listed_at": NOW, "created_at": NOW, "updated_at": NOW}
VALUES: list[Any] = [
    {},
    {"text": 'Zoë "quoted" 🎉', "list": [1, 2.5, None, True], "deep": {"a": {"b": []}}},
    {"large": 2**70, "small": -(2**70)},
    {1: "a key that is no text"},
]


@pytest.fixture
def kind() -> ContentType:
    return ContentType.objects.create(slug="thing", name="Thing", name_plural="Things")


def item(kind: ContentType, slug: str = "a", **changes: Any) -> ContentItem:
    return ContentItem(**{"type": kind, "slug": slug, "title": "A", **TIMES, **changes})


def columns(row: ContentItem) -> dict[str, Any]:
    stored = ContentItem.objects.filter(pk=row.pk).values().get()
    return {name: bytes(value) if isinstance(value, memoryview) else value for name, value in stored.items() if name != "id"}


@pytest.mark.parametrize("data", VALUES)
def test_it_works(kind: ContentType, data: Any) -> None:
    changes = {"data": data, "cached_json": b"\0\xff", "published_at": NOW, "is_long": True}
    ours, orm = item(kind, **changes), item(kind, **changes)
    assert insert([ours]) == 1
    written = columns(ours)
    ContentItem.objects.filter(pk=ours.pk).delete()
    ContentItem.objects.bulk_create([orm])
    assert written == columns(orm)


def test_rows_get_their_ids_in_order(kind: ContentType) -> None:
    rows = [item(kind, str(number)) for number in range(450)]
    assert insert(rows) == 450
    assert dict(ContentItem.objects.values_list("pk", "slug")) == {row.pk: row.slug for row in rows}
    assert not any(row._state.adding for row in rows)


def test_no_rows_take_no_statement(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        assert insert([]) == 0


def test_reserved_ids_are_given_to_no_other_row(kind: ContentType) -> None:
    first, second = reserve_ids(ContentItem, 2)
    other = item(kind, "other")
    insert([other])
    assert insert([item(kind, "first", pk=first), item(kind, "second", pk=second)]) == 2
    last = ContentItem.objects.create(type=kind, slug="last", title="Last", **TIMES)
    assert len({first, second, other.pk, last.pk}) == 4


def test_ids_can_be_reserved_before_the_first_row() -> None:
    one, two = reserve_ids(Endpoint, 1), reserve_ids(Endpoint, 3)
    assert len({*one, *two}) == 4


def test_a_taken_value_leaves_the_row_out_or_replaces_columns(kind: ContentType) -> None:
    (first, second), stored = reserve_ids(ContentItem, 2), item(kind)
    stored.pk = first
    assert insert([stored], conflict=SLUG_ONCE) == 1
    assert insert([item(kind, pk=second)], conflict=SLUG_ONCE) == 0
    assert insert([item(kind, pk=second, title="B")], conflict=SLUG_ONCE._replace(replaced=("title",))) == 1
    assert list(ContentItem.objects.values_list("pk", "title")) == [(first, "B")]


def test_other_conflicts_are_errors(kind: ContentType) -> None:
    (first,) = reserve_ids(ContentItem, 1)
    insert([item(kind, pk=first)])
    with pytest.raises(IntegrityError), transaction.atomic():
        insert([item(kind, "b", pk=first)], conflict=SLUG_ONCE)
    with pytest.raises(IntegrityError), transaction.atomic():
        insert([item(kind)])


def test_update_writes_every_column(kind: ContentType) -> None:
    row = item(kind)
    insert([row])
    row.title, row.data, row.published_at, row.cached_json = "Changed", {"a": [1]}, NOW, b"\1"
    assert update(row) == 1
    expected = item(kind, title="Changed", data={"a": [1]}, published_at=NOW, cached_json=b"\1")
    stored = columns(row)
    ContentItem.objects.filter(pk=row.pk).delete()
    assert update(row) == 0
    ContentItem.objects.bulk_create([expected])
    assert stored == columns(expected)


def test_stamps_are_set(kind: ContentType) -> None:
    endpoint = Endpoint(url="https://example.com/")
    insert([endpoint])
    stamps = Endpoint.objects.values_list("created_at", "updated_at").get()
    assert all(stamps)
    update(endpoint)
    assert Endpoint.objects.get().updated_at > stamps[1]
    assert Endpoint.objects.get().created_at == stamps[0]


def test_unique_values_are_reported_by_the_insert(kind: ContentType) -> None:
    row = item(kind)
    insert([row])
    taken = Conflict(("type_id", "key", "digest"))
    rows = [ItemUnique(item=row, type=kind, key="code", digest="x") for _ in range(2)]
    assert insert(rows[:1], conflict=taken) == 1
    assert insert(rows[1:], conflict=taken) == 0


def test_a_table_without_numbered_ids() -> None:
    rows = [Version(name="tests.x", value=1)]
    insert(rows)
    assert insert([Version(name="tests.x", value=2)], conflict=Conflict(("name",), replaced=("value",))) == 1
    assert Version.objects.get(name="tests.x").value == 2


@pytest.mark.parametrize("until", [NOW, None])
def test_columns_are_changed_as_by_the_orm(until: datetime | None) -> None:
    changed, other = (Endpoint.objects.create(url="https://example.com/", updated_at=NOW) for _ in range(2))
    where = {"id": changed.pk, "enabled": True, "updated_at": changed.updated_at, "leased_by": ""}
    assert change(Endpoint, where, {"leased_until": until, "events": ["*"], "leased_by": "a"}) == 1
    assert change(Endpoint, where, {"leased_by": "b"}) == 0
    stored = Endpoint.objects.get(leased_until=until, events=["*"], leased_by="a")
    other.refresh_from_db()
    assert (stored.pk, other.events, other.leased_by) == (changed.pk, [], "")


def version(name: str) -> dict[str, int]:
    return dict(Version.objects.filter(name=name).values_list("name", "value"))


def test_statements_together_return_the_rows_of_each() -> None:
    insert([Version(name="tests.a", value=1), Version(name="tests.b", value=1)])
    found = execute_together(
        changing(Version, {"name": "tests.a"}, {"value": 2}),
        changing(Version, {"name": "tests.missing"}, {"value": 2}),
        Sql("SELECT name, value FROM core_version WHERE name = %s", ["tests.a"]),
        Sql("DELETE FROM core_version WHERE name = %s", ["tests.b"]),
        durable=False,
    )
    assert found == [[("tests.a",)], [], [("tests.a", 2)], []]
    assert version("tests.b") == {}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("durable", [True, False])
def test_statements_together_are_one_transaction(durable: bool) -> None:
    insert([Version(name="tests.a", value=1)])
    taken = Sql("INSERT INTO core_version (name, value) VALUES (%s, %s)", ["tests.a", 3])
    with pytest.raises(IntegrityError):
        execute_together(changing(Version, {"name": "tests.a"}, {"value": 2}), taken, durable=durable)
    assert version("tests.a") == {"tests.a": 1}
    execute_together(changing(Version, {"name": "tests.a"}, {"value": 2}), durable=durable)
    assert version("tests.a") == {"tests.a": 2}


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite is called, not sent messages.")
@pytest.mark.django_db(transaction=True)
def test_postgresql_gets_one_message_and_keeps_waiting_for_the_disk_afterwards() -> None:
    wait = Sql("SELECT current_setting('synchronous_commit')")
    before = execute_together(wait)
    with CaptureQueriesContext(connection) as sent:
        assert execute_together(Sql("SELECT 1"), wait, durable=False) == [[(1,)], [("off",)]]
    assert len(sent) == 1
    assert execute_together(wait) == before


def test_a_change_with_conditions() -> None:
    insert([Version(name="tests.a", value=1), Version(name="tests.b", value=1)])
    met, unmet = exists(Version, {"name": "tests.b", "value": 1}), exists(Version, {"name": "tests.b", "value": 2})
    where = {"name": "tests.a"}
    assert execute_together(changing(Version, where, {"value": 2}, met, unmet)) == [[]]
    assert execute_together(changing(Version, where, {"value": 3}, met, met)) == [[("tests.a",)]]
    assert version("tests.a") == {"tests.a": 3}


def test_a_row_is_inserted_if_a_condition_is_met(kind: ContentType) -> None:
    insert([Version(name="tests.a", value=1)])
    changes = {"data": VALUES[1], "cached_json": b"\0\xff", "published_at": NOW, "is_long": True}
    execute_together(
        inserting(item(kind, "met", **changes), exists(Version, {"name": "tests.a"})),
        inserting(item(kind, "unmet", **changes), exists(Version, {"name": "tests.b"})),
    )
    written = columns(ContentItem.objects.get())
    ContentItem.objects.all().delete()
    orm = item(kind, "met", **changes)
    ContentItem.objects.bulk_create([orm])
    assert written == columns(orm)


def test_statements_that_are_executed_together(kind: ContentType, django_assert_num_queries: Any) -> None:
    """One statement on PostgreSQL; rows that follow from each other are written with reserved ids."""
    key, endpoint = reserve_id_of_each(ContentItem, Endpoint)
    row = item(kind, pk=key)
    writes = [
        *insertions([row]),
        *insertions([]),
        *insertions([ItemUnique(item=row, type=kind, key="code", digest=digest) for digest in "xy"]),
        *insertions([Endpoint(pk=endpoint, url="https://example.com/")]),
    ]
    with django_assert_num_queries(1 if connection.vendor == "postgresql" else 3):
        execute_as_one(writes)
    assert (ContentItem.objects.get().pk, ItemUnique.objects.count(), Endpoint.objects.get().pk) == (key, 2, endpoint)
    assert not row._state.adding


def test_an_error_of_one_undoes_all(kind: ContentType) -> None:
    first = item(kind)
    insert([first])
    with pytest.raises(IntegrityError), transaction.atomic():
        execute_as_one(
            [*insertions([item(kind, "b")]), *insertions([ItemUnique(item=first, type=kind, key="a", digest="x")] * 2)]
        )
    assert (ContentItem.objects.count(), ItemUnique.objects.count()) == (1, 0)
