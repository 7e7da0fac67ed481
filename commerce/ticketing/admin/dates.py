"""The events that sell tickets and their dates, as filters and pages of the admin offer them."""

from collections.abc import Callable, Iterable
from typing import Any

import django_filters
from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.utils.functional import cached_property

from cms_api.adminkit.ids import is_id
from events.selectors.dates import moved_start
from events.types.rsvps import as_start

from ..models import AttendeeTicket, TicketType
from ..resources.mails import start_words
from ..selectors.events import dates_on_offer, event_by_id, events_with_sales, is_repeating, own_date, sells_tickets

#: Dates that one filter offers.
MAX_DATES = 500


def selling_events(request: HttpRequest | None) -> QuerySet[Any]:
    return events_with_sales()


def asked_id(request: HttpRequest | None, name: str) -> int:
    """Return the id in the address; 0 if there is none."""
    text = request.GET.get(name, "") if request is not None else ""
    return int(text) if is_id(text) else 0


def types_of_event(request: HttpRequest | None) -> QuerySet[TicketType]:
    """Return the ticket types of the chosen event; without one, at most the type in the address."""
    event = asked_id(request, "event")
    types = TicketType.objects.order_by("position", "pk")
    return types.filter(event=event) if event else types.filter(pk=asked_id(request, "ticket_type"))


class EventFilter(django_filters.ModelChoiceFilter):
    """One of the events with ticket sales."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"queryset": selling_events, "label": "Event", "empty_label": "All", **options})


class StartFilter(django_filters.ChoiceFilter):
    """One of the dates that the records of the chosen event have; without an event, at most the date in the address.

    `records(event)` are the records of an event.
    """

    def __init__(self, records: Callable[[int], QuerySet[Any]], **options: Any) -> None:
        super().__init__(**{"label": "Date", "empty_label": "All", **options})
        self.records = records

    @property
    def field(self) -> Any:
        request: HttpRequest | None = self.parent.request
        event = asked_id(request, "event")
        starts: Iterable[str]
        if event:
            starts = self.records(event).order_by("start").values_list("start", flat=True).distinct()[:MAX_DATES]
        else:
            starts = [readable(request.GET.get("start", ""))] if request is not None else []
        self.extra["choices"] = [(start, start_words(start)) for start in starts if start]
        return super().field


def readable(text: str) -> str:
    """Return a local start as it is stored; empty if it is not one."""
    start = as_start(text[:40])
    try:
        return start if start and start_words(start) else ""
    except ValueError:
        return ""


class OfDate:
    """A page about one date of an event that sells tickets: `pk` in the path and `start` in the query; others are 404."""

    request: HttpRequest
    kwargs: dict[str, Any]

    @cached_property
    def event(self) -> Any:
        pk: int = self.kwargs["pk"]
        found = event_by_id(pk) if sells_tickets(pk) is not None else None
        if found is None:
            raise Http404("This event sells no tickets.")
        return found

    @cached_property
    def starts(self) -> list[str]:
        """The dates that can be chosen: those with tickets, and the next ones."""
        return sorted({*self._sold, *self._next})

    @cached_property
    def _sold(self) -> set[str]:
        return set(AttendeeTicket.objects.filter(event=self.event.pk).order_by().values_list("start", flat=True).distinct())

    @cached_property
    def _next(self) -> list[str]:
        return [date.start for date in dates_on_offer(self.event)]

    @cached_property
    def start(self) -> str:
        """The chosen date, also if it has moved since the page was opened; by default the next one, or else the last."""
        wanted = self.request.GET.get("start", "")
        if wanted:
            start = readable(wanted)
            if start and start not in self.starts:
                start = self._find_moved(start)
            if start not in self.starts:
                raise Http404("The event has no tickets for this date.")
            return start
        found = self._next[:1] or self.starts[-1:]
        if not found:
            raise Http404("The event has no dates.")
        return found[0]

    def _find_moved(self, start: str) -> str:
        if is_repeating(self.event):
            return moved_start(self.event, start)
        date = own_date(self.event)
        return date.start if date is not None else ""

    def date_context(self) -> dict[str, Any]:
        """Return the event, the chosen date, and the others, for templates."""
        dates = [(start, start_words(start)) for start in self.starts]
        return {"event": self.event, "start": self.start, "when": start_words(self.start), "dates": dates}
