"""Appointments: statuses, and amounts in minor units."""

from dataclasses import dataclass

from django.db.models import TextChoices

#: The name of appointments among what is paid for; payments store it.
PAYABLE = "appointment"
#: Pending or confirmed, and in the future: a view of lists, and no status.
UPCOMING = "upcoming"
MAX_NOTES = 2000
MAX_ZONE = 64
#: A SHA-256 in hexadecimal digits.
MAX_FORM_KEY = 64
#: Fields that one service asks for.
MAX_QUESTIONS = 30


class AppointmentStatus(TextChoices):
    #: It waits for its deposit, or for somebody to confirm it; its time is reserved.
    PENDING = "pending"
    CONFIRMED = "confirmed"
    CANCELLED = "cancelled"
    COMPLETED = "completed"
    NO_SHOW = "no_show", "No-show"


#: Those that take somebody's time, or will.
ACTIVE = (AppointmentStatus.PENDING, AppointmentStatus.CONFIRMED)


@dataclass(frozen=True, slots=True)
class Price:
    """The price of an appointment. The discount is part of `price_cents`, and the deposit of what is left."""

    price_cents: int
    discount_cents: int
    deposit_cents: int

    @property
    def total_cents(self) -> int:
        return self.price_cents - self.discount_cents


def price_of(price_cents: int, *, deposit_cents: int, discount_cents: int = 0) -> Price:
    """Return the price of a booking. A deposit is never more than what is to be paid."""
    discount = min(discount_cents, price_cents)
    return Price(price_cents, discount, min(deposit_cents, price_cents - discount))
