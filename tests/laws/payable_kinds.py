"""Each kind of record that customers pay for, for the law about its states: how it is made, refunded, ended and shown."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.urls import reverse

from commerce.booking.selectors.appointments import MANAGE_LINK
from commerce.booking.services import APPOINTMENTS, cancel_appointment
from commerce.booking.services.housekeeping import lapse_appointments
from commerce.directory.services.purchasing import PURCHASES, cancel_unpaid
from commerce.directory.services.statuses import archive_listing
from commerce.donations.selectors.donations import DONATION_LINK
from commerce.donations.services.housekeeping import fail_abandoned_donations
from commerce.donations.services.paying import DONATIONS
from commerce.invoicing.selectors.invoices import INVOICE_LINK
from commerce.invoicing.services import void_invoice
from commerce.invoicing.services.paying import INVOICES
from commerce.members.services import decline_plan
from commerce.members.services.payments import PLANS
from commerce.restaurant.selectors.orders import ORDER_LINK as MEAL_LINK
from commerce.restaurant.services.housekeeping import lapse_orders
from commerce.restaurant.services.kitchen import cancel_order as cancel_meal
from commerce.restaurant.services.paying import ORDERS as MEALS
from commerce.shop.selectors.orders import ORDER_LINK
from commerce.shop.services.ending import cancel_order, refund_order
from commerce.shop.services.housekeeping import release_lapsed_orders
from commerce.ticketing.selectors.orders import ORDER_LINK as TICKETS_LINK
from commerce.ticketing.services.ending import cancel_order as cancel_tickets
from commerce.ticketing.services.ending import refund_order as refund_tickets
from commerce.ticketing.services.housekeeping import release_seats
from tests.commerce.payments.sales import SALES

Work = Callable[[Any], Any]

PENDING, PROCESSING, PAID = "pending", "processing", "paid"
PARTLY_REFUNDED, REFUNDED, FAILED_REFUND = "partly refunded", "refunded", "failed refund"
LAPSED, PAID_LATE, UNAPPLIED = "lapsed", "paid late", "paid late and unapplied"
DISPUTED, TWICE, CURRENCY, FAILED = "disputed", "paid twice", "paid in another currency", "failed payment"

ON_ITS_WAY = "Your payment is on its way"
LOOKING = "We're looking into your payment."


@dataclass(frozen=True)
class Kind:
    """A kind of record that customers pay for."""

    #: The path of the visitor's page, and that to which its button to pay leads.
    page: Callable[[Any], str]
    pays_at: Callable[[Any], str]
    #: The viewset of the admin, and the path of the API's detail if there is one.
    admin: str
    #: The status of the record, and words of the visitor's page, in each state.
    shown: Mapping[str, tuple[str, str]]
    refund: Callable[[Any, int], Any]
    api: str = ""
    #: Ends a record that is not paid: by staff or its customer.
    end: Work | None = None
    #: The time after which a job ends a record that is not paid, and the job.
    lapses_after: timedelta = timedelta(days=40)
    lapse: Callable[[], Any] | None = None
    #: Whether a record that has lapsed can still be paid, and whether money that arrives then is applied.
    is_due_after_lapse: bool = False
    takes_late_money: bool = False
    #: Whether money that has gone back is due again.
    is_due_again: bool = False
    #: The states that no record of the kind can be in, with the reason.
    impossible: Mapping[str, str] = field(default_factory=dict)
    #: The account that sees the page.
    visitor: Callable[[Any], Any] = lambda record: None
    #: Whether the button to pay names the amount, and whether it is for another sale.
    names_amount: bool = True
    sells_again: bool = False
    #: Whether the visitor's page says how much has gone back. One on which money is due again says how much is left.
    shows_refunds: bool = True


def _linked(link: Any) -> Callable[[Any], str]:
    return lambda record: str(link.path(record))


def _button(view: str, link: Any) -> Callable[[Any], str]:
    return lambda record: reverse(view, args=[link.token(record)])


KINDS: dict[str, Kind] = {
    "order": Kind(
        page=_linked(ORDER_LINK),
        pays_at=_button("shop_pay_order", ORDER_LINK),
        admin="orders",
        api="shop/orders",
        shown={
            PENDING: ("pending", "Your order is waiting for payment."),
            PROCESSING: ("pending", ON_ITS_WAY),
            PAID: ("paid", "We've received your payment"),
            REFUNDED: ("refunded", "This order has been refunded."),
            LAPSED: ("pending", "Your order is waiting for payment."),
            UNAPPLIED: ("cancelled", "This order has been cancelled."),
            CURRENCY: ("pending", LOOKING),
        },
        refund=lambda order, cents: refund_order(order=order, amount_cents=cents),
        end=lambda order: cancel_order(order=order),
        lapses_after=timedelta(hours=1),
        lapse=release_lapsed_orders,
        is_due_after_lapse=True,
        takes_late_money=True,
    ),
    "restaurant_order": Kind(
        page=_linked(MEAL_LINK),
        pays_at=_button("restaurant_pay_order", MEAL_LINK),
        admin="restaurant_orders",
        shown={
            PENDING: ("pending", "Your order is waiting for payment."),
            PROCESSING: ("pending", ON_ITS_WAY),
            PAID: ("placed", "Thank you! We've received your order."),
            REFUNDED: ("placed", "Payment Refunded"),
            PARTLY_REFUNDED: ("placed", "Payment Partly refunded"),
            LAPSED: ("cancelled", "This order has been cancelled."),
            UNAPPLIED: ("cancelled", "This order has been cancelled."),
            CURRENCY: ("pending", LOOKING),
        },
        refund=lambda order, cents: MEALS.refund(order, amount_cents=cents),
        end=lambda order: cancel_meal(order=order),
        lapses_after=timedelta(hours=1),
        lapse=lapse_orders,
    ),
    "appointment": Kind(
        page=_linked(MANAGE_LINK),
        pays_at=_button("booking_pay", MANAGE_LINK),
        admin="appointments",
        api="booking/appointments",
        shown={
            PENDING: ("pending", "Pay the deposit to book your appointment."),
            PROCESSING: ("pending", ON_ITS_WAY),
            PAID: ("confirmed", "Your appointment is confirmed."),
            LAPSED: ("cancelled", "This appointment has been cancelled."),
            UNAPPLIED: ("cancelled", "This appointment has been cancelled."),
            CURRENCY: ("pending", LOOKING),
        },
        refund=lambda appointment, cents: APPOINTMENTS.refund(appointment, amount_cents=cents),
        end=lambda appointment: cancel_appointment(appointment=appointment),
        lapses_after=timedelta(hours=1),
        lapse=lapse_appointments,
        is_due_again=True,
        shows_refunds=False,
    ),
    "ticket_order": Kind(
        page=_linked(TICKETS_LINK),
        pays_at=_button("tickets_pay", TICKETS_LINK),
        admin="ticket_orders",
        api="ticketing/orders",
        shown={
            PENDING: ("pending", "Your order is waiting for payment."),
            PROCESSING: ("pending", ON_ITS_WAY),
            PAID: ("paid", "We've emailed the tickets to"),
            REFUNDED: ("refunded", "This order has been refunded."),
            LAPSED: ("cancelled", "This order has been cancelled because it wasn't paid in time."),
            UNAPPLIED: ("cancelled", "This order has been cancelled."),
            CURRENCY: ("pending", LOOKING),
        },
        refund=lambda order, cents: refund_tickets(order=order, amount_cents=cents),
        end=lambda order: cancel_tickets(order=order),
        lapses_after=timedelta(hours=1),
        lapse=release_seats,
        takes_late_money=True,
    ),
    "donation": Kind(
        page=_linked(DONATION_LINK),
        pays_at=_button("donation_pay", DONATION_LINK),
        admin="donations",
        api="donations",
        shown={
            PENDING: ("pending", "Your donation is waiting for payment."),
            PROCESSING: ("pending", ON_ITS_WAY),
            PAID: ("paid", "We've received your donation"),
            PARTLY_REFUNDED: ("paid", "Partly refunded"),
            REFUNDED: ("refunded", "Your donation has been refunded."),
            LAPSED: ("failed", "Your payment didn't go through. You haven't been charged."),
            FAILED: ("failed", "Your payment didn't go through. You haven't been charged."),
            CURRENCY: ("pending", LOOKING),
        },
        refund=lambda donation, cents: DONATIONS.refund(donation, amount_cents=cents),
        lapses_after=timedelta(hours=26),
        lapse=fail_abandoned_donations,
        is_due_after_lapse=True,
        takes_late_money=True,
        impossible={UNAPPLIED: "A gift is taken whenever it arrives."},
        names_amount=False,
    ),
    "invoice": Kind(
        page=_linked(INVOICE_LINK),
        pays_at=_button("invoicing_pay", INVOICE_LINK),
        admin="invoices",
        api="invoicing/invoices",
        shown={
            PENDING: ("sent", "Amount due"),
            PROCESSING: ("sent", ON_ITS_WAY),
            PAID: ("paid", "Paid on"),
            PARTLY_REFUNDED: ("sent", "Partly paid"),
            REFUNDED: ("sent", "Amount due"),
            UNAPPLIED: ("void", "There's nothing to pay."),
        },
        refund=lambda invoice, cents: INVOICES.refund(invoice, amount_cents=cents),
        end=lambda invoice: void_invoice(invoice=invoice),
        is_due_again=True,
        impossible={
            LAPSED: "An invoice becomes overdue, and stays due.",
            PAID_LATE: "An invoice can be paid at any time.",
        },
    ),
    "plan": Kind(
        page=lambda member: reverse("membership"),
        pays_at=lambda member: reverse("pay_membership"),
        admin="members",
        shown={
            PENDING: ("active", "Awaiting payment Studio"),
            PROCESSING: ("active", ON_ITS_WAY),
            PAID: ("active", "Paid until"),
            REFUNDED: ("active", "Plan None"),
            UNAPPLIED: ("active", "Plan None"),
        },
        refund=lambda member, cents: PLANS.refund(member, amount_cents=cents),
        end=lambda member: decline_plan(member=member, user=None),
        impossible={
            LAPSED: "A plan waits for its payment until it is declined, or another one is chosen.",
            PAID_LATE: "A plan that waits can be paid at any time.",
        },
        visitor=lambda member: member.user,
        names_amount=False,
        # It shows the plan, which a refund ends.
        shows_refunds=False,
    ),
    "listing_purchase": Kind(
        page=lambda purchase: reverse("directory_account_listing", args=[purchase.listing_id]),
        pays_at=lambda purchase: reverse("directory_account_buy", args=[purchase.listing_id, purchase.plan_id]),
        admin="listing_purchases",
        shown={
            PENDING: ("pending", "Choose a term"),
            PROCESSING: ("pending", "Payment on its way"),
            PAID: ("paid", "Paid,"),
            REFUNDED: ("refunded", "Refunded"),
            LAPSED: ("cancelled", "Choose a term"),
            UNAPPLIED: ("pending", "Your listing is archived."),
        },
        refund=lambda purchase, cents: PURCHASES.refund(purchase, amount_cents=cents),
        end=lambda purchase: archive_listing(listing=purchase.listing),
        lapses_after=timedelta(days=8),
        lapse=cancel_unpaid,
        visitor=lambda purchase: purchase.buyer,
        names_amount=False,
        sells_again=True,
    ),
}

#: States that look like others where a kind says nothing of its own.
LIKE = {
    PARTLY_REFUNDED: PAID,
    REFUNDED: PAID,
    DISPUTED: PAID,
    TWICE: PAID,
    FAILED_REFUND: PAID,
    CURRENCY: PENDING,
    FAILED: PENDING,
}


def make(payable: str) -> Any:
    """A record that waits for its payment."""
    return reloaded(SALES[payable].make())


def reloaded(record: Any) -> Any:
    return type(record)._default_manager.get(pk=record.pk)
