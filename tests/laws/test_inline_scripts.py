"""No page contains code: the Content-Security-Policy lets browsers run script files of the site, and nothing else."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib.staticfiles import finders
from django.template.loader import get_template
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from wagtail.admin.menu import admin_menu
from wagtail.admin.widgets import BaseChooser

from cms_api.adminkit.widget_scripts import start
from cms_api.gateway import module as gateway
from home.services import create_home_page
from tests.builders import blog_post, make_item
from tests.features import switch_all_on

from .scripts import code_in

ROOT = Path(gateway.__file__).resolve().parents[2]
OWN = ("templates", "cms_api", "commerce", "events", "home")
#: Installed applications whose templates are used. The others have only pages for Django's admin, which is not installed.
LIBRARIES = ("wagtail", "allauth.account", "taggit")
#: Lists in the admin have only widgets that forms have too.
FORM = re.compile(r"/(new|add|create|choose\w*)/$")


def templates_of(*folders: Path) -> Iterator[Path]:
    for folder in folders:
        yield from sorted([*folder.rglob("*.html"), *folder.rglob("*.html-tpl")])


@pytest.mark.parametrize("own", OWN)
def test_own_templates_contain_no_code(own: str) -> None:
    found = {str(path.relative_to(ROOT)): [*code_in(path.read_text())] for path in templates_of(ROOT / own)}
    assert {path: code for path, code in found.items() if code} == {}


@pytest.mark.parametrize("own", OWN)
def test_own_templates_contain_no_styles(own: str) -> None:
    """Mails have no policy, and the style of error pages is allowed by its hash."""
    paths = {str(path.relative_to(ROOT)): path.read_text() for path in templates_of(ROOT / own)}
    found = {path for path, text in paths.items() if re.search(r"<style\b|\sstyle=", text) and "mail/" not in path}
    assert found <= {"templates/failure.html"}


def test_templates_of_libraries_with_code_are_replaced() -> None:
    used = {}
    for app in apps.get_app_configs():
        if not app.name.startswith(LIBRARIES):
            continue
        folder = Path(app.path, "templates")
        for path in templates_of(folder):
            name = str(path.relative_to(folder))
            if [*code_in(path.read_text())]:
                origin = Path(get_template(name).origin.name)  # type: ignore[attr-defined]
                used[name] = [*code_in(origin.read_text())]
    assert {name: code for name, code in used.items() if code} == {}
    assert len(used) == 5


@pytest.mark.parametrize(
    "planted",
    [
        *(
            "<script>let a = 1</script>",
            '<SCRIPT type="module">import "x"</SCRIPT>',
            "<script {% if a %}defer{% endif %}>a()</script>",
        ),
        *('<img src="x" onerror="a()">', "<p class='{% if a > 1 %}b{% endif %}' onclick=a()>", '<a href=" java\nscript:a()">'),
    ],
)
def test_planted_code_is_found(planted: str) -> None:
    assert len([*code_in(f"<main>{planted}</main>")]) == 1


@pytest.mark.parametrize(
    "data",
    [
        *('<script type="application/ld+json">{}</script>', '<script src="{% static "x.js" %}" defer></script>'),
        *("{# <script> #}", '<p data-action="click->x#open" title="on=1">', "<!-- <script>a()</script> -->"),
    ],
)
def test_data_and_files_are_not_code(data: str) -> None:
    assert [*code_in(data)] == []


def paths(patterns: Any, prefix: str = "/") -> Iterator[str]:
    """Yield the paths of all patterns that have no parameters."""
    for pattern in patterns:
        route = str(pattern.pattern).removeprefix("^").removesuffix("$")
        if re.search(r"[<(\\\[]", route):
            continue
        if isinstance(pattern, URLResolver):
            yield from paths(pattern.url_patterns, prefix + route)
        elif isinstance(pattern, URLPattern):
            yield prefix + route


@pytest.mark.django_db
def test_rendered_pages_contain_no_code(
    admin_client: Client, api_on: None, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    switch_all_on()
    create_home_page()
    make_item(blog_post(), data={"title": "Hello"}, slug="hello")
    assert [*code_in(admin_client.get("/admin/").content.decode())] == []
    # It is the same on all other pages.
    monkeypatch.setattr(admin_menu, "render_component", lambda request: [])
    visitor, seen = Client(), set()
    for path in ["/", "/blog-post", "/blog-post/hello", *dict.fromkeys(paths(get_resolver().url_patterns))]:
        if path.startswith("/api/") or (path.startswith("/admin/") and not FORM.search(path)):
            continue
        response: Any = (admin_client if path.startswith("/admin/") else visitor).get(path)
        if response.streaming or response.status_code != 200:
            continue
        kind = response.headers["Content-Type"].partition(";")[0]
        html = response.content.decode()
        if kind == "application/json":
            # A dialog of the admin.
            found = response.json()
            html = found.get("html", "") if isinstance(found, dict) else ""
        elif kind != "text/html":
            continue
        seen.add(path)
        with subtests.test(path):
            assert [*code_in(html)] == []
    assert len(seen) > 40
    assert {"/", "/blog-post/hello", "/admin/marketing/sequences/new/", "/admin/images/chooser/", "/subscribe"} <= seen


def subclasses(kind: type) -> Iterator[type]:
    for each in kind.__subclasses__():
        yield each
        yield from subclasses(each)


def test_every_chooser_can_be_started() -> None:
    script = Path(finders.find("adminkit/widget-start.js") or "").read_text()
    startable = set(re.findall(r'^  "(\w+)",$', script, re.MULTILINE))
    choosers: Any = [BaseChooser, *subclasses(BaseChooser)]
    assert {each.js_constructor for each in choosers} <= startable
    assert len(choosers) > 5


def test_no_argument_ends_the_element() -> None:
    assert start("Chooser", "\"'><script>").count("<") == 2
