"""Cost of availability and of lists among few and many appointments, and bookings per second: `python -m benchmarks.booking`.

On SQLite or, with --postgresql or DATABASE_URL, on databases of its own there.
"""

import re
import sys
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock
from functools import cache
from html import unescape
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from events.types.months import month_of

from .growth import OLDEST_DAYS, Growth, compare
from .visitors import Visitor, Visits, arguments, measure

#: How much more CPU a month or a list may take among so many more appointments.
MAX_CPU_RATIO = 1.3
#: Members of staff, all of whom offer all services.
STAFF, SERVICES = 20, 10
#: Their hours, every day of the week.
ZONE, OPENS, CLOSES = ZoneInfo("America/New_York"), 9, 17
HOUR = timedelta(hours=1)
BATCH_ROWS = 2_000
#: Days that are booked in advance, and the appointments in them of the sites whose months are compared.
DAYS_AHEAD, UPCOMING_APPOINTMENTS = 90, 5_000
FEW_APPOINTMENTS = 10_000
#: Customers have a handful of appointments in either set.
APPOINTMENTS_EACH = 10
#: Statuses of 100 successive appointments. Some of the past ones were never marked as completed.
PAST = ("completed",) * 84 + ("no_show",) * 6 + ("cancelled",) * 6 + ("confirmed",) * 4
FUTURE = ("confirmed",) * 84 + ("pending",) * 8 + ("cancelled",) * 8

SERVICE = "/booking/services/service-0"
#: The month after this one: all of it can be booked.
MONTH = month_of(month_of(date.today()).last + timedelta(days=1))
ADMIN = "/admin/booking/appointments/"
PAGES = {
    "page of a service": SERVICE,
    "page of a month": f"{SERVICE}?month={MONTH}",
    "admin: calendar of a day": f"{ADMIN}calendar/?date={MONTH.first}",
    "admin: calendar of a week": f"{ADMIN}calendar/?view=week&date={MONTH.first}",
    "admin: find a time": f"{ADMIN}openings/?service=1&date={MONTH.first}",
}

LIST = "/api/v1/booking/appointments"
PATHS = {
    "API: appointments": LIST,
    "API: appointments, first page of a cursor": f"{LIST}?cursor=",
    "API: sort=updated_at, cursor": f"{LIST}?sort=updated_at&cursor=",
    "API: sort=starts_at, cursor": f"{LIST}?sort=starts_at&cursor=",
    "API: status=completed": f"{LIST}?status=completed",
    "API: status=completed, cursor": f"{LIST}?status=completed&cursor=",
    "API: status=pending": f"{LIST}?status=pending",
    "API: status=pending, cursor": f"{LIST}?status=pending&cursor=",
    "API: status=upcoming": f"{LIST}?status=upcoming",
    "API: status=upcoming, cursor": f"{LIST}?status=upcoming&cursor=",
    "API: status=upcoming, sort=starts_at": f"{LIST}?status=upcoming&sort=starts_at",
    "API: upcoming, sort=starts_at, cursor": f"{LIST}?status=upcoming&sort=starts_at&cursor=",
    "API: upcoming, staff_id": f"{LIST}?status=upcoming&staff_id=7&per_page=5",
    "API: upcoming, staff_id, cursor": f"{LIST}?status=upcoming&staff_id=7&per_page=5&cursor=",
    "API: email": f"{LIST}?email=customer7@example.com",
    "API: service_id": f"{LIST}?service_id=7",
    "API: service_id, cursor": f"{LIST}?service_id=7&cursor=",
    "API: staff_id": f"{LIST}?staff_id=7",
    "API: staff_id, cursor": f"{LIST}?staff_id=7&cursor=",
    "API: from": f"{LIST}?from={{since}}",
    "API: from, cursor": f"{LIST}?from={{since}}&cursor=",
    "API: from, to": f"{LIST}?from={MONTH.first}&to={MONTH.last}",
    "API: from, to, sort=starts_at, cursor": f"{LIST}?from={MONTH.first}&to={MONTH.last}&sort=starts_at&cursor=",
    "admin: appointments": ADMIN,
    "admin: upcoming": f"{ADMIN}?status=upcoming",
}

