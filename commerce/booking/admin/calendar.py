"""The calendar of staff: a day with a column for each of them, or a week."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date, time
from typing import Any

from django import forms
from django.urls import reverse
from django.views.generic import TemplateView
from wagtail.admin.utils import set_query_params

from cms_api.adminkit.pages import RecordsPage
from cms_api.core.time_zones import zone_label
from cms_api.flags.selectors import site_formats, site_timezone
from commerce.common.types.hours import DAY
from commerce.common.types.spans import moment

from ..models import Appointment, Staff
from ..selectors.calendar import Calendar, read_calendar
from ..types.appointments import ACTIVE, AppointmentStatus
from .diary import Block, Column, free_hours, hour_labels, hours_shown, set_places, working
from .parameters import WEEK, ParameterForm, as_typed, bounds_of, drop_empty, monday_of, today

#: Columns of a day, and members of staff of a week.
MAX_COLUMNS, MAX_STAFF = 20, 200
VIEWS = {"day": "Day", "week": "Week"}


class CalendarForm(ParameterForm):
    view = forms.ChoiceField(choices=list(VIEWS.items()), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        del self.fields["service"]
        staff: Any = self.fields["staff"]
        staff.empty_label = "All staff"
        self.order_fields(["view", "date", "staff"])


class CalendarView(RecordsPage, TemplateView):
    """Appointments, classes, time off and busy times, on the site's clock."""

    permission_required = "view"
    template_name = "booking_admin/calendar.html"
    page_title = "Calendar"
    header_icon = "calendar-alt"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        form = CalendarForm(self.request.GET, auto_id="calendar_%s")
        wanted = form.read()
        self.chosen: Staff | None = wanted["staff"]
        self.is_week = wanted["view"] == "week"
        self.may_book = self.user_has_permission("add")
        self.may_change = self.user_has_permission("change")
        day: date = monday_of(wanted["date"]) if self.is_week else wanted["date"]
        days = [day + number * DAY for number in range(7 if self.is_week else 1)]
        limit = MAX_STAFF if self.is_week else MAX_COLUMNS
        staff = [self.chosen] if self.chosen else list(Staff.objects.all()[: limit + 1])
        bounds = {each: bounds_of(each) for each in days}
        first, last = moment(bounds[days[0]][0]), moment(bounds[days[-1]][1])
        found = read_calendar(staff[:limit], first, last)
        columns = self._columns(found, staff[:limit], days, bounds)
        shown = hours_shown(columns, site_timezone())
        set_places(columns, site_timezone(), shown)
        more = {
            "form": CalendarForm({**wanted, "staff": self.chosen, "view": self._view(), "date": str(wanted["date"])}),
            "columns": columns,
            "first_hour": shown[0],
            "hours": hour_labels(shown, lambda hour: site_formats().time(time(hour))),
            "is_list": self.is_week and self.chosen is None,
            "title": self._title(days),
            "zone": zone_label(site_timezone().key),
            "cut": self._cut(found, len(staff) > limit, limit),
            "earlier": self._url(day - (WEEK if self.is_week else DAY)),
            "later": self._url(day + (WEEK if self.is_week else DAY)),
            "now": self._url(today()),
            "book_url": reverse("appointments:add") if self.may_book else "",
            "list_url": reverse("appointments:index"),
        }
        return super().get_context_data(**kwargs, **more)

    def _view(self) -> str:
        return "week" if self.is_week else "day"

    def _url(self, day: date, *, staff: Staff | None = None, view: str = "") -> str:
        chosen = staff or self.chosen
        return set_query_params("", drop_empty(view=view or self._view(), date=str(day), staff=chosen.pk if chosen else None))

    def _title(self, days: Sequence[date]) -> str:
        formats = site_formats()
        return f"{formats.date(days[0])} to {formats.date(days[-1])}" if self.is_week else formats.weekday_date(days[0])

    def _cut(self, found: Calendar, too_many_staff: bool, limit: int) -> str:
        """Return a notice about what is not shown."""
        if too_many_staff:
            return f"Only {limit} members of staff are shown. Choose one of the others to see their time."
        return "There is too much to show at once. Choose a member of staff, or a single day." if found.is_cut else ""

    def _columns(
        self, found: Calendar, staff: Sequence[Staff], days: Sequence[date], bounds: dict[date, tuple[int, int]]
    ) -> list[Column]:
        """Return a column for each day, or for each member of staff on the only day."""
        names = {each.pk: each.name for each in staff}
        of_staff = {each.pk: self._blocks(found, each) for each in staff}
        if self.is_week:
            columns = []
            for day in days:
                column = Column(day, site_formats().short_day(day), url=self._url(day, view="day"), is_today=day == today())
                for pk, blocks in of_staff.items():
                    column.blocks += _on(day, blocks, bounds, name="" if self.chosen else names[pk])
                column.blocks.sort(key=lambda each: each.starts_at)
                if self.chosen:
                    self._add_hours(column, found, self.chosen, bounds)
                columns.append(column)
            return columns
        columns = [
            Column(
                days[0],
                each.name,
                url=self._url(days[0], staff=each, view="week"),
                blocks=_on(days[0], of_staff[each.pk], bounds),
            )
            for each in staff
        ]
        for column, each in zip(columns, staff, strict=True):
            self._add_hours(column, found, each, bounds)
        return columns

    def _add_hours(self, column: Column, found: Calendar, staff: Staff, bounds: dict[date, tuple[int, int]]) -> None:
        column.hours = list(working(found.schedules[staff.pk], column.day, site_timezone(), bounds[column.day]))
        column.note = ", ".join(f"{_clock(each.starts_at)} to {_clock(each.ends_at)}" for each in column.hours) or "Not working"
        if not self.may_book:
            return
        page = reverse("appointments:add")
        for start, end in free_hours(column):
            url = set_query_params(page, {"staff": staff.pk, "starts_at": as_typed(start)})
            words = f"{staff.name}, {site_formats().weekday_date(column.day)}"
            column.free.append(Block("free", start, end, _clock(start), text=words, url=url))
        if column.free:
            column.book_url = column.free[0].url

    def _blocks(self, found: Calendar, staff: Staff) -> list[Block]:
        """Return everything that takes the time of a member of staff, by its start."""
        seats: dict[Any, list[Appointment]] = defaultdict(list)
        for each in found.appointments:
            if each.staff_id == staff.pk:
                is_class = each.service.is_class and each.slot is not None
                seats[each.slot_id if is_class else ("one", each.pk)].append(each)
        blocks = [self._class(group) if group[0].service.is_class else self._appointment(group[0]) for group in seats.values()]
        off = (each for each in found.time_off if each.staff_id in {None, staff.pk})
        busy = (each for each in found.busy if each.staff_id == staff.pk)
        blocks += [Block("off", each.starts_at, each.ends_at, "Time off", each.note) for each in off]
        blocks += [Block("busy", each.starts_at, each.ends_at, "Busy", "Outside calendar") for each in busy]
        return sorted(blocks, key=lambda each: each.starts_at)

    def _appointment(self, each: Appointment) -> Block:
        is_usual = each.status == AppointmentStatus.CONFIRMED
        text = each.service_name if is_usual else f"{each.service_name}, {each.get_status_display().lower()}"
        block = Block(each.status, each.starts_at, each.ends_at, each.name, text, reverse("appointments:inspect", args=[each.pk]))
        if each.status in ACTIVE and self.may_change:
            block.move_url = reverse("appointments:reschedule", args=[each.pk])
        return block

    def _class(self, group: Sequence[Appointment]) -> Block:
        first = group[0]
        day = str(first.starts_at.astimezone(site_timezone()).date())
        values = {"service": first.service_id, "staff": first.staff_id, "starts_at_from": day, "starts_at_to": day}
        taken = first.slot.seats_taken if first.slot else len(group)
        text = f"{taken} of {first.service.capacity} seats"
        url = set_query_params(reverse("appointments:index"), values)
        return Block("class", first.starts_at, first.ends_at, first.service_name, text, url)


def _on(day: date, blocks: Sequence[Block], bounds: dict[date, tuple[int, int]], name: str = "") -> list[Block]:
    """Return copies of what touches a day."""
    first, last = (moment(each) for each in bounds[day])
    return [
        Block(
            each.kind,
            each.starts_at,
            each.ends_at,
            each.title,
            ", ".join(filter(None, (each.text, name))),
            each.url,
            each.move_url,
            *_clocks(each, day),
        )
        for each in blocks
        if each.starts_at < last and each.ends_at > first
    ]


def _clock(at: Any) -> str:
    return site_formats().time(at.astimezone(site_timezone()))


def _clocks(block: Block, day: date) -> tuple[str, str]:
    """Return when a block begins and ends on a day; empty where that is on another day."""
    first, last = (
        _clock(each) if each.astimezone(site_timezone()).date() == day else "" for each in (block.starts_at, block.ends_at)
    )
    return first, last
