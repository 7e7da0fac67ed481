"""The theme: changes show at once on every page, and no colour makes text unreadable."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from cms_api.flags.selectors import get_setting
from cms_api.flags.services import set_setting, switch_feature
from cms_api.http import page_cache
from home.models import Theme
from home.types import contrast, is_colour, palette, theme_css
from home.views.theme import folds_below, network
from tests import people
from tests.builders import blog_post, make_image, make_item, make_page, make_type

COLOURS = st.integers(0, 0xFFFFFF).map("#{:06x}".format)
#: As in tokens.css.
LIGHT_GROUNDS, DARK_GROUNDS = ("#fbfbfa", "#f0f1f4"), ("#0f1117", "#191c26")


@given(COLOURS, COLOURS)
def test_text_of_any_colour_can_be_read(accent: str, secondary: str) -> None:
    found = palette(accent, secondary)
    for ground in LIGHT_GROUNDS:
        assert contrast(found.light["accent"], ground) >= 4.5
    for ground in DARK_GROUNDS:
        assert contrast(found.dark["accent"], ground) >= 4.5
    for scheme in (found.light, found.dark):
        assert contrast(scheme["on-accent"], scheme["accent"]) >= 4.5
        assert contrast(scheme["on-fill"], scheme["fill"]) >= 4.5
    assert contrast(found.light["on-panel"], found.light["panel"]) >= 4.5
    assert all(is_colour(colour) for scheme in (found.light, found.dark) for colour in scheme.values())


@given(COLOURS)
def test_a_colour_that_can_be_read_is_left_alone(accent: str) -> None:
    found = palette(accent)
    if all(contrast(accent, ground) >= 4.5 for ground in LIGHT_GROUNDS):
        assert found.light["accent"] == accent
    if contrast(accent, "#ffffff") >= 4.5:
        assert found.light["fill"] == accent


@given(COLOURS, COLOURS)
def test_drawings_have_four_colours(accent: str, secondary: str) -> None:
    for found in (palette(accent), palette("", secondary), palette(accent, secondary)):
        assert {f"tile-{name}" for name in "abcd"} <= set(found.light) == set(found.light) | set(found.dark)


@given(st.text(max_size=12))
def test_what_is_no_colour_writes_no_style(text: str) -> None:
    if not is_colour(text):
        assert theme_css(text, text) == ""


def test_contrast_is_wcags() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://www.instagram.com/us", "Instagram"),
        ("https://youtube.com/@us", "YouTube"),
        ("https://mastodon.example/@us", "Mastodon"),
        ("nonsense", "Nonsense"),
    ],
)
def test_networks_are_named_by_their_address(url: str, name: str) -> None:
    assert network(url) == name


@pytest.fixture
def paths(db: None) -> list[str]:
    """Pages of every sort."""
    make_item(title="A post")
    make_page({"type": "text", "value": {"heading": "H", "text": "<p>W</p>"}}, title="About")
    return ["/", "/about/", "/blog-post", "/blog-post/a-post"]


def save(**values: Any) -> Theme:
    theme = Theme.objects.first() or Theme()
    for name, value in values.items():
        setattr(theme, name, value)
    theme.full_clean()
    theme.save()
    return theme


def pages(client: Client, paths: list[str]) -> list[str]:
    return [client.get(path).content.decode() for path in paths]


def menu(html: str, label: str = "Main") -> list[tuple[str, str]]:
    found = re.search(rf'aria-label="{label}">(.*?)</nav>', html, re.DOTALL)
    return re.findall(r'<a href="([^"]*)"[^>]*>([^<]*)</a>', found[1]) if found else []


def test_it_works(client: Client, paths: list[str]) -> None:
    """Every page is kept, and every one shows the next state of everything with the next request."""
    image = make_image("logo.png", width=300, height=100)
    changes: list[tuple[Callable[[], Any], str]] = [
        (lambda: save(accent="#c0182c"), "/look.css?v="),
        (lambda: save(logo=image), 'class="site-name__logo" src="/media/'),
        (lambda: save(tagline="By the river"), "By the river</p>"),
        (lambda: save(footer_text="<p>Open <b>daily</b></p>"), "<b>daily</b>"),
        (lambda: save(header_menu=[("address", {"label": "Shop", "url": "https://shop.example"})]), ">Shop</a>"),
        (lambda: save(profiles=[("profile", {"url": "https://www.instagram.com/us", "label": ""})]), 'rel="me">Instagram'),
        (lambda: set_setting(key="site.name", value="Millrace"), "© 2"),
        (lambda: set_setting(key="site.name", value="The Mill"), "The Mill</p>"),
    ]
    for change, shown in changes:
        before = pages(client, paths)
        with CaptureQueriesContext(connection) as captured:
            assert pages(client, paths) == before
        assert len(captured) == len(paths)
        change()
        after = pages(client, paths)
        assert all(shown in html for html in after), shown
        assert after != before


def test_colours_come_in_a_style_sheet_of_their_own(client: Client, paths: list[str]) -> None:
    assert "look.css" not in pages(client, paths)[0]
    save(accent="#c0182c", secondary="#f5b82e")
    address = re.search(r'href="(/look\.css\?v=[0-9a-f]+)"', pages(client, paths)[0])
    assert address
    response = client.get(address[1])
    assert response.headers["Content-Type"].startswith("text/css")
    assert "immutable" in response.headers["Cache-Control"]
    assert "--accent:#c0182c" in response.content.decode()
    save(accent="#1d8f83")
    assert "immutable" not in client.get(address[1]).headers["Cache-Control"]
    assert address[1] not in pages(client, paths)[0]


def test_menus_are_made_of_pages_and_types_unless_somebody_makes_them(client: Client, paths: list[str]) -> None:
    hidden = make_page(title="Hidden", show_in_menus=False)
    entries = menu(client.get("/").content.decode())
    assert ("/about/", "About") in entries
    assert ("/blog-post", "Blog") in entries
    assert entries.index(("/about/", "About")) < entries.index(("/blog-post", "Blog"))
    assert "Hidden" not in dict(entries).values()
    assert menu(client.get("/").content.decode(), "Footer") == entries

    chosen = [
        ("page", {"page": hidden, "label": ""}),
        ("content_type", {"type": "blog-post", "label": "News"}),
        ("address", {"label": "Shop", "url": "https://shop.example/?a=1&b=2"}),
    ]
    save(header_menu=chosen, footer_menu=chosen[1:2])
    html = client.get("/blog-post").content.decode()
    assert menu(html) == [("/hidden/", "Hidden"), ("/blog-post", "News"), ("https://shop.example/?a=1&amp;b=2", "Shop")]
    assert menu(html, "Footer") == [("/blog-post", "News")]
    assert '<a href="/blog-post" aria-current="page">News</a>' in html
    assert '<a href="/blog-post" aria-current="true">News</a>' in client.get("/blog-post/a-post").content.decode()


def test_modules_add_links_to_the_footer(client: Client, paths: list[str]) -> None:
    before = menu(client.get("/").content.decode(), "Footer")
    switch_feature(name="marketing", on=True)
    html = client.get("/").content.decode()
    assert menu(html, "Footer") == [*before, ("/subscribe", "Subscribe")]
    assert '<li><a href="/feeds/blog-post.atom">Blog feed</a></li>' in html
    # The publication date of a service says nothing.
    assert "/feeds/service.atom" not in html.split("site-footer")[1]
    # An entry that editors have made is not repeated.
    save(footer_menu=[("address", {"label": "Our letter", "url": "/subscribe/"})])
    assert menu(client.get("/").content.decode(), "Footer") == [("/subscribe/", "Our letter")]


@pytest.mark.parametrize(
    ("labels", "name", "width"),
    [
        (["About", "Find us", "Blog"], "The Mill", 0),
        (["About", "Find us", "Blog", "Shop"], "The Mill", 48),
        (["About the mill", "Find us", "Blog", "Events", "Projects", "Services", "Spaces", "My account"], "Millrace Arts", 67),
        (["A rather long entry"] * 12, "Millrace Arts", 96),
    ],
)
def test_a_header_folds_where_its_entries_would_not_fit(labels: list[str], name: str, width: int) -> None:
    assert folds_below(labels, name=name) == width


def test_the_style_of_a_folded_header_is_for_narrow_windows(client: Client, paths: list[str]) -> None:
    entries = [("address", {"label": f"Entry {number}", "url": "/"}) for number in range(9)]
    save(header_menu=entries, fonts="system")
    estimate = folds_below([f"Entry {number}" for number in range(9)], name="My site")
    assert f'site/fold.css" media="(max-width: {estimate}rem)">' in pages(client, paths)[0]
    # Entries in Inter are wider.
    save(fonts="modern")
    found = re.search(r'site/fold\.css" media="\(max-width: (\d+)rem\)">', pages(client, paths)[0])
    assert found
    assert int(found[1]) > estimate


def test_menus_follow_the_pages_they_lead_to(client: Client, paths: list[str]) -> None:
    page = make_page(title="Visit")
    save(header_menu=[("page", {"page": page, "label": ""}), ("page", {"page": make_page(title="Stays"), "label": "Other"})])
    assert menu(client.get("/").content.decode()) == [("/visit/", "Visit"), ("/stays/", "Other")]
    page.title, page.slug = "Find us", "find-us"
    page.save()
    assert menu(client.get("/").content.decode())[0] == ("/find-us/", "Find us")
    page.unpublish()
    assert menu(client.get("/").content.decode()) == [("/stays/", "Other")]
    page.delete()
    assert menu(client.get("/blog-post").content.decode()) == [("/stays/", "Other")]


def test_a_new_page_or_type_is_in_the_menu_that_nobody_made(client: Client, paths: list[str]) -> None:
    client.get("/about/")
    make_page(title="Visit")
    make_type(slug="recipes", name_plural="Recipes")
    entries = menu(client.get("/about/").content.decode())
    assert ("/visit/", "Visit") in entries
    assert ("/recipes", "Recipes") in entries


def test_the_entry_above_a_page_is_marked(client: Client, paths: list[str]) -> None:
    parent = make_page(title="House")
    make_page(title="Housekeeping")
    parent.add_child(instance=type(parent)(title="Roof"))
    html = client.get("/house/roof/").content.decode()
    assert '<a href="/house/" aria-current="true">House</a>' in html
    assert '<a href="/housekeeping/">Housekeeping</a>' in html


def test_a_logo_that_goes_gives_way_to_the_name(client: Client, paths: list[str]) -> None:
    image = make_image("logo.png", width=300, height=100)
    save(logo=image, show_name=False)
    html = client.get("/about/").content.decode()
    assert re.search(r'<img class="site-name__logo"[^>]* alt="My site">', html)
    assert "<span>My site</span>" not in html
    save(logo_alt="A wheel", show_name=True)
    assert 'alt="A wheel"' in client.get("/about/").content.decode()
    save(logo=None)
    html = client.get("/about/").content.decode()
    assert "site-name__logo" not in html
    assert "<span>My site</span>" in html


def test_reading_it_costs_nothing_when_it_has_been_read(client: Client, paths: list[str]) -> None:
    save(logo=make_image("logo.png", width=300, height=100), header_menu=[("page", {"page": make_page(), "label": ""})])
    counts = []
    for _ in range(2):
        page_cache.clear()
        with CaptureQueriesContext(connection) as captured:
            client.get("/blog-post")
        counts.append([each["sql"] for each in captured if "home_theme" in each["sql"] or "rendition" in each["sql"]])
    assert counts[0]
    assert counts[1] == []


@pytest.mark.parametrize(
    "values",
    [
        {"accent": "red"},
        {"accent": "#12345"},
        {"accent": "#123456}"},
        {"secondary": "#1234567"},
        {"header_menu": [("address", {"label": "X", "url": "javascript:alert(1)"})]},
        {"profiles": [("profile", {"label": "", "url": "ftp://example.org/"})]},
    ],
)
@pytest.mark.django_db
def test_what_would_break_pages_is_refused(admin_client: Client, values: dict[str, Any]) -> None:
    address = edit_address()
    response = admin_client.post(address, form_data(**values))
    assert response.status_code == 200
    assert "could not be saved" in response.content.decode()
    assert Theme.objects.get().accent == ""


@pytest.mark.django_db
def test_a_refused_theme_opens_the_tab_with_the_first_mistake(admin_client: Client) -> None:
    opened = 'data-w-tabs-active-panel-id-value="tab-{}"'.format
    entry = ("address", {"label": "X", "url": "javascript:alert(1)"})
    for values, tab in (({"header_menu": [entry]}, "menus"), ({"header_menu": [entry], "accent": "red"}, "name_and_style")):
        assert opened(tab) in admin_client.post(edit_address(), form_data(**values)).content.decode()


def edit_address() -> str:
    return f"/admin/settings/home/theme/{Theme.load().pk}/"


def form_data(**changes: Any) -> dict[str, Any]:
    """The form data of the theme."""
    values: dict[str, Any] = {"site_name": "Mill", "accent": "", "secondary": "", "logo": "", "logo_alt": "", "tagline": ""}
    values |= {"footer_text": "null", "show_name": "on", "fonts": "system", "favicon": ""}
    for name in ("header_menu", "footer_menu", "profiles"):
        entries = changes.pop(name, [])
        values[f"{name}-count"] = len(entries)
        for number, (kind, value) in enumerate(entries):
            prefix = f"{name}-{number}"
            values |= {f"{prefix}-type": kind, f"{prefix}-order": number, f"{prefix}-deleted": "", f"{prefix}-id": ""}
            values |= {f"{prefix}-value-{key}": each for key, each in value.items()}
    return {**values, **changes}


def test_editors_do_not(sign_in: Callable[[Any], Client]) -> None:
    client = sign_in(people.bob())
    assert ">Theme<" not in client.get("/admin/").content.decode()
    for answer in (client.get(edit_address()), client.post(edit_address(), form_data(tagline="By the river"))):
        assert (answer.status_code, answer.headers["Location"]) == (302, "/admin/")


@pytest.mark.parametrize("person", ["alice", "mallory_manager"])
def test_admins_and_managers_change_it(client: Client, sign_in: Callable[[Any], Client], paths: list[str], person: str) -> None:
    client.get("/about/")
    signed_in = sign_in(getattr(people, person)())
    blog_post()
    assert "Theme" in signed_in.get("/admin/").content.decode()
    assert 'name="site_name" value="My site"' in signed_in.get(edit_address()).content.decode()
    menu_entry = ("content_type", {"type": "blog-post", "label": "Notes"})
    response = signed_in.post(edit_address(), form_data(accent="#C0182C", tagline="By the river", header_menu=[menu_entry]))
    assert response.status_code == 302, response.content.decode()[:2000]
    assert get_setting("site.name") == "Mill"
    html = client.get("/about/").content.decode()
    assert "<span>Mill</span>" in html
    assert "By the river" in html
    assert menu(html) == [("/blog-post", "Notes")]


@pytest.mark.django_db
def test_strangers_cannot(sign_in: Callable[[Any], Client]) -> None:
    address = edit_address()
    stranger = sign_in(people.charlie())
    assert stranger.get(address).status_code == 302
    assert stranger.post(address, form_data(accent="#c0182c")).status_code == 302
    assert Theme.objects.get().accent == ""
