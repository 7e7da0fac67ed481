"""Keeps RSVPs when dates move: none is lost, and none silently changes its date.

Other modules may have records of dates too, such as tickets, and are asked and notified by the signals that `events` declares.
"""

from collections.abc import Collection, Mapping
from typing import Any

from django.db.models import Case, QuerySet, Value, When
from django.utils import timezone

from cms_api.content.models import ContentItem
from cms_api.core.errors import Invalid
from cms_api.fields.datetimes import mark
from cms_api.flags.services import notify

from ..models import Capacity, DateChange, Rsvp
from ..selectors.dates import changes_of
from ..selectors.horizon import horizon
from ..selectors.moves import differ, find_moves, is_over, own_date, status_of_first, stored_dates
from ..selectors.rsvps import date_of
from ..types.plans import DateStatus, plan_of, status_of
from ..types.plans import Value as DateValue
from ..types.rsvps import ACTIVE, Notice
from . import mails

#: Dates per statement.
BATCH = 200
#: Guests who are notified in the transaction that deletes their event.
MAX_GUESTS_TO_NOTIFY = 50
TOO_MANY_GUESTS = (
    f"More than {MAX_GUESTS_TO_NOTIFY} people are coming to this event. Cancel its dates first, and delete it once people have "
    "been notified."
)


def in_use(event: ContentItem, rows: Collection[ContentItem]) -> set[int]:
    """Return the ids of the rows that have RSVPs, active or cancelled, or that other modules need."""
    found = Rsvp.objects.filter(occurrence__in=[row.pk for row in rows]).order_by().values_list("occurrence", flat=True)
    return set(found.distinct()).union(*notify("events.dates_vanishing", event, rows))


def starts_of(rows: Collection[ContentItem]) -> dict[int, str]:
    """Return the RSVP start of each row that has RSVPs, by row id."""
    if not rows:
        return {}
    return dict(Rsvp.objects.filter(occurrence__in=[row.pk for row in rows]).values_list("occurrence", "occurrence_start"))


def promised_starts(item: ContentItem, *, besides: str) -> set[str]:
    """Return the starts of RSVPs attached to the item itself, and those that other modules need, except the given one."""
    stale = Rsvp.objects.filter(occurrence=item).order_by().values_list("occurrence_start", flat=True)
    return set(stale.distinct()).union(*notify("events.starts_in_use", item)) - {besides}


def follow_only_date(item: ContentItem, value: Any, former: Any) -> None:
    """Let the guests of an event with a single date follow it, and notify them if they see a difference.

    `former` is the value before the edit, if known.
    """
    date, before = own_date(value), own_date(former)
    if date is None:
        return
    start: str = date["start"]
    starts: dict[str, str] = dict.fromkeys(promised_starts(item, besides=start), start)
    if before is not None and before["start"] != start:
        starts[before["start"]] = start
    is_notified = differ(before, date) if before is not None else bool(starts)
    is_back = bool(status_of(former)) and not status_of(value)
    is_notified = is_notified and not is_back and not status_of(value) and not is_over(date)
    Rsvp.objects.filter(occurrence=item).exclude(occurrence_start=start).update(occurrence_start=start)
    follow_dates(item, starts, notified={start} if is_notified else set())
    if is_notified:
        give_notice({item.pk}, Notice.MOVED)
    elif is_back:
        change_dates(item, {item.pk: start}, is_cancelled=False)


def follow_dates(event: ContentItem, starts: Mapping[str, str], *, notified: Collection[str]) -> None:
    """Move what is stored by local start, here and in other modules, from the former starts to the new ones.

    `notified` has the new starts of the dates whose guests are notified, some of which may start as before.
    """
    moved = {former: start for former, start in starts.items() if former != start}
    if moved:
        _follow_marks(event, moved)
    if moved or notified:
        notify("events.dates_moved", event, moved, frozenset(notified))


