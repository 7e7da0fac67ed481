"""One of every kind of sale, each of which waits for a payment."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from cms_api.flags.services import set_setting, switch_feature
from commerce.booking.models import Appointment
from commerce.directory.models import Purchase
from commerce.members.models import Member
from commerce.members.services import choose_plan
from tests.commerce.booking import builders as booking
from tests.commerce.directory import builders as directory
from tests.commerce.donations import builders as donations
from tests.commerce.invoicing import builders as invoicing
from tests.commerce.members.conftest import make_member, make_plan
from tests.commerce.restaurant import builders as restaurant
from tests.commerce.shop import builders as shop
from tests.commerce.ticketing import builders as ticketing

FEATURES = ("shop", "restaurant", "booking", "events", "donations", "invoicing", "members", "directory")


@dataclass(frozen=True)
class Sale:
    """A kind of sale: how to make one, how its record changes, and how to see that it is paid."""

    payable: str
    make: Callable[[], Any]
    #: Let it cost so many minor units, and be in another currency.
    amount: Callable[[Any, int], None]
    currency: Callable[[Any, str], None]
    #: End it, so that it needs no money any more.
    end: Callable[[Any], None]
    is_paid: Callable[[Any], bool]
    #: Whether it can be paid in parts.
    in_parts: bool = False
    #: Whether money pays it at the price at which it was asked for, also if it costs more by now.
    at_asked_price: bool = False


def _set(record: Any, values: Mapping[str, Any]) -> None:
    type(record)._default_manager.filter(pk=record.pk).update(**values)


def _plain(payable: str, make: Callable[[], Any], *, amount: str = "total_cents", ended: Any = "cancelled", **more: Any) -> Sale:
    return Sale(
        payable,
        make,
        amount=lambda record, cents: _set(record, {amount: cents}),
        currency=lambda record, code: _set(record, {"currency": code}),
        end=lambda record: _set(record, {"status": ended}),
        **more,
    )


def _booked() -> Appointment:
    return booking.make_appointment(booking.make_service(deposit_cents=5000))


def _purchase() -> Purchase:
    return directory.make_purchase(directory.make_ended(owner=directory.make_owner()))


def _member() -> Member:
    member = make_member("mia@example.com", "Mia Chen")
    choose_plan(member=member, plan=make_plan("Studio", price_cents=5000, interval="year"))
    member.refresh_from_db()
    return member


def _plan(member: Member) -> Any:
    return Member.objects.select_related("requested_plan", "plan").get(pk=member.pk).requested_plan


def _is(status: str) -> Callable[[Any], bool]:
    return lambda record: record.status == status


SALES = {
    sale.payable: sale
    for sale in (
        _plain("order", shop.make_order, is_paid=_is("paid")),
        _plain("restaurant_order", lambda: restaurant.make_order(payment_method="online"), is_paid=_is("placed")),
        Sale(
            "appointment",
            _booked,
            amount=lambda record, cents: _set(record, {"price_cents": cents, "deposit_cents": cents}),
            currency=lambda record, code: _set(record, {"currency": code}),
            end=lambda record: _set(record, {"status": "cancelled"}),
            is_paid=_is("confirmed"),
        ),
        _plain("ticket_order", lambda: ticketing.make_order(ticketing.make_sales(ticketing.adult())), is_paid=_is("paid")),
        _plain("donation", donations.make_donation, amount="amount_cents", ended="refunded", is_paid=_is("paid")),
        Sale(
            "invoice",
            invoicing.make_invoice,
            amount=lambda record, cents: _set(record, {"total_cents": cents, "balance_due_cents": cents}),
            currency=lambda record, code: _set(record, {"currency": code}),
            end=lambda record: _set(record, {"status": "void"}),
            is_paid=_is("paid"),
            in_parts=True,
        ),
        Sale(
            "plan",
            _member,
            amount=lambda record, cents: _set(_plan(record), {"price_cents": cents}),
            currency=lambda record, code: _set(_plan(record), {"currency": code}),
            end=lambda record: _set(record, {"requested_plan": None}),
            is_paid=lambda record: record.plan is not None,
            at_asked_price=True,
        ),
        _plain("listing_purchase", _purchase, is_paid=_is("paid")),
    )
}


def open_business() -> None:
    """Switch on all that sells, and let test payments be made."""
    for name in FEATURES:
        switch_feature(name=name, on=True)
    set_setting(key="payments.allow_test_payments", value=True)