#: Seconds, more than the least that a person needs for the form.
READING_SECONDS = 3
#: The number of a time.
NEVER_BOOKED = STAFF * (DAYS_AHEAD // 2) * (CLOSES - OPENS)
_STAMP = re.compile(r'name="_stamp" value="([^"]+)"')


def main() -> int:
    options = arguments("python -m benchmarks.booking", __doc__, "month", "lists", "book")
    missed = False
    site = ("booking",), "booking:read"
    if "month" in options.case:
        functions = {"openings of a month": openings_of_a_month}
        missed |= compare(Growth("appointments", fill_past, *site, PAGES, MAX_CPU_RATIO, functions, FEW_APPOINTMENTS), options)
    if "lists" in options.case:
        missed |= compare(Growth("appointments", fill, *site, PATHS, MAX_CPU_RATIO), options)
    if "book" in options.case:
        measure(BOOKINGS, options)
    return 1 if missed else 0


# Months and lists.


def openings_of_a_month() -> list[Any]:
    """Return the openings as the page of a month reads them."""
    from commerce.booking.selectors.availability import openings
    from commerce.booking.types.choice import Months, window

    service, staff = offer()
    first, last = window(Months(MONTH, MONTH), ZONE)
    return openings(service, staff, first, last)


@cache
def offer() -> tuple[Any, list[Any]]:
    """Return a service and its staff."""
    from commerce.booking.models import Service
    from commerce.booking.selectors.services import staff_for

    service = Service.objects.get(slug=SERVICE.rpartition("/")[2])
    return service, list(staff_for(service))


def fill_past(total: int) -> None:
    """Create appointments of which the same number is to come, however many there are."""
    add_offer()
    add_appointments(total - UPCOMING_APPOINTMENTS, UPCOMING_APPOINTMENTS)


def fill(total: int) -> None:
    """Create appointments of which a ninth is to come: as many a day as there were."""
    add_offer()
    add_appointments(total - total // 9, total // 9)


def add_offer() -> None:
    """Create the services, of an hour each, and the staff."""
    from commerce.booking.services import save_service, save_staff

    values = {"price_cents": 5000, "step_minutes": 30, "days_ahead": DAYS_AHEAD}
    services = [save_service(values={"name": f"Service {number}", **values}) for number in range(SERVICES)]
    hours = [{"weekday": day, "opens": clock(OPENS), "closes": clock(CLOSES)} for day in range(7)]
    for number in range(STAFF):
        save_staff(values={"name": f"Robin {number}", "timezone": ZONE.key, "services": services, "hours": hours})


def add_appointments(past: int, upcoming: int) -> None:
    """Create appointments of two years and of the next three months, in bulk. They are not in the search index."""
    from django.db import transaction
    from django.utils import timezone

    from commerce.booking.models import Appointment, BookedSlot

    now = timezone.now()
    customers = (past + upcoming) // APPOINTMENTS_EACH
    made = [*past_appointments(past), *upcoming_appointments(upcoming)]
    for start in range(0, len(made), BATCH_ROWS):
        rows = [
            an_appointment(number, customers, *each, now)
            for number, each in enumerate(made[start : start + BATCH_ROWS], start=start)
        ]
        with transaction.atomic():
            BookedSlot.objects.bulk_create(row.slot for row in rows if row.slot)
            Appointment.objects.bulk_create(rows)


def past_appointments(count: int) -> Iterator[tuple[datetime, str]]:
    """Yield starts, by member of staff in turn, and statuses. They are at any hour, so that there is room for many."""
    end = datetime.combine(datetime.now(UTC).date(), clock(), tzinfo=UTC)
    for number, place in enumerate(places(count, OLDEST_DAYS * 24)):
        yield end - (OLDEST_DAYS * 24 - place) * HOUR, PAST[mixed(number)]


def upcoming_appointments(count: int) -> Iterator[tuple[datetime, str]]:
    """Yield starts in the working hours, by member of staff in turn, and statuses."""
    for number, place in enumerate(places(count, DAYS_AHEAD * (CLOSES - OPENS))):
        yield working_hour(place), FUTURE[mixed(number)]


def places(count: int, room: int) -> Iterator[int]:
    """Spread so many appointments over so many places of each member of staff, in turn."""
    each = -(-count // STAFF)
    assert each <= room, f"There is no room for {count:,} appointments."
    return (number // STAFF * room // each for number in range(count))


def mixed(number: int) -> int:
    """Return an index of 100 that depends neither on the time nor on the member of staff."""
    return (number // STAFF * 37 + number) % 100


def working_hour(place: int) -> datetime:
    """Return one of the hours in which staff work, from tomorrow on."""
    day, hour = divmod(place, CLOSES - OPENS)
    return datetime.combine(datetime.now(ZONE).date() + timedelta(days=1 + day), clock(OPENS + hour), tzinfo=ZONE)


def an_appointment(number: int, customers: int, starts_at: datetime, status: str, now: datetime) -> Any:
    """Return an appointment with its slot, both unsaved. It was booked up to a month before."""
    from commerce.booking.models import Appointment, BookedSlot

    staff, service = 1 + number % STAFF, 1 + number // 3 % SERVICES
    ends_at, is_past = starts_at + HOUR, starts_at < now
    before = timedelta(days=1, minutes=number * 7919 % (30 * 24 * 60))
    at = min(starts_at - before, now - before / 30)
    times = {"starts_at": starts_at, "ends_at": ends_at}
    slot = BookedSlot(staff_id=staff, service_id=service, occupied_from=starts_at, occupied_until=ends_at, **times)
    return Appointment(
        status=status,
        name="Dana Reyes",
        email=f"customer{number % customers}@example.com",
        service_id=service,
        service_name=f"Service {service - 1}",
        staff_id=staff,
        staff_name=f"Robin {staff - 1}",
        slot=None if status == "cancelled" else slot,
        **times,
        timezone=ZONE.key,
        currency="usd",
        price_cents=5000,
        requires_approval=status == "pending",
        reminded_at=starts_at if is_past else None,
        confirmed_at=None if status == "pending" else at,
        cancelled_at=at if status == "cancelled" else None,
        completed_at=ends_at if status == "completed" else None,
        created_at=at,
        updated_at=ends_at if is_past else at,
    )


# Bookings.


def book(visitor: Visitor) -> None:
    """Open the form of a time that nobody else books, and submit it."""
    path = form(visitor.number)
    read_stamp(visitor.get(path))
    entered = {"name": "Dana Reyes", "email": f"customer{visitor.number}@example.com", "total_cents": 5000}
    shown = visitor.post(path, {**entered, "_stamp": old_stamp(visitor.port)})
    assert "/booking/manage/" in shown, shown


def form(number: int) -> str:
    """Return the path of the form of a time, with each member of staff in turn."""
    start = int(working_hour(number // STAFF).timestamp())
    return f"{SERVICE}/book?{urlencode({'start': start, 'staff': 1 + number % STAFF, 'tz': ZONE.key})}"


@cache
def old_stamp(port: int) -> str:
    """Return the stamp of a form that was opened as long ago as a person needs to fill it in; it is valid for any time."""
    stamp = read_stamp(Visitor(port, NEVER_BOOKED).get(form(NEVER_BOOKED)))
    time.sleep(READING_SECONDS)
    return stamp


def read_stamp(page: str) -> str:
    """Return the stamp of a form."""
    found = _STAMP.search(page)
    assert found, page
    return unescape(found[1])


BOOKINGS = Visits(
    records="bookings",
    path=LIST,
    feature="booking",
    fill="from benchmarks.booking import add_offer; add_offer()",
    visit=book,
    requests=2,
)


if __name__ == "__main__":
    sys.exit(main())
