"""Ticket sales as the public pages show them: the tickets to choose for a date, and the offers for search engines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from cms_api.content.models import ContentItem
from cms_api.core.time_zones import zone_label
from cms_api.flags.selectors import get_setting, site_formats, site_timezone
from cms_api.http import page_cache
from commerce.common.resources.pages import absolute
from commerce.common.selectors import format_cents
from commerce.common.types.amounts import typed_amount
from commerce.common.types.money import Money

from ..models import Reservation
from ..selectors.events import TYPE, EventDate, date_at, dates_on_offer, is_repeating
from ..selectors.offers import Offer, offered_types, offers_for
from ..types.sales import FEW_SEATS, Pricing, SaleState
from . import mails

#: Names of inputs and parameters. Those of a ticket type end with its id.
OCCURRENCE, CODE, QUANTITY, PRICE = "occurrence", "code", "quantity-", "price-"

_AVAILABILITY = {
    SaleState.ON_SALE: "InStock",
    SaleState.NOT_YET: "PreOrder",
    SaleState.SOLD_OUT: "SoldOut",
    SaleState.RESERVED: "SoldOut",
}


@dataclass(frozen=True)
class Entered:
    """The input of a visitor by the names of the inputs, and the refusals of a service."""

    values: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __getitem__(self, name: str) -> str:
        return self.values.get(name, "")


@dataclass(frozen=True)
class Row:
    """A ticket type to choose."""

    offer: Offer
    id: str
    price: str
    #: Why it cannot be bought, or how few are left.
    state: str
    #: The numbers to choose, and whether each is chosen.
    quantities: Sequence[tuple[int, bool]]
    #: Typed or proposed, if the buyer names the price; and the least.
    amount: str = ""
    least: str = ""
    error: str = ""
    price_error: str = ""
    #: Leads to the waiting list, if there is one.
    wait_url: str = ""

    @property
    def is_open(self) -> bool:
        return self.offer.ticket_type.pricing == Pricing.OPEN

    @property
    def can_buy(self) -> bool:
        return bool(self.quantities)


@dataclass(frozen=True)
class Picker:
    """The tickets of one date, and the other dates to choose from."""

    event: ContentItem
    date: EventDate
    dates: Sequence[EventDate]
    rows: Sequence[Row]
    code: str
    #: Some tickets show only after a code was entered.
    has_hidden: bool
    #: Whether the event has other dates, if only without tickets.
    is_repeating: bool
    summary: Sequence[tuple[str, str]] = ()
    errors: Mapping[str, str] = field(default_factory=dict)

    @property
    def action(self) -> str:
        return tickets_path(self.event)

    @property
    def currency(self) -> str:
        return settings.SITE_CURRENCY.upper()

    @property
    def names_date(self) -> bool:
        """Return whether the date is not the only one, and there is nothing to choose."""
        return len(self.dates) == 1 and self.is_repeating

    @property
    def can_buy(self) -> bool:
        return any(row.can_buy for row in self.rows)

    @property
    def takes_codes(self) -> bool:
        return self.has_hidden or self.can_buy

    @property
    def has_fee(self) -> bool:
        keys = ("ticketing.fee_basis_points", "ticketing.fee_fixed_cents")
        priced = any(row.can_buy and row.offer.ticket_type.pricing != Pricing.FREE for row in self.rows)
        return priced and any(int(get_setting(key)) > 0 for key in keys)


def tickets_path(event: ContentItem) -> str:
    return reverse("tickets_reserve", args=[event.slug])


def event_path(event: ContentItem) -> str:
    return reverse("item_detail", args=[TYPE, event.slug])


def picker(event: ContentItem, wanted: str, entered: Entered | None = None) -> Picker | None:
    """Return the tickets of the wanted date, or else of the next one with tickets; None if the event offers none.

    Tells the page cache when they change by the clock.
    """
    entered = entered or Entered()
    types = offered_types(event.pk)
    dates = [each for each in dates_on_offer(event) if any(start in {"", each.start} for start, _ in types)] if types else []
    if not dates:
        return None
    date = _choose(event, dates, wanted)
    if all(each.start != date.start for each in dates):
        dates = [*dates, date]
    code = entered[CODE]
    offers = offers_for(date, code=code)
    has_hidden = any(access and start in {"", date.start} for start, access in types)
    _watch_clock(dates, offers)
    errors = {path.replace(".", "-"): " ".join(sentences) for path, sentences in entered.errors.items()}
    rows = [_row(date, offer, entered, errors) for offer in offers]
    summary = _summary(rows, errors, has_choice=len(dates) > 1)
    return Picker(event, date, dates, rows, code, has_hidden, is_repeating(event), summary, errors)


def _choose(event: ContentItem, dates: Sequence[EventDate], wanted: str) -> EventDate:
    """Return the wanted date if it takes place, even if it is later than those to choose from, or has no tickets."""
    found = date_at(event, wanted) if wanted else None
    return found if found is not None and found.takes_place else dates[0]


def _watch_clock(dates: Sequence[EventDate], offers: Sequence[Offer]) -> None:
    now = timezone.now()
    changes = [each.row.ends_at for each in dates] + [each.window.next_change(now) for each in offers]
    for change in changes:
        if change is not None:
            page_cache.good_until(change)


def _row(date: EventDate, offer: Offer, entered: Entered, errors: Mapping[str, str]) -> Row:
    each, pk = offer.ticket_type, str(offer.ticket_type.pk)
    typed = entered[QUANTITY + pk]
    numbers = range(each.min_per_order, offer.most + 1)
    amount = ""
    if each.pricing == Pricing.OPEN:
        proposed = each.price_cents if each.suggested_cents is None else each.suggested_cents
        amount = entered.values.get(PRICE + pk, typed_amount(proposed))
    query = {"type": pk, OCCURRENCE: date.start, **({CODE: entered[CODE]} if each.access_code else {})}
    return Row(
        offer,
        f"tickets-{pk}",
        price_text(offer),
        state_text(offer),
        [(0, typed in {"", "0"}), *((number, typed == str(number)) for number in numbers)] if numbers else [],
        amount,
        format_cents(each.price_cents, settings.SITE_CURRENCY) if each.price_cents else "",
        errors.get(f"quantity-{pk}", ""),
        errors.get(f"price-{pk}", ""),
        f"{reverse('tickets_wait', args=[date.event.slug])}?{urlencode(query, safe=':')}" if offer.can_wait else "",
    )


def _summary(rows: Sequence[Row], errors: Mapping[str, str], *, has_choice: bool) -> list[tuple[str, str]]:
    """Return the refusals with the ids of their inputs."""
    places = {"occurrence": "tickets-occurrence"} if has_choice else {}
    places["code"] = "tickets-code"
    for row in rows:
        if row.can_buy:
            places.setdefault("quantity", row.id)
            places[f"quantity-{row.offer.ticket_type.pk}"] = row.id
            places[f"price-{row.offer.ticket_type.pk}"] = f"{row.id}-price"
    return [(sentence, places.get(path, "")) for path, sentence in errors.items()]


def price_text(offer: Offer) -> str:
    each = offer.ticket_type
    if each.pricing == Pricing.OPEN:
        return "Pay what you can"
    return format_cents(each.price_cents, settings.SITE_CURRENCY) if each.price_cents else "Free"


def state_text(offer: Offer) -> str:
    """Return the state of a ticket type in words; empty if plenty of tickets are on sale."""
    if offer.state == SaleState.NOT_YET:
        return f"On sale from {mails.moment(offer.window.opens_at)}" if offer.window.opens_at else ""
    if offer.state == SaleState.ON_SALE:
        return f"{offer.left} left" if offer.left is not None and offer.left <= FEW_SEATS else ""
    if offer.state == SaleState.RESERVED:
        return "All reserved at the moment. Try again in a few minutes."
    return str(offer.state.label)


def until_text(reservation: Reservation) -> str:
    """Return until when seats are reserved: a time of today, or a day and a time."""
    zone = site_timezone()
    local = reservation.until.astimezone(zone)
    if local.date() != timezone.now().astimezone(zone).date():
        return mails.moment(reservation.until)
    return f"{site_formats().time(local)} ({zone_label(zone.key)})"


def linked_offers(shown: Picker) -> list[dict[str, Any]]:
    """Return schema.org's Offers of the tickets that are on sale, or will be, or are sold out."""
    return [_linked_offer(shown, row.offer) for row in shown.rows if row.offer.state in _AVAILABILITY]


def _linked_offer(shown: Picker, offer: Offer) -> dict[str, Any]:
    each, opens_at = offer.ticket_type, offer.window.opens_at
    return {
        "@type": "Offer",
        "name": each.name,
        "price": str(Money(each.price_cents, settings.SITE_CURRENCY).amount),
        "priceCurrency": settings.SITE_CURRENCY.upper(),
        "availability": f"https://schema.org/{_AVAILABILITY[offer.state]}",
        **({"validFrom": opens_at.isoformat(timespec="seconds")} if opens_at else {}),
        "url": absolute(event_path(shown.event)),
    }
