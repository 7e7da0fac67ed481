"""Statements compiled once: they return what their queryset would, and are built once for the same conditions."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db.models import QuerySet

from cms_api.content.models import ContentItem
from cms_api.core import reading
from cms_api.core.reading import Instances, Statement, compile_once
from tests.builders import blog_post, make_image, make_item

pytestmark = pytest.mark.django_db

COLUMNS = ("id", "listed_at", "data", "cached_json", "is_long", "excerpt")


@pytest.fixture(autouse=True)
def _none_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_kept", {})


def items(number: int) -> QuerySet[Any, Any]:
    for each in range(number):
        make_item(blog_post(), title=f"Item {each}")
    return ContentItem.objects.order_by("-listed_at", "-id").values_list(*COLUMNS)


def as_rows(rows: Any) -> list[list[Any]]:
    return [[bytes(value) if isinstance(value, memoryview) else value for value in row] for row in rows]


@pytest.mark.parametrize(("start", "stop"), [(0, 2), (2, 4), (4, 9), (9, 12)])
def test_it_works(start: int, stop: int) -> None:
    queryset = items(5)
    assert as_rows(Statement(queryset).rows(start, stop)) == as_rows(queryset[start:stop])


def test_conditions_with_values(django_assert_num_queries: Any) -> None:
    queryset = items(3).filter(listed_at__gte=datetime.now(UTC) - timedelta(days=9), title__in=["Item 0", "Item 2", "100%"])
    with django_assert_num_queries(1):
        rows = Statement(queryset).rows(0, 10)
    assert as_rows(rows) == as_rows(queryset) != []


def test_conditions_that_no_row_meets(django_assert_num_queries: Any) -> None:
    queryset = ContentItem.objects.filter(pk__in=[]).values_list(*COLUMNS)
    with django_assert_num_queries(0):
        assert Statement(queryset).rows(0, 10) == []


def test_a_queryset_is_built_once_for_its_conditions() -> None:
    queryset, built = items(1), []

    def build() -> QuerySet[Any, Any]:
        built.append(1)
        return queryset

    for conditions in ("a", "a", "b", "a"):
        assert len(compile_once(conditions, build).rows(0, 5)) == 1
    assert len(built) == 2


def test_a_process_keeps_a_bounded_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "CACHED_STATEMENTS", 3)
    queryset = items(1)
    for conditions in range(20):
        compile_once(conditions, lambda: queryset)
    assert len(reading._kept) <= 3


def test_new_rows_are_found() -> None:
    statement = Statement(items(1))
    make_item(blog_post(), title="Later")
    assert len(statement.rows(0, 5)) == 2


def test_instances_with_related_ones(django_assert_num_queries: Any) -> None:
    pictured = make_item(blog_post(), title="With a picture", featured_media_id=make_image("heron.png").pk)
    make_item(blog_post(), title="Without one")
    queryset = ContentItem.objects.defer("cached_json").select_related("featured_media__mediaimage").order_by("pk")
    found = Instances(queryset)
    with django_assert_num_queries(1):
        first, second = found[0:5]
        assert first.featured_media.mediaimage.name == "heron.png"
        assert second.featured_media is None
    assert first == pictured
    assert {**vars(first), "_state": None} == {**vars(queryset[0]), "_state": None}
    assert first.get_deferred_fields() == {"cached_json"}


def test_an_empty_page_is_not_read(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        assert Instances(ContentItem.objects.order_by("pk"))[3:3] == []
