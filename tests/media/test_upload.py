"""POST /media: every type, the processing of pictures, and the other fields."""

import io
import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageCms

from cms_api.core import versions
from cms_api.media.models import Media, MediaImage, Rendition
from cms_api.media.selectors import VERSION, media_tag
from cms_api.media.services.categories import save_category
from tests.builders import make_token
from tests.client import Api

from .files import (
    EXIF_GPS,
    EXIF_ORIENTATION,
    MOV,
    MP4,
    WEBM,
    all_files,
    content_of,
    drawn,
    encoded,
    jpeg,
    moving,
    png,
    raw_png,
    sent,
    stored,
    svg,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("real_processing")]


@pytest.mark.both_databases
def test_it_works(api: Api) -> None:
    save_category(name="Places")
    record = sent(api, "Harbour.jpg", jpeg(900, 600), alt=" Boats ", caption="At dawn", category="places")
    assert re.fullmatch(r"media/\d{4}/\d\d/harbour\.jpg", record["path"])
    assert re.fullmatch(rf"http://testserver/media/{record['path']}\?v=[0-9a-f]+", record["url"])
    assert record | {"id": 0, "path": "", "url": "", "size": 0, "variants": {}, "created_at": "", "updated_at": ""} == {
        **{"id": 0, "path": "", "url": "", "size": 0, "variants": {}, "created_at": "", "updated_at": ""},
        **{"filename": "Harbour.jpg", "mime_type": "image/jpeg", "kind": "image", "width": 900, "height": 600},
        **{"alt": "Boats", "caption": "At dawn", "category": "places"},
    }
    assert record["size"] == len(content_of(record))
    assert api.data(f"/media/{record['id']}") == record
    assert api.data("/media") == [record]


TYPES: dict[str, tuple[Any, str, str]] = {
    "a.jpg": (jpeg, "image/jpeg", "image"),
    "a.jpeg": (jpeg, "image/jpeg", "image"),
    "a.PNG": (png, "image/png", "image"),
    "a.gif": (lambda: encoded(drawn(), "GIF"), "image/gif", "image"),
    "a.webp": (lambda: encoded(drawn(), "WEBP"), "image/webp", "image"),
    "a.avif": (lambda: encoded(drawn(), "AVIF"), "image/avif", "image"),
    "a.svg": (svg, "image/svg+xml", "image"),
    "a.mp4": (lambda: MP4, "video/mp4", "video"),
    "a.webm": (lambda: WEBM, "video/webm", "video"),
    "a.mov": (lambda: MOV, "video/quicktime", "video"),
}


@pytest.mark.parametrize("name", TYPES)
def test_every_type(api: Api, name: str) -> None:
    make, mime_type, kind = TYPES[name]
    record = sent(api, name, make())
    assert (record["mime_type"], record["kind"], record["filename"]) == (mime_type, kind, name)
    assert record["path"].endswith(name.lower())
    size = {"a.svg": (60, 40)}.get(name, (40, 30)) if kind == "image" else (None, None)
    assert (record["width"], record["height"]) == size
    assert (record["alt"], record["caption"], record["category"], record["variants"]) == (None, None, None, {})
    if kind == "video":
        assert content_of(record) == make()


def test_variants_are_smaller_and_wagtail_finds_them(api: Api) -> None:
    record = sent(api, "a.jpg", jpeg(1000, 500))
    assert list(record["variants"]) == ["w480", "w480-avif", "w960", "w960-avif"]
    assert all(address.startswith("http://testserver/media/media/variants/") for address in record["variants"].values())
    image = MediaImage.objects.get(pk=record["id"])
    assert {(each.width, each.height) for each in image.renditions.all()} == {(480, 240), (960, 480)}
    found = image.get_rendition("width-480|format-webp|webpquality-80")
    assert "http://testserver" + found.url == record["variants"]["w480"]
    assert Rendition.objects.count() == 4
    with found.file.open("rb") as file:
        assert Image.open(file).format == "WEBP"


def test_paths_fit_their_columns_also_with_a_suffix(api: Api) -> None:
    sent(api, "n" * 200 + ".jpg", jpeg(1700, 500))
    image = MediaImage.objects.get(pk=sent(api, "n" * 200 + ".jpg", jpeg(1700, 500))["id"])
    image.get_rendition("width-1234|format-webp|webpquality-80|bgcolor-ffffff")
    longest = max((image.file.name, *image.renditions.values_list("file", flat=True)), key=len)
    # A storage adds an underscore and seven characters.
    assert len(longest) + 8 <= 100


