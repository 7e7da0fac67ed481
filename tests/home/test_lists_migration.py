"""The migration that put the lists at the end of home pages into their rows."""

import json
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps.registry import Apps
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.test import Client

from cms_api.flags.services import switch_feature
from home.models import HomePage, Row
from home.services import create_home_page
from tests.builders import make_item, make_type
from tests.events.builders import events_type

pytestmark = pytest.mark.django_db

NAME = "0009_lists_on_home_page"
TEXT = ("text", {"heading": "Opening hours", "text": "<p>Ten to four.</p>"})


@pytest.fixture(scope="module")
def historical() -> Apps:
    """The models as the migration sees them."""
    return MigrationLoader(None).project_state(("home", NAME)).apps


@pytest.fixture
def home() -> HomePage:
    """A home page from before the migration: published, with a newer draft."""
    page = create_home_page()
    page.rows = [TEXT]
    page.save_revision().publish()
    page.rows = [TEXT, ("quote", {"quote": "I stayed."})]
    page.save_revision()
    return page


def run(function: str, apps: Apps) -> HomePage:
    getattr(import_module(f"home.migrations.{NAME}"), function)(apps, SimpleNamespace(connection=connection))
    return HomePage.objects.get()


def ids_of(page: Any) -> list[str]:
    return [row.id for row in page.rows if row.block_type == "item_list"]


def lists_of(page: Any) -> list[tuple[str, str]]:
    return [(row.value["type"], row.value["layout"]) for row in page.rows if row.block_type == "item_list"]


def test_it_works(historical: Apps, home: HomePage, client: Client) -> None:
    make_type(slug="almanac", name="Almanac")
    make_item(title="Spring opening")
    events_type()
    make_type(slug="note", has_detail=False)
    assert "Spring opening" not in client.get("/").content.decode()
    page = run("add_lists", historical)
    # The first type with items has the large item; the hidden type and the one without pages have no list.
    expected = [("almanac", "columns"), ("blog-post", "lead"), ("projects", "columns"), ("service", "columns")]
    assert lists_of(page) == expected
    assert "Spring opening" in client.get("/").content.decode()
    stored = Row.objects.filter(page=page.pk, position__isnull=False).order_by("position")
    assert [str(row.block_id) for row in stored] == [row.id for row in page.rows]
    draft = page.get_latest_revision_as_object()
    assert [row.block_type for row in draft.rows][:2] == ["text", "quote"]
    assert ids_of(page) == ids_of(draft)
    assert all(lists_of(revision.as_object()) == expected for revision in page.revisions.all())


def test_what_editors_do_next_keeps_the_rows(historical: Apps, home: HomePage) -> None:
    make_item()
    before = ids_of(run("add_lists", historical))
    draft = HomePage.objects.get().get_latest_revision_as_object()
    draft.save_revision().publish()
    page = HomePage.objects.get()
    assert ids_of(page) == before != []
    slugs = Row.objects.filter(page=page.pk, kind="item_list").values_list("slug", flat=True)
    assert len(set(slugs)) == len(lists_of(page))


def test_a_second_time_changes_nothing(historical: Apps, home: HomePage) -> None:
    make_item()
    switch_feature(name="events", on=True)
    events_type()
    once = run("add_lists", historical)
    assert ("events", "columns") in lists_of(once)
    twice = run("add_lists", historical)
    assert twice.rows.get_prep_value() == once.rows.get_prep_value()


def test_it_can_be_reversed(historical: Apps, home: HomePage) -> None:
    make_item()
    before = HomePage.objects.get().rows.get_prep_value()
    drafts = [json.loads(each.content["rows"]) for each in home.revisions.order_by("pk")]
    run("add_lists", historical)
    assert run("remove_lists", historical).rows.get_prep_value() == before
    assert [json.loads(each.content["rows"]) for each in home.revisions.order_by("pk")] == drafts
    assert not Row.objects.filter(kind="item_list").exclude(position=None).exists()
