"""Demo events of the arts centre, with dates relative to the day they are loaded.

Matched by slug, so loading again only adds what is missing and changes no dates.
"""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils import timezone

from cms_api.content.demo import library
from cms_api.content.models import ContentItem, Term
from cms_api.content.selectors import all_types
from cms_api.content.services.items import create_item
from cms_api.content.services.types import save_term
from cms_api.core import versions
from cms_api.core.demo import data_beside, date_text, missing
from cms_api.flags.selectors import site_timezone

from .models import Rsvp
from .services.builtin import create as create_builtin_types

DATA = data_beside(__file__)


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the categories and events that do not exist yet."""
    versions.forget()
    create_builtin_types()
    item_type = all_types()["events"]
    existing = set(Term.objects.filter(type=item_type, taxonomy="category").values_list("name", flat=True))
    for position, name in enumerate(DATA["categories"]):
        if name not in existing:
            save_term(item_type=item_type, taxonomy="category", name=name, position=position)
    images = library.stock().images
    for _, row in missing(DATA["items"], ContentItem.objects.filter(type=item_type, owner=None), "slug"):
        values = {"status": "published", **row, "data": _data(row["data"])}
        if "picture" in row:
            values["featured_media_id"] = images[values.pop("picture")].pk
        create_item(item_type=all_types()["events"], values=values)
    _make_replies()


def _make_replies() -> None:
    """Create RSVPs to the choir's next evenings, without sending emails."""
    choir = ContentItem.objects.get(type=all_types()["events"], slug="choir-on-thursdays")
    if choir.rsvps.exists():
        return
    dates = ContentItem.objects.filter(owner=choir, starts_at__gt=timezone.now()).order_by("starts_at")
    for date, row in zip(dates, DATA["rsvps"], strict=False):
        start = date.data["event_date"]["start"]
        Rsvp.objects.create(event=choir, occurrence=date, occurrence_start=start, email_key=row["email"], **row)


def _data(given: Mapping[str, Any]) -> dict[str, Any]:
    """Fill in the address and the dates, which are counted from today."""
    today, date = timezone.now().astimezone(site_timezone()).date(), given["event_date"]
    ends = {end: date_text(today, **date[end]) if end in date else None for end in ("start", "end")}
    return {**given, "venue_address": DATA["venue_address"], "event_date": {**date, **ends}}
