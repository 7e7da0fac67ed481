"""A record that can no longer be paid has no open payment page either, whatever has ended it."""

from collections.abc import Callable
from typing import Any

import pytest

from cms_api.core import registry
from cms_api.core.errors import Invalid
from commerce.booking.services import cancel_appointment, mark_no_show
from commerce.directory.services import saving, statuses, submitting
from commerce.donations.services import cancel_recurring
from commerce.invoicing.services import void_invoice
from commerce.members.services import cancel, change_plan, decline_plan, delete_member
from commerce.payments.services import close_payments, start_payment
from commerce.restaurant.services import kitchen
from commerce.shop.services.ending import cancel_order
from commerce.ticketing.services.ending import cancel_order as cancel_ticket_order
from tests.commerce.booking import builders as booking
from tests.commerce.donations.builders import make_donation
from tests.commerce.sales.kinds import KINDS, open_business

pytestmark = pytest.mark.django_db(transaction=True)
End = Callable[[Any], Any]

#: Services that end records of a kind, by a name.
ENDINGS: dict[str, dict[str, End]] = {
    "order": {"cancelled": lambda order: cancel_order(order=order)},
    "restaurant_order": {"cancelled": lambda order: kitchen.cancel_order(order=order)},
    "ticket_order": {"cancelled": lambda order: cancel_ticket_order(order=order)},
    "appointment": {
        "cancelled": lambda appointment: cancel_appointment(appointment=appointment),
        "no-show": lambda appointment: mark_no_show(appointment=appointment),
    },
    "invoice": {"void": lambda invoice: void_invoice(invoice=invoice)},
    "donation": {"cancelled": lambda donation: cancel_recurring(recurring=donation.recurring)},
    "plan": {
        "declined": lambda member: decline_plan(member=member, user=None),
        "changed by staff": lambda member: change_plan(member=member, plan=None, user=None),
        "cancelled": lambda member: cancel(member=member),
        "deleted": lambda member: delete_member(member=member),
        "deleted with the account": lambda member: member.user.delete(),
    },
    "listing_purchase": {
        "archived": lambda purchase: statuses.archive_listing(listing=purchase.listing),
        "saved": lambda purchase: saving.save_listing(listing=purchase.listing, values={"status": "archived"}),
        "by its owner": lambda purchase: submitting.archive_own_listing(listing=purchase.listing, user=purchase.buyer),
        "deleted": lambda purchase: saving.delete_listing(listing=purchase.listing),
    },
}
CASES = [(payable, end) for payable, ways in ENDINGS.items() for end in ways.values()]
NAMES = [f"{payable}, {way}" for payable, ways in ENDINGS.items() for way in ways]


@pytest.fixture(autouse=True)
def business(db: None) -> None:
    open_business()


def make(payable: str) -> Any:
    if payable == "appointment":
        return booking.make_appointment()
    return make_donation(frequency="monthly") if payable == "donation" else KINDS[payable].make()


def test_every_kind_of_sale_is_covered() -> None:
    assert ENDINGS.keys() == registry.payables().keys() - {"bill"}


@pytest.mark.parametrize(("payable", "end"), CASES, ids=NAMES)
def test_its_payment_page_is_closed(payable: str, end: End) -> None:
    record = make(payable)
    payment = start_payment(payable=payable, record_id=record.pk)
    end(type(record)._default_manager.get(pk=record.pk))
    with pytest.raises(Invalid):
        start_payment(payable=payable, record_id=record.pk)
    payment.refresh_from_db()
    assert payment.status == "expired"


def test_without_an_end_the_page_stays_open() -> None:
    """The control."""
    record = make("listing_purchase")
    payment = start_payment(payable="listing_purchase", record_id=record.pk)
    saving.save_listing(listing=record.listing, values={"status": "pending"})
    payment.refresh_from_db()
    assert payment.status == "open"
    assert close_payments(payable="listing_purchase", record_id=record.pk)
