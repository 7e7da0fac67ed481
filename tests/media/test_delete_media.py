"""DELETE /media/<id>, and every other way to delete: nothing on the site refers to the file any more."""

from pathlib import Path
from typing import Any

import orjson
import pytest
from django.db import connection
from django.test import Client, TestCase
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from cms_api.content.models import ContentItem
from cms_api.content.services.items import save_draft, update_item
from cms_api.content.services.media_usage import MEDIA_USAGE
from cms_api.core import versions
from cms_api.flags.services import switch_feature
from cms_api.media.models import Media, MediaFile, MediaImage, Rendition
from cms_api.media.services import library
from cms_api.media.services.records import media_usages
from cms_api.text.html import without_images
from cms_api.webhooks.models import OutboxEvent
from tests.builders import field, make_endpoint, make_image, make_item, make_type
from tests.client import Api

from .files import all_files, jpeg, png, sent

pytestmark = pytest.mark.django_db


@pytest.fixture
def things(db: None) -> Any:
    fields = {"pic": "image", "doc": "file", "pics": "gallery", "body": "richtext_tiptap"}
    return make_type(*(field(key, kind) for key, kind in fields.items()), slug="things")


@pytest.fixture
def picture(api: Api) -> dict[str, Any]:
    return sent(api, "harbour.jpg", jpeg(600, 400))


def data_with(record: dict[str, Any]) -> dict[str, Any]:
    """Data that holds a picture in every way, beside what must stay."""
    path = record["path"]
    return {
        "pic": path,
        "doc": f"/media/{path}?v=1",
        "pics": ["media/2026/03/other.jpg", path, f"/media/{path}"],
        "body": f'<p>Before</p><figure><img src="/media/{path}" alt="x"><figcaption>Boats</figcaption></figure>'
        f'<p><a href="https://example.com/"><img src="{record["variants"]["w480"]}"></a></p>'
        f'<p>Among <img src="http://testserver/media/{path}?v=1"> words</p><p><img src="/media/media/2026/03/other.jpg"></p>',
    }


CLEARED = {
    "pic": None,
    "doc": None,
    "pics": ["media/2026/03/other.jpg"],
    "body": '<p>Before</p><p>Among  words</p><p><img src="/media/media/2026/03/other.jpg"></p>',
}


@pytest.mark.both_databases
def test_it_works(api: Api, things: Any, picture: dict[str, Any], media_root: Path) -> None:
    item = make_item(things, data=data_with(picture), featured_media_id=picture["id"])
    other = make_item(things, data={"pic": "media/2026/03/other.jpg"})
    before = {each["id"]: each for each in api.data("/content-items")}
    tag = api.get("/content-items").headers["ETag"]
    assert len(all_files(media_root)) == 3
    with TestCase.captureOnCommitCallbacks(execute=True):
        answer = api.delete(f"/media/{picture['id']}")
    assert (answer.status_code, answer.json()) == (200, {"data": {"id": picture["id"], "deleted": True}})
    assert all_files(media_root) == set()
    assert not Media.objects.exists()
    assert not Rendition.objects.exists()
    assert api.get(f"/media/{picture['id']}").status_code == 404
    assert api.delete(f"/media/{picture['id']}").status_code == 404
    after = api.data(f"/content-items/{item.pk}")
    assert (after["featured_media_id"], after["featured_image"]) == (None, None)
    assert {key: after["fields"][key] for key in CLEARED} == CLEARED
    assert after["updated_at"] >= before[item.pk]["updated_at"]
    assert api.data(f"/content-items/{other.pk}") == before[other.pk]
    assert api.request("GET", "/content-items", if_none_match=tag).status_code == 200
    assert ContentItem.objects.get(pk=item.pk).data.items() >= CLEARED.items()


def test_receivers_hear_of_the_items_that_lost_it(api: Api, things: Any, picture: dict[str, Any]) -> None:
    switch_feature(name="webhooks", on=True)
    item = make_item(things, data=data_with(picture))
    make_item(things)
    make_endpoint("content_item.updated")
    api.delete(f"/media/{picture['id']}")
    payload = orjson.loads(bytes(OutboxEvent.objects.get().payload))
    assert payload == api.data(f"/content-items/{item.pk}")


