"""Demo services, staff, and appointments of every status, past and upcoming.

Services and staff are matched by name, and appointments by their addresses. No events are emitted and no emails sent.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from wagtail.images import get_image_model
from wagtail.search.backends import get_search_backend

from cms_api.flags.selectors import site_timezone
from commerce.common.services.discounts import save_discount_code
from commerce.common.types.money import Money, minor_units
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

PENDING, CONFIRMED, CANCELLED, COMPLETED, NO_SHOW = AppointmentStatus
DOMAIN = "bookings.example"
CODE = "SPRING10"
THROWING, DRAWING, REVIEW = "Wheel throwing, one to one", "Life drawing class", "Portfolio review"
CONSULTATION, TOUR, REPAIR = "Free consultation", "Private tour of the mill", "Instrument repair"
#: Prices are in units of the currency. `picture` is the title of an image of the library, which may not be there.
SERVICES: list[dict[str, Any]] = [
    {
        "name": THROWING,
        "description": "A potter and a wheel for you alone. Clay, glaze and firing are included.",
        "duration_minutes": 90,
        "price": 90,
        "buffer_after_minutes": 15,
        "location": "Clay studio, ground floor",
        "picture": "Kiln glow",
        "questions": [{"key": "experience", "label": "Have you thrown before?", "type": "text", "required": False}],
    },
    {
        "name": DRAWING,
        "description": "Two hours with a model, in a group of up to eight. Paper and charcoal are there.",
        "duration_minutes": 120,
        "price": 28,
        "capacity": 8,
        "location": "Turbine Hall",
        "picture": "Studio wall",
    },
    {
        "name": REVIEW,
        "description": "A conversation about your work, by video.",
        "duration_minutes": 45,
        "price": 60,
        "notice_minutes": 24 * 60,
        "video_url": "https://meet.example.com/portfolio",
        "picture": "Two-colour print",
    },
    {
        "name": CONSULTATION,
        "description": "Twenty minutes to find the course that suits you.",
        "duration_minutes": 20,
        "step_minutes": 30,
        "price": 0,
        "location": "Office",
    },
    {
        "name": TOUR,
        "description": "The mill from the wheel to the roof, for you and up to five guests.",
        "duration_minutes": 60,
        "price": 120,
        "deposit": 40,
        "buffer_before_minutes": 15,
        "cancel_notice_hours": 48,
        "location": "Main gate",
        "picture": "The mill",
    },
    {
        "name": REPAIR,
        "description": "Bring your instrument. We confirm the appointment once we know what it needs.",
        "duration_minutes": 60,
        "price": 45,
        "requires_approval": True,
        "location": "Workshop",
        "picture": "Instruments",
        "questions": [
            {
                "key": "instrument",
                "label": "Which instrument?",
                "type": "select",
                "required": True,
                "options": ["Guitar", "Violin", "Cello"],
            },
            {"key": "problem", "label": "What is wrong with it?", "type": "textarea", "required": False},
        ],
    },
]
WEEK = [{"weekday": day, "opens": time(9), "closes": time(17)} for day in range(5)]
EVENING_HOURS = [{"weekday": day, "opens": time(18), "closes": time(20), "for": DRAWING} for day in (1, 3)]
#: `away` is another time zone than the site's.
STAFF: list[dict[str, Any]] = [
    {"name": "Robin Vale", "title": "Potter", "services": [THROWING, CONSULTATION], "hours": WEEK},
    {"name": "Mira Osei", "title": "Painter", "services": [DRAWING, CONSULTATION], "hours": [*WEEK[:4], *EVENING_HOURS]},
    {"name": "Jonas Brandt", "title": "Luthier", "services": [REPAIR, TOUR], "hours": WEEK[1:]},
    {"name": "Ana Sorel", "title": "Curator", "services": [REVIEW], "hours": WEEK, "away": True},
]
PEOPLE = ("Dana Reyes", "Ömer Güneş", "Ruth Adeyemi", "Lena Brandt", "Tom Hale", "Priya Nair", "Noor de Vries")
ANSWERS = {REPAIR: {"instrument": "Violin", "problem": "The bridge has moved."}, THROWING: {"experience": "Twice, long ago."}}
#: Days on which a time is looked for.
SEARCHED_DAYS = 60
#: Appointments at scale 1: a status, a service, and the days from today.
PLAN: list[tuple[AppointmentStatus, str, int]] = [
    *((COMPLETED, name, -days) for days, name in ((2, THROWING), (5, DRAWING), (5, DRAWING), (9, TOUR), (12, REVIEW))),
    *((NO_SHOW, name, -days) for days, name in ((3, CONSULTATION), (6, THROWING), (13, DRAWING))),
    *((CANCELLED, name, -days) for days, name in ((4, REVIEW), (8, CONSULTATION))),
    *((CONFIRMED, name, -days) for days, name in ((1, THROWING), (1, REPAIR))),
    (PENDING, REPAIR, -7),
    *((CONFIRMED, name, days) for days, name in ((1, THROWING), (2, CONSULTATION), (3, TOUR), (4, REVIEW), (8, THROWING))),
    *((CONFIRMED, DRAWING, 2) for _ in range(4)),
    *((PENDING, REPAIR, days) for days in (2, 4, 9)),
    *((CANCELLED, name, days) for days, name in ((3, THROWING), (7, TOUR))),
]


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the records that are missing."""
    services = {values["name"]: _service(position, values, progress) for position, values in enumerate(SERVICES)}
    for position, values in enumerate(STAFF):
        _staff(position, services, values, progress)
    if not BookingCode.objects.filter(code=CODE).exists():
        save_discount_code(model=BookingCode, values={"code": CODE, "kind": "percentage", "percent": Decimal(10)})
        progress(1)
    known = set(Appointment.objects.filter(email__endswith=f"@{DOMAIN}").values_list("email", flat=True))
    for number in range(len(PLAN) * scale):
        status, name, days = PLAN[number % len(PLAN)]
        if _address(number) not in known:
            # Each round of a larger scale is some weeks further from today.
            further = (-21 if days < 0 else 21) * (number // len(PLAN))
            _book(number, status, services[name], days + further)
            progress(1)


def _address(number: int) -> str:
    return f"guest{number + 1}@{DOMAIN}"


def _service(position: int, values: Mapping[str, Any], progress: Callable[[int], None]) -> Service:
    found = Service.objects.filter(name=values["name"]).first()
    if found is not None:
        return found
    given = dict(values)
    picture = get_image_model().objects.filter(title=given.pop("picture", "")).order_by("pk").first()
    amounts = {f"{name}_cents": minor_units(given.pop(name, 0), settings.SITE_CURRENCY) for name in ("price", "deposit")}
    progress(1)
    return save_service(values={**given, **amounts, "image": picture.pk if picture else None, "position": position})


def _staff(position: int, services: Mapping[str, Service], values: Mapping[str, Any], progress: Callable[[int], None]) -> None:
    given = dict(values)
    if Staff.objects.filter(name=given["name"]).exists():
        return
    zone = site_timezone().key
    if given.pop("away", False):
        zone = "America/New_York" if zone != "America/New_York" else "Europe/London"
    hours = [{**row, "service_id": services[row["for"]].pk if "for" in row else None} for row in given["hours"]]
    offered = [services[name] for name in given["services"]]
    staff = save_staff(values={**given, "hours": hours, "services": offered, "timezone": zone, "position": position})
    monday = _today() - timedelta(days=_today().weekday())
    if position == 0:
        save_override(values={"staff": staff, "date": monday + timedelta(days=18), "periods": [("11:00", "14:00")]})
    if position == 1:
        begin = datetime.combine(monday + timedelta(days=14), time(), tzinfo=site_timezone())
        save_time_off(
            values={"staff": staff, "starts_at": begin, "ends_at": begin + timedelta(days=4), "note": "Workshop abroad"}
        )
    progress(1)


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
def _book(number: int, status: AppointmentStatus, service: Service, days: int) -> None:
    staff = list(service.staff.all())
    opening = _free_time(service, staff, days, number)
    if opening is None:
        return
    chosen = [each for each in staff if each.pk == opening.staff_id]
    now, starts_at = timezone.now(), opening.starts_at
    booked_at = min(now, starts_at) - timedelta(days=2 + number % 5, hours=number % 7)
    values = {
        "name": PEOPLE[number % len(PEOPLE)],
        "email": _address(number),
        "phone": "+1 802 555 0142" if number % 2 else "",
        "timezone": "Europe/London" if number % 6 == 5 else "",
        "notes": "I'll be ten minutes early." if number % 8 == 3 else "",
        "answers": ANSWERS.get(service.name, {}),
    }
    customer = read_customer(service, values)
    priced = quote(service, CODE if (status, service.name, days) == (CONFIRMED, THROWING, 8) else "", email=customer.email)
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
