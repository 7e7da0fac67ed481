"""The choice of a time: what a request asks to see of the openings, as a calendar month with the times of one day."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.utils import timezone
from django.utils.dates import WEEKDAYS
from django.utils.functional import cached_property

from cms_api.flags.selectors import site_formats
from cms_api.http.query import whole_number
from events.types.months import Month, month_of, read_month

from ..models import BookedSlot, Service, Staff
from ..selectors.availability import openings
from ..types.choice import Days, Months, by_day, months_between, read_day, window
from .zones import PARAMETER, VisitorZone


@dataclass(frozen=True)
class ShownDay:
    """A day of the calendar. One without times is no link."""

    date: date
    name: str
    #: Of the times of the day.
    count: int
    url: str
    is_today: bool
    is_chosen: bool


@dataclass(frozen=True)
class ShownTime:
    """A time that can be booked."""

    text: str
    url: str
    #: Left in a class.
    seats: int


@dataclass(frozen=True)
class Step:
    """A link to another month."""

    name: str
    url: str


class Choice:
    """The calendar of a service for a visitor, as the parameters `staff`, `month`, `day` and `tz` ask.

    Values that make no sense are ignored. `times_path` is the page that times lead to. The openings are read in one call.
    """

    def __init__(
        self,
        request: HttpRequest,
        service: Service,
        staff: Sequence[Staff],
        zone: VisitorZone,
        *,
        times_path: str,
        moving: BookedSlot | None = None,
    ) -> None:
        self.service, self.offered, self.zone = service, staff, zone
        self._path, self._times_path, self._now = request.path, times_path, timezone.now()
        pk = whole_number(request.GET.get("staff", ""))
        self.staff = next((each for each in staff if each.pk == pk), None)
        self.months = self._months()
        day = read_day(request.GET.get("day", ""))
        asked = read_month(request.GET.get("month", "")) or (month_of(day) if day else None)
        month = asked if asked and asked in self.months else None
        self._days = self._read_days(month, moving)
        self.month = month or (month_of(min(self._days)) if self._days else self.months.first)
        free = sorted(each for each in self._days if month_of(each) == self.month)
        self.day = day if day in free else next(iter(free), None)

    def _months(self) -> Months:
        first = self._now + timedelta(minutes=self.service.notice_minutes)
        last = self._now + timedelta(days=self.service.days_ahead)
        return months_between(min(first, last), last, self.zone.zone)

    def _read_days(self, month: Month | None, moving: BookedSlot | None) -> Days:
        """Return the times of one month, or of the next few, in which the first free day is looked for."""
        shown = Months(month, month) if month else self.months.near
        wanted = self.offered if self.staff is None else [self.staff]
        first, last = window(shown, self.zone.zone)
        found = openings(self.service, wanted, first, last, now=self._now, moving=moving)
        return by_day(((each.starts_at, each.seats) for each in found), self.zone.zone)

    @property
    def month_name(self) -> str:
        return site_formats().month(self.month.first)

    @property
    def day_name(self) -> str:
        return site_formats().weekday_date(self.day) if self.day else ""

    @property
    def weekdays(self) -> list[tuple[str, str]]:
        """Return the names of the weekdays, long and short."""
        return [(str(WEEKDAYS[number]), str(WEEKDAYS[number])[:3]) for number in range(7)]

    @property
    def weeks(self) -> list[list[ShownDay | None]]:
        today = self._now.astimezone(self.zone.zone).date()
        return [[self._shown_day(day, today) if day else None for day in week] for week in self.month.weeks()]

    def _shown_day(self, day: date, today: date) -> ShownDay:
        count = len(self._days.get(day, ()))
        url = self._url(day=day.isoformat()) + "#times" if count else ""
        return ShownDay(day, site_formats().weekday_date(day), count, url, day == today, day == self.day)

    @property
    def previous(self) -> Step | None:
        return self._step(self.months.previous(self.month))

    @property
    def next(self) -> Step | None:
        return self._step(self.months.next(self.month))

    def _step(self, month: Month | None) -> Step | None:
        return Step(site_formats().month(month.first), self._url(month=str(month)) + "#calendar") if month else None

    @cached_property
    def times(self) -> list[ShownTime]:
        """Return the times of the chosen day."""
        found = self._days[self.day] if self.day else []
        return [self._shown_time(starts_at.astimezone(self.zone.zone), seats) for starts_at, seats in found]

    def _shown_time(self, local: datetime, seats: int) -> ShownTime:
        text = site_formats().time(local)
        query = {"start": int(local.timestamp()), **self._staff_query, PARAMETER: self.zone.zone.key}
        return ShownTime(text, f"{self._times_path}?{urlencode(query)}", seats)

    @property
    def kept_by_zones(self) -> dict[str, Any]:
        """Return the parameters that the form of the time zone keeps."""
        return {**self._staff_query, **self._day_query}

    @property
    def kept_by_staff(self) -> dict[str, Any]:
        """Return the parameters that the form of the staff keeps."""
        return {**self._day_query, **self._zone_query}

    @property
    def _day_query(self) -> dict[str, Any]:
        return {"day": self.day.isoformat()} if self.day else {"month": str(self.month)}

    def _url(self, **changes: str) -> str:
        return f"{self._path}?{urlencode({**self._staff_query, **changes, **self._zone_query})}"

    @property
    def _staff_query(self) -> dict[str, Any]:
        return {"staff": self.staff.pk} if self.staff else {}

    @property
    def _zone_query(self) -> dict[str, Any]:
        return {PARAMETER: self.zone.zone.key} if self.zone.is_named else {}
