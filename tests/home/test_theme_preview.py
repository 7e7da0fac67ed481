"""The preview of the theme: the site with the values of a form, of which nothing is stored."""

import re
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest
from django.test import Client

from cms_api.flags.selectors import get_setting, site_formats
from home.models import HomePage, Theme
from home.services import create_home_page
from home.types import contrast, samples
from tests import people
from tests.builders import make_image, make_page

from .test_drawings import HERO
from .test_theme import edit_address, form_data

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_menu")]


@pytest.fixture(autouse=True)
def home(db: None) -> HomePage:
    return create_home_page()


def address() -> str:
    return f"{edit_address()}preview/"


def preview(client: Client, mode: str = "home-light", **changes: Any) -> str:
    """Send the form as the preview does, and return the page in its frame."""
    answer = client.post(address(), form_data(**changes)).json()
    assert answer == {"is_valid": True, "is_available": True}
    return shown(client, mode)


def shown(client: Client, mode: str = "home-light") -> str:
    return client.get(f"{address()}?mode={mode}&in_preview_panel=true").content.decode()


@pytest.mark.both_databases
def test_it_works(admin_client: Client, client: Client) -> None:
    """The home page shows every value of the form; the site and its visitors see nothing of it."""
    before = client.get("/").content
    stored = Theme.objects.values().get()
    image = make_image("logo.png", width=300, height=100)
    entry = ("address", {"label": "Shop", "url": "https://shop.example"})
    changes = {"accent": "#8c1d40", "tagline": "By the river", "fonts": "classic", "logo": image.pk, "header_menu": [entry]}
    html = preview(admin_client, site_name="The old mill", **changes)
    assert "<span>The old mill</span>" in html
    assert "By the river</p>" in html
    assert 'data-fonts="classic"' in html
    assert 'class="site-name__logo"' in html
    assert ">Shop</a>" in html
    assert "--accent:#8c1d40" in html

    assert Theme.objects.values().get() == stored
    assert get_setting("site.name") == "My site"
    assert Client().get("/").content == before
    assert client.get("/").content == before


def test_both_schemes_are_shown_whatever_the_system_has(admin_client: Client) -> None:
    for scheme, other in (("light", "dark"), ("dark", "light")):
        html = preview(admin_client, f"home-{scheme}", accent="#8c1d40")
        (style,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
        assert f"color-scheme:{scheme}" in style
        assert "prefers-color-scheme" not in style
        assert ("@media all" in style) == (scheme == "dark")
        assert f"color-scheme:{other}" not in style


def test_its_style_is_the_only_one_that_the_policy_allows(admin_client: Client) -> None:
    preview(admin_client)
    response = admin_client.get(address())
    (style,) = re.findall(r"<style>(.*?)</style>", response.content.decode(), re.DOTALL)
    digest = b64encode(sha256(style.encode()).digest()).decode()
    assert f"style-src 'self' 'sha256-{digest}';" in response.headers["Content-Security-Policy"]
    assert "unsafe-inline" not in response.headers["Content-Security-Policy"]
    assert "private" in response.headers["Cache-Control"]


@pytest.mark.parametrize(("scheme", "accent"), [("light", "#f5b82e"), ("dark", "#8c1d40")])
def test_the_samples_say_how_colours_are_adjusted(admin_client: Client, scheme: str, accent: str) -> None:
    html = preview(admin_client, f"sample-{scheme}", accent=accent)
    assert "Your accent colour is made lighter or darker" in html
    assert html.count('src="data:image/svg+xml;base64,') == 3
    for each in samples(accent, scheme):
        assert each.ratio >= 4.5
        assert f"<td>{site_formats().number(round(each.ratio, 1))} : 1</td>" in html
    assert "Your accent colour is made" not in preview(admin_client, f"sample-{scheme}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("accent", ["", "#ffffff", "#000000", "#2a3bd0", "#f5b82e"])
def test_every_use_of_a_colour_can_be_read(accent: str, scheme: str) -> None:
    assert [each.ratio >= 4.5 and each.ratio == contrast(each.colour, each.ground) for each in samples(accent, scheme)] == [
        True
    ] * 3


def test_drawings_have_the_colours_of_the_form(admin_client: Client, home: HomePage) -> None:
    home.rows = [(HERO["type"], HERO["value"])]
    home.save_revision().publish()
    assert "data:image/svg+xml;base64," in preview(admin_client, accent="#8c1d40")
    assert "data:image/svg+xml;base64," not in Client().get("/").content.decode()


def test_a_mistake_leaves_the_last_preview(admin_client: Client) -> None:
    preview(admin_client, accent="#8c1d40")
    answer = admin_client.post(address(), form_data(accent="#8c1"))
    assert answer.json() == {"is_valid": False, "is_available": True}
    assert "--accent:#8c1d40" in shown(admin_client)


def test_the_page_has_it_beside_the_form(admin_client: Client) -> None:
    make_page(title="About")
    html = admin_client.get(edit_address()).content.decode()
    assert f'data-w-preview-url-value="{address()}"' in html
    assert "home_admin/theme.js" in html
    assert '<option value="sample-dark">Samples, dark</option>' in html


@pytest.mark.parametrize("person", ["bob", "charlie"])
def test_only_people_who_may_change_the_theme_see_it(sign_in: Callable[[Any], Client], person: str) -> None:
    client = sign_in(getattr(people, person)())
    for answer in (client.get(address()), client.post(address(), form_data())):
        assert answer.status_code in {302, 403}
