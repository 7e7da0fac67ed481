"""Demo services, staff, and appointments of every status, past and upcoming.

Services and staff are matched by name, and appointments by their addresses. No events are emitted and no emails sent.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.images import get_image_model
from wagtail.search.backends import get_search_backend

from cms_api.core.demo import data_beside, missing, pick
from cms_api.flags.selectors import site_timezone
from commerce.common.services.discounts import save_discount_code
from commerce.common.types.money import Money
from commerce.payments.services import store_payment
from commerce.payments.types import Method
from commerce.sales.services import redeem

from .models import Appointment, BookingCode, Service, Staff
from .selectors.availability import Opening, openings
from .selectors.pricing import CODES, quote
from .services import save_override, save_service, save_staff, save_time_off
from .services.booking import fill_appointment, read_customer
from .services.ending import become_cancelled
from .services.slots import take_slot
from .types.appointments import PAYABLE, AppointmentStatus

PENDING, CONFIRMED, CANCELLED, COMPLETED, _ = AppointmentStatus
DOMAIN = "bookings.example"
DATA = data_beside(__file__)
#: Days on which a time is looked for.
SEARCHED_DAYS = 60


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the records that are missing."""
    for position, row in missing(DATA["services"], Service.objects, "name"):
        values = {**row, "image": _find_picture(row.get("picture", "")), "position": position}
        values.pop("picture", None)
        save_service(values=values)
        progress(1)
    services = {service.name: service for service in Service.objects.order_by("-pk")}
    for position, row in missing(DATA["staff"], Staff.objects, "name"):
        _make_staff(position, services, row)
        progress(1)
    for _, row in missing(DATA["codes"], BookingCode.objects, "code"):
        save_discount_code(model=BookingCode, values={**row, "percent": Decimal(row["percent"])})
        progress(1)
    known = set(Appointment.objects.filter(email__endswith=f"@{DOMAIN}").values_list("email", flat=True))
    planned = DATA["appointments"]
    for number in range(len(planned) * scale):
        if _address(number) not in known:
            _book(number, pick(planned, number), services, number // len(planned))
            progress(1)


def _address(number: int) -> str:
    return f"guest{number + 1}@{DOMAIN}"


def _find_picture(title: str) -> int | None:
    found = get_image_model().objects.filter(title=title).order_by("pk").first()
    return found.pk if found else None


def _make_staff(position: int, services: Mapping[str, Service], row: Mapping[str, Any]) -> None:
    zone = site_timezone().key
    if row.get("away"):
        zone = "America/New_York" if zone != "America/New_York" else "Europe/London"
    hours = [_period(services, **each) for each in row["hours"]]
    offered = [services[name] for name in row["services"]]
    values = {"name": row["name"], "title": row["title"], "timezone": zone, "position": position}
    staff = save_staff(values={**values, "hours": hours, "services": offered})
    monday = _today() - timedelta(days=_today().weekday())
    for each in row.get("overrides", ()):
        periods = [tuple(period) for period in each["periods"]]
        save_override(values={"staff": staff, "date": monday + timedelta(days=each["days"]), "periods": periods})
    for each in row.get("time_off", ()):
        begin = datetime.combine(monday + timedelta(days=each["days"]), time(), tzinfo=site_timezone())
        ends_at = begin + timedelta(days=each["length_days"])
        save_time_off(values={"staff": staff, "starts_at": begin, "ends_at": ends_at, "note": each["note"]})


def _period(services: Mapping[str, Service], *, weekday: int, opens: str, closes: str, service: str = "") -> dict[str, Any]:
    times = {"opens": time.fromisoformat(opens), "closes": time.fromisoformat(closes)}
    return {"weekday": weekday, **times, "service_id": services[service].pk if service else None}


def _today() -> date:
    return timezone.localdate(timezone=site_timezone())


def _free_time(service: Service, staff: Sequence[Staff], days: int, number: int) -> Opening | None:
    """Return an opening on a day as if it were a week ahead, or on the next day further from today that has one."""
    way = -1 if days < 0 else 1
    for step in range(SEARCHED_DAYS):
        day = _today() + timedelta(days=days + way * step)
        first = datetime.combine(day, time(), tzinfo=site_timezone()).astimezone(UTC)
        found = openings(service, staff, first, first + timedelta(days=1), now=first - timedelta(days=7))
        if found:
            return found[0 if service.is_class else number * 5 % len(found)]
    return None


@transaction.atomic
def _book(number: int, planned: Mapping[str, Any], services: Mapping[str, Service], round_number: int) -> None:
    status, service, days = planned["status"], services[planned["service"]], planned["days"]
    # Each round of a larger scale is some weeks further from today.
    days += (-21 if days < 0 else 21) * round_number
    staff = list(service.staff.all())
    opening = _free_time(service, staff, days, number)
    if opening is None:
        return
    chosen = [each for each in staff if each.pk == opening.staff_id]
    now, starts_at = timezone.now(), opening.starts_at
    booked_at = min(now, starts_at) - timedelta(days=2 + number % 5, hours=number % 7)
    values = {
        "name": pick(DATA["people"], number),
        "email": _address(number),
        "phone": "+1 802 555 0142" if number % 2 else "",
        "timezone": "Europe/London" if number % 6 == 5 else "",
        "notes": "I'll be ten minutes early." if number % 8 == 3 else "",
        "answers": DATA["answers"].get(service.name, {}),
    }
    customer = read_customer(service, values)
    priced = quote(service, "" if round_number else planned.get("code", ""), email=customer.email)
    slot = take_slot(service=service, starts_at=starts_at, staff=chosen, by_staff=True)
    appointment = Appointment(created_at=booked_at)
    fill_appointment(appointment, customer, priced, slot)
    if priced.code is not None:
        redeem(CODES, appointment, priced.code, appointment.price_cents)
    appointment.status, appointment.reserved_until, appointment.reminded_at = status, None, now
    appointment.requires_approval = status == PENDING
    appointment.confirmed_at = None if status == PENDING else booked_at
    appointment.completed_at = appointment.ends_at if status == COMPLETED else None
    due = appointment.total_cents if status == COMPLETED else 0 if status == PENDING else appointment.deposit_cents
    appointment.amount_paid_cents = due
    if status == CANCELLED:
        appointment.status = CONFIRMED
    appointment.updated_at = appointment.completed_at or booked_at
    appointment.save()
    if due:
        store_payment(
            payable=PAYABLE,
            record_id=appointment.pk,
            amount=Money(due, appointment.currency),
            method=Method.CASH,
            paid_at=appointment.updated_at,
            description=f"Appointment: {service.name}",
            email=appointment.email,
        )
    if status == CANCELLED:
        become_cancelled(appointment)
        cancelled_at = booked_at + timedelta(hours=20)
        Appointment.objects.filter(pk=appointment.pk).update(cancelled_at=cancelled_at, updated_at=cancelled_at)
    get_search_backend().add(appointment)
