"""The rows of pages: what each kind shows, in which order of headings, and what it costs to read them."""

import re
from itertools import pairwise
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from cms_api.http import page_cache
from home.models import HomePage, LandingPage, RecordTemplate, StandardPage
from home.models.blocks import plain_rows
from home.module import MODULE
from home.services import create_home_page
from home.types import renumber_headings
from tests.builders import blog_post, make_image, make_item, make_page, make_shared_row, make_type

pytestmark = pytest.mark.django_db

PROSE = "<h3>Deep</h3><p>Words with <b>weight</b>.</p>"
EVIL = "<script>alert(1)</script>"
#: Fields whose editor cleans what it sends.
RICH = {"text", "answer", "directions"}
LINKS = [{"text": "First way", "url": "/blog-post", "page": None}, {"text": "Second way", "url": "mailto:a@b.c", "page": None}]
HERO = {"heading": "By the river", "text": "<p>Come in.</p>", "links": LINKS}

#: A row of each kind, what it shows, and its drawing.
KINDS: dict[str, tuple[dict[str, Any], list[str], str]] = {
    "hero": (HERO, ["By the river", "<p>Come in.</p>", 'href="/blog-post">First way', 'href="mailto:a@b.c">Second way'], "hero"),
    "text": ({"heading": "About", "text": PROSE}, ["About</h2>", "<h3>Deep</h3>", "<b>weight</b>"], ""),
    "media_text": (
        {"heading": "Beside", "text": PROSE, "links": LINKS, "side": "left"},
        ["Beside</h2>", "row--left", "<h3>Deep</h3>", "First way"],
        "half",
    ),
    "gallery": ({"heading": "Seen", "pictures": [{"caption": "The weir"}]}, ["Seen</h2>", "<figcaption>The weir"], "tile"),
    "cards": (
        {"heading": "Offers", "cards": [{"title": "Clay", "text": "Wet.", "url": "/service"}, {"title": "Wood", "text": ""}]},
        ["Offers</h2>", '<h3 class="card__title"><a href="/service">Clay</a></h3>', "Wet.", '<h3 class="card__title">Wood</h3>'],
        "card",
    ),
    "quote": (
        {"quote": "I stayed.", "name": "Agnes", "role": "Woodwork"},
        ["<blockquote", "I stayed.", "<cite>Agnes</cite>", "Woodwork"],
        "portrait",
    ),
    "faq": (
        {"heading": "Good to know", "questions": [{"question": "Dogs?", "answer": PROSE}]},
        ["Good to know</h2>", "<summary>Dogs?</summary>", "<h3>Deep</h3>"],
        "",
    ),
    "call_to_action": (
        {"heading": "Join", "text": "Now.", "links": LINKS[:1]},
        ["Join</h2>", "Now.", 'href="/blog-post">First way'],
        "hero",
    ),
    "map": (
        {"heading": "Find us", "address": "Weir Lane 4\nHarrowford", "latitude": 52.5, "longitude": -1.25, "directions": PROSE},
        ["Find us</h2>", "Weir Lane 4<br>Harrowford", "mlat=52.5&amp;mlon=-1.25", "<h3>Deep</h3>"],
        "half",
    ),
}


def row(kind: str, **value: Any) -> dict[str, Any]:
    return {"type": kind, "value": value}


def show(client: Client, page: Any) -> str:
    response = client.get(page.get_url())
    assert response.status_code == 200
    return response.content.decode()


def headings(html: str) -> list[int]:
    return [int(level) for level in re.findall(r"<h([1-6])[ >]", html)]


def assert_in_order(html: str) -> None:
    levels = headings(html)
    assert levels.count(1) == 1, levels
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels)), levels


@pytest.mark.parametrize("kind", KINDS)
def test_it_works(client: Client, kind: str) -> None:
    value, shown, drawing = KINDS[kind]
    html = show(client, make_page(row(kind, **value)))
    for text in shown:
        assert text in html
    drawings = set(re.findall(r'src="[^"]*site/slots/(\w+)\.svg\?', html))
    assert drawings == ({drawing} if drawing else set())
    assert_in_order(html)


def test_every_kind_of_home_is_tried_here() -> None:
    # Rows of other modules are tested with these, but for lists of items, which are tested below.
    assert {row.name for row in MODULE.pages.rows if row.where == "anywhere"} == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_what_editors_write_is_escaped(client: Client, kind: str) -> None:
    def hostile(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: each if key in {"text", "answer", "directions"} and "<" in each else hostile(each)
                for key, each in value.items()
            }
        if isinstance(value, list):
            return [hostile(each) for each in value]
        return EVIL if isinstance(value, str) and value not in {"left", "/service", "/blog-post", "mailto:a@b.c"} else value

    html = show(client, make_page(row(kind, **hostile(KINDS[kind][0]))))
    assert EVIL not in html
    assert "&lt;script&gt;" in html


