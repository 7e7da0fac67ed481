"""Random lives of events: sales, refunds, waiting lists, offers, cancellations, and staff who change seats, against a model.

After each step, the site has and shows what the model says: no seat is sold twice, and each free seat is on sale, or on offer to
somebody who was told so.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from cms_api.content.models import ContentItem
from cms_api.content.services.items import update_item
from cms_api.core.errors import Invalid
from cms_api.mail.models import OutgoingMail
from commerce.ticketing.models import AttendeeTicket, Quota, Reservation, TicketOrder, TicketType, WaitingEntry
from commerce.ticketing.selectors.events import own_date
from commerce.ticketing.selectors.offers import offers_for
from commerce.ticketing.services.buying import give_up_reservation, place_order, reserve_tickets
from commerce.ticketing.services.ending import cancel_order, void_tickets
from commerce.ticketing.services.housekeeping import release_seats
from commerce.ticketing.services.paying import ORDERS
from commerce.ticketing.services.sales import save_sales
from commerce.ticketing.services.waiting import join_waiting_list, leave_waiting_list
from commerce.ticketing.types.sales import Seats
from events.services.dates import change_date
from events.types.plans import DateStatus
from tests.figures import figure

from .builders import adult, buyer, make_sales
from .oracle import CART, PAYMENT, Claim, Oracle, Waiting

#: Tests, lives in each, and steps of a life.
TESTS, LIVES, STEPS = figure(1, 100), figure(6, 20), 25
#: Not during the change to or from summer time.
BEGUN = datetime(2027, 5, 3, 12, 20, 10, tzinfo=UTC)
NAMES = ("Adult", "Child", "VIP")


class _Over(Exception):
    """Rolls a life back."""


class Life:
    """One event with one date, and the model of it."""

    def __init__(self, chance: random.Random, clock: "Clock") -> None:
        self.chance, self.clock = chance, clock
        begins = clock.now + timedelta(hours=chance.choice((2, 30, 200, 200)))
        date = {"start": f"{begins:%Y-%m-%dT%H:%M}", "tz": "UTC", "repeat": None}
        quotas = {"Hall": chance.randint(3, 9)}
        sizes = {name: chance.choice((None, 2, 3, 6)) for name in NAMES}
        shared = {name: "Hall" for name in NAMES if sizes[name] is None or chance.random() < 0.6}
        self.oracle = Oracle(sizes, shared, quotas, begins.replace(second=0, microsecond=0))
        self.event = make_sales(*self.types(), quotas=self.quotas(), data={"event_date": date}, title="A life")
        self.start = own_date(self.event).start  # type: ignore[union-attr]
        self.pks = dict(TicketType.objects.filter(event=self.event).values_list("name", "pk"))
        self.emails = 0
        self.check(Counter())
        if chance.random() < 0.7:
            self.sell_out()

    def types(self) -> list[dict[str, Any]]:
        known = getattr(self, "pks", {})
        return [
            adult(name=name, size=self.oracle.sizes[name], quota=self.oracle.shared.get(name, ""), **_identity(known.get(name)))
            for name in NAMES
        ]

    def quotas(self) -> list[dict[str, Any]]:
        known = dict(Quota.objects.filter(event=self.event).values_list("name", "pk")) if hasattr(self, "event") else {}
        return [{"name": name, "size": size, **_identity(known.get(name))} for name, size in self.oracle.quotas.items()]

    def sell_out(self) -> None:
        """Sell all seats that are limited, in parts."""
        for name in self.chance.sample(NAMES, len(NAMES)):
            while left := self.oracle.left(self.clock.now, name):
                self.choose(Counter({name: min(left, self.chance.randint(1, 4))}))
                self.order()
                self.pay()
                self.check(Counter())

    def step(self) -> str:
        """Do one thing; return its name."""
        steps: list[tuple[int, Callable[[], None]]] = [
            (9, self.choose),
            (10, self.order),
            (10, self.pay),
            (6, self.wait),
            (8, self.void),
            (4, self.cancel),
            (2, self.give_up),
            (2, self.leave),
            (8, self.take_offer),
            (2, self.change_seats),
            (1 if self.oracle.is_published else 12, self.publish),
            (12 if self.oracle.is_cancelled else 1, self.cancel_and_restore),
            (1, self.move),
            (6, self.pay_late),
            (4, self.let_time_pass),
            (3, self.run_job),
        ]
        before, oracle = self.oracle.overbooked(self.clock.now), self.oracle
        placed = [claim.is_placed for claim in oracle.claims.values()]
        offered = [bool(claim.offered_to) for claim in oracle.claims.values() if not claim.is_placed]
        #: Whether there is something to do in a step.
        needed = {
            self.order: not all(offered),
            self.take_offer: any(offered),
            self.pay: any(placed),
            self.cancel: any(placed),
            self.give_up: bool(placed),
            self.leave: bool(oracle.line),
            self.pay_late: bool(oracle.lapsed),
            self.void: any(tickets.total() for tickets in oracle.sold.values()),
        }
        steps = [(weight, each) for weight, each in steps if needed.get(each, True)]
        step = self.chance.choices([each for _, each in steps], [weight for weight, _ in steps])[0]
        step()
        self.check(before)
        return step.__name__

    # Visitors.

    def choose(self, wanted: Counter[str] | None = None) -> None:
        wanted = wanted or Counter(
            {self.chance.choice(NAMES): self.chance.randint(1, 3) for _ in range(self.chance.randint(1, 2))}
        )
        now, oracle = self.clock.now, self.oracle
        may = oracle.is_on_sale(now) and oracle.fits(oracle.not_for_visitors(now), wanted)
        with self.expecting(may):
            reservation = reserve_tickets(
                event=self.reread(), start=self.start, quantities={self.pks[name]: number for name, number in wanted.items()}
            )
            oracle.claims[reservation.pk] = Claim(wanted, now + CART)

    def order(self) -> None:
        self.check_out(offered=False)

    def take_offer(self) -> None:
        self.check_out(offered=True)

    def check_out(self, *, offered: bool) -> None:
        claims = {pk: claim for pk, claim in self.oracle.claims.items() if bool(claim.offered_to) == offered}
        found = [pk for pk, claim in claims.items() if not claim.is_placed]
        if not found:
            return
        pk, now, oracle = self.chance.choice(found), self.clock.now, self.oracle
        claim = oracle.claims[pk]
        is_active = claim.until > now
        fits = is_active or oracle.fits(oracle.not_for_visitors(now), claim.seats)
        takes_place = oracle.is_published and not oracle.is_cancelled and now <= self.ends_at()
        with self.expecting(takes_place and fits):
            place_order(reservation=Reservation.objects.get(pk=pk), values=buyer(email=claim.offered_to or "dana@example.com"))
            claim.is_placed, claim.until = True, now + PAYMENT

    def pay(self) -> None:
        if found := [pk for pk, claim in self.oracle.claims.items() if claim.is_placed]:
            pk = self.chance.choice(found)
            order = TicketOrder.objects.get(reservation=pk)
            assert self.become_paid(order)
            claim = self.oracle.claims.pop(pk)
            self.oracle.sold[order.pk] = claim.seats
            self.set_status(claim.offered_to, "bought")

    def pay_late(self) -> None:
        if found := list(self.oracle.lapsed):
            pk, oracle = self.chance.choice(found), self.oracle
            fits = oracle.fits(oracle.taken(self.clock.now), oracle.lapsed[pk])
            assert self.become_paid(TicketOrder.objects.get(pk=pk)) == fits
            if fits:
                oracle.sold[pk] = oracle.lapsed.pop(pk)

    def become_paid(self, order: TicketOrder) -> bool:
        with transaction.atomic():
            locked = ORDERS.lock(order.pk)
            assert locked
            return ORDERS.become_paid(locked)

    def give_up(self) -> None:
        if found := list(self.oracle.claims):
            pk = self.chance.choice(found)
            claim = self.oracle.claims[pk]
            may = not claim.is_placed and not claim.offered_to
            assert give_up_reservation(reservation=Reservation.objects.get(pk=pk)) == may
            if may:
                del self.oracle.claims[pk]
                self.serve()

    def wait(self) -> None:
        now, oracle = self.clock.now, self.oracle
        gone = [name for name in NAMES if oracle.left(now, name) == 0]
        # Now and then, for tickets that are not sold out.
        name = self.chance.choice(gone if gone and self.chance.random() < 0.9 else NAMES)
        quantity = self.chance.choice((1, 1, 2, 2, 3, 4, 6))
        self.emails += 1
        email = f"guest{self.emails}@example.com"
        sizes = (oracle.sizes[name], oracle.quotas.get(oracle.shared.get(name, "")))
        can_be_served = quantity <= min((size for size in sizes if size), default=quantity)
        with self.expecting(oracle.is_on_sale(now) and oracle.left(now, name) == 0 and can_be_served):
            join_waiting_list(
                event=self.reread(), start=self.start, ticket_type=self.pks[name], name="Noor", email=email, quantity=quantity
            )
            oracle.line.append(Waiting(email, name, quantity))

    def leave(self) -> None:
        if self.oracle.line:
            each = self.chance.choice(self.oracle.line)
            reserved = [pk for pk, claim in self.oracle.claims.items() if claim.offered_to == each.email]
            is_buying = any(self.oracle.claims[pk].is_placed for pk in reserved)
            may = each.status in {"waiting", "offered"} and not is_buying
            assert leave_waiting_list(entry=WaitingEntry.objects.get(email=each.email)) == may
            if may:
                each.status = "left"
                for pk in reserved:
                    del self.oracle.claims[pk]
                self.serve()

    # Staff.

    def void(self) -> None:
        if found := [pk for pk, tickets in self.oracle.sold.items() if tickets.total()]:
            pk = self.chance.choice(found)
            tickets = list(AttendeeTicket.objects.filter(order=pk, status="valid"))
            ended = self.chance.sample(tickets, self.chance.randint(1, len(tickets)))
            assert void_tickets(order=TicketOrder.objects.get(pk=pk), tickets=[each.pk for each in ended]) == len(ended)
            self.oracle.sold[pk] -= Counter(each.type_name for each in ended)
            self.serve()

    def cancel(self) -> None:
        if found := [pk for pk, claim in self.oracle.claims.items() if claim.is_placed]:
            pk = self.chance.choice(found)
            assert cancel_order(order=TicketOrder.objects.get(reservation=pk))
            self.set_status(self.oracle.claims.pop(pk).offered_to, "expired")
            self.serve()

    def change_seats(self) -> None:
        oracle = self.oracle
        if self.chance.random() < 0.5:
            oracle.quotas["Hall"] = self.chance.randint(2, 14)
        name = self.chance.choice(NAMES)
        oracle.sizes[name] = self.chance.choice((0, 3, 6, 10))
        save_sales(event=self.event, values={}, quotas=self.quotas(), types=self.types())
        self.serve()

    def publish(self) -> None:
        self.oracle.is_published = not self.oracle.is_published
        status = "published" if self.oracle.is_published else "draft"
        ContentItem.objects.filter(pk=self.event.pk).update(status=status)

    def cancel_and_restore(self) -> None:
        """Cancel the date, or let it take place after all."""
        oracle = self.oracle
        oracle.is_cancelled = not oracle.is_cancelled
        change_date(item=self.event, start=self.start, status=DateStatus.CANCELLED if oracle.is_cancelled else None)
        for pk in [pk for pk, claim in oracle.claims.items() if claim.offered_to and not claim.is_placed]:
            if oracle.is_cancelled:
                self.set_status(oracle.claims.pop(pk).offered_to, "waiting")

    def move(self) -> None:
        """Move the date, which then takes place: even if it was cancelled, or is over."""
        oracle = self.oracle
        begins = max(oracle.closes_at, self.clock.now) + timedelta(hours=self.chance.choice((-2, -1, 1, 30, 200)))
        date = {"start": f"{begins:%Y-%m-%dT%H:%M}", "tz": "UTC", "repeat": None}
        update_item(item=self.event, values={"data": {"event_date": date}})
        self.start = own_date(self.reread()).start  # type: ignore[union-attr]
        oracle.closes_at, oracle.is_cancelled = begins.replace(second=0, microsecond=0), False
        for claim in oracle.claims.values():
            if claim.offered_to and not claim.is_placed:
                claim.until = min(claim.until, oracle.closes_at)

    # The clock.

    def let_time_pass(self) -> None:
        self.clock.now += timedelta(minutes=self.chance.choice((1, 1, 1, 16, 16, 16, 32, 32, 32, 60 * 25)))

    def run_job(self) -> None:
        release_seats()
        now, oracle = self.clock.now, self.oracle
        ended = [pk for pk, claim in oracle.claims.items() if not claim.is_placed and claim.until <= now]
        for pk in ended:
            self.set_status(oracle.claims.pop(pk).offered_to, "expired")
        if ended or now <= self.ends_at():
            self.serve()
        if now > self.ends_at():
            for each in oracle.line:
                each.status = "expired" if each.status == "waiting" else each.status
        lapsed = sorted((claim.until, pk) for pk, claim in oracle.claims.items() if claim.is_placed and claim.until <= now)
        for _, pk in lapsed:
            claim = oracle.claims.pop(pk)
            oracle.lapsed[self.orders_by_claim[pk]] = claim.seats
            self.set_status(claim.offered_to, "expired")
            self.serve()
        assert not oracle.next_in_line(now), "a seat is neither on sale nor on offer"

    # The comparison.

    def serve(self) -> None:
        offered = WaitingEntry.objects.filter(status="offered", ticket_type__event=self.event)
        self.oracle.serve(self.clock.now, offered.exclude(reservation=None).values_list("email", "reservation_id"))

    def set_status(self, email: str, status: str) -> None:
        for each in self.oracle.line:
            if each.email == email:
                each.status = status

    def ends_at(self) -> datetime:
        ends_at = self.event.ends_at
        assert ends_at
        return ends_at

    def reread(self) -> ContentItem:
        self.event = ContentItem.objects.get(pk=self.event.pk)
        return self.event

    @contextmanager
    def expecting(self, succeeds: bool) -> Iterator[None]:
        """Expect a service to do something, or to refuse it."""
        refusal: dict[str, list[str]] = {}
        try:
            yield
        except Invalid as refused:
            refusal = dict(refused.errors)
        assert bool(refusal) != succeeds, refusal or "should have been refused"

    def check(self, before: Counter[str]) -> None:
        now, oracle = self.clock.now, self.oracle
        self.orders_by_claim = dict(TicketOrder.objects.exclude(reservation=None).values_list("reservation_id", "pk"))
        sold = Counter(AttendeeTicket.objects.filter(event=self.event, status="valid").values_list("type_name", flat=True))
        reserved: Counter[str] = Counter()
        for name, number, until, is_placed in Reservation.objects.filter(event=self.event).values_list(
            "seats__ticket_type__name", "seats__quantity", "until", "is_placed"
        ):
            reserved[name] += number if is_placed or until > now else 0
        assert sold + reserved == oracle.taken(now)
        # Only staff, who take seats away, can make it more than there are; and nothing is added to that.
        if all(size == 0 for size in before.values()) and not self.changed():
            assert not oracle.overbooked(now).total()
        assert dict(WaitingEntry.objects.values_list("email", "status")) == {each.email: each.status for each in oracle.line}
        date = own_date(self.reread())
        assert date
        if oracle.is_on_sale(now):
            assert {each.ticket_type.name: each.left for each in offers_for(date)} == {
                name: oracle.left(now, name) for name in NAMES
            }
        # Everybody who has an offer was told so once, and until when.
        assert OutgoingMail.objects.filter(template="ticket_offer").count() == oracle.offers
        for claim in Reservation.objects.exclude(offer=None).filter(is_placed=False):
            assert claim.until == oracle.claims[claim.pk].until <= oracle.closes_at

    def changed(self) -> bool:
        """Whether the last step may have taken seats away."""
        seats = (tuple(self.oracle.sizes.items()), tuple(self.oracle.quotas.items()))
        changed, self.last_seats = seats != getattr(self, "last_seats", seats), seats
        return changed


def _identity(pk: int | None) -> dict[str, int]:
    return {} if pk is None else {"id": pk}


class Clock:
    """The time of a life."""

    def __init__(self, now: datetime) -> None:
        self.now = now


def live(seed: int, clock: Clock) -> Counter[str]:
    """Live the life of a seed, and undo it; return how often each step was done, and how many offers there were."""
    clock.now = BEGUN
    steps: list[str] = []
    found = Counter()
    try:
        # Like the transaction around a test, which jobs do not refuse to be in.
        around = transaction.atomic()
        vars(around)["_from_testcase"] = True
        with around:
            life = Life(random.Random(seed), clock)
            while len(steps) < STEPS:
                steps.append(life.step())
            found = Counter([*steps, *["offer"] * life.oracle.offers])
            raise _Over
    except _Over:
        return found
    except AssertionError as failure:
        raise AssertionError(f"life {seed} after {steps}: {failure}") from failure


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock(BEGUN)
    monkeypatch.setattr(timezone, "now", lambda: clock.now)
    return clock


@pytest.mark.chance
@pytest.mark.parametrize("test", range(TESTS))
@pytest.mark.both_databases
def test_no_seat_is_lost_or_sold_twice(test: int, clock: Clock) -> None:
    done: Counter[str] = Counter()
    for life in range(LIVES):
        done += live(test * 1000 + life, clock)
    print(f"{LIVES} lives: {dict(sorted(done.items()))}")
    assert done["offer"]


def _first_come(seats: Seats, line: Any) -> list[int]:
    """Let the first who does not fit stop the line."""
    served = []
    for place, party in enumerate(line):
        if not seats.fits({party.ticket_type: party.quantity}):
            break
        seats.take(party.ticket_type, party.quantity)
        served.append(place)
    return served


def _reserve_for_all(seats: Seats, line: Any) -> list[int]:
    """Keep seats for everybody who waits, whether or not they fit."""
    served = []
    for place, party in enumerate(line):
        if seats.fits({party.ticket_type: party.quantity}):
            served.append(place)
        seats.take(party.ticket_type, party.quantity)
    return served


#: Lives differ under `_first_come` in few of a hundred: those before the first of them are left out.
@pytest.mark.parametrize(("rule", "first"), [(_first_come, 58), (_reserve_for_all, 0)])
def test_control_another_rule_is_noticed(rule: Any, first: int, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Seats, "serve", rule)
    with pytest.raises(AssertionError, match="life"):
        sum((live(seed, clock) for seed in range(first, 100)), Counter())
