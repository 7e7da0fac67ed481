"""Demo listings of every status in several cities, imported from generated records, with drawn photos that are copied already.

Matched by the feed's name and the listing key. No requests are sent and no emails.
"""

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from io import BytesIO
from typing import Any

from django.db import transaction
from django.utils import timezone

from cms_api.accounts.selectors import find_account
from cms_api.core import versions

from ..models import Feed, Inquiry, Property, PropertyPhoto, SavedSearch
from ..services import import_file, save_feed, save_search
from ..types.listings import VERSION, FeedKind, Frequency, PropertyStatus, RunStatus
from ..types.searches import SearchFilter
from .drawing import stock
from .records import DATA, FEED, days_listed, key_of, photos, record_of

DOMAIN = "inquirers.example"
MEMBER = "member1@members.example"
SEARCH = "Houses in Brattleboro"


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the records that are missing."""
    # Uploads are not part of a transaction.
    images = stock(photos())
    with transaction.atomic():
        # The worker must not see photos before they have their copies.
        progress(_import(scale, images))
    _inquire()
    _save_search()


def _import(scale: int, images: Mapping[str, Any]) -> int:
    """Import the listings that are missing; return how many."""
    feed = Feed.objects.filter(name=FEED).first()
    is_new = feed is None
    if feed is None:
        feed = save_feed(values={"name": FEED, "kind": FeedKind.FILE, "currency": "usd", "country": "US"})
    known = set(Property.objects.filter(feed=feed).values_list("listing_key", flat=True))
    now = timezone.now()
    missing = [number for number in range(len(DATA["listings"]) * scale) if key_of(number) not in known]
    if not missing:
        return 0
    records = [record_of(number, now) for number in missing]
    lines = b"\n".join(json.dumps(each).encode() for each in [*records, *([DATA["broken"]] if is_new else [])])
    run = import_file(feed=feed, file=BytesIO(lines), name="demo-listings.json")
    if run.status != RunStatus.FINISHED:
        raise RuntimeError(f"The listings of the demo were not imported: {run.error}")
    _date_back(feed, {key_of(number): number for number in missing}, now)
    _set_photos(feed, images)
    versions.bump(VERSION)
    return len(missing)


def _date_back(feed: Feed, numbers: Mapping[str, int], now: datetime) -> None:
    """Let listings have been imported when they came on the market."""
    rows = list(Property.objects.filter(feed=feed, listing_key__in=numbers))
    for row in rows:
        row.created_at = now - timedelta(days=days_listed(numbers[row.listing_key]))
        row.updated_at = row.modified_at
        if row.activated_at is not None:
            row.activated_at = row.created_at
    Property.objects.bulk_update(rows, ["created_at", "updated_at", "activated_at"], batch_size=500)


def _set_photos(feed: Feed, images: Mapping[str, Any]) -> None:
    photos = list(PropertyPhoto.objects.filter(listing__feed=feed, image=None, url__in=images))
    for photo in photos:
        photo.image_id, photo.next_attempt_at = images[photo.url].pk, None
    PropertyPhoto.objects.bulk_update(photos, ["image", "next_attempt_at"], batch_size=500)


@transaction.atomic
def _inquire() -> None:
    known = set(Inquiry.objects.filter(email__endswith=f"@{DOMAIN}").values_list("email", flat=True))
    keys = [row["listing"] for row in DATA["inquiries"]]
    shown = {row.listing_key: row for row in Property.objects.filter(feed__name=FEED, is_shown=True, listing_key__in=keys)}
    now = timezone.now()
    for place, row in enumerate(DATA["inquiries"]):
        email, listing = f"inquirer{place + 1}@{DOMAIN}", shown.get(row["listing"])
        if email in known or listing is None:
            continue
        copied = {"title": listing.title, "listing_key": listing.listing_key, "agent_name": listing.agent_name}
        created_at = now - timedelta(days=place, hours=3 + place)
        values = {**row, **copied, "listing": listing, "email": email, "created_at": created_at}
        Inquiry.objects.create(is_spam="spam_reason" in row, **values)


def _save_search() -> None:
    """Save a search of a member of the demo, who may not be there."""
    user = find_account(MEMBER)
    if user is None or SavedSearch.objects.filter(user=user, name=SEARCH).exists():
        return
    wanted = SearchFilter(status=PropertyStatus.ACTIVE, city="Brattleboro", max_price=600_000, min_beds=2)
    save_search(user=user, values={"name": SEARCH, "frequency": Frequency.WEEKLY, "filter": wanted})
