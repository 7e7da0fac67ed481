"""Entries of the search index that are written on PostgreSQL: they are those of the stock backend."""

from typing import Any

import pytest
from django.db import connection
from modelsearch.backends.database.postgres.postgres import PostgresIndex
from wagtail.search.backends import get_search_backend
from wagtail.search.models import IndexEntry

from cms_api.content.models import ContentItem
from cms_api.core.writing import execute_as_one
from cms_api.text.entries import write_entries
from tests.builders import blog_post, field, make_item, make_type

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.both_databases,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite's entries are written by `text.search`."),
]

COLUMNS = [each.attname for each in IndexEntry._meta.concrete_fields if each.attname != "id"]


def entries() -> list[tuple[Any, ...]]:
    return list(IndexEntry.objects.order_by("object_id").values_list(*COLUMNS))


def rows() -> list[ContentItem]:
    """Items with few words, many, and none that are indexed."""
    kind = make_type(field("body", "richtext_tiptap"))
    return [
        make_item(blog_post(), title='Déjà vu: 100% of it\'s "here"', data={"body": "<p>One two, three</p>"}),
        make_item(kind, title="Plain", excerpt="Some % words %s"),
        make_item(kind, title="-"),
    ]


def test_it_works() -> None:
    items = rows()
    IndexEntry.objects.all().delete()
    PostgresIndex(get_search_backend()).add_items(ContentItem, items)
    expected = entries()
    IndexEntry.objects.all().delete()
    for write in write_entries(items):
        execute_as_one([write])
    found = entries()
    assert len(found) == 3
    norm = COLUMNS.index("title_norm")
    assert [(*row[:norm], *row[norm + 1 :]) for row in found] == [(*row[:norm], *row[norm + 1 :]) for row in expected]


def test_an_entry_is_replaced() -> None:
    item = rows()[0]
    before = entries()
    item.title = "Another"
    execute_as_one(write_entries([item]))
    assert len(entries()) == len(before)
    assert IndexEntry.objects.filter(title_text="Another").count() == 1


def test_no_records() -> None:
    assert write_entries([]) == []
