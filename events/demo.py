"""Demo events of the arts centre, with dates relative to the day they are loaded.

Matched by slug, so loading again only adds what is missing and changes no dates.
"""

import datetime as dt
from collections.abc import Callable, Iterator
from typing import Any

from django.utils import timezone

from cms_api.content.demo import library
from cms_api.content.models import ContentItem, Term
from cms_api.content.selectors import all_types
from cms_api.content.services.items import create_item
from cms_api.content.services.types import save_term
from cms_api.core import versions
from cms_api.flags.selectors import site_timezone

from .models import Rsvp
from .services.builtin import create as create_builtin_types
from .types.rsvps import RsvpStatus

CATEGORIES = ("Music", "Class", "Family", "Market", "Talk")

#: RSVPs, spread over the evenings in turn: name, email, party size, and whether still active.
REPLIES = (
    ("Dana Reyes", "dana.reyes@example.org", 2, RsvpStatus.GOING),
    ("Ömer Güneş", "oemer.guenes@example.org", 5, RsvpStatus.GOING),
    ("Ruth Bell", "ruth.bell@example.org", 1, RsvpStatus.CANCELLED),
)

MILL = {"street": "1 Weir Lane", "city": "Harrowford", "postal_code": "HX7 4QD", "country": "United Kingdom"}
PLACE = {**MILL, "latitude": 53.742, "longitude": -2.013}

Row = dict[str, Any]


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the categories and events that do not exist yet."""
    versions.forget()
    create_builtin_types()
    item_type = all_types()["events"]
    existing = set(Term.objects.filter(type=item_type, taxonomy="category").values_list("name", flat=True))
    for position, name in enumerate(CATEGORIES):
        if name not in existing:
            save_term(item_type=item_type, taxonomy="category", name=name, position=position)
    images = library.stock().images
    known = set(ContentItem.objects.filter(type=item_type, owner=None).values_list("slug", flat=True))
    for row in rows(timezone.now().astimezone(site_timezone()).date()):
        if row["slug"] not in known:
            picture = row.pop("picture", "")
            featured = {"featured_media_id": images[picture].pk} if picture else {}
            create_item(item_type=all_types()["events"], values={"status": "published", **featured, **row})
    _make_replies()


def _make_replies() -> None:
    """Create RSVPs to the choir's next evenings, without sending emails."""
    choir = ContentItem.objects.get(type=all_types()["events"], slug="choir-on-thursdays")
    if choir.rsvps.exists():
        return
    dates = ContentItem.objects.filter(owner=choir, starts_at__gt=timezone.now()).order_by("starts_at")
    for date, (name, email, party_size, status) in zip(dates, REPLIES, strict=False):
        Rsvp.objects.create(
            event=choir,
            occurrence=date,
            occurrence_start=date.data["event_date"]["start"],
            name=name,
            email=email,
            email_key=email,
            party_size=party_size,
            status=status,
        )