@pytest.mark.parametrize(
    ("kind", "value", "alt"),
    [
        ("hero", lambda image: {**HERO, "image": image, "image_alt": "A heron"}, "A heron"),
        ("media_text", lambda image: {"heading": "H", "text": PROSE, "image": image, "image_alt": "A heron"}, "A heron"),
        ("gallery", lambda image: {"pictures": [{"picture": image, "alt": "A heron"}]}, "A heron"),
        ("cards", lambda image: {"cards": [{"title": "T", "picture": image, "alt": "A heron"}]}, "A heron"),
        ("quote", lambda image: {"quote": "Q", "portrait": image}, "From the library"),
        ("call_to_action", lambda image: {"heading": "H", "links": LINKS, "background": image}, "From the library"),
        ("map", lambda image: {"address": "A", "image": image, "image_alt": ""}, "From the library"),
    ],
)
def test_a_chosen_picture_is_shown_with_its_words(client: Client, kind: str, value: Any, alt: str) -> None:
    image = make_image("heron.png", width=1200, height=700)
    image.alt = "From the library"
    image.save()
    html = show(client, make_page(row(kind, **value(image.pk))))
    assert "site/slots/" not in html
    found = re.search(r"<img [^>]*heron[^>]*>", html)
    assert found
    assert f'alt="{alt}"' in found[0]


def test_an_item_list_keeps_itself_up_to_date(client: Client) -> None:
    make_item(title="First post")
    page = make_page(row("item_list", heading="", type="blog-post", count=2, link=True))
    html = show(client, page)
    assert '<a href="/blog-post/first-post">First post</a></h3>' in html
    assert 'See all <span class="hidden">Blog</span>' in html
    make_item(title="Second post")
    make_item(title="Third post")
    html = show(client, page)
    assert "First post" not in html
    assert html.index("Third post") < html.index("Second post")
    assert_in_order(html)


@pytest.mark.parametrize(
    ("layout", "count", "columns"),
    [("fill", 3, "row__cards"), ("columns", 3, "cards--grid"), ("lead", 3, "cards--lead"), ("lead", 2, "cards--grid")],
)
def test_an_item_list_has_a_layout(client: Client, layout: str, count: int, columns: str) -> None:
    for _ in range(3):
        make_item()
    html = show(client, make_page(row("item_list", heading="News", type="blog-post", count=count, layout=layout)))
    assert f'<ul class="cards {columns}">' in html
    assert re.search(r"<h2[^>]*>News</h2>", html)


def test_a_page_with_a_list_of_a_hidden_type_can_be_saved() -> None:
    block = dict(plain_rows())["item_list"]
    hidden = make_type(slug="leaflet", feature="shop", name_plural="Leaflets")
    value = block.to_python({"heading": "", "type": "leaflet", "count": 3, "layout": "fill"})
    # Nothing offers a type that was never used.
    with pytest.raises(ValidationError):
        block.clean(value)
    make_item(hidden)
    assert block.clean(value) == value


def test_an_item_list_of_nothing_is_not_there(client: Client) -> None:
    blog_post()
    html = show(client, make_page(row("item_list", heading="News", type="blog-post", count=2, link=True)))
    assert "row--items" not in html


def test_links_to_pages_follow_them_and_end_with_them(client: Client) -> None:
    target = make_page(title="Target")
    page = make_page(row("hero", heading="H", links=[{"text": "Go", "page": target.pk, "url": ""}]))
    assert 'href="/target/">Go</a>' in show(client, page)
    target.slug = "moved"
    target.save()
    assert 'href="/moved/">Go</a>' in show(client, page)
    target.unpublish()
    assert ">Go</a>" not in show(client, page)


def test_a_heros_heading_is_the_title_of_pages_that_have_no_other(client: Client) -> None:
    html = show(client, make_page(row("hero", **HERO), row("hero", **HERO), kind=LandingPage))
    assert '<h1 class="row__heading">By the river</h1>' in html
    assert_in_order(html)
    shared = make_shared_row(row("hero", **HERO))
    assert '<h1 class="row__heading">By the river</h1>' in show(client, make_page(row("shared", row=shared.pk), kind=LandingPage))


def test_a_landing_page_without_a_hero_still_has_a_title(client: Client) -> None:
    html = show(client, make_page(row("cards", cards=[{"title": "Clay"}]), kind=LandingPage, title="Offers"))
    assert '<h1 class="hidden">Offers</h1>' in html
    assert_in_order(html)


