"""PATCH and rotation: each gives a new address, and pages with the picture are invalidated; filters of the list."""

from pathlib import Path
from typing import Any

import pytest
from django.test import TestCase

from cms_api.core import versions
from cms_api.core.errors import Invalid
from cms_api.core.not_found import NotFound
from cms_api.http import page_cache
from cms_api.media.models import Category, Media, MediaFile, MediaImage
from cms_api.media.services import library
from cms_api.media.services.categories import delete_category, save_category
from tests.builders import make_image, make_item
from tests.client import Api

from .files import MP4, all_files, drawn, encoded, jpeg, moving, png, sent, stored, svg

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
@pytest.mark.both_databases
def test_it_works(api: Api, method: str) -> None:
    save_category(name="Places")
    before = sent(api, "a.jpg", jpeg(600, 400), alt="Old", caption="Kept")
    answer = api.request(method, f"/media/{before['id']}", {"alt": " New ", "category": "places"})
    assert answer.status_code == 200
    after = answer.json()["data"]
    assert after == api.data(f"/media/{before['id']}")
    changed = {"alt": "New", "category": "places", "url": after["url"], "updated_at": after["updated_at"]}
    assert after == before | changed
    assert after["url"].partition("?")[0] == before["url"].partition("?")[0]
    assert after["url"] != before["url"]


@pytest.mark.parametrize("nothing", [None, "", "  "])
def test_null_empties(api: Api, nothing: Any) -> None:
    save_category(name="Places")
    record = sent(api, "a.png", png(), alt="x", caption="y", category="places")
    after = api.patch(f"/media/{record['id']}", dict.fromkeys(("alt", "caption", "category"), nothing)).json()["data"]
    assert (after["alt"], after["caption"], after["category"]) == (None, None, None)


@pytest.mark.parametrize(
    ("body", "key"),
    [
        ({"alt": 7}, "alt"),
        ({"alt": "x" * 256}, "alt"),
        ({"caption": "x" * 501}, "caption"),
        ({"caption": ["x"]}, "caption"),
        ({"category": "nowhere"}, "category"),
        ({"category": 3}, "category"),
        ({"alt": "a\0"}, "alt"),
    ],
)
def test_what_is_refused_changes_nothing(api: Api, body: dict[str, Any], key: str) -> None:
    record = sent(api, "a.png", png(), alt="x")
    refused = api.patch(f"/media/{record['id']}", body)
    assert (refused.status_code, set(refused.json()["errors"])) == (422, {key})
    assert api.data(f"/media/{record['id']}") == record


def test_the_file_and_what_is_unknown_are_not_changed(api: Api) -> None:
    record = sent(api, "a.png", png())
    after = api.patch(f"/media/{record['id']}", {"file": "x", "path": "x", "width": 1, "kind": "video"}).json()["data"]
    assert after == record | {"url": after["url"], "updated_at": after["updated_at"]}


def test_a_document_is_no_media(api: Api) -> None:
    document = MediaFile.objects.create(title="Prices", file="media/2026/03/prices.pdf")
    assert document.kind == "file"
    assert api.data("/media") == []
    for method in ("GET", "PATCH", "DELETE"):
        assert api.request(method, f"/media/{document.pk}", {} if method == "PATCH" else None).status_code == 404
    assert MediaFile.objects.filter(pk=document.pk).exists()


def test_items_that_feature_it_have_the_new_address(api: Api) -> None:
    picture = make_image()
    item = make_item(featured_media_id=picture.pk)
    other = make_item()
    listed = api.get("/content-items")
    for _ in range(2):
        url = api.patch(f"/media/{picture.pk}", {"alt": "New"}).json()["data"]["url"]
        assert api.data(f"/content-items/{item.pk}")["featured_image"] == url
        fresh = api.request("GET", "/content-items", if_none_match=listed.headers["ETag"])
        assert fresh.status_code == 200
        assert {record["featured_image"] for record in fresh.json()["data"]} == {url, None}
    assert api.data(f"/content-items/{other.pk}")["featured_image"] is None


def test_public_pages_that_show_it_are_invalidated(api: Api) -> None:
    picture = make_image(width=700, height=450)
    item = make_item(featured_media_id=picture.pk, title="Heron")
    page = f"/blog-post/{item.slug}"
    assert b"Grey heron" not in api.http.get(page).content
    api.patch(f"/media/{picture.pk}", {"caption": "Grey heron"})
    assert b"Grey heron" in api.http.get(page).content
    assert page_cache._pages


def test_what_the_client_holds_is_good_until_a_write(api: Api) -> None:
    record = sent(api, "a.png", png())
    tag = api.get("/media").headers["ETag"]
    assert api.request("GET", "/media", if_none_match=tag).status_code == 304
    api.patch(f"/media/{record['id']}", {"alt": "x"})
    assert api.request("GET", "/media", if_none_match=tag).status_code == 200


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_rotation(api: Api, media_root: Path, degrees: int) -> None:
    before = sent(api, "a.jpg", jpeg(600, 400))
    files = all_files(media_root)
    with TestCase.captureOnCommitCallbacks(execute=True):
        library.rotate(media=Media.objects.get(pk=before["id"]), degrees=degrees)
    after = api.data(f"/media/{before['id']}")
    assert after["path"] == before["path"]
    assert after["url"] != before["url"]
    assert not set(after["variants"].values()) & set(before["variants"].values())
    size = (600, 400) if degrees == 180 else (400, 600)
    assert (after["width"], after["height"]) == size == stored(after).size
    assert after["size"] == (media_root / after["path"]).stat().st_size
    corner = {90: (590, 10), 180: (590, 390), 270: (10, 590)}[degrees]
    corner = (390, 10) if degrees == 90 else corner
    assert stored(after).getpixel(corner)[0] > 200  # type: ignore[index]
    assert len(all_files(media_root)) == len(after["variants"]) + 1
    assert len(files) == len(before["variants"]) + 1


