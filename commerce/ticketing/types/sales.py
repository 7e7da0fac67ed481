"""Prices, sale windows, and seats that are left. Pure rules."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal

from django.db.models import TextChoices

from commerce.common.types.money import MAX_AMOUNT_CENTS

MAX_NAME = 100
MAX_DESCRIPTION = 1000
MAX_ACCESS_CODE = 40
MAX_SEATS = 100_000
#: Of one ticket, in minor units: orders of a hundred can still be added up.
LARGEST_PRICE = MAX_AMOUNT_CENTS
MAX_PER_ORDER = 100
#: Up to 90 days before a date begins.
MAX_CLOSES_MINUTES = 90 * 24 * 60
#: A date that lasts longer than this is visited at any time until it ends.
LONG_DATE = timedelta(days=1)
#: From this number of free seats on, pages say how many are left.
FEW_SEATS = 20

#: The version of pages that show tickets; the tag is that of an event.
VERSION = "ticketing"


def event_tag(event_id: int) -> str:
    return f"ticketing:{event_id}"


class Pricing(TextChoices):
    FIXED = "fixed", "Fixed price"
    FREE = "free", "Free"
    #: The buyer names the price, from a minimum on.
    OPEN = "open", "Pay what you can"


class SoldUntil(TextChoices):
    """The moment of a date at which its sales end, unless they end earlier."""

    AUTOMATIC = "", "Automatic: the end of all-day and long dates, the start of others"
    START = "start", "The date begins"
    END = "end", "The date ends"


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


@dataclass(frozen=True, slots=True)
class Times:
    """When a date begins and ends; the first and last moments of an all-day one."""

    starts_at: datetime | None
    ends_at: datetime | None = None
    is_all_day: bool = False

    @property
    def is_long(self) -> bool:
        """Return whether people come at any time while it lasts: to a festival, or an exhibition."""
        return self.is_all_day or (
            self.starts_at is not None and self.ends_at is not None and self.ends_at - self.starts_at > LONG_DATE
        )


def window(
    times: Times,
    *,
    opens_at: datetime | None,
    closes_at: datetime | None,
    sold_until: str = SoldUntil.AUTOMATIC,
    closes_before: timedelta = timedelta(0),
) -> Window:
    """Return when tickets for a date are sold: until it begins or ends, less `closes_before`, or earlier.

    An automatic end is the beginning if sales are to close some time before.
    """
    lasts = sold_until == SoldUntil.END or (sold_until == SoldUntil.AUTOMATIC and times.is_long and not closes_before)
    last = (times.ends_at or times.starts_at) if lasts else times.starts_at
    ends = [closes_at, last - closes_before if last is not None else None]
    return Window(opens_at, min((each for each in ends if each is not None), default=None))


@dataclass(frozen=True, slots=True)
class Limits:
    """How many seats a ticket type has at one date: its own, and those that it shares; None without a limit."""

    size: int | None = None
    quota: int | None = None
    quota_size: int | None = None


@dataclass(frozen=True, slots=True)
class Party:
    """People who wait together: for how many seats of which ticket type."""

    ticket_type: int
    quantity: int


class Seats:
    """A count of the seats that are taken at one date, by ticket type. All questions about seats are answered here.

    `limits` are those of all types that share a quota.
    """

    def __init__(self, limits: Mapping[int, Limits], taken: Mapping[int, int]) -> None:
        self.limits, self.taken = limits, dict.fromkeys(limits, 0)
        self._shared: dict[int, int] = {}
        for pk, quantity in taken.items():
            if pk in limits:
                self.take(pk, quantity)

    def take(self, pk: int, quantity: int) -> None:
        """Count seats as taken, whether or not there are enough."""
        self.taken[pk] += quantity
        if (quota := self.limits[pk].quota) is not None:
            self._shared[quota] = self._shared.get(quota, 0) + quantity

    def count_left(self, pk: int) -> int | None:
        """Return the free seats of a ticket type, never less than 0; None without a limit."""
        each = self.limits[pk]
        free = [] if each.size is None else [each.size - self.taken[pk]]
        if each.quota is not None and each.quota_size is not None:
            free.append(each.quota_size - self._shared.get(each.quota, 0))
        return max(0, min(free)) if free else None

    def all_left(self) -> dict[int, int | None]:
        """Return the free seats by ticket type."""
        return {pk: self.count_left(pk) for pk in self.limits}

    def fits(self, wanted: Mapping[int, int]) -> bool:
        """Return whether seats, by ticket type, can be taken together."""
        after = Seats(self.limits, self.taken)
        for pk, quantity in wanted.items():
            left = after.count_left(pk)
            if left is not None and quantity > left:
                return False
            after.take(pk, quantity)
        return True

    def serve(self, line: Iterable[Party]) -> list[int]:
        """Take the seats of people who wait, in turn; return the places in the line of those who could have them.

        A party that does not fit is passed over and blocks nothing: what it cannot use, the next in line can have, and then
        everybody.
        """
        served = []
        for place, party in enumerate(line):
            left = self.count_left(party.ticket_type)
            if left is None or party.quantity <= left:
                self.take(party.ticket_type, party.quantity)
                served.append(place)
        return served

    def largest_party(self, types: Iterable[int]) -> int | None:
        """Return how many seats of one of some types are free at most; None without a limit."""
        free = [self.count_left(pk) for pk in types]
        return None if None in free else max((each for each in free if each is not None), default=0)


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
