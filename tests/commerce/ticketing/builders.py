"""Events with tickets, orders of them, and people who wait."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from cms_api.content.models import ContentItem
from commerce.common.services.discounts import save_discount_code
from commerce.payments.services import decide_test_payment, settle, start_payment
from commerce.payments.types import PaymentStatus
from commerce.ticketing.models import PromoCode, Reservation, TicketOrder, TicketType, WaitingEntry
from commerce.ticketing.selectors.events import date_at, dates_on_offer
from commerce.ticketing.services.buying import place_order, reserve_tickets
from commerce.ticketing.services.sales import save_sales
from commerce.ticketing.services.waiting import join_waiting_list
from tests.events.guests import WEEKLY, make_event, starts

__all__ = ["WEEKLY", "make_event", "starts"]


def adult(**changes: Any) -> dict[str, Any]:
    """The values of a ticket type."""
    return {"name": "Adult", "pricing": "fixed", "price_cents": 3200, **changes}


def make_sales(
    *types: Mapping[str, Any],
    event: ContentItem | None = None,
    quotas: Any = (),
    values: Mapping[str, Any] | None = None,
    **more: Any,
) -> ContentItem:
    """An event that sells tickets: of one type at 32.00 unless others are given. `more` are of the event."""
    event = event or make_event(**more)
    save_sales(event=event, values={"asks_names": False, **(values or {})}, quotas=quotas, types=types or (adult(),))
    return event


def type_of(event: ContentItem, name: str = "Adult") -> TicketType:
    return TicketType.objects.get(event=event, name=name)


def first_start(event: ContentItem) -> str:
    return dates_on_offer(event)[0].start


def wanted(event: ContentItem, quantities: Mapping[str, int]) -> dict[int, int]:
    return {type_of(event, name).pk: quantity for name, quantity in quantities.items()}


def make_reservation(event: ContentItem, start: str = "", code: str = "", prices: Any = None, **quantities: int) -> Reservation:
    """A reservation of one adult ticket, or of the given numbers: `Adult=2`."""
    return reserve_tickets(
        event=event,
        start=start or first_start(event),
        quantities=wanted(event, quantities or {"Adult": 1}),
        prices=prices,
        code=code,
    )


def buyer(**changes: Any) -> dict[str, Any]:
    """The values of a checkout."""
    return {"name": "Dana Reyes", "email": "dana@example.com", **changes}


def make_order(event: ContentItem, start: str = "", code: str = "", buyer_values: Any = None, **quantities: int) -> TicketOrder:
    """An order that waits for its payment; a free one is paid."""
    reservation = make_reservation(event, start, code, **quantities)
    return place_order(reservation=reservation, values=buyer(**(buyer_values or {})))


def pay(order: TicketOrder) -> TicketOrder:
    """Pay an order by a test payment."""
    payment = start_payment(payable="ticket_order", record_id=order.pk)
    decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    settle(payment_id=payment.pk)
    order.refresh_from_db()
    return order


def paid_order(event: ContentItem, start: str = "", code: str = "", buyer_values: Any = None, **quantities: int) -> TicketOrder:
    return pay(make_order(event, start, code, buyer_values, **quantities))


def make_promo(code: str = "SPRING10", **changes: Any) -> PromoCode:
    event = changes.pop("event", None)
    promo = save_discount_code(
        model=PromoCode, values={"code": code, "kind": "percentage", "percent": Decimal(changes.pop("percent", 10)), **changes}
    )
    if event is not None:
        PromoCode.objects.filter(pk=promo.pk).update(event=event)
        promo.event = event
    return promo


def wait(event: ContentItem, email: str = "noor@example.com", quantity: int = 1, start: str = "", **more: Any) -> WaitingEntry:
    """Somebody on the waiting list."""
    given = {"ticket_type": type_of(event).pk, "name": "Noor de Vries", "email": email, "quantity": quantity, **more}
    return join_waiting_list(event=event, start=start or first_start(event), **given)


def words(event: ContentItem, start: str) -> str:
    date = date_at(event, start)
    assert date
    return date.words