def test_wide_pictures_are_scaled_down(api: Api) -> None:
    record = sent(api, "a.jpg", jpeg(3000, 1500))
    assert (record["width"], record["height"]) == (2400, 1200) == stored(record).size
    assert list(record["variants"]) == ["w480", "w480-avif", "w960", "w960-avif", "w1600", "w1600-avif"]
    assert (lambda r: (r["width"], r["height"]))(sent(api, "a.png", png(2410, 10))) == (2400, 10)
    tall = sent(api, "b.jpg", jpeg(100, 3000))
    assert (tall["width"], tall["height"]) == (100, 3000)


#: EXIF orientation to the transposition that a camera in this orientation makes.
TRANSPOSITIONS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}


@pytest.mark.parametrize("orientation", range(1, 9))
def test_pictures_are_turned_upright(api: Api, orientation: int) -> None:
    camera = drawn(40, 30)
    if orientation in TRANSPOSITIONS:
        camera = camera.transpose(TRANSPOSITIONS[orientation])
    exif = Image.Exif()
    exif[EXIF_ORIENTATION] = orientation
    record = sent(api, "a.jpg", encoded(camera, "JPEG", quality=98, exif=exif))
    found = stored(record)
    assert (record["width"], record["height"]) == (40, 30) == found.size
    corners = [found.getpixel(at) for at in ((5, 5), (35, 5), (5, 25), (35, 25))]
    assert [max(range(3), key=corner.__getitem__) for corner in corners] == [0, 2, 2, 2]  # type: ignore[union-attr,arg-type]
    assert not found.getexif()


def located() -> Image.Exif:
    exif = Image.Exif()
    exif[0x010F] = "Camera of Somebody"
    exif.get_ifd(EXIF_GPS).update({1: "N", 2: (48.0, 51.0, 24.0)})
    return exif


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "AVIF"])
def test_places_and_other_metadata_are_dropped(api: Api, kind: str) -> None:
    name = f"a.{kind.lower()}"
    raw = encoded(drawn(), kind, exif=located(), **({"comment": b"of Somebody"} if kind == "JPEG" else {}))
    assert b"Somebody" in raw
    record = sent(api, name, raw)
    assert b"Somebody" not in content_of(record)
    assert not stored(record).getexif()


def test_metadata_of_an_animation_is_dropped(api: Api) -> None:
    record = sent(api, "a.webp", moving("WEBP", exif=located(), xmp=b"<x>of Somebody</x>"))
    assert b"Somebody" not in content_of(record)
    gif = moving("GIF", comment=b"of Somebody")
    assert b"of Somebody" in gif
    assert b"Somebody" not in content_of(sent(api, "a.gif", gif + b"<?php Somebody"))


@pytest.mark.parametrize(("kind", "width"), [("GIF", 40), ("GIF", 2500), ("WEBP", 40), ("WEBP", 2500), ("PNG", 40), ("AVIF", 40)])
def test_animations_keep_moving(api: Api, kind: str, width: int) -> None:
    record = sent(api, f"a.{kind.lower()}", moving(kind, width))
    found = Image.open(io.BytesIO(content_of(record)))
    assert (found.n_frames, found.width) == (3, min(width, 2400))  # type: ignore[attr-defined]
    durations = []
    for number in range(3):
        found.seek(number)
        found.load()
        durations.append(found.info["duration"])
    assert durations == [100, 150, 200]
    assert found.info.get("loop", 0) == 0
    assert record["variants"] == {}
    image = MediaImage.objects.get(pk=record["id"])
    assert image.animated
    with image.get_willow_image() as opened:
        assert opened.get_size() == (min(width, 2400), image.height)


def test_a_still_gif_does_not_move_and_keeps_its_colours(api: Api) -> None:
    record = sent(api, "a.gif", encoded(drawn(600, 400), "GIF"))
    assert not Media.objects.get(pk=record["id"]).animated
    assert stored(record).convert("RGB").getpixel((5, 5)) == (255, 0, 0)
    assert list(record["variants"]) == ["w480", "w480-avif"]


