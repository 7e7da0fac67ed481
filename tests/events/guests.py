"""Events with RSVPs, and the mails to guests."""

import datetime as dt
from typing import Any

from django.utils import timezone

from cms_api.content.models import ContentItem
from cms_api.content.selectors import find_type
from cms_api.mail.models import OutgoingMail
from events.models import Rsvp
from events.services.builtin import create
from events.services.rsvps import reply
from tests.builders import make_item

WEEKLY = {"frequency": "weekly", "count": 4}
GOOD = {"name": "Dana Reyes", "email": "dana@example.org", "party_size": "2"}


#: Read once: a start chosen before midnight and one chosen after it stay as many days apart as they say.
TODAY = timezone.localdate()


def soon(days: int = 7) -> str:
    """A local start at half past six, so many days from the day on which the tests began."""
    return f"{TODAY + dt.timedelta(days=days)}T18:30"


def make_event(start: str = "", *, title: str = "Open rehearsal", repeat: Any = None, **values: Any) -> ContentItem:
    create()
    date = {"start": start or soon(), "tz": "Europe/Paris", "repeat": repeat}
    kind = find_type("events")
    assert kind
    data = {"event_date": date, "venue": "The mill", **values.pop("data", {})}
    return make_item(kind, title=title, data=data, **values)


def starts(event: ContentItem) -> list[str]:
    """The local starts of an event and of the rows it owns."""
    rows = [event, *ContentItem.objects.filter(owner=event).order_by("starts_at")]
    return [row.data["event_date"]["start"] for row in rows]


def make_reply(event: ContentItem, start: str = "", **changes: Any) -> Rsvp:
    found = reply(event=event, start=start, **{**GOOD, **changes}).rsvp
    assert found
    return found


def mails(template: str = "event_rsvp") -> list[OutgoingMail]:
    return list(OutgoingMail.objects.filter(template=template).order_by("id"))
