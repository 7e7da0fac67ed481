"""The price of a booking, with a discount code."""

from dataclasses import dataclass

from django.conf import settings

from commerce.common.selectors import format_money
from commerce.common.types.money import Money, payable_cents
from commerce.sales.selectors import SaleCodes

from ..models import Appointment, BookingCode, Service
from ..types.appointments import Price, price_of

CODES = SaleCodes(BookingCode, Appointment, "code")


@dataclass(frozen=True, slots=True)
class Quote:
    """The price of a service now. `code_problem` says why the code that was entered does not apply."""

    price: Price
    code: BookingCode | None = None
    code_problem: str = ""

    @property
    def total(self) -> str:
        return format_money(Money(self.price.total_cents, settings.SITE_CURRENCY))


def quote(service: Service, code_text: str = "", *, email: str = "") -> Quote:
    """Return the price of a service; `email` is checked against the uses of a code by one customer."""
    # Where nothing is to be paid, no code is used, and the page asks for none.
    code, problem = CODES.find(code_text, service.price_cents, email=email) if service.price_cents else (None, "")
    left = service.price_cents - (code.discount.of_items(service.price_cents) if code else 0)
    taken_off = max(0, service.price_cents - payable_cents(left, settings.SITE_CURRENCY))
    price = price_of(service.price_cents, deposit_cents=service.deposit_cents, discount_cents=taken_off)
    return Quote(price, code, problem)
