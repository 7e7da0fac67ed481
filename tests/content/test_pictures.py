"""Pictures on public pages: sizes, order of loading, what moves, drawings, and files that are gone."""

import re
import threading
from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone
from PIL import Image
from wagtail.images import get_image_model

from cms_api.content.resources import pictures
from cms_api.content.resources.pictures import KINDS, picture
from cms_api.flags.services import set_setting
from cms_api.http import page_cache
from cms_api.media.types import VARIANTS
from tests.builders import field, make_item, make_type

pytestmark = pytest.mark.django_db

DRAWING = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 30"><path d="M0 0h40v30z"/></svg>'


def draw(name: str, frames: int = 1, size: tuple[int, int] = (700, 450)) -> bytes:
    target = BytesIO()
    first, *more = [Image.new("RGB", size, (number * 40, 80, 160)) for number in range(frames)]
    moving = {"save_all": True, "append_images": more, "duration": 100} if more else {}
    first.save(target, **{"format": name.rpartition(".")[2].replace("jpg", "jpeg")}, **moving)
    return target.getvalue()


def make_image(name: str = "heron.png", frames: int = 1) -> Any:
    return get_image_model().objects.create(title="A heron", alt="A heron", file=ContentFile(draw(name, frames), name=name))


def make_drawing() -> Any:
    values = {"title": "A plan", "alt": "A plan", "width": 40, "height": 30}
    return get_image_model().objects.create(**values, file=ContentFile(DRAWING, name="plan.svg"))


def images_of(client: Client, path: str) -> list[str]:
    response = client.get(path)
    assert response.status_code == 200
    return re.findall(r"<img [^>]+>", response.content.decode())


def stored(image: Any) -> int:
    """How many sizes were drawn for pages, beside the variants that come with the upload."""
    return int(image.renditions.exclude(filter_spec__in=[variant.spec for variant in VARIANTS]).count())


def test_it_works() -> None:
    image = make_image()
    shown = picture(image, "card")
    assert shown
    assert (shown.width, shown.height, shown.alt) == (700, 438, "A heron")
    first, second = shown.srcset.split(", ")
    assert re.fullmatch(r"/media/media/variants/\d{4}/\d\d/heron[^ ]*\.fill-480x300[^ ]*\.webp\?v=[0-9a-f]+ 480w", first)
    assert second.startswith(shown.src + " ")
    assert shown.original == f"/media/{image.file.name}"
    assert picture(image, "card") == shown
    assert stored(image) == 2


def test_a_rendition_may_be_kept_for_ever(client: Client) -> None:
    shown = picture(make_image(), "card")
    assert shown
    response = client.get(shown.src)
    assert b"".join(response.streaming_content)[8:12] == b"WEBP"
    assert "immutable" in response.headers["Cache-Control"]


def test_the_first_pictures_of_a_list_do_not_wait(client: Client) -> None:
    for layout in ("content-grid", "content-list"):
        set_setting(key="index_layout.default.blog-post", value=layout)
        for number in range(5):
            make_item(title=f"{layout} {number}", featured_media_id=make_image().pk)
        shown = images_of(client, "/blog-post")
        assert ['fetchpriority="high"' in each for each in shown[:5]] == [True, False, False, False, False]
        assert ['loading="lazy"' in each for each in shown[:5]] == [False, False, False, True, True]
        assert all('decoding="async"' in each and " sizes=" in each for each in shown)


def test_related_items_further_down_wait(client: Client) -> None:
    related = make_item(featured_media_id=make_image().pk)
    item_type = make_type(field("related", "relation", multiple=True))
    item = make_item(item_type, featured_media_id=make_image().pk, data={"related": [related.pk]})
    featured, card = images_of(client, f"/{item_type.slug}/{item.slug}")
    assert 'fetchpriority="high"' in featured
    assert 'loading="lazy"' in card


@pytest.mark.parametrize("name", ["moving.gif", "moving.webp", "moving.png", "moving.avif"])
def test_what_moves_is_shown_as_it_is(client: Client, name: str) -> None:
    image = make_image(name, frames=3)
    for kind in set(KINDS) - {"social"}:
        shown = picture(image, kind)
        assert shown
        assert (shown.src, shown.srcset) == (f"/media/{image.file.name}", "")
        assert (shown.width, shown.height) == (700, 450)
    assert stored(image) == 0


@pytest.mark.parametrize("name", ["first.gif", "first.webp"])
def test_social_networks_get_the_first_frame_of_what_moves(name: str) -> None:
    shown = picture(make_image(name, frames=3), "social")
    assert shown
    assert shown.src.endswith(".jpg")


@pytest.mark.parametrize("name", ["still.gif", "still.webp", "still.png", "still.avif", "still.jpg"])
def test_what_stands_still_has_sizes(name: str) -> None:
    shown = picture(make_image(name), "card")
    assert shown
    assert ".webp?v=" in shown.src


def test_what_moves_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    image = make_image("once.gif", frames=2)
    opened: list[str] = []
    real = default_storage.open
    monkeypatch.setattr(default_storage, "open", lambda name, *mode: opened.append(name) or real(name, *mode), raising=False)
    for _ in range(3):
        picture(image, "card")
    assert len(opened) == 1


