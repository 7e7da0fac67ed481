"""Locks on events and their dates. The lock on an event is what keeps its dates from having too many guests."""

from cms_api.content.models import ContentItem
from cms_api.content.selectors import type_by_id
from cms_api.core.errors import Invalid
from cms_api.core.locks import lock_for_share

from ..selectors.rsvps import date_of, is_offered, start_of, takes_replies

NOT_TAKEN = "This event doesn't accept RSVPs."
OVER = "This date has passed."
OFF = "This date has been cancelled."
NO_DATE = "Choose one of the dates."


def lock_event(pk: int) -> ContentItem | None:
    """Return the current event, locked against editing, removal and other RSVPs until the transaction ends."""
    found = ContentItem.objects.select_for_update(no_key=True).defer("cached_json").filter(pk=pk).first()
    if found is not None:
        found.type = type_by_id(found.type_id)
    return found


def lock_date(event: ContentItem, row: ContentItem) -> tuple[ContentItem, ContentItem]:
    """Lock an event and one of its dates that accepts RSVPs. Raises Invalid (`event`, `occurrence`)."""
    stored = lock_event(event.pk)
    if stored is None or not takes_replies(stored):
        raise Invalid({"event": NOT_TAKEN})
    found: ContentItem | None = stored
    if row.pk != stored.pk:
        found = (
            ContentItem.objects.filter(pk=row.pk, owner_id=stored.pk).first() if lock_for_share(ContentItem, [row.pk]) else None
        )
    if found is None or start_of(date_of(found)) != start_of(date_of(row)):
        raise Invalid({"occurrence": NO_DATE})
    check_offered(found)
    found.type = stored.type
    return stored, found


def check_offered(row: ContentItem) -> None:
    if not is_offered(row):
        raise Invalid({"occurrence": OFF if date_of(row).get("cancelled") else OVER})
