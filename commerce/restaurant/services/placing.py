"""Turns a cart into an order: one that is binding at once, or one that waits for its online payment."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log
from wagtail.search.backends import get_search_backend

from cms_api.auth.services import visitors
from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice, required_message
from cms_api.core.locks import get_row, lock_for_share
from cms_api.fields.base import FieldPath, read_text
from cms_api.flags.selectors import get_setting, site_formats, site_timezone
from cms_api.text.addresses import clean_address
from commerce.common.resources import stored_taxes
from commerce.common.selectors import format_money
from commerce.common.services import next_number
from commerce.common.services.checks import is_whole
from commerce.common.services.networks import network_if_unconfirmed
from commerce.common.types import MAX_NAME, MAX_PHONE, read_email
from commerce.common.types.money import Money
from commerce.common.types.tax import TaxPlace
from commerce.payments.selectors import size_refusal
from commerce.payments.services import close_payments, close_payments_later
from commerce.sales.services import AlreadyPaid, reservation_end

from ..models import DeliveryZone, MenuCart, MenuItem, RestaurantOrder, RestaurantOrderItem
from ..selectors import hours
from ..selectors.carts import items_of, pending_order, words_of
from ..selectors.pricing import Quote, quote
from ..types.orders import (
    FIRST_NUMBER,
    MAX_ORDER_NOTE,
    MAX_TABLE,
    MAX_TIP_PERCENT,
    NUMBERS,
    PAYABLE,
    Fulfillment,
    OrderStatus,
    PaymentMethod,
    order_number,
)
from .capacity import give_back_slot, take_slot
from .paying import become_placed

#: The slot of "as soon as possible".
ASAP = "asap"
#: How much later than the page said "as soon as possible" may be without another question.
MOST_LATER = timedelta(minutes=30)
CHANGED = "Your order has changed in the meantime. Review it and try again."
PAUSED = "We aren't taking orders at the moment. Please try again later."


@dataclass(frozen=True)
class Customer:
    """The valid input of a checkout, apart from what depends on the cart."""

    name: str
    email: str
    phone: str
    fulfillment: Fulfillment
    table: str
    delivery_address: dict[str, Any] | None
    payment_method: PaymentMethod
    notes: str


def place_order(*, cart: MenuCart, values: Mapping[str, Any], user: Any = None, network: str = "") -> RestaurantOrder:
    """Place the order of a cart. It is binding at once if it is paid at the store, or costs nothing; else it is pending.

    `values`: `name`, `email`, `phone`, `fulfillment`, `table`, `delivery_address`, `slot` ("asap", or an instant),
    `payment_method`, `tip_cents`, `notes`, and what the customer agreed to: `total_cents`, `items`, the words of the cart, and
    `soonest`, the instant that "asap" was then. Prices come from the menu.
    Unpaid orders of one `network` are limited, those that are paid at the store unless the account has confirmed the address.
    Raises Invalid by these names and for `items`, and AlreadyPaid. A pending order of the same cart is replaced: its payment page
    is closed first, so this must not be called in a transaction.
    """
    former = pending_order(cart)
    if former is not None and not close_payments(payable=PAYABLE, record_id=former.pk):
        raise AlreadyPaid(former)
    return _place(cart, values, user, network)


@transaction.atomic
def _place(cart: MenuCart, values: Mapping[str, Any], user: Any, network: str) -> RestaurantOrder:
    # Checkouts of one cart wait for each other here, so that a second one finds the order of the first.
    cart = get_row(MenuCart.objects.select_for_update(), cart.pk)
    _replace(RestaurantOrder.objects.select_for_update().filter(cart=cart, status=OrderStatus.PENDING).first())
    items = items_of(cart)
    if not items:
        raise Invalid({"items": "Your cart is empty."})
    if not lock_for_share(MenuItem, {each.item.pk for each in items}):
        raise Invalid({"items": CHANGED})
    if problem := next((each.problem for each in items if each.problem), ""):
        raise Invalid({"items": problem})
    if hours.is_paused():
        raise Invalid({"slot": PAUSED})
    customer = read_customer(values)
    address = customer.delivery_address or {}
    zone = hours.zone_at(address)
    subtotal = sum(each.total_cents for each in items)
    tip = _read_tip(values.get("tip_cents"), subtotal)
    place = TaxPlace(address.get("country", ""), address.get("state") or "")
    is_cash = customer.payment_method == PaymentMethod.AT_STORE
    priced = quote(items, zone=zone, fulfillment=customer.fulfillment, customer=place, tip_cents=tip, is_cash=is_cash)
    _check_zone(customer, zone, subtotal, priced.currency)
    _check_total(priced, values)
    if not is_cash and (refusal := size_refusal(Money(priced.total_cents, priced.currency))):
        raise Invalid({"payment_method": refusal})
    slot, is_asap = _read_slot(values, zone)
    order = RestaurantOrder(cart=cart, slot_at=slot, wanted_at=slot, is_asap=is_asap)
    fill_order(order, customer, priced, user)
    is_online = customer.payment_method == PaymentMethod.ONLINE and order.total_cents
    order.network = network if is_online else network_if_unconfirmed(network, user=user, email=customer.email)
    take_slot(order)
    # As late as possible: all other checkouts wait for the number.
    order.number = order_number(next_number(NUMBERS, first=FIRST_NUMBER))
    order.save()
    RestaurantOrderItem.objects.bulk_create(make_items(order, priced))
    get_search_backend().add(order)
    log(instance=order, action="restaurant.create_order", user=order.user)
    if customer.payment_method == PaymentMethod.AT_STORE or not order.total_cents:
        become_placed(order)
    return order


def _replace(former: RestaurantOrder | None) -> None:
    """Cancel the pending order of a cart that is checked out again."""
    if former is None:
        return
    give_back_slot(former)
    now = timezone.now()
    former.status, former.cart, former.reserved_until, former.network = OrderStatus.CANCELLED, None, None, ""
    former.cancelled_at = former.updated_at = now
    former.save()
    close_payments_later(payable=PAYABLE, record_id=former.pk)
    log(instance=former, action="restaurant.replace_order")


def read_customer(values: Mapping[str, Any]) -> Customer:
    """Return what a customer entered. Raises Invalid."""
    errors = ErrorCollector()
    found: dict[str, Any] = {"email": "", "delivery_address": None}
    with errors.under():
        found["email"] = read_email(str(values.get("email") or ""))
    for name, limit in (("name", 2 * MAX_NAME), ("phone", MAX_PHONE), ("table", MAX_TABLE)):
        with errors.under():
            found[name] = visitors.read_name(values.get(name), FieldPath(name, name), limit)
    with errors.under():
        found["notes"] = read_text(values.get("notes"), FieldPath("notes", "notes"), MAX_ORDER_NOTE) or ""
    if not found.get("name") and "name" not in errors.errors:
        errors.add("name", required_message("name"))
    for name, offered in (("fulfillment", hours.fulfillments()), ("payment_method", hours.payment_methods())):
        found[name] = next((each for each in offered if each == values.get(name)), None)
        if found[name] is None:
            errors.add(name, invalid_choice(name))
    if found["fulfillment"] != Fulfillment.DINE_IN:
        found["table"] = ""
    elif not found.get("table"):
        errors.add("table", required_message("table"))
    if found["fulfillment"] == Fulfillment.DELIVERY:
        if not found.get("phone"):
            errors.add("phone", required_message("phone"))
        with errors.under("delivery_address"):
            found["delivery_address"] = clean_address(values.get("delivery_address") or {})
            visitors.check_address(errors, "delivery_address", found["delivery_address"])
    errors.raise_if_any()
    return Customer(**found)


def _read_tip(value: Any, subtotal: int) -> int:
    if not value:
        return 0
    if not get_setting("restaurant.tips") or not is_whole(value, 0, subtotal * MAX_TIP_PERCENT // 100):
        raise Invalid({"tip_cents": "Choose another tip."})
    return int(value)


def _check_zone(customer: Customer, zone: DeliveryZone | None, subtotal: int, currency: str) -> None:
    if customer.fulfillment != Fulfillment.DELIVERY:
        return
    if zone is None:
        raise Invalid({"delivery_address": "We don't deliver to this address."})
    if subtotal < zone.minimum_cents:
        least = format_money(Money(zone.minimum_cents, currency))
        raise Invalid({"items": f"We deliver to {zone} from {least}."})


def _check_total(priced: Quote, values: Mapping[str, Any]) -> None:
    """Raise Invalid for dishes or a total that have changed since the customer saw them."""
    if (values.get("items") or None) not in {None, words_of(priced.items)}:
        raise Invalid({"items": CHANGED})
    if values.get("total_cents") not in {None, priced.total_cents}:
        now = format_money(Money(priced.total_cents, priced.currency))
        raise Invalid({"total_cents": f"The total has changed to {now}. Review your order and try again."})


def _read_slot(values: Mapping[str, Any], zone: DeliveryZone | None) -> tuple[datetime, bool]:
    """Return the time that was chosen, if it is still on offer, and whether it is "as soon as possible". Raises Invalid."""
    value, soonest, offered = values.get("slot"), values.get("soonest"), hours.offered_slots(zone=zone)
    if not offered:
        raise Invalid({"slot": "There is no time left to order for."})
    if value == ASAP:
        if soonest is not None and offered[0] > soonest + MOST_LATER:
            # The kitchen closes soon, or others were faster.
            when = site_formats().datetime(timezone.localtime(offered[0], site_timezone()))
            raise Invalid({"slot": f"The soonest time is {when} now. Review your order and try again."})
        return offered[0], True
    if not isinstance(value, datetime) or value not in offered:
        raise Invalid({"slot": "This time is no longer available. Choose another time."})
    return value, False


def fill_order(order: RestaurantOrder, customer: Customer, priced: Quote, user: Any) -> None:
    """Copy everything into the order that must not change with the menu, taxes and settings."""
    now, totals = timezone.now(), priced.totals
    order.name, order.email, order.phone = customer.name, customer.email, customer.phone
    order.fulfillment, order.table = customer.fulfillment, customer.table
    order.delivery_address, order.zone = customer.delivery_address, priced.zone.name if priced.zone else ""
    order.user = user if user is not None and user.is_authenticated else None
    order.payment_method, order.notes = customer.payment_method, customer.notes
    order.currency, order.prices_include_tax = priced.currency, priced.prices_include_tax
    order.subtotal_cents, order.discount_cents = totals.subtotal_cents, totals.discount_cents
    order.delivery_fee_cents, order.tax_cents = totals.shipping_cents, totals.tax_cents
    order.tip_cents, order.total_cents, order.taxes = priced.tip_cents, priced.total_cents, stored_taxes(totals)
    order.reserved_until = reservation_end() if customer.payment_method == PaymentMethod.ONLINE else None
    order.created_at = order.created_at or now
    order.updated_at = now


def make_items(order: RestaurantOrder, priced: Quote) -> list[RestaurantOrderItem]:
    """Return the items of an order, unsaved."""
    return [
        RestaurantOrderItem(
            order=order,
            menu_item=chosen.item,
            position=position,
            name=chosen.item.name,
            quantity=chosen.row.quantity,
            unit_price_cents=chosen.item.price_cents,
            modifiers=chosen.modifiers,
            options=chosen.row.options,
            tax_cents=total.tax_cents,
            notes=chosen.row.notes,
        )
        for position, (chosen, total) in enumerate(zip(priced.items, priced.totals.lines, strict=True))
    ]
