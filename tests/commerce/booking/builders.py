"""Builders of booking's records, by its services, with the changes that a test needs."""

import itertools
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from cms_api.core.errors import Invalid
from commerce.booking.models import Appointment, BookingCode, Service, Staff
from commerce.booking.services import book_appointment, save_service, save_staff
from commerce.booking.types.appointments import PAYABLE
from commerce.common.services.discounts import save_discount_code
from commerce.payments.models import Payment
from commerce.payments.services import decide_test_payment, settle, start_payment
from commerce.payments.types import PaymentStatus

_numbers = itertools.count(1)

#: Around the clock, every day of the week.
ALWAYS = [{"weekday": day, "opens": time(0), "closes": time(0)} for day in range(7)]
#: The least notice, so that tests may book for today.
FREE = {"notice_minutes": 0, "cancel_notice_hours": 0}


def make_service(name: str = "", **values: Any) -> Service:
    """A service of an hour that costs 50.00, without notice."""
    return save_service(values={"name": name or f"Service {next(_numbers)}", "price_cents": 5000, **FREE, **values})


def make_staff(*services: Service, **values: Any) -> Staff:
    """A member of staff who works around the clock in UTC."""
    name = values.pop("name", f"Robin {next(_numbers)}")
    return save_staff(values={"name": name, "timezone": "UTC", "services": services, "hours": ALWAYS, **values})


def customer(**changes: Any) -> dict[str, Any]:
    """The values of a booking."""
    return {"name": "Dana Reyes", "email": "dana@example.com", "phone": "", "timezone": "America/New_York", **changes}


def at(days: int = 1, hour: int = 9, minute: int = 0) -> datetime:
    """A time of a later day, in UTC."""
    day = timezone.now().astimezone(UTC).date() + timedelta(days=days)
    return datetime.combine(day, time(hour, minute), tzinfo=UTC)


def utc(wanted: str) -> datetime:
    """A time in UTC, as in `2026-03-02 09:00`."""
    return datetime.fromisoformat(wanted).replace(tzinfo=UTC)


def weekly(opens: str, closes: str, *, days: Iterable[int] = range(7), service: Service | None = None) -> list[dict[str, Any]]:
    """Weekly periods from one time of the clock to another."""
    times = {"opens": time.fromisoformat(opens), "closes": time.fromisoformat(closes)}
    return [{"weekday": day, **times, "service_id": service.pk if service else None} for day in days]


def make_code(code: str, **values: Any) -> BookingCode:
    """A code for 10% off."""
    return save_discount_code(model=BookingCode, values={"code": code, "kind": "percentage", "percent": Decimal(10), **values})


def pay(appointment: Appointment, status: PaymentStatus = PaymentStatus.SUCCEEDED) -> Payment:
    """Pay online what is due, or let it fail; return the settled attempt."""
    payment = start_payment(payable=PAYABLE, record_id=appointment.pk)
    decide_test_payment(payment=payment, status=status)
    payment = settle(payment_id=payment.pk)
    appointment.refresh_from_db()
    return payment


def refusals(work: Callable[[], Any]) -> dict[str, str]:
    """Run something that is refused; return the refusals."""
    with pytest.raises(Invalid) as refusal:
        work()
    return {key: " ".join(sentences) for key, sentences in refusal.value.errors.items()}


def make_appointment(
    service: Service | None = None,
    staff: Staff | None = None,
    starts_at: datetime | None = None,
    *,
    user: Any = None,
    by_staff: bool = False,
    **changes: Any,
) -> Appointment:
    """A confirmed appointment of tomorrow at nine, with a new service and member of staff by default."""
    booked = service or make_service()
    if not booked.staff.exists():
        make_staff(booked)
    return book_appointment(
        service=booked, staff=staff, starts_at=starts_at or at(), values=customer(**changes), user=user, by_staff=by_staff
    )