def test_an_animation_is_rotated_whole(api: Api) -> None:
    record = sent(api, "a.gif", moving("GIF"))
    with TestCase.captureOnCommitCallbacks(execute=True):
        library.rotate(media=Media.objects.get(pk=record["id"]), degrees=90)
    found = stored(api.data(f"/media/{record['id']}"))
    assert (found.size, found.n_frames) == ((30, 40), 3)  # type: ignore[attr-defined]


@pytest.mark.parametrize(("name", "content", "degrees"), [("a.svg", svg(), 90), ("a.mp4", MP4, 90), ("a.png", png(), 45)])
def test_what_cannot_be_rotated(api: Api, name: str, content: bytes, degrees: int) -> None:
    record = sent(api, name, content)
    with pytest.raises(Invalid):
        library.rotate(media=Media.objects.get(pk=record["id"]), degrees=degrees)
    assert api.data(f"/media/{record['id']}") == record


def test_what_is_gone_cannot_be_edited(api: Api) -> None:
    media = Media.objects.get(pk=sent(api, "a.png", png())["id"])
    library.delete_media(media=media)
    with pytest.raises(NotFound):
        library.edit(media=media, values={"alt": "x"})


@pytest.fixture
def shelf(api: Api) -> dict[str, int]:
    """Ids by name; made one after the other."""
    save_category(name="Places")
    save_category(name="People")
    made = [
        sent(api, "IMG_0815.jpg", jpeg(), alt="Été au bord de l'eau", category="places"),
        sent(api, "winter.png", png(60, 60), caption="100% snow", category="people"),
        sent(api, "walk.mp4", MP4, category="places"),
        sent(api, "Zebra.webp", encoded(drawn(), "WEBP")),
    ]
    return {record["filename"]: record["id"] for record in made}


FILTERS: list[tuple[dict[str, str], list[str]]] = [
    ({}, ["Zebra.webp", "walk.mp4", "winter.png", "IMG_0815.jpg"]),
    ({"kind": "video"}, ["walk.mp4"]),
    ({"kind": "image", "category": "places"}, ["IMG_0815.jpg"]),
    ({"category": "places"}, ["walk.mp4", "IMG_0815.jpg"]),
    ({"category": "nowhere"}, []),
    ({"search": "0815"}, ["IMG_0815.jpg"]),
    ({"search": "ETE eau"}, ["IMG_0815.jpg"]),
    ({"search": "snow winter"}, ["winter.png"]),
    ({"search": "100%"}, ["winter.png"]),
    ({"search": "_"}, ["IMG_0815.jpg"]),
    ({"search": "snow eau"}, []),
    ({"sort": "created_at"}, ["IMG_0815.jpg", "winter.png", "walk.mp4", "Zebra.webp"]),
    ({"sort": "filename"}, ["IMG_0815.jpg", "walk.mp4", "winter.png", "Zebra.webp"]),
    ({"per_page": "2", "page": "2"}, ["winter.png", "IMG_0815.jpg"]),
]


@pytest.mark.both_databases
def test_lists(api: Api, shelf: dict[str, int], subtests: pytest.Subtests) -> None:
    for query, names in FILTERS:
        with subtests.test(str(query)):
            found = [record["filename"] for record in api.data("/media", **query)]
            assert (sorted(found) if query.get("sort") == "filename" else found) == (
                sorted(names) if "filename" in query.values() else names
            )


@pytest.mark.both_databases
def test_totals_and_cursors(api: Api, shelf: dict[str, int]) -> None:
    assert api.get("/media", kind="image", per_page=1).json()["meta"]["total"] == 3
    seen = api.walk("/media", per_page=1, sort="size")
    assert sorted(seen) == sorted(shelf.values())
    sizes = [record["size"] for record in api.data("/media", sort="-size")]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("query", [{"kind": "file"}, {"sort": "alt"}, {"fields": "nothing"}, {"search": "x" * 201}])
def test_queries_that_are_refused(api: Api, query: dict[str, str]) -> None:
    refused = api.get("/media", **query)
    assert (refused.status_code, set(refused.json()["errors"])) == (422, set(query))


@pytest.mark.both_databases
def test_categories(api: Api) -> None:
    places = save_category(name="Places")
    with pytest.raises(Invalid):
        save_category(name="Other", slug="places")
    for name, slug in (("", ""), ("x" * 101, "x"), ("A", "Not a slug")):
        with pytest.raises(Invalid):
            save_category(name=name, slug=slug)
    record = sent(api, "a.png", png(), category="places")
    tag = api.get("/media").headers["ETag"]
    save_category(category=places, name="Spots", slug="spots")
    assert api.data(f"/media/{record['id']}")["category"] == "spots"
    assert api.request("GET", "/media", if_none_match=tag).status_code == 200
    delete_category(category=places)
    assert api.data(f"/media/{record['id']}")["category"] is None
    assert not Category.objects.exists()
    assert MediaImage.objects.get(pk=record["id"])
    versions.forget()