def test_a_hero_on_a_titled_page_is_no_second_title(client: Client) -> None:
    html = show(client, make_page(row("hero", **HERO), title="About"))
    assert "<h1>About</h1>" in html
    assert '<h2 class="row__heading">By the river</h2>' in html
    assert_in_order(html)


def test_a_hero_opens_the_front_page_and_the_introduction_follows(client: Client) -> None:
    home = create_home_page()
    make_item(title="A post")
    home.introduction = "<p>Hello there.</p>"
    home.rows = [("text", {"heading": "", "text": PROSE})]
    home.save()
    html = show(client, home)
    assert '<h1 class="kicker">' in html
    assert_in_order(html)
    home.rows = [("hero", HERO), ("text", {"heading": "Then", "text": PROSE}), ("item_list", {"type": "blog-post"})]
    home.save()
    html = show(client, HomePage.objects.get())
    assert '<h1 class="row__heading">By the river</h1>' in html
    assert html.rindex("By the river") < html.rindex("Hello there.") < html.index("Then</h2>") < html.index("A post")
    assert_in_order(html)


def test_headings_inside_rows_without_one_take_its_place(client: Client) -> None:
    html = show(client, make_page(row("text", text="<h4>Deep</h4><p>W</p>"), row("cards", cards=[{"title": "Clay"}])))
    assert "<h2>Deep</h2>" in html
    assert '<h2 class="card__title">Clay</h2>' in html


@given(st.lists(st.integers(1, 6), max_size=12), st.integers(1, 3))
def test_no_level_is_left_out(levels: list[int], start: int) -> None:
    html = "".join(f'<h{level} class="x">T</h{level}><p>hr</p>' for level in levels)
    found = headings(renumber_headings(html, start))
    assert len(found) == len(levels)
    assert found[:1] in ([], [start])
    assert all(start <= each <= 6 for each in found)
    assert all(after <= before + 1 for before, after in pairwise(found))


def test_rows_stand_around_records(client: Client) -> None:
    item = make_item(title="A post")
    make_page(
        *(row("text", heading="Before", text=PROSE), {"type": "record", "value": {}}, row("quote", quote="After", name="")),
        kind=RecordTemplate,
        record_type=item.type,
    )
    html = client.get("/blog-post/a-post").content.decode()
    assert html.index("Before</h2>") < html.index("<h1>A post</h1>") < html.index("After")
    assert headings(html).count(1) == 1


def test_a_standard_page_tells_where_it_stands_and_what_is_below(client: Client) -> None:
    parent = make_page(title="About us", introduction="Line one\nline two")
    child = parent.add_child(instance=StandardPage(title="People", search_description="Our team."))
    html = show(client, child)
    trail = re.search(r'aria-label="Breadcrumb">(.*?)</nav>', html, re.DOTALL)
    assert trail
    assert re.findall(r'href="([^"]+)"', trail[1]) == ["/", "/about-us/"]
    html = show(client, parent)
    assert "Line one<br>line two" in html
    assert re.search(r'href="/about-us/people/".*People.*Our team\.', html)
    assert_in_order(html)


@pytest.mark.both_databases
def test_a_page_reads_in_a_constant_number_of_statements(client: Client) -> None:
    # Versions, site and root paths (3), the page and its kind (4), ancestors, children, tags and so on: none of them by row.
    target = make_page(title="Target")
    link = {"text": "Go", "page": target.pk, "url": ""}
    counts = []
    for number in (1, 10):
        images = [make_image(width=400, height=300).pk for _ in range(number * 2)]
        rows = [row("hero", heading="H", links=[link, link], image=images[each]) for each in range(number)]
        rows += [row("cards", cards=[{"title": "T", "picture": image, "page": target.pk} for image in images])]
        page = make_page(*rows)
        show(client, page)
        page_cache.clear()
        with CaptureQueriesContext(connection) as captured:
            show(client, page)
        with CaptureQueriesContext(connection) as again:
            show(client, page)
        assert len(again) == 1
        counts.append(len(captured))
    assert counts[0] == counts[1], counts


@pytest.mark.parametrize("kind", [*KINDS, "item_list"])
def test_kinds_are_shown_before_they_are_chosen(admin_client: Client, kind: str) -> None:
    make_item(title="A post")
    block = dict(plain_rows())[kind]
    response = admin_client.get("/admin/block-preview/", {"id": block.definition_prefix})
    assert response.status_code == 200
    assert f"row--{'items' if kind == 'item_list' else 'action' if kind == 'call_to_action' else kind.replace('_', '-')}" in (
        response.content.decode()
    )
