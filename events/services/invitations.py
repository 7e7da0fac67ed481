"""Calendar files for people who come to a date of an event, as other modules send them."""

from cms_api.content.models import ContentItem

from ..resources.invites import invite


def invitation(
    *, event: ContentItem, row: ContentItem, name: str, email: str, people: int = 1, is_cancelled: bool = False
) -> bytes:
    """Return a `text/calendar` file of one date, `row`, with the UID that the feeds have: `method=REQUEST`, or `CANCEL`."""
    return invite(event=event, occurrence=row, name=name, email=email, party_size=people, cancelled=is_cancelled)
