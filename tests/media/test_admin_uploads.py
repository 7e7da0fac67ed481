"""Wagtail's own pages: what is uploaded and edited there is as if it came through the API."""

import io
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from wagtail.models import Collection, UploadedFile

from cms_api.media.models import Media, MediaFile, MediaImage
from cms_api.media.services.categories import save_category
from tests.builders import make_image, make_item
from tests.client import Api

from .files import EXIF_ORIENTATION, MP4, all_files, drawn, encoded, jpeg, png, stored, svg

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_menu")]

AJAX = {"X-Requested-With": "XMLHttpRequest"}


def drop(client: Client, name: str, content: bytes, *, kind: str = "images") -> dict[str, Any]:
    """Drop a file on the upload page, and return the page's answer."""
    files = {"files[]": SimpleUploadedFile(name, content)}
    answer = client.post(reverse(f"wagtail{kind}:add_multiple"), {"title": name, **files}, headers=AJAX)
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.both_databases
def test_it_works(admin_client: Client, api: Api) -> None:
    exif = io.BytesIO()
    image = drawn(900, 600)
    tags = image.getexif()
    tags[EXIF_ORIENTATION] = 6
    image.save(exif, "JPEG", exif=tags)
    assert drop(admin_client, "Harbour.JPG", exif.getvalue())["success"]
    (record,) = api.data("/media")
    assert (record["filename"], record["path"].rpartition("/")[2]) == ("Harbour.JPG", "harbour.jpg")
    assert (record["width"], record["height"], record["mime_type"]) == (600, 900, "image/jpeg")
    assert list(record["variants"]) == ["w480", "w480-avif"]
    assert not stored(record).getexif()
    image = MediaImage.objects.get()
    assert (image.file_size, len(image.file_hash), image.title) == (record["size"], 40, "Harbour.JPG")


@pytest.mark.parametrize(
    ("name", "content"), [("a.svg", svg("<script>alert(1)</script>")), ("a.png", png()), ("a.avif", encoded(drawn(), "AVIF"))]
)
def test_other_types(admin_client: Client, api: Api, name: str, content: bytes) -> None:
    assert drop(admin_client, name, content)["success"]
    (record,) = api.data("/media")
    assert record["kind"] == "image"
    assert b"alert" not in (Path(MediaImage.objects.get().file.path)).read_bytes()
    assert admin_client.get(reverse("wagtailimages:index")).status_code == 200


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.png", jpeg()), ("a.png", b"<html>"), ("a.exe", b"MZ"), ("a.svg", b"<!DOCTYPE x [<!ENTITY a 'b'>]><svg/>")],
)
def test_hostile_files_are_refused(admin_client: Client, media_root: Path, name: str, content: bytes) -> None:
    found = drop(admin_client, name, content)
    assert not found["success"]
    assert found["error_message"]
    assert not Media.objects.exists()
    assert all_files(media_root) == set()


def test_the_page_for_one_picture(admin_client: Client, api: Api) -> None:
    page = reverse("wagtailimages:add")
    assert b'type="file"' in admin_client.get(page).content
    values = {
        "title": "Boats",
        "file": SimpleUploadedFile("a.png", png()),
        "alt": "Two boats",
        "collection": Collection.objects.get().pk,
    }
    assert admin_client.post(page, values).status_code == 302
    (record,) = api.data("/media", search="two boats")
    assert record["alt"] == "Two boats"
    refused = admin_client.post(page, {**values, "file": SimpleUploadedFile("a.png", b"no")})
    assert refused.status_code == 200
    assert b"The content isn&#x27;t a valid .png file." in refused.content


def test_an_edit_is_a_change(admin_client: Client, api: Api) -> None:
    save_category(name="Places")
    picture = make_image()
    item = make_item(featured_media_id=picture.pk)
    before = api.data(f"/media/{picture.pk}")
    page = reverse("wagtailimages:edit", args=[picture.pk])
    assert b'type="file"' not in admin_client.get(page).content
    category = save_category(name="People")
    values = {"title": "Boats", "alt": "Two boats", "collection": picture.collection_id, "category": category.pk}
    assert admin_client.post(page, {**values, "file": SimpleUploadedFile("b.png", png(9, 9))}).status_code == 302
    after = api.data(f"/media/{picture.pk}")
    assert (after["alt"], after["category"], after["path"], after["width"]) == (
        "Two boats",
        "people",
        before["path"],
        before["width"],
    )
    assert after["url"] != before["url"]
    assert api.data(f"/content-items/{item.pk}")["featured_image"] == after["url"]
    assert [record["id"] for record in api.data("/media", search="two")] == [picture.pk]