def test_printers_colours_become_a_screens(api: Api) -> None:
    record = sent(api, "a.jpg", encoded(drawn(600, 300, "CMYK"), "JPEG", quality=95))
    found = stored(record)
    assert found.mode == "RGB"
    red, green, blue = found.getpixel((10, 10))  # type: ignore[misc]
    assert red > 200 > 80 > max(green, blue)


def test_sixteen_bits_become_eight(api: Api) -> None:
    grey = stored(sent(api, "a.png", encoded(Image.new("I;16", (30, 20), 0x8000), "PNG")))
    assert (grey.mode, grey.getpixel((5, 5))) == ("L", 128)
    colours = raw_png(30, 20, 16, 2, (b"\0" + b"\xff\xff\0\0\x80\0" * 30) * 20)
    assert stored(sent(api, "b.png", colours)).convert("RGB").getpixel((5, 5)) == (255, 0, 128)


def test_a_colour_profile_is_applied(api: Api) -> None:
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    record = sent(api, "a.png", png(icc_profile=profile.replace(b"sRGB", b"mine")))
    assert "icc_profile" not in stored(record).info
    assert stored(sent(api, "b.jpg", jpeg(icc_profile=b"no profile at all"))).size == (40, 30)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA"])
def test_other_modes(api: Api, mode: str) -> None:
    record = sent(api, "a.png", encoded(drawn(600, 300, mode), "PNG"))
    assert (record["width"], len(record["variants"])) == (600, 2)
    assert stored(record).size == (600, 300)


def test_a_taken_name_gets_a_suffix(api: Api, media_root: Path) -> None:
    first, second = sent(api, "Été 1.png", png(10, 10)), sent(api, "ete 1.PNG", png(20, 20))
    assert (first["filename"], second["filename"]) == ("Été 1.png", "ete 1.PNG")
    assert first["path"].endswith("/ete-1.png")
    assert re.search(r"/ete-1-[0-9a-f]{6}\.png$", second["path"])
    assert all_files(media_root) == {first["path"], second["path"]}
    assert (stored(first).width, stored(second).width) == (10, 20)


def test_a_file_that_stands_in_the_way_is_not_overwritten(api: Api, media_root: Path) -> None:
    path = sent(api, "a.png", png())["path"]
    Media.objects.all().delete()
    (media_root / path).parent.mkdir(parents=True, exist_ok=True)
    (media_root / path).write_bytes(b"mine")
    record = sent(api, "a.png", png())
    assert record["path"] != path
    assert (media_root / path).read_bytes() == b"mine"


@pytest.mark.parametrize(
    ("fields", "key", "sentence"),
    [
        ({"alt": "x" * 256}, "alt", "The alt may not be greater than 255 characters."),
        ({"caption": "x" * 501}, "caption", "The caption may not be greater than 500 characters."),
        ({"category": "nowhere"}, "category", "The selected category is invalid."),
        ({"alt": "a\0b"}, "alt", "The alt field must not contain NUL characters."),
        ({"alt": b"\xff\xfe"}, "alt", "The alt contains characters that are not allowed."),
        ({"alt": "\ud800".encode("utf-8", "surrogatepass")}, "alt", "The alt contains characters that are not allowed."),
    ],
)
def test_texts_that_are_refused(api: Api, media_root: Path, fields: dict[str, Any], key: str, sentence: str) -> None:
    refused = api.upload("/media", ("file", ("a.png", png())), *fields.items())
    assert (refused.status_code, refused.json()["errors"]) == (422, {key: [sentence]})
    assert all_files(media_root) == set()


def test_it_moves_what_processes_hold_of_the_library(api: Api) -> None:
    before = versions.version(VERSION)
    record = sent(api, "a.png", png())
    versions.forget()
    assert versions.version(VERSION) != before
    assert versions.tag_versions([media_tag(record["id"])])


def test_an_ability_is_needed(api_on: None) -> None:
    reader = Api(make_token("media:read"))
    assert reader.upload("/media", ("file", ("a.png", png()))).status_code == 403


def test_this_process_reads_no_picture(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sizes are known: reading them from the stored files, even from headers, would take tens of megabytes."""

    def read(*_: Any) -> None:
        raise AssertionError("An image was opened.")

    monkeypatch.setattr("willow.Image.open", read)
    record = sent(api, "a.jpg", jpeg(600, 400))
    assert (record["width"], record["height"]) == (600, 400)
    image = MediaImage.objects.get()
    assert {(each.width, each.height) for each in image.renditions.all()} == {(480, 320)}
