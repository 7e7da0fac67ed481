"""Drawings in the theme's colours: those of empty image slots, and the icon of the site."""

import re
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.files.images import ImageFile
from django.test import Client
from django.urls import reverse

from cms_api.media.models import MediaImage
from cms_api.media.services.library import delete_media
from home.models import HomePage, Theme
from home.services import create_home_page
from home.types import drawing_colours
from home.views.drawings import DRAWN
from tests.builders import make_image, make_page

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).parents[2]
HERO = {"type": "hero", "value": {"heading": "H", "text": "", "links": [], "image": None, "image_alt": ""}}


@pytest.fixture(autouse=True)
def home(db: None) -> HomePage:
    return create_home_page()


def save(**values: Any) -> Theme:
    theme = Theme.load()
    for name, value in values.items():
        setattr(theme, name, value)
    theme.full_clean()
    theme.save()
    return theme


def drawn(client: Client, path: str = "/about/") -> str:
    found = re.search(r'src="(/site/slots/hero\.svg\?v=[0-9a-f]+)"', client.get(path).content.decode())
    assert found
    return found[1]


def icon(client: Client) -> str:
    found = re.search(r'<link rel="icon" href="([^"]+)"', client.get("/").content.decode())
    assert found
    return found[1]


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    """An empty slot has the colours of the theme, at a URL that changes with them."""
    make_page(HERO, title="About")
    before = drawn(client)
    assert "#2a3bd0" in client.get(before).content.decode()
    save(accent="#8c1d40", secondary="#118ab2")
    after = drawn(client)
    assert after != before
    response = client.get(after)
    svg = response.content.decode()
    assert "immutable" in response.headers["Cache-Control"]
    light, dark = svg.split("@media (prefers-color-scheme:dark)")
    assert ".a{fill:#8c1d40}" in light
    assert "#2a3bd0" not in svg
    assert f".a{{fill:{drawing_colours('#8c1d40', '#118ab2').dark['a']}}}" in dark
    assert "immutable" not in client.get(before).headers["Cache-Control"]
    assert response.headers["Content-Security-Policy"].startswith("default-src 'none'")


@pytest.mark.parametrize("kind", DRAWN)
def test_every_slot_has_a_drawing(client: Client, kind: str) -> None:
    response = client.get(reverse("slot_drawing", args=[kind]))
    assert response.status_code == 200
    assert response.content.startswith(b"<svg ")
    # Each class has a colour.
    svg = response.content.decode()
    assert set(re.findall(r'class="(\w)"', svg)) <= set(re.findall(r"\.(\w)\{fill", svg))


def test_there_are_no_others(client: Client) -> None:
    assert client.get("/site/slots/mark.svg").status_code == 404
    assert client.get("/site/slots/colours.svg").status_code == 404


def test_drawings_in_pages_and_in_files_have_the_same_colours() -> None:
    light, dark = (ROOT / "home/static/site/tokens.css").read_text().split("@media (prefers-color-scheme: dark)")
    found = drawing_colours()
    for css, colours in ((light, found.light), (dark, found.dark)):
        tokens = dict(re.findall(r"--tile-(\w+): (#\w+);", css))
        assert tokens == {name: colours[name] for name in ("a", "b", "c", "d", "ground")}


def test_the_icon_is_a_mark_in_the_colours_of_the_theme(client: Client) -> None:
    before = icon(client)
    save(accent="#8c1d40")
    assert icon(client) != before
    assert "#8c1d40" in client.get(icon(client)).content.decode()


def test_an_icon_is_chosen_and_deleted(client: Client) -> None:
    image = make_image("icon.png", width=400, height=400)
    save(favicon=image)
    html = client.get("/").content.decode()
    assert re.search(r'<link rel="icon" href="/media/[^"]+64x64[^"]*" type="image/png">', html)
    assert re.search(r'<link rel="apple-touch-icon" href="/media/[^"]+180x180[^"]*">', html)
    delete_media(media=image)
    assert icon(client).startswith("/site/icon.svg?v=")
    assert Theme.load().favicon is None


def test_an_svg_is_shown_as_it_is(client: Client) -> None:
    save(favicon=make_svg(40, 40))
    html = client.get("/").content.decode()
    assert re.search(r'<link rel="icon" href="/media/[^"]+\.svg[^"]*" type="image/svg\+xml">', html)
    assert "apple-touch-icon" not in html


def make_svg(width: int, height: int) -> MediaImage:
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"><path d="M0 0h9v9z"/></svg>'
    return MediaImage.objects.create(title="Icon", file=ImageFile(BytesIO(svg.encode()), name="icon.svg"))


@pytest.mark.parametrize(
    ("name", "width", "height", "message"),
    [
        ("icon.png", 400, 300, "Choose a square image; this one is 400 by 300 pixels."),
        ("icon.png", 64, 64, "Choose an image of at least 180 by 180 pixels."),
        ("icon.svg", 40, 20, "Choose a square image; this one is 40 by 20 pixels."),
    ],
)
def test_what_makes_no_icon_is_refused(name: str, width: int, height: int, message: str) -> None:
    image = make_svg(width, height) if name.endswith("svg") else make_image(name, width=width, height=height)
    with pytest.raises(ValidationError) as refusal:
        save(favicon=image)
    assert refusal.value.message_dict == {"favicon": [message]}
