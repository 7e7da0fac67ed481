"""The seats that each person should have: a model that shares no code with the product.

Seats are counted one by one in lists, the slow and obvious way.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

CART, PAYMENT, OFFER = timedelta(minutes=15), timedelta(minutes=31), timedelta(hours=24)


@dataclass
class Claim:
    """Seats that are not paid: a cart, an order, or an offer."""

    seats: Counter[str]
    until: datetime
    is_placed: bool = False
    #: The email address of the person on the waiting list who has the offer.
    offered_to: str = ""


@dataclass
class Waiting:
    email: str
    ticket: str
    quantity: int
    status: str = "waiting"


@dataclass
class Oracle:
    """The state of one date. `sizes` are the seats by ticket type, `quotas` those that the types of `shared` have in common."""

    sizes: dict[str, int | None]
    shared: dict[str, str]
    quotas: dict[str, int]
    closes_at: datetime
    is_published: bool = True
    is_cancelled: bool = False
    sold: dict[int, Counter[str]] = field(default_factory=dict)
    claims: dict[int, Claim] = field(default_factory=dict)
    line: list[Waiting] = field(default_factory=list)
    #: Seats of orders that nobody paid in time, by order.
    lapsed: dict[int, Counter[str]] = field(default_factory=dict)
    #: How often somebody got an offer.
    offers: int = 0

    def taken(self, now: datetime) -> Counter[str]:
        found: Counter[str] = Counter()
        for tickets in self.sold.values():
            found += tickets
        for claim in self.claims.values():
            if claim.is_placed or claim.until > now:
                found += claim.seats
        return found

    def fits(self, taken: Counter[str], wanted: Counter[str]) -> bool:
        """Whether seats can be had together, if others are taken."""
        after = taken + wanted
        for ticket, size in self.sizes.items():
            if wanted[ticket] and size is not None and after[ticket] > size:
                return False
        for quota, size in self.quotas.items():
            members = [ticket for ticket, name in self.shared.items() if name == quota]
            if any(wanted[each] for each in members) and sum(after[each] for each in members) > size:
                return False
        return True

    def is_on_sale(self, now: datetime) -> bool:
        return self.is_published and not self.is_cancelled and now < self.closes_at

    def next_in_line(self, now: datetime) -> list[Waiting]:
        """Return the people who should have seats before anybody else."""
        taken, found = self.taken(now), []
        for each in self.line:
            wanted = Counter({each.ticket: each.quantity})
            if self.is_on_sale(now) and each.status == "waiting" and self.fits(taken, wanted):
                taken += wanted
                found.append(each)
        return found

    def not_for_visitors(self, now: datetime) -> Counter[str]:
        found = self.taken(now)
        for each in self.next_in_line(now):
            found[each.ticket] += each.quantity
        return found

    def left(self, now: datetime, ticket: str) -> int | None:
        """Return how many seats of a type visitors can have: the most that fit, counted up."""
        taken = self.not_for_visitors(now)
        if self.sizes[ticket] is None and ticket not in self.shared:
            return None
        number = 0
        while self.fits(taken, Counter({ticket: number + 1})):
            number += 1
        return number

    def overbooked(self, now: datetime) -> Counter[str]:
        """Return by how many seats each type and quota is exceeded; nothing unless staff took seats away."""
        taken, found = self.taken(now), Counter()
        for ticket, size in self.sizes.items():
            if size is not None:
                found[ticket] = max(0, taken[ticket] - size)
        for quota, size in self.quotas.items():
            found[f"quota {quota}"] = max(0, sum(taken[each] for each, name in self.shared.items() if name == quota) - size)
        return found

    def serve(self, now: datetime, keys: Iterable[tuple[str, int]]) -> None:
        """Give offers in turn; `keys` are the new reservations by address."""
        by_address = dict(keys)
        for each in self.next_in_line(now):
            assert each.email in by_address, f"{each.email} should have an offer"
            each.status = "offered"
            until = min(now + OFFER, self.closes_at)
            self.claims[by_address[each.email]] = Claim(Counter({each.ticket: each.quantity}), until, offered_to=each.email)
            self.offers += 1
