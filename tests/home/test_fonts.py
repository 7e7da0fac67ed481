"""The fonts of the theme: pages name those that the theme has, and a package provides their files."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client
from fontTools.ttLib import TTFont

from home.models import HomePage, Theme
from home.services import create_home_page, fonts
from home.types import FONTS

pytestmark = pytest.mark.django_db

STYLE = Path(__file__).parents[2] / "home/static/site/fonts.css"


def found(name: str) -> str:
    path = finders.find(f"site/fonts/{name}")
    assert isinstance(path, str)
    return path


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    """Pages name the pair, and preload the file that all of them need."""
    create_home_page()
    for name, pair in FONTS.items():
        theme = Theme.load()
        theme.fonts = name
        theme.save()
        html = client.get("/").content.decode()
        assert f'<html lang="en" data-fonts="{name}">' in html
        preloaded = re.findall(r'<link rel="preload" href="/static/([^"]+)" as="font" type="font/woff2" crossorigin>', html)
        assert preloaded == ([pair.preload] if pair.preload else [])
        assert ("site/fonts.css" in html) == bool(pair.preload)


def test_the_files_are_served(client: Client) -> None:
    response = client.get("/static/site/fonts/inter-latin.woff2")
    assert response.headers["Content-Type"] == "font/woff2"
    assert b"".join(response)[:4] == b"wOF2"  # type: ignore[arg-type]


def test_a_subset_has_the_letters_of_its_languages_in_every_weight_and_size() -> None:
    with TTFont(found("inter-latin.woff2")) as latin, TTFont(found("inter-latin-extended.woff2")) as extended:
        assert set(map(ord, "Grüße, señor: 12 € → “ça va”")) <= set(latin.getBestCmap())
        assert set(map(ord, "Łódź, Győr, İstanbul, Tiếng Việt")) <= {*latin.getBestCmap(), *extended.getBestCmap()}
        assert {axis.axisTag: (axis.minValue, axis.maxValue) for axis in latin["fvar"].axes} == {
            "opsz": (14, 32),
            "wght": (100, 900),
        }


def test_the_style_and_the_files_agree() -> None:
    css = STYLE.read_text()
    rules = re.findall(r'url\("fonts/([^"]+)"\).*\n\s*unicode-range: ([^;]+);', css)
    assert dict(rules) == {name: subset.characters.replace(",", ", ") for name, subset in fonts.SUBSETS.items()}
    assert set(re.findall(r'data-fonts="(\w+)"', css)) == {name for name, pair in FONTS.items() if pair.preload}


def test_static_files_include_the_fonts_and_their_licence() -> None:
    (finder,) = (each for each in finders.get_finders() if isinstance(each, fonts.FontFinder))
    listed = {f"{storage.prefix}/{name}": storage for name, storage in finder.list([])}
    assert set(listed) == {f"site/fonts/{name}" for name in (*fonts.SUBSETS, "OFL.txt")}
    assert "SIL OPEN FONT LICENSE" in Path(found("OFL.txt")).read_text()
    assert finder.find("site/fonts/other.woff2") == []
    assert finder.find("inter-latin.woff2") == []


def test_an_environment_that_is_read_only_has_them_among_the_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("No folder can be made below this.")
    monkeypatch.setattr(settings, "FONTS_FOLDERS", [tmp_path / "file" / "fonts", tmp_path / "data"])
    assert found("OFL.txt").startswith(str(tmp_path / "data"))


def test_only_new_sites_start_with_a_web_font() -> None:
    create_home_page()
    Theme.objects.all().delete()
    create_home_page()
    assert not Theme.objects.exists()
    assert Theme.load().fonts == "system"
    Theme.objects.all().delete()
    HomePage.objects.get().delete()
    create_home_page()
    assert Theme.objects.get().fonts == "modern"