def _follow_marks(event: ContentItem, moved: Mapping[str, str]) -> None:
    """Move skipped and cancelled dates, and places of single dates."""
    of_event: tuple[QuerySet[Any], ...] = (DateChange.objects.filter(event=event), Capacity.objects.filter(event=event))
    for stored in of_event:
        found = list(stored.filter(start__in=moved))
        if found:
            stored.filter(start__in=[*(each.start for each in found), *(moved[each.start] for each in found)]).delete()
            for each in found:
                each.pk, each.start = None, moved[each.start]
            stored.bulk_create(found)


def rename_start(row: ContentItem, former: str, start: str) -> None:
    """Set the local start of a row's RSVPs for a former one."""
    if former != start:
        Rsvp.objects.filter(occurrence=row, occurrence_start=former).update(occurrence_start=start)


def set_starts(starts: Mapping[int, str]) -> None:
    """Set the local start of the RSVPs of rows, by row id."""
    wanted = list(starts)
    with_rsvps = Rsvp.objects.filter(occurrence__in=wanted).order_by().values_list("occurrence", flat=True).distinct()
    rows = list(with_rsvps) if wanted else []
    for at in range(0, len(rows), BATCH):
        part = rows[at : at + BATCH]
        start = Case(*(When(occurrence=pk, then=Value(starts[pk])) for pk in part))
        Rsvp.objects.filter(occurrence__in=part).update(occurrence_start=start)


def change_dates(event: ContentItem, dates: Mapping[int, str], *, is_cancelled: bool) -> None:
    """Notify people of dates that are cancelled, or are back: the id of each date's row, and its start."""
    give_notice(dates.keys(), Notice.CANCELLED if is_cancelled else Notice.RSVP)
    if dates:
        notify("events.dates_changed", event, frozenset(dates.values()), is_cancelled)


def mark_first_date(item: ContentItem, value: DateValue) -> DateValue:
    """Return the new date of a series with the marks of the date that becomes its first one.

    Dates that move stay skipped or cancelled.
    """
    field = item.type.date_field
    if field is None:
        return value
    former, plan, changes = item.data.get(field.key), plan_of(value, horizon=horizon()), changes_of(item.pk)
    stored = stored_dates(item, field.key, changes)
    moves = find_moves(former, value, plan, rows=stored.rows, gone=stored.gone, changes=changes)
    status = status_of_first(former, plan, moves=moves, changes=changes)
    return mark(value, cancelled=status == DateStatus.CANCELLED, skipped=status == DateStatus.SKIPPED)


def is_replaced(event: ContentItem) -> bool:
    """Return whether something takes the place of the event's RSVPs, such as tickets."""
    return any(notify("events.replaces_rsvps", event))


def give_notice(rows: Collection[int], notice: Notice) -> None:
    """Notify people with RSVPs to these rows, except those who cancelled."""
    if rows:
        mails.give_notice(Rsvp.objects.filter(occurrence__in=rows, status__in=ACTIVE), notice)


def end_event(event: ContentItem) -> None:
    """Notify people with RSVPs to coming dates of an event that is about to be deleted, unless they know of the cancellation.

    The emails are queued in the caller's transaction. Raises Invalid (`item`) if they are too many for one.
    """
    coming = Rsvp.objects.filter(event=event, status__in=ACTIVE, occurrence__ends_at__gte=timezone.now())
    guests = [
        rsvp
        for rsvp in coming.select_related("occurrence").order_by("pk")
        if rsvp.notice == Notice.CANCELLED or not date_of(rsvp.occurrence).get("cancelled")
    ]
    if len(guests) > MAX_GUESTS_TO_NOTIFY:
        raise Invalid({"item": TOO_MANY_GUESTS})
    for rsvp in guests:
        mails.notify(rsvp, event, rsvp.occurrence, is_deleted=True)


def move(source: ContentItem, target: ContentItem, *, start: str) -> None:
    """Move the RSVPs for a start to the date's new row; addresses already there keep the RSVP there."""
    replies = Rsvp.objects.filter(occurrence=source, occurrence_start=start)
    there = Rsvp.objects.filter(occurrence=target).values("email_key")
    replies.filter(email_key__in=there).delete()
    replies.update(occurrence=target)
