"""The amounts of an appointment, with their labels, as pages and emails show them."""

from functools import partial

from django.conf import settings

from commerce.common.selectors import format_cents

from ..models import Appointment
from ..types.appointments import AppointmentStatus, Price

#: A label and a formatted amount.
Row = tuple[str, str]


def of_price(price: Price) -> list[Row]:
    """Return the amounts of a booking that has not been made."""
    return _rows(settings.SITE_CURRENCY, price)


def of_appointment(appointment: Appointment) -> list[Row]:
    """Return the amounts of an appointment as they were stored."""
    deposit_cents = appointment.deposit_due_cents if appointment.is_pending else 0
    price = Price(appointment.price_cents, appointment.discount_cents, deposit_cents)
    rows = _rows(appointment.currency, price)
    if appointment.amount_paid_cents:
        rows.append(("Paid", format_cents(appointment.amount_paid_cents, appointment.currency)))
    if appointment.amount_paid_cents and appointment.status != AppointmentStatus.CANCELLED:
        rows.append(("Balance due", format_cents(appointment.balance_due_cents, appointment.currency)))
    return rows


def _rows(currency: str, price: Price) -> list[Row]:
    money = partial(format_cents, currency=currency)
    if not price.price_cents:
        return [("Price", "Free")]
    rows = [("Price", money(price.price_cents))]
    if price.discount_cents:
        rows += [("Discount", money(-price.discount_cents)), ("Total", money(price.total_cents))]
    if price.deposit_cents:
        rows.append(("Deposit due now", money(price.deposit_cents)))
    return rows
