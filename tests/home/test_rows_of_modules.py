"""The rows that modules declare: a planted module has one, by its declaration, its block and its template alone."""

import json
import re
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from wagtail import blocks
from wagtail.fields import StreamField
from wagtail.test.utils.form_data import nested_form_data, streamfield

from cms_api.core import registry
from cms_api.core.module import Module, Pages, Row
from cms_api.flags.services import switch_feature
from cms_api.http import page_cache
from cms_api.rows import RowBlock, Slot, heading, picture
from home.models import LandingPage, SharedRow, StandardPage
from home.models.blocks import page_rows, plain_rows, record_rows
from home.models.fields import RowsField
from home.selectors import PAGE_MODELS, places_of, row_name
from tests.builders import make_page, make_shared_row, make_token
from tests.client import Api
from tests.modules import install

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_menu")]

HERO = {"type": "hero", "value": {"heading": "By the river"}}
OFFER = {"type": "offer", "value": {"heading": "Half price", "name": "Agnes"}}


class OfferBlock(RowBlock):
    slots = (Slot("image", "Picture", 480, "1:1"),)

    heading = heading()
    name = blocks.CharBlock()
    image = picture()

    def present(self, value: Any) -> Mapping[str, Any]:
        return {"greeting": f"Hello, {value['name']}"}

    class Meta:
        label = "Offer"


MODULE = Module(
    name="planted",
    title="Planted",
    description="Of the tests.",
    feature="shop",
    pages=Pages(rows=(Row("offer", f"{__name__}.OfferBlock"),)),
)
TEMPLATE = '<section class="offer"><h{{ row.level }}>{{ row.value.heading }}</h{{ row.level }}>{{ greeting }}!</section>'


