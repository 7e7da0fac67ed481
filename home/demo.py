"""Demo pages: one of every type, rows of every kind, a row that several pages share, and record templates.

Everything is recognised by its slug or name, so that loading again adds only what is missing.
"""

from collections.abc import Callable, Iterator
from typing import Any

from wagtail.models import Page

from cms_api.content.demo import library
from cms_api.content.selectors import all_types
from cms_api.content.services.builtin import create as create_builtin_types

from .models import HomePage, LandingPage, RecordTemplate, SharedRow, SitePage, StandardPage
from .services import create_home_page, starting_rows

#: The introduction of a new site's home page.
WELCOME = "<p>Welcome.</p>"

INTRODUCTION = (
    "<p>An old mill by the river where people make things, together.</p>"
    "<p>Millrace Arts is a community arts centre in Harrowford. We run courses, hire out rooms, put on shows and keep the "
    "kettle on. Everyone is welcome, and the door on the left is always open.</p>"
)
VISIT = "Visit us"

Row = tuple[str, dict[str, Any]]


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Creates the pages, and fills in the home page unless it has been edited."""
    create_builtin_types()
    images = library.stock().images
    home: HomePage = create_home_page()
    visit = SharedRow.objects.filter(name=VISIT).first() or SharedRow.objects.create(name=VISIT, rows=[_visit()])
    for kind, values in _pages(images, visit):
        if not Page.objects.filter(slug=values["slug"]).exists():
            home.refresh_from_db()
            home.add_child(instance=kind(**values)).save_revision().publish()
    if home.introduction == WELCOME:
        home.introduction = INTRODUCTION
        home.rows = [_welcome_row(images), *starting_rows(), _quote_row(), ("shared", {"row": visit})]
        home.save_revision().publish()


def _welcome_row(images: dict[str, Any]) -> Row:
    return (
        "media_text",
        {
            "heading": "A place to make things",
            "text": "<p>Four studios, a hall with good light and a garden behind the weir. Come for an evening or rent a loom "
            "for a year. No experience needed.</p>",
            "links": [{"text": "What we offer", "url": "/service"}],
            "image": images["mill"],
            "image_alt": "",
            "side": "right",
        },
    )


def _quote_row() -> Row:
    return (
        "quote",
        {
            "quote": "I came to mend a chair and stayed for the choir.",
            "name": "Ruth Adeyemi",
            "role": "member since 2019",
        },
    )


def _visit() -> Row:
    return (
        "call_to_action",
        {
            "heading": "Come and look around",
            "text": "Open day is the first Saturday of every month, from ten to four. The kettle is on.",
            "links": [{"text": "How to find us", "url": "/find-us/"}, {"text": "What's on", "url": "/blog-post"}],
        },
    )


def _pages(images: dict[str, Any], visit: SharedRow) -> Iterator[tuple[type[SitePage], dict[str, Any]]]:
    yield (
        StandardPage,
        {
            "title": "About the mill",
            "slug": "about",
            "introduction": "Two hundred years of grain, cloth and good company.",
            "rows": [*_about_rows(images), ("shared", {"row": visit})],
        },
    )
    yield (
        StandardPage,
        {
            "title": "Find us",
            "slug": "find-us",
            "introduction": "Five minutes from the station, along the water.",
            "rows": list(_find_us_rows()),
        },
    )
    yield (
        LandingPage,
        {
            "title": "Summer school",
            "slug": "summer-school",
            "show_in_menus": False,
            "rows": [*_summer_rows(images), ("shared", {"row": visit})],
        },
    )
    for slug, title in (("blog-post", "Blog post template"), ("service", "Service template"), ("projects", "Project template")):
        values = {"title": title, "slug": f"{slug}-template", "record_type": all_types()[slug], "show_in_menus": False}
        yield RecordTemplate, {**values, "rows": [("record", {}), ("shared", {"row": visit})]}


def _about_rows(images: dict[str, Any]) -> Iterator[Row]:
    yield (
        "text",
        {
            "heading": "From flour to felt",
            "text": "<p>The mill ground its first sack in 1811 and its last in 1974. Then it stood empty, until a potter, a "
            "bookbinder and a brass band needed a roof at the same time.</p><p>Today it belongs to a <b>charity with 640 "
            "members</b>, who look after the rooms they use.</p>",
        },
    )
    yield (
        "gallery",
        {
            "heading": "Rooms",
            "pictures": [
                {"picture": images["roof"], "alt": "", "caption": "The saw-tooth roof over the looms"},
                {"picture": images["hall"], "alt": "", "caption": "The turbine hall"},
                {"picture": images["garden"], "alt": "", "caption": "The weir garden"},
            ],
        },
    )
    yield (
        "cards",
        {
            "heading": "Get involved",
            "cards": [
                {"title": "Take a course", "text": "Evenings and weekends, from bookbinding to brass.", "url": "/service"},
                {
                    "title": "Hire a room",
                    "text": "The hall, the studios and the garden, by the hour or the week.",
                    "url": "/service",
                },
                {"title": "Join in", "text": "Members get a key, a shelf and a vote.", "url": "/find-us/"},
            ],
        },
    )
    yield (
        "faq",
        {
            "heading": "Frequently asked questions",
            "questions": [
                {"question": "Do I need any experience?", "answer": "<p>No. Most of us had none when we started.</p>"},
                {"question": "Can I bring children?", "answer": "<p>Yes, and on Sundays there's a table just for them.</p>"},
                {"question": "Is there a lift?", "answer": "<p>Yes, to every floor. The hall also has an induction loop.</p>"},
            ],
        },
    )


def _find_us_rows() -> Iterator[Row]:
    yield (
        "map",
        {
            "heading": "The mill",
            "address": "Millrace Arts\n1 Weir Lane\nHarrowford HX7 4QD",
            "latitude": 53.742,
            "longitude": -2.013,
            "directions": "<p>Turn left at the station, cross the footbridge and follow the sound of water. There are two "
            "accessible parking spaces in the yard.</p>",
        },
    )
    yield "form", {"heading": "Contact us", "text": "", "form": "contact"}


def _summer_rows(images: dict[str, Any]) -> Iterator[Row]:
    yield (
        "hero",
        {
            "heading": "Summer school",
            "text": "<p>Ten days in August, eight workshops, one long table.</p>",
            "links": [{"text": "See the workshops", "url": "/service"}],
            "image": images["river"],
            "image_alt": "",
        },
    )
    yield ("item_list", {"heading": "Workshops", "type": "service", "count": 3, "link": True})
    yield (
        "media_text",
        {
            "heading": "Lunch is included",
            "text": "<p>Everything stops at noon. Bring a plate, or a song.</p>",
            "links": [],
            "image": None,
            "image_alt": "",
            "side": "left",
        },
    )
