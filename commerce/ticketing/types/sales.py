"""Prices, sale windows, and seats that are left. Pure rules."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal

from django.db.models import TextChoices

MAX_NAME = 100
MAX_DESCRIPTION = 1000
MAX_ACCESS_CODE = 40
MAX_SEATS = 100_000
#: Of one ticket, in minor units: orders of a hundred can still be added up.
LARGEST_PRICE = 10**11
MAX_PER_ORDER = 100
#: Up to 90 days before a date begins.
MAX_CLOSES = 90 * 24 * 60
#: From this number of free seats on, pages say how many are left.
FEW = 20

#: The version of pages that show tickets; the tag is that of an event.
VERSION = "ticketing"


def event_tag(event_id: int) -> str:
    return f"ticketing:{event_id}"


class Pricing(TextChoices):
    FIXED = "fixed", "Fixed price"
    FREE = "free", "Free"
    #: The buyer names the price, from a minimum on.
    OPEN = "open", "Pay what you can"


class SaleState(TextChoices):
    """Whether a ticket type can be bought for a date now."""

    ON_SALE = "on_sale", "On sale"
    NOT_YET = "not_yet", "Not on sale yet"
    ENDED = "ended", "Sales have ended"
    SOLD_OUT = "sold_out", "Sold out"
    #: No seat is free now, but some are only reserved, and may come back.
    RESERVED = "reserved", "All reserved at the moment"


class WaitingStatus(TextChoices):
    WAITING = "waiting", "Waiting"
    #: Seats are reserved for it until the offer ends.
    OFFERED = "offered", "Offered"
    BOUGHT = "bought", "Bought"
    EXPIRED = "expired", "Expired"
    LEFT = "left", "Left"


#: The statuses in which an address may not join again.
ON_LIST = (WaitingStatus.WAITING, WaitingStatus.OFFERED)


@dataclass(frozen=True, slots=True)
class Window:
    """When tickets are sold; None for no limit."""

    opens_at: datetime | None
    closes_at: datetime | None

    def state(self, now: datetime) -> SaleState:
        if self.opens_at is not None and now < self.opens_at:
            return SaleState.NOT_YET
        return SaleState.ENDED if self.closes_at is not None and now >= self.closes_at else SaleState.ON_SALE

    def next_change(self, now: datetime) -> datetime | None:
        """Return when the state changes next."""
        return min((each for each in (self.opens_at, self.closes_at) if each is not None and each > now), default=None)


def window(
    *, opens_at: datetime | None, closes_at: datetime | None, starts_at: datetime | None, closes_before: timedelta
) -> Window:
    """Return when tickets for a date are sold: until the date begins, less `closes_before`, or earlier."""
    ends = [closes_at, starts_at - closes_before if starts_at is not None else None]
    return Window(opens_at, min((each for each in ends if each is not None), default=None))


@dataclass(frozen=True, slots=True)
class Limits:
    """How many seats a ticket type has at one date: its own, and those that it shares; None without a limit."""

    size: int | None = None
    quota: int | None = None
    quota_size: int | None = None


def seats_left(limits: Mapping[int, Limits], taken: Mapping[int, int]) -> dict[int, int | None]:
    """Return the free seats by ticket type, never less than 0; None without a limit.

    `taken` are the seats by ticket type, of all types that share a quota.
    """
    shared: dict[int, int] = {}
    for pk, each in limits.items():
        if each.quota is not None:
            shared[each.quota] = shared.get(each.quota, 0) + taken.get(pk, 0)
    found: dict[int, int | None] = {}
    for pk, each in limits.items():
        free = [] if each.size is None else [each.size - taken.get(pk, 0)]
        if each.quota is not None and each.quota_size is not None:
            free.append(each.quota_size - shared[each.quota])
        found[pk] = max(0, min(free)) if free else None
    return found


def does_fit(wanted: Mapping[int, int], limits: Mapping[int, Limits], taken: Mapping[int, int]) -> bool:
    """Return whether seats, by ticket type, can be taken together."""
    after = {pk: taken.get(pk, 0) + wanted.get(pk, 0) for pk in limits}
    shared: dict[int, int] = {}
    for pk, each in limits.items():
        if each.quota is not None:
            shared[each.quota] = shared.get(each.quota, 0) + after[pk]
    return all(
        (limits[pk].size is None or after[pk] <= (limits[pk].size or 0)) and _has_room(limits[pk], shared)
        for pk in wanted
        if wanted[pk]
    )


def _has_room(limits: Limits, shared: Mapping[int, int]) -> bool:
    return limits.quota is None or limits.quota_size is None or shared[limits.quota] <= limits.quota_size


def fee_of(prices: Iterable[tuple[int, int]], *, taken_off: int, basis_points: int, fixed_cents: int) -> int:
    """Return the booking fee of tickets, given by their prices and quantities, in minor units.

    The fixed part is for each ticket that is not free; the share is of what is paid after a discount. An order that costs nothing
    has no fee.
    """
    priced = [(cents, quantity) for cents, quantity in prices if cents]
    paid = sum(cents * quantity for cents, quantity in priced) - taken_off
    if paid <= 0:
        return 0
    share = int((Decimal(paid) * basis_points / 10_000).quantize(Decimal(1), ROUND_HALF_UP))
    return share + fixed_cents * sum(quantity for _, quantity in priced)
