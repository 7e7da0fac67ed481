"""What becomes of replies when the dates move to which they were given: none is lost, and none changes its date unasked."""

from collections.abc import Collection

from cms_api.content.models import ContentItem

from ..models import Rsvp


def replied_to(rows: Collection[ContentItem]) -> set[int]:
    """The ids of those rows that somebody has replied to, whether or not the reply still stands."""
    found = Rsvp.objects.filter(occurrence__in=[row.pk for row in rows]).order_by().values_list("occurrence", flat=True)
    return set(found.distinct())


def starts_of(rows: Collection[ContentItem]) -> dict[int, str]:
    """The start for which somebody has replied to each of those rows that have a reply, by id."""
    if not rows:
        return {}
    return dict(Rsvp.objects.filter(occurrence__in=[row.pk for row in rows]).values_list("occurrence", "occurrence_start"))


def promised_starts(item: ContentItem, *, besides: str) -> set[str]:
    """The starts for which the item itself holds replies, other than the given one."""
    stale = Rsvp.objects.filter(occurrence=item).exclude(occurrence_start=besides)
    return set(stale.order_by().values_list("occurrence_start", flat=True).distinct())


def reschedule(item: ContentItem, start: str) -> None:
    """The replies to an event with a single date go with it."""
    Rsvp.objects.filter(occurrence=item).exclude(occurrence_start=start).update(occurrence_start=start)


def move(source: ContentItem, target: ContentItem, *, start: str) -> None:
    """Hands the replies for a start from the row that stood for it to the one that does now; who is there already stays."""
    replies = Rsvp.objects.filter(occurrence=source, occurrence_start=start)
    there = Rsvp.objects.filter(occurrence=target).values("email_key")
    replies.filter(email_key__in=there).delete()
    replies.update(occurrence=target)