def test_cached_json_equals_a_fresh_serialization(api: Api, things: Any, picture: dict[str, Any]) -> None:
    items = [make_item(things, data=data_with(picture), status=status) for status in ("draft", "published", "unpublished")]
    api.delete(f"/media/{picture['id']}")
    before = [api.data(f"/content-items/{item.pk}") for item in items]
    ContentItem.objects.update(cached_epoch=0)
    versions.forget()
    assert [api.data(f"/content-items/{item.pk}") for item in items] == before
    assert {record["id"] for record in api.data("/content-items", status="all", search="boats")} == set()


def test_drafts_lose_it_and_keep_the_rest(api: Api, things: Any, picture: dict[str, Any]) -> None:
    public = make_item(things, title="Public")
    values = {"data": {"title": "Draft", **data_with(picture)}, "featured_media_id": picture["id"]}
    save_draft(item=public, values=values)
    record = api.data(f"/content-items/{public.pk}")
    library.delete_media(media=Media.objects.get(pk=picture["id"]))
    item = ContentItem.objects.get(pk=public.pk)
    content = item.latest_revision.content
    assert (content["featured_media"], content["data"]["title"]) == (None, "Draft")
    assert content["data"].items() >= CLEARED.items()
    assert item.has_unpublished_changes
    assert api.data(f"/content-items/{public.pk}") == record


def test_public_pages_that_showed_it_are_invalidated(api: Api, things: Any, picture: dict[str, Any]) -> None:
    item = make_item(things, data=data_with(picture), featured_media_id=picture["id"])
    page = f"/things/{item.slug}"
    assert b"harbour" in api.http.get(page).content
    api.delete(f"/media/{picture['id']}")
    assert b"harbour" not in api.http.get(page).content


def test_names_that_begin_alike_are_told_apart(api: Api, things: Any, picture: dict[str, Any]) -> None:
    longer = sent(api, "harbour-2.jpg", jpeg())
    item = make_item(things, data={"pic": longer["path"], "body": f'<p><img src="/media/{longer["path"]}"></p>'})
    before = api.data(f"/content-items/{item.pk}")
    api.delete(f"/media/{picture['id']}")
    assert api.data(f"/content-items/{item.pk}") == before


@pytest.mark.both_databases
def test_a_document_is_taken_out_too(api: Api, things: Any, settings: Any) -> None:
    settings.BASE_URL = "https://site.example"
    document = MediaFile.objects.create(title="Prices", file="media/2026/03/the prices é & more.pdf")
    quoted = "/media/media/2026/03/the%20prices%20%C3%A9%20%26%20more.pdf"
    values = [document.path, f"/media/{document.path}", f"https://site.example{quoted}", quoted]
    items = [make_item(things, data={"doc": value}) for value in values]
    document.delete()
    assert [api.data(f"/content-items/{item.pk}")["fields"]["doc"] for item in items] == [None] * 4


def test_references_are_told(api: Api, things: Any, picture: dict[str, Any]) -> None:
    media = Media.objects.get(pk=picture["id"])
    item = make_item(things, title="One", data=data_with(picture), featured_media_id=media.pk)
    make_item(things)
    found = library.references(media=media)
    assert {(each.label, each.address) for each in found} == {("One", f"/admin/content/items/edit/{item.pk}/")}
    assert [each.use for each in found] == ["Featured image", "Pic", "Doc", "Pics", "Body"]
    update_item(item=item, values={"featured_media_id": None, "data": {**CLEARED, "pic": picture["path"]}})
    assert [each.use for each in MEDIA_USAGE.references(media)] == ["Pic"]


