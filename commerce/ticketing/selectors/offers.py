"""The offers for one date of an event, and their prices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from django.conf import settings
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.flags.selectors import get_setting
from commerce.common.selectors import get_discount_code, rates_for
from commerce.common.types.discounts import CODE, MAX_CODE, code_key
from commerce.common.types.money import Money
from commerce.common.types.tax import NO_TAX, Supply, TaxClass, TaxRate
from commerce.common.types.totals import LineItem, Totals, totals_of
from commerce.sales.selectors import SaleCodes

from ..models import PromoCode, TicketOrder, TicketType
from ..types.orders import access_key
from ..types.sales import SaleState, Seats, Window, fee_of, window
from .events import EventDate
from .seats import count_sold, count_taken, limits_of, line_for, party_of, types_of

#: A ticket type, how many of it, and the price of one.
Line = tuple[TicketType, int, int]

CODES = SaleCodes(PromoCode, TicketOrder, "promo")


@dataclass(frozen=True, slots=True)
class Offer:
    """A ticket type as a visitor sees it. `left` is None if there is no limit."""

    ticket_type: TicketType
    state: SaleState
    window: Window
    left: int | None = None

    @property
    def most(self) -> int:
        """Return how many a visitor can buy now."""
        if self.state != SaleState.ON_SALE:
            return 0
        return self.ticket_type.max_per_order if self.left is None else min(self.left, self.ticket_type.max_per_order)

    @property
    def can_wait(self) -> bool:
        return self.state in {SaleState.SOLD_OUT, SaleState.RESERVED} and self.ticket_type.has_waiting_list


def is_unlocked(ticket_type: TicketType, code: str) -> bool:
    return not ticket_type.access_code or ticket_type.access_code == access_key(code)


def is_for(ticket_type: TicketType, start: str) -> bool:
    return ticket_type.start in {"", start}


def window_of(ticket_type: TicketType, date: EventDate) -> Window:
    return window(
        date.times,
        opens_at=ticket_type.sales_start,
        closes_at=ticket_type.sales_end,
        sold_until=ticket_type.sold_until,
        closes_before=ticket_type.closes_before,
    )


def types_on_sale(types: Sequence[TicketType], date: EventDate) -> set[int]:
    """Return the ids of the ticket types that can be sold for a date now, if there are seats."""
    if not date.takes_place:
        return set()
    now = timezone.now()
    return {
        each.pk
        for each in types
        if each.is_offered and is_for(each, date.start) and window_of(each, date).state(now) == SaleState.ON_SALE
    }


def seats_for_visitors(date: EventDate, types: Sequence[TicketType]) -> Seats:
    """Return the count of the seats of a date that visitors cannot have: sold and reserved ones, and those that are about to be
    offered to people who wait (three statements).

    `types` are all of the event. Somebody who cannot be served now takes no seat away from anybody.
    """
    seats = count_taken(date.event.pk, date.start, types)
    seats.serve(map(party_of, line_for(seats, date.start, types_on_sale(types, date))))
    return seats


def can_serve(date: EventDate) -> bool:
    """Return whether somebody waits for seats of a date who could have them now."""
    types = types_of(date.event.pk)
    seats = count_taken(date.event.pk, date.start, types)
    line = line_for(seats, date.start, types_on_sale(types, date))
    return bool(seats.serve(map(party_of, line)))


def free_seats(date: EventDate) -> dict[int, int | None]:
    """Return the seats of each ticket type that visitors can have; None without a limit (four statements)."""
    return seats_for_visitors(date, types_of(date.event.pk)).all_left()


def offers_for(date: EventDate, *, code: str = "") -> list[Offer]:
    """Return the ticket types of a date, without those that are hidden and that `code` does not unlock (five statements)."""
    types = types_of(date.event.pk)
    if not types:
        return []
    now, start = timezone.now(), date.start
    free = seats_for_visitors(date, types)
    # If nobody bought what is reserved.
    in_the_end = Seats(limits_of(types), count_sold(date.event.pk, start))
    found = []
    for each in types:
        if not each.is_offered or not is_for(each, start) or not is_unlocked(each, code):
            continue
        sale = window_of(each, date)
        state, left = sale.state(now), free.count_left(each.pk)
        if state == SaleState.ON_SALE and left is not None and left < each.min_per_order:
            back = in_the_end.count_left(each.pk)
            state = SaleState.RESERVED if back is not None and back >= each.min_per_order else SaleState.SOLD_OUT
        found.append(Offer(each, state, sale, left))
    return found


def offered_types(event_id: int) -> list[tuple[str, str]]:
    """Return the start of the only date, or an empty text, and the access code of each ticket type that an event offers."""
    return list(TicketType.objects.filter(event=event_id, is_offered=True).values_list("start", "access_code"))


def offers_tickets(event_id: int) -> bool:
    """Return whether an event offers ticket types, even if they are sold out or their sales have ended."""
    return TicketType.objects.filter(event=event_id, is_offered=True).exists()


@dataclass(frozen=True)
class Quote:
    """The price of some tickets now."""

    lines: Sequence[Line]
    totals: Totals
    prices_include_tax: bool
    rates: Mapping[str, TaxRate]
    #: The promo code that applies, or else why the one that was entered does not.
    code: PromoCode | None = None
    code_problem: str = ""

    @property
    def currency(self) -> str:
        return str(settings.SITE_CURRENCY)

    @property
    def fee_cents(self) -> int:
        return self.totals.shipping_cents

    @property
    def total(self) -> Money:
        return Money(self.totals.total_cents, self.currency)

    @property
    def count(self) -> int:
        return sum(quantity for _, quantity, _ in self.lines)


def quote(lines: Sequence[Line], *, event_id: int, code: str = "", email: str = "", order: TicketOrder | None = None) -> Quote:
    """Return the price of tickets at the taxes of where the business is.

    A promo code that does not apply is left out, and `code_problem` says why; `order` may already use it. A code that unlocks a
    ticket type is no promo code, whether or not that type was chosen. Where nothing is to be paid, no code is used.
    """
    inclusive = bool(get_setting("taxes.prices_include_tax"))
    rates = rates_for(Supply.AT_EVENT)
    items = [LineItem(cents, quantity, rate=rates.get(each.tax_class, NO_TAX)) for each, quantity, cents in lines]
    subtotal = sum(item.price_cents for item in items)
    applied, problem = CODES.find(code, subtotal, email=email, sale=order, get=partial(find_promo, event_id=event_id))
    if not subtotal or _unlocks(lines, code) or (problem and is_access_code(code, event_id)):
        applied, problem = None, ""
    taken_off = applied.discount.of_items(subtotal) if applied else 0
    fee = fee_of(
        [(cents, quantity) for _, quantity, cents in lines],
        taken_off=taken_off,
        basis_points=min(max(0, int(get_setting("ticketing.fee_basis_points"))), 10_000),
        fixed_cents=max(0, int(get_setting("ticketing.fee_fixed_cents"))),
    )
    charged = LineItem(fee, rate=rates.get(TaxClass.STANDARD, NO_TAX))
    totals = totals_of(items, discount_cents=taken_off, shipping=charged, inclusive=inclusive)
    totals = totals.round_total(settings.SITE_CURRENCY)
    return Quote(lines, totals, inclusive, rates, code=applied, code_problem=problem)


def _unlocks(lines: Sequence[Line], code: str) -> bool:
    """Return whether a code unlocks one of the chosen ticket types."""
    key = access_key(code)
    return bool(key) and any(each.access_code == key for each, _, _ in lines)


def is_access_code(text: str, event_id: int) -> bool:
    """Return whether a text unlocks one of the ticket types that an event offers."""
    key = access_key(text)
    return bool(key) and TicketType.objects.filter(event=event_id, access_code=key, is_offered=True).exists()


def find_promo(text: str, event_id: int) -> PromoCode:
    """Return the promo code that a buyer of an event's tickets entered. Raises Invalid (`discount_code`)."""
    code = get_discount_code(PromoCode, text)
    if code.event_id not in {None, event_id}:
        raise Invalid({"discount_code": "This discount code is for another event."})
    return code


def is_known_code(text: str, event_id: int) -> bool:
    """Return whether a text is a promo code for an event, or unlocks one of its ticket types."""
    typed = code_key(text)
    if len(typed) > MAX_CODE or not CODE.fullmatch(typed):
        return False
    if is_access_code(typed, event_id):
        return True
    try:
        find_promo(text, event_id)
    except Invalid:
        return False
    return True