def test_lists_show_the_first_picture_of_an_item_that_features_none(client: Client) -> None:
    item_type = make_type(field("plans", "gallery"), field("view", "image"), slug="yards")
    first, second, third = (make_image(f"{name}.png") for name in ("first", "second", "third"))
    make_item(item_type, data={"plans": [first.file.name, second.file.name], "view": third.file.name})
    make_item(item_type, data={"view": third.file.name})
    make_item(item_type, data={"view": first.file.name}, featured_media_id=second.pk)
    make_item(item_type, data={"view": "https://example.com/elsewhere.png"})
    make_item(item_type)
    names = [
        found[1] for image in images_of(client, "/yards") if (found := re.search(r"/(first|second|third)[^/]*\.fill", image))
    ]
    assert names == ["second", "third", "first"]


def test_a_drawing_is_shown_as_it_is() -> None:
    image = make_drawing()
    shown = picture(image, "wide")
    assert shown
    assert (shown.src, shown.srcset, shown.width) == (f"/media/{image.file.name}", "", 40)
    assert picture(image, "social") is None
    assert stored(image) == 0


@pytest.mark.parametrize(("size", "width"), [((600, 17_000), 600), ((1_000, 16_500), 1_000), ((2_000, 17_000), 1920)])
def test_what_is_too_high_for_webp_is_shown_as_it_is(size: tuple[int, int], width: int) -> None:
    made = ContentFile(draw("tower.png", size=size), name="tower.png")
    image = get_image_model().objects.create(title="A tower", alt="A tower", file=made)
    shown = picture(image, "wide")
    assert shown
    assert shown.width == width
    assert (shown.src == shown.original) == (width != 1920)
    cut = picture(image, "card")
    assert cut
    assert cut.src != cut.original


@pytest.mark.parametrize("name", ["gone.jpg", "gone.gif", "gone.svg"])
def test_a_missing_file_shows_nothing(name: str) -> None:
    image = make_drawing() if name.endswith("svg") else make_image(name, frames=2 if name.endswith("gif") else 1)
    default_storage.delete(image.file.name)
    assert [picture(image, kind) for kind in KINDS] == [None] * len(KINDS)


def test_a_file_that_is_no_picture_shows_nothing() -> None:
    image = make_image("real.png")
    default_storage.delete(image.file.name)
    default_storage.save(image.file.name, ContentFile(b"no picture"))
    assert picture(image, "card") is None


@pytest.mark.parametrize("name", ["heron.png", "plan.svg"])
def test_a_page_without_its_picture_is_made_again_soon(name: str, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk was full, or the media were away, while it was made: the picture is back without anybody's doing."""
    image = make_drawing() if name.endswith("svg") else make_image(name)
    make_item(title="Heron", featured_media_id=image.pk)
    image.renditions.all().delete()
    with default_storage.open(image.file.name) as file:
        content = file.read()
    default_storage.delete(image.file.name)
    assert images_of(client, "/blog-post") == []
    default_storage.save(image.file.name, ContentFile(content))
    assert images_of(client, "/blog-post") == []
    soon = timezone.now() + timedelta(seconds=61)
    monkeypatch.setattr(timezone, "now", lambda: soon)
    assert len(images_of(client, "/blog-post")) == 1


def test_a_size_that_was_lost_is_drawn_again(client: Client) -> None:
    make_item(title="Heron", featured_media_id=(image := make_image()).pk)
    before = images_of(client, "/blog-post")
    for each in image.renditions.all():
        default_storage.delete(each.file.name)
    page_cache.clear()
    after = images_of(client, "/blog-post")
    assert len(before) == len(after) == 1
    found = re.search(r'src="([^"?]+)', after[0])
    assert found
    assert default_storage.exists(found[1].removeprefix("/media/"))


def test_a_size_outlives_the_picture_it_was_made_of() -> None:
    image = make_image()
    shown = picture(image, "card")
    default_storage.delete(image.file.name)
    assert picture(get_image_model().objects.get(pk=image.pk), "card") == shown


@pytest.mark.django_db(transaction=True)
def test_visitors_who_come_first_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of four draws every size; one of each is kept, and no file is left over."""
    image = make_image("together.png")
    together = threading.Barrier(4)
    monkeypatch.setattr(pictures, "_existing", lambda image, kind: (together.wait(20) and {}) or {})
    shown: list[Any] = []

    def visit() -> None:
        try:
            shown.append(picture(get_image_model().objects.get(pk=image.pk), "card"))
        finally:
            connection.close()

    threads = [threading.Thread(target=visit) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(shown) == 4
    assert None not in shown
    assert len(set(shown)) == 1
    kept = {each.file.name.rpartition("/")[2] for each in image.renditions.filter(filter_spec__startswith="fill-")}
    folder = image.renditions.first().file.name.rpartition("/")[0]
    assert {name for name in default_storage.listdir(folder)[1] if name.startswith("toge") and ".fill-" in name} == kept
    assert len(kept) == 2


@pytest.mark.django_db(transaction=True)
def test_a_picture_that_is_deleted_while_it_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    image = make_image()
    copy = get_image_model().objects.get(pk=image.pk)
    real = pictures._draw

    def draw(*arguments: Any) -> Any:
        with transaction.atomic():
            get_image_model().objects.filter(pk=image.pk).delete()
        return real(*arguments)

    monkeypatch.setattr(pictures, "_draw", draw)
    assert picture(copy, "card") is None