@pytest.fixture
def planted(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The module, installed and switched on."""
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "offer.html").write_text(TEMPLATE)
    (engine,) = settings.TEMPLATES
    settings.TEMPLATES = [{**engine, "DIRS": [*engine["DIRS"], tmp_path]}]
    fields = [model._meta.get_field("rows") for model in (*PAGE_MODELS, SharedRow)]
    assert all(field.stream_block for field in fields)
    install(monkeypatch, *registry.modules(), MODULE)
    for field in fields:
        monkeypatch.delitem(field.__dict__, "stream_block")
    switch_feature(name="shop", on=True)


def show(client: Client, page: Any) -> str:
    response = client.get(page.get_url())
    assert response.status_code == 200
    return response.content.decode()


def editor(client: Client, page: Any) -> dict[str, Any]:
    """The data that the editor gets for its stream of rows, by the name of each part."""
    html = client.get(reverse("wagtailadmin_pages:edit", args=[page.pk])).content.decode()
    packed = re.search(r'<div id="rows" data-block .*?data-w-block-data-value="(.*?)"', html, re.DOTALL)
    assert packed
    stream = json.loads(unescape(packed[1]))
    assert stream["_type"] == "home.RowsBlock"
    _, groups, _, meta = stream["_args"]
    named = {each["_args"][0] for _, group in groups for each in group}
    return {"known": named, "addable": named - set(meta["switchedOff"]), "html": html}


def edited(page: Any, *rows: tuple[str, dict[str, Any], str]) -> dict[str, Any]:
    data = {"title": page.title, "slug": page.slug, "introduction": "", "rows": streamfield([])}
    for number, (kind, value, block_id) in enumerate(rows):
        data["rows"] |= {str(number): {"value": value, "type": kind, "id": block_id, "order": str(number), "deleted": ""}}
    data["rows"]["count"] = str(len(rows))
    more = {"comments-TOTAL_FORMS": 0, "comments-INITIAL_FORMS": 0, "action-publish": "1"}
    return {**nested_form_data(data), **more}


@pytest.mark.both_databases
def test_it_works(planted: None, admin_client: Client, client: Client) -> None:
    page = make_page(HERO)
    assert "offer" in editor(admin_client, page)["addable"]
    (hero,) = page.rows
    image = {"image": "", "image_alt": "", "text": "null", "links": {"count": "0"}}
    offer = {"heading": "Half price", "name": "Agnes", "image": ""}
    answer = admin_client.post(
        reverse("wagtailadmin_pages:edit", args=[page.pk]),
        edited(page, ("hero", {"heading": "By the river", **image}, hero.id), ("offer", offer, "")),
    )
    assert answer.status_code == 302
    assert '<section class="offer"><h2>Half price</h2>Hello, Agnes!</section>' in show(client, page)
    assert [(row_name(place.row), place.slot["key"]) for place in places_of(page.pk)][1:] == [("Offer (row 2)", "image")]


def test_it_stands_wherever_its_declaration_says(planted: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def names() -> list[bool]:
        return ["offer" in dict(rows()) for rows in (plain_rows, page_rows, record_rows)]

    assert names() == [True, True, True]
    for where, expected in (("pages", [False, True, True]), ("templates", [False, False, True])):
        pages = Pages(rows=(Row("offer", f"{__name__}.OfferBlock", where=where),))
        module = Module("planted", "", "", feature="shop", pages=pages)
        install(monkeypatch, module)
        assert names() == expected


def test_homes_own_rows_come_first(planted: None) -> None:
    names = [name for name, _ in record_rows()]
    assert (names[0], names[-3:]) == ("hero", ["offer", "shared", "record"])
    assert {name for name, _ in page_rows()} == {*dict(plain_rows()), "shared"}


def test_while_its_feature_is_off_it_shows_nothing(planted: None, client: Client) -> None:
    shared = make_shared_row(OFFER)
    page = make_page(OFFER, {"type": "shared", "value": {"row": shared.pk}}, HERO, kind=LandingPage)
    assert show(client, page).count("Hello, Agnes!") == 2
    switch_feature(name="shop", on=False)
    off = show(client, page)
    assert "Agnes" not in off
    assert '<h1 class="row__heading">By the river</h1>' in off
    assert page_cache._pages
    with CaptureQueriesContext(connection) as again:
        assert show(client, page) == off
    assert len(again) == 1
    switch_feature(name="shop", on=True)
    assert show(client, page).count("Hello, Agnes!") == 2


def test_while_its_feature_is_off_it_is_edited_but_not_added(planted: None, admin_client: Client, client: Client) -> None:
    page = make_page(OFFER)
    assert "offer" in editor(admin_client, page)["addable"]
    switch_feature(name="shop", on=False)
    shown = editor(admin_client, page)
    assert "offer" in shown["known"]
    assert "offer" not in shown["addable"]
    assert "hero" in shown["addable"]
    assert "home_admin/rows-block.js" in shown["html"]
    (offer,) = page.rows
    changed = edited(page, ("offer", {"heading": "A third off", "name": "Agnes", "image": ""}, offer.id))
    assert admin_client.post(reverse("wagtailadmin_pages:edit", args=[page.pk]), changed).status_code == 302
    (kept,) = StandardPage.objects.get().rows
    assert (kept.id, kept.value["heading"]) == (offer.id, "A third off")
    switch_feature(name="shop", on=True)
    assert "A third off" in show(client, page)
    assert "offer" in editor(admin_client, page)["addable"]


@pytest.mark.parametrize("block_id", ["", "00000000-0000-4000-8000-000000000000"])
def test_while_its_feature_is_off_a_page_takes_no_new_one(planted: None, admin_client: Client, block_id: str) -> None:
    page = make_page(OFFER)
    switch_feature(name="shop", on=False)
    (offer,) = page.rows
    value = {"heading": "Half price", "name": "Agnes", "image": ""}
    address = reverse("wagtailadmin_pages:edit", args=[page.pk])
    refused = admin_client.post(address, edited(page, ("offer", value, offer.id), ("offer", value, block_id)))
    (error,) = refused.context["form"].errors.as_data()["rows"]
    assert {number: found.messages for number, found in error.block_errors.items()} == {1: ["Rows of this kind cannot be added."]}
    assert [row.id for row in StandardPage.objects.get().rows] == [offer.id]
    # A draft is edited where it was left, not where the page is.
    switch_feature(name="shop", on=True)
    draft = edited(page, ("offer", value, offer.id), ("offer", value, block_id)) | {"action-publish": ""}
    assert admin_client.post(address, draft).status_code == 302
    (_, second) = StandardPage.objects.get().get_latest_revision_as_object().rows
    switch_feature(name="shop", on=False)
    assert admin_client.post(address, edited(page, ("offer", value, second.id))).status_code == 302
    assert [row.id for row in StandardPage.objects.get().rows] == [second.id]


def test_while_its_feature_is_off_a_shared_row_is_edited_but_not_made(admin_client: Client) -> None:
    (newsletter,) = make_shared_row({"type": "newsletter", "value": {"heading": "News by mail", "text": "", "button": ""}}).rows

    def post(name: str, *arguments: Any, block_id: str) -> Any:
        row = {"type": "newsletter", "id": block_id, "value": {"heading": "News by post", "text": "null", "button": ""}}
        data = {"name": "News", "rows": {"0": {**row, "order": "0", "deleted": ""}, "count": "1"}}
        return admin_client.post(reverse(f"wagtailsnippets_home_sharedrow:{name}", args=arguments), nested_form_data(data))

    assert list(post("add", block_id="").context["form"].errors) == ["rows"]
    assert post("edit", SharedRow.objects.get().pk, block_id=newsletter.id).status_code == 302
    (kept,) = SharedRow.objects.get().rows
    assert (kept.id, kept.value["heading"]) == (newsletter.id, "News by post")
    switch_feature(name="marketing", on=True)
    assert post("add", block_id="").status_code == 302


def test_while_its_feature_is_off_its_slots_are_not_listed(planted: None, api_on: None) -> None:
    page = make_page(OFFER, HERO, {"type": "shared", "value": {"row": make_shared_row(OFFER).pk}})
    api = Api(make_token("content:read", "content:write"))

    def slots() -> tuple[int, list[str]]:
        listed = [place["row_slug"] for place in api.get(f"/pages/images?page={page.slug}").json()["data"]]
        (counted,) = (each["image_slots"] for each in api.get("/pages").json()["data"] if each["slug"] == page.slug)
        return counted, listed

    counted, (offer, hero, shared) = slots()
    assert counted == 3
    switch_feature(name="shop", on=False)
    assert slots() == (1, [hero])
    for row_slug in (offer, shared):
        body = {"page": page.slug, "row_slug": row_slug, "key": "image", "media_id": None}
        unknown = api.patch("/pages/images", {**body, "row_slug": "no-such-row"})
        refused = api.patch("/pages/images", body)
        assert (refused.status_code, refused.json()) == (422, unknown.json())
    switch_feature(name="shop", on=True)
    assert slots() == (3, [offer, hero, shared])


@pytest.mark.both_databases
def test_another_row_needs_no_migration(planted: None, capsys: pytest.CaptureFixture[str]) -> None:
    field: Any = StandardPage._meta.get_field("rows")
    assert "offer" in field.stream_block.child_blocks
    call_command("makemigrations", "home", check=True, dry_run=True)
    assert "No changes detected" in capsys.readouterr().out
    # Wagtail's own field would need one.
    few, many = ([("offer", OfferBlock())], page_rows())
    assert StreamField(few).deconstruct() != StreamField(many).deconstruct()
    assert RowsField(lambda: few, blank=True).deconstruct() == RowsField(lambda: many, blank=True).deconstruct()
    # Migrations that change data get what is stored, also rows that have no block any more.
    assert RowsField(lambda: many, blank=True).deconstruct()[1:] == ("django.db.models.JSONField", [], {"blank": True})
