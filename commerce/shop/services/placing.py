"""Turns a cart into an order that waits for its payment."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log
from wagtail.search.backends import get_search_backend

from cms_api.auth.services import visitors
from cms_api.core.errors import ErrorCollector, Invalid, required_message
from cms_api.core.locks import get_row, lock_for_share
from cms_api.core.writing import insert
from cms_api.fields.base import FieldPath, read_text
from cms_api.text.addresses import clean_address
from cms_api.webhooks.services import emit
from commerce.common.resources import stored_taxes
from commerce.common.selectors import format_money
from commerce.common.services import next_number
from commerce.common.services.discounts import lock_codes
from commerce.common.services.networks import network_if_unconfirmed
from commerce.common.types import MAX_NAME, MAX_PHONE, read_email
from commerce.common.types.money import Money
from commerce.common.types.tax import TaxPlace
from commerce.payments.selectors import size_refusal
from commerce.payments.services import close_payments, close_payments_later
from commerce.sales.services import AlreadyPaid, give_up_use, redeem

from ..models import Cart, DiscountCode, Order, OrderItem, Product, ProductVariant
from ..selectors.carts import items_of, lines_of, pending_order, words_of
from ..selectors.pricing import CODES, Quote, quote
from ..types.orders import FIRST_NUMBER, MAX_NOTE, NUMBERS, PAYABLE, OrderStatus, order_number
from . import notices, stock
from .paying import ORDERS

Address = dict[str, Any]

CHANGED = "Your cart has changed in the meantime. Review your order and try again."


@dataclass(frozen=True)
class Customer:
    """The valid input of a checkout."""

    email: str
    name: str
    phone: str
    shipping_address: Address | None
    billing_address: Address | None
    note: str
    wants_news: bool

    @property
    def place(self) -> TaxPlace | None:
        """Return where the goods go, or else where the customer is."""
        return _place_of(self.shipping_address or self.billing_address)

    @property
    def billed(self) -> TaxPlace | None:
        """Return where the customer is."""
        return _place_of(self.billing_address or self.shipping_address)


def _place_of(address: Address | None) -> TaxPlace | None:
    return TaxPlace(address["country"], address["state"] or "") if address else None


def place_order(*, cart: Cart, values: Mapping[str, Any], user: Any = None, network: str = "") -> Order:
    """Place the order of a cart, or change the pending one that its last checkout placed, and reserve the items.

    `values`: `email`, `name`, `phone`, `shipping_address` (required unless all items are digital), `billing_address` (by default
    the same), `shipping_method` (an id), `note`, `wants_news`, and what the customer agreed to: `total_cents`, and `items`, the
    words of the lines. Prices are those of the products. Unpaid and free orders of one `network` are limited. An order
    that costs nothing is paid at once. Raises Invalid by these names and for `items` and `discount_code`, and AlreadyPaid. First
    closes the payment page of the pending order, so it must not be called in a transaction.
    """
    former = pending_order(cart)
    if former is not None and not close_payments(payable=PAYABLE, record_id=former.pk):
        raise AlreadyPaid(former)
    return _place(cart, values, user, network)


@transaction.atomic
def _place(cart: Cart, values: Mapping[str, Any], user: Any, network: str) -> Order:
    # Checkouts of one cart wait for each other here, so that a second one finds the order of the first.
    cart = get_row(Cart.objects.select_for_update(), cart.pk)
    order = Order.objects.select_for_update().filter(cart=cart, status=OrderStatus.PENDING).first()
    lines = lines_of(items_of(cart))
    if not lines:
        raise Invalid({"items": "Your cart is empty."})
    # Products are locked before their variants, as when one is deleted.
    if not lock_for_share(Product, {variant.product_id for variant, _ in lines}):
        raise Invalid({"items": CHANGED})
    customer = read_customer(values, is_shipped=any(not variant.product.is_digital for variant, _ in lines))
    method = values.get("shipping_method")
    code = cart.discount_code
    priced = quote(
        lines, place=customer.place, billed=customer.billed, code=code, email=customer.email, method=method, order=order
    )
    _check(priced, values)
    is_new = order is None
    order = order or Order(cart=cart)
    if not is_new:
        lock_codes(DiscountCode, {order.discount_id, priced.code.pk if priced.code else None})
        stock.lock(order.items.all(), *(variant for variant, _ in lines))
        give_back(order)
    fill_order(order, customer, priced, user)
    order.network = network if order.total_cents else network_if_unconfirmed(network, user=user, email=customer.email)
    items = make_items(order, priced)
    if priced.code:
        redeem(CODES, order, priced.code, order.subtotal_cents)
    stock.reserve(order, items, until=stock.reservation_end())
    if not lock_for_share(ProductVariant, {variant.pk for variant, _ in lines}):
        raise Invalid({"items": CHANGED})
    return _store(order, items, is_new=is_new)


def read_customer(values: Mapping[str, Any], *, is_shipped: bool) -> Customer:
    """Return what a customer entered. Raises Invalid."""
    errors = ErrorCollector()
    found: dict[str, Any] = {"email": "", "shipping_address": None, "billing_address": None}
    with errors.under():
        found["email"] = read_email(values.get("email") or "")
    for name, limit in (("name", 2 * MAX_NAME), ("phone", MAX_PHONE)):
        with errors.under():
            found[name] = visitors.read_name(values.get(name), FieldPath(name, name), limit)
    with errors.under():
        found["note"] = read_text(values.get("note"), FieldPath("note", "note"), MAX_NOTE) or ""
    for name in ("shipping_address", "billing_address"):
        if values.get(name):
            with errors.under(name):
                found[name] = clean_address(values[name])
                visitors.check_address(errors, name, found[name])
    if not found.get("name") and "name" not in errors.errors:
        errors.add("name", required_message("name"))
    if is_shipped and not values.get("shipping_address"):
        errors.add("shipping_address", required_message("shipping_address"))
    errors.raise_if_any()
    if not is_shipped:
        found["shipping_address"] = None
    found["billing_address"] = found["billing_address"] or found["shipping_address"]
    return Customer(**found, wants_news=values.get("wants_news") is True)


def _check(priced: Quote, values: Mapping[str, Any]) -> None:
    """Raise Invalid for a choice that is not on offer, or items or a total that have changed since the customer saw them."""
    if (values.get("items") or None) not in {None, words_of(priced.items)}:
        raise Invalid({"items": CHANGED})
    if priced.code_problem:
        raise Invalid({"discount_code": priced.code_problem})
    if priced.is_shipped and priced.method is None:
        there_is_none = "We don't ship to this address." if not priced.shipping else "Choose a shipping method."
        raise Invalid({"shipping_method": there_is_none})
    total = priced.totals.total_cents
    if values.get("total_cents") not in {None, total}:
        now = format_money(Money(total, priced.currency))
        raise Invalid({"total_cents": f"The total has changed to {now}. Review your order and try again."})
    if refusal := size_refusal(Money(total, priced.currency)):
        raise Invalid({"payment": refusal})


def fill_order(order: Order, customer: Customer, priced: Quote, user: Any) -> None:
    """Copy everything into the order that must not change with products, taxes and settings."""
    now = timezone.now()
    totals = priced.totals
    order.status = OrderStatus.PENDING
    if order.email != customer.email:
        order.set_new_link_key()
    order.email, order.name, order.phone = customer.email, customer.name, customer.phone
    order.user = user if user is not None and user.is_authenticated else None
    order.shipping_address, order.billing_address = customer.shipping_address, customer.billing_address
    order.customer_note, order.wants_news = customer.note, customer.wants_news
    order.currency, order.prices_include_tax = priced.currency, priced.prices_include_tax
    order.subtotal_cents, order.discount_cents = totals.subtotal_cents, totals.discount_cents
    order.shipping_cents, order.shipping_tax_cents = totals.shipping_cents, totals.shipping.tax_cents
    order.tax_cents, order.total_cents = totals.tax_cents, totals.total_cents
    order.taxes = stored_taxes(totals)
    order.discount = priced.code
    order.discount_code = priced.code.code if priced.code else ""
    order.shipping_method = priced.method.name if priced.method else ""
    order.is_shipped = priced.is_shipped
    order.is_pickup = priced.method is not None and priced.method.is_pickup
    order.reminded_at = None
    order.placed_at = order.placed_at or now
    order.created_at = order.created_at or now
    order.updated_at = now


def make_items(order: Order, priced: Quote) -> list[OrderItem]:
    """Return the items of an order, unsaved."""
    found = []
    for position, ((variant, quantity), total) in enumerate(zip(priced.items, priced.totals.lines, strict=True)):
        rate, product = priced.rate(variant), variant.product
        found.append(
            OrderItem(
                order=order,
                product=product,
                variant=variant,
                position=position,
                sku=variant.sku,
                name=product.name,
                variant_name=variant.name,
                quantity=quantity,
                unit_price_cents=variant.price_cents,
                discount_cents=total.discount_cents,
                tax_cents=total.tax_cents,
                tax_label=rate.label,
                tax_percent=rate.percent,
                weight_grams=variant.weight_grams,
                is_digital=product.is_digital,
                is_tracked=variant.stock is not None,
            )
        )
    return found


def give_back(order: Order) -> bool:
    """Give back what a pending order has reserved: its items, and the use of its discount code. The caller saves the order."""
    give_up_use(CODES, order)
    return stock.release(order, order.items.all())


def _store(order: Order, items: list[OrderItem], *, is_new: bool) -> Order:
    if is_new:
        # As late as possible: all other checkouts wait for the number.
        order.number = order_number(next_number(NUMBERS, first=FIRST_NUMBER))
        insert([order])
    else:
        order.items.all().delete()
        order.save()
        # Somebody may have begun to pay the former order since its page was closed.
        close_payments_later(payable=PAYABLE, record_id=order.pk)
    OrderItem.objects.bulk_create(items)
    get_search_backend().add(order)
    log(instance=order, action="shop.place_order" if is_new else "shop.change_order", user=order.user)
    if is_new:
        emit("order.created", order)
        notices.record_placed(order)
    if not order.total_cents:
        ORDERS.become_paid(order)
    return order