@pytest.mark.both_databases
def test_many_items(api: Api, things: Any, picture: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cms_api.content.services.media_usage.BATCH", 3)
    items = [make_item(things, data={"pic": picture["path"]}, featured_media_id=picture["id"]) for _ in range(8)]
    api.delete(f"/media/{picture['id']}")
    fields = [api.data(f"/content-items/{item.pk}") for item in items]
    assert {(record["featured_media_id"], record["fields"]["pic"]) for record in fields} == {(None, None)}


def test_a_failure_keeps_everything(api: Api, things: Any, picture: dict[str, Any], media_root: Path, monkeypatch: Any) -> None:
    item = make_item(things, data=data_with(picture), featured_media_id=picture["id"])
    before = api.data(f"/content-items/{item.pk}")

    def fail(_: Any) -> None:
        raise RuntimeError("on purpose")

    monkeypatch.setattr(MediaImage, "delete_row", fail)
    with pytest.raises(RuntimeError), TestCase.captureOnCommitCallbacks(execute=True):
        library.delete_media(media=Media.objects.get(pk=picture["id"]))
    assert api.data(f"/content-items/{item.pk}") == before
    assert api.data(f"/media/{picture['id']}") == picture
    assert len(all_files(media_root)) == 3


WAYS = {
    "the record": lambda client, pk: Media.objects.get(pk=pk).delete(),
    "the picture": lambda client, pk: MediaImage.objects.get(pk=pk).delete(),
    "a query of records": lambda client, pk: Media.objects.filter(pk=pk).delete(),
    "a query of pictures": lambda client, pk: MediaImage.objects.filter(pk=pk).delete(),
    "the admin's page": lambda client, pk: client.post(reverse("wagtailimages:delete", args=[pk])),
    "the admin's upload page": lambda client, pk: client.post(
        reverse("wagtailimages:delete_multiple", args=[pk]), headers={"X-Requested-With": "XMLHttpRequest"}
    ),
    "the admin's list": lambda client, pk: client.post(
        reverse("wagtail_bulk_action", args=["media", "mediaimage", "delete"]) + f"?id={pk}"
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way(way: str, admin_client: Client, api: Api, things: Any, media_root: Path) -> None:
    picture = make_image()
    item = make_item(things, data={"pic": picture.path}, featured_media_id=picture.pk)
    with TestCase.captureOnCommitCallbacks(execute=True):
        WAYS[way](admin_client, picture.pk)
    assert not Media.objects.exists()
    assert all_files(media_root) == set()
    record = api.data(f"/content-items/{item.pk}")
    assert (record["featured_media_id"], record["featured_image"], record["fields"]["pic"]) == (None, None, None)


HTML = [
    ('<p>a</p><p><img src="x"></p>', "<p>a</p>"),
    ('<p>a <img src="x"> b</p>', "<p>a  b</p>"),
    ('<figure><img src="x"></figure><p>b</p>', "<p>b</p>"),
    ('<figure><img src="x"><figcaption>c <b>d</b></figcaption></figure>', ""),
    ('<figure><figcaption>c</figcaption><img src="x"></figure>', ""),
    ('<figure><img src="x"><img src="y"></figure>', '<figure><img src="y"></figure>'),
    ('<p><a href="/b"><img alt="src=&quot;y&quot;" src="x"></a></p>', ""),
    ('<p><img src="x"><img src="x"></p>', ""),
    ('<figure><p><img src="x"></p><figcaption>c</figcaption></figure>', ""),
    ('<ul><li><img src="x"></li></ul>', "<ul><li></li></ul>"),
    ('<p><img src="y" alt="<img src=x>"></p>', '<p><img src="y" alt="<img src=x>"></p>'),
    ('<p><img alt="a>b" src="x">c</p>', "<p>c</p>"),
    ("<p>x</p>", "<p>x</p>"),
]


@pytest.mark.parametrize(("html", "expected"), HTML)
def test_prose_without_images(html: str, expected: str) -> None:
    assert without_images(html, lambda address: address == "x") == expected


@pytest.mark.both_databases
def test_prose_of_many_images_takes_no_time() -> None:
    assert without_images('<p><img src="x"></p>' * 5000, lambda address: address == "x") == ""
    assert len(without_images("<figure>" * 5000 + '<img src="x">', lambda address: address == "x")) == 40_000


@pytest.mark.both_databases
def test_text_of_the_like_is_looked_at_in_few_statements(api: Api, things: Any, picture: dict[str, Any]) -> None:
    """Each foreign key to a file is cleared by its module and by Django; a module looks into its texts once or twice."""
    fields = {each for model in (Media, MediaImage) for each in model._meta.get_fields(include_hidden=True)}
    keys = [each for each in fields if each.one_to_many and each.auto_created]
    found = []
    for number in (1, 9, 90):
        for _ in range(number):
            make_item(things, data={"pic": "media/2026/03/other.jpg"})
        record = sent(api, "a.png", png())
        with CaptureQueriesContext(connection) as captured:
            library.delete_media(media=Media.objects.get(pk=record["id"]))
        found.append(len(captured))
    assert found[1] == found[2] <= 20 + 2 * len(keys) + 2 * len(list(media_usages())), (found, keys)