def rows(today: dt.date) -> Iterator[Row]:
    yield _event(
        "choir-on-thursdays",
        "Choir on Thursdays",
        {**_at(_weekday(today, 3) - dt.timedelta(weeks=6), "19:00", "20:30"), "repeat": {"frequency": "weekly"}},
        category=["music", "class"],
        picture="singers",
        subtitle="No auditions, no sheet music, one biscuit break",
        venue="Long Studio",
        cost="Free for members, £4 otherwise",
        details="<p>We learn by ear, in three parts, and sing at the harvest supper if we feel like it. Come late, leave early, "
        "bring your friends.</p>"
        '<p><a href="{item.calendar_google_url}">Add it to Google Calendar</a>.</p>',
    )
    yield _event(
        "last-friday-supper",
        "Last Friday supper",
        {
            **_at(_last_friday(today), "18:30", "22:00"),
            "repeat": {"frequency": "monthly", "monthly": "weekday"},
        },
        category=["family"],
        picture="brass",
        subtitle="One pot, one long table, everyone welcome",
        venue="Turbine Hall",
        cost="Pay what you can",
        details="<p>The kitchen cooks whatever the allotments brought. After dessert there's music, and you're welcome to "
        "play.</p>",
    )
    start = _weekday(today + dt.timedelta(days=5), 4)
    yield _event(
        "river-festival",
        "River festival",
        {"start": start.isoformat(), "end": (start + dt.timedelta(days=2)).isoformat(), "all_day": True},
        category=["music", "family"],
        picture="river",
        subtitle="Three days of boats, brass and paper lanterns",
        venue="Weir garden",
        cost="Free",
        website_url="https://example.org/river-festival",
        details="<p>Friday belongs to the schools, Saturday to the bands, and on Sunday everything that floats goes down the "
        "river at once.</p><h2>Getting here</h2><p>Come by train. Weir Lane is closed to cars from Friday noon.</p>",
    )
    yield _event(
        "quartet-in-the-hall",
        "A quartet in the hall",
        _at(today + dt.timedelta(days=9), "20:00", "21:45"),
        category=["music"],
        picture="stage",
        subtitle="Haydn, Price and something new",
        venue="Turbine Hall",
        cost="£14, under 26 £5",
        details="<p>The Aire Quartet play by the light of the old lamps. The bar opens at seven.</p>",
    )
    yield _event(
        "night-of-long-shadows",
        "Night of long shadows",
        _at(today + dt.timedelta(days=16), "21:00", "01:30", days=1),
        category=["family"],
        picture="moon",
        subtitle="A lantern walk with soup at the end",
        venue="Weir garden",
        cost="£3",
        details="<p>Wear stout shoes and a warm hat. Dogs on leads are welcome.</p>",
    )
    yield _event(
        "lisbon-calling",
        "Lisbon calling",
        {**_at(today + dt.timedelta(days=12), "18:00", "19:15"), "tz": "Europe/Lisbon"},
        category=["talk"],
        picture="tiles",
        subtitle="Our tile workshop meets theirs on a big screen",
        venue="Library",
        cost="Free",
        details="<p>Two workshops, one glaze recipe and a lot of opinions about blue.</p>",
    )
    yield _event(
        "winding-room-open",
        "Winding room open day",
        _at(today + dt.timedelta(days=3), "10:00", "16:00"),
        category=["talk", "family"],
        picture="mill",
        subtitle="Try the looms yourself",
        venue="Winding room",
        cost="Free",
    )
    fair = _weekday(dt.date(today.year, 12, 1), 5)
    yield _event(
        "makers-fair",
        "The makers' fair",
        {**_at(fair, "10:00", "17:00"), "repeat": {"frequency": "yearly"}},
        category=["market"],
        picture="pots",
        subtitle="Forty stalls and no plastic",
        venue="Turbine Hall",
        cost="£1",
        details="<p>Every stallholder sells their own work. Children who bring something they've made get in free.</p>",
    )
    yield _event(
        "kiln-opening",
        "Kiln opening",
        _at(today - dt.timedelta(days=11), "10:00", "11:30"),
        category=["talk"],
        picture="kiln",
        subtitle="See what came out of the fire",
        venue="Ceramics studio",
        cost="Free",
        details="<p>Forty-one pots went in. Come and count them with us.</p>",
    )
    yield _event(
        "brass-on-the-steps",
        "Brass on the steps",
        _at(today - dt.timedelta(days=40), "15:00", None),
        category=["music"],
        picture="instruments",
        subtitle="The town band in winter coats",
        venue="Mill steps",
        cost="Free",
    )
    yield {
        **_event(
            "a-play-not-yet-cast",
            "A new play, casting soon",
            _at(today + dt.timedelta(days=60), "19:30", "21:30"),
            category=["music"],
            venue="Turbine Hall",
        ),
        "status": "draft",
    }


def _event(slug: str, title: str, date: dict[str, Any], *, category: list[str], picture: str = "", **data: Any) -> Row:
    row: Row = {
        "slug": slug,
        "data": {"title": title, "event_date": date, "venue_address": PLACE, "category": category, **data},
    }
    return row | ({"picture": picture} if picture else {})


def _at(day: dt.date, start: str, end: str | None, *, days: int = 0) -> dict[str, Any]:
    """Return a date at these times in the site's time zone; one that ends `days` later runs past midnight."""
    closing = f"{day + dt.timedelta(days=days)}T{end}" if end else None
    return {"start": f"{day}T{start}", "end": closing}


def _weekday(day: dt.date, number: int) -> dt.date:
    """Return the first day on or after `day` with this weekday, Monday being 0."""
    return day + dt.timedelta(days=(number - day.weekday()) % 7)


def _last_friday(today: dt.date) -> dt.date:
    """Return the last Friday of the month, which may have passed."""
    last = (today.replace(day=28) + dt.timedelta(days=4)).replace(day=1) - dt.timedelta(days=1)
    return last - dt.timedelta(days=(last.weekday() - 4) % 7)