def test_documents_and_videos(admin_client: Client, api: Api) -> None:
    assert drop(admin_client, "Prices 1.pdf", b"%PDF-1.7\n", kind="docs")["success"]
    assert drop(admin_client, "walk.mp4", MP4, kind="docs")["success"]
    document, video = MediaFile.objects.order_by("pk")
    assert (document.kind, document.mime_type, document.size, document.path.rpartition("/")[2]) == (
        *("file", "application/pdf", 9, "prices-1.pdf"),
    )
    assert [record["id"] for record in api.data("/media")] == [video.pk]
    assert api.data(f"/media/{video.pk}")["kind"] == "video"
    assert admin_client.get(reverse("wagtaildocs:edit", args=[document.pk])).status_code == 200
    assert admin_client.get(reverse("wagtaildocs:index")).status_code == 200


@pytest.mark.parametrize(
    ("name", "content"), [("a.html", b"<p>"), ("a.pdf", b"<html>"), ("a.mp4", b"no"), ("a.svg", svg()), ("a.js", b"x")]
)
def test_documents_that_are_refused(admin_client: Client, name: str, content: bytes) -> None:
    assert not drop(admin_client, name, content, kind="docs")["success"]
    assert not Media.objects.exists()


def choose(client: Client, *files: tuple[str, bytes], several: str = "?multiple=1") -> dict[str, Any]:
    """Upload files in the image chooser, and return its answer."""
    values = {
        "image-chooser-upload-title": "Boats",
        "image-chooser-upload-collection": Collection.objects.get().pk,
        "image-chooser-upload-file": [SimpleUploadedFile(*file) for file in files],
    }
    answer = client.post(reverse("wagtailimages_chooser:create") + several, values)
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


def test_the_chooser_takes_several_files(admin_client: Client) -> None:
    page = reverse("wagtailimages_chooser:choose")
    one, several = (admin_client.get(page + query).json()["html"] for query in ("", "?multiple=1"))
    assert re.search(r'<input type="file"[^>]* multiple', several)
    assert "each image is named after its file" in several
    assert not re.search(r'<input type="file"[^>]* multiple', one)
    chosen = choose(admin_client, ("heron.png", png()), ("otter.png", png(9, 9)))["result"]
    assert [each["title"] for each in chosen] == ["heron", "otter"]
    assert [each["id"] for each in chosen] == [str(each.pk) for each in MediaImage.objects.order_by("pk")]
    assert set(MediaImage.objects.values_list("uploaded_by_user__username", flat=True)) == {"alice@example.com"}


def test_one_file_in_the_chooser_has_the_title(admin_client: Client) -> None:
    (chosen,) = choose(admin_client, ("heron.png", png()))["result"]
    assert chosen["title"] == "Boats"
    assert choose(admin_client, ("a.png", png(8, 8)), ("b.png", png(9, 9)), several="")["result"]["title"] == "Boats"
    assert MediaImage.objects.count() == 2


def test_the_chooser_takes_all_files_or_none(admin_client: Client, media_root: Path) -> None:
    refused = choose(admin_client, ("heron.png", png()), ("otter.png", b"no"))
    assert refused["step"] == "reshow_creation_form"
    assert "because “otter.png” was refused" in refused["htmlFragment"]
    assert "valid .png file" in refused["htmlFragment"]
    assert not Media.objects.exists()
    assert all_files(media_root) == set()


@pytest.mark.parametrize("name", ["a.jpg", "a.svg", "a.pdf"])
@pytest.mark.parametrize("wrong", [{"collection": "999"}, {"title": "x" * 300}])
def test_what_else_is_wrong_is_asked_for(name: str, wrong: dict[str, str], admin_client: Client) -> None:
    """The collection was deleted meanwhile: Wagtail keeps the file, and shows its form."""
    Collection.get_first_root_node().add_child(name="Harbour")
    contents = {"a.jpg": jpeg(), "a.svg": svg(), "a.pdf": b"%PDF-1.4 a"}
    address = reverse(f"wagtail{'docs' if name == 'a.pdf' else 'images'}:add_multiple")
    sent = {"title": name, "collection": "1", "files[]": SimpleUploadedFile(name, contents[name]), **wrong}
    answer = admin_client.post(address, sent, headers=AJAX)
    assert answer.status_code == 200
    assert answer.json()["form"]
    kept = UploadedFile.objects.get()
    # The right values make it a file of the library.
    form = re.findall(r'name="([^"]+-title)"', answer.json()["form"])[0].removesuffix("title")
    kind = "document" if name == "a.pdf" else "image"
    address = reverse(f"wagtail{'docs' if kind == 'document' else 'images'}:create_multiple_from_uploaded_{kind}", args=[kept.pk])
    answer = admin_client.post(address, {f"{form}title": "A", f"{form}collection": "1"}, headers=AJAX)
    assert (answer.status_code, answer.json()["success"]) == (200, True)
    assert Media.objects.count() == 1
