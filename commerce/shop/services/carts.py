"""Carts of visitors and members. Nothing is reserved in a cart; the checkout does that."""

import secrets
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.core.locks import get_row, lock_for_share
from commerce.common.selectors import get_discount_code
from commerce.common.types.discounts import code_key

from ..models import Cart, CartItem, DiscountCode, Order, ProductVariant
from ..selectors.carts import find_cart, is_sold, pending_order, reserved_for
from ..types.orders import MAX_ITEMS, MAX_QUANTITY, OrderStatus

#: The age of an unchanged cart at which it is deleted.
FORGOTTEN_AFTER = timedelta(days=90)
#: Carts that one statement deletes.
_BATCH = 500


@transaction.atomic
def open_cart(*, token: str = "", user: Any = None) -> Cart:
    """Return the visitor's cart, or a new one. The cart that a guest filled is added to that of the account they sign in to."""
    account = user if user is not None and user.is_authenticated else None
    found = find_cart(token=token, user=account)
    if found is None:
        return _new(account)
    if account is None:
        return found
    if found.user_id is None:
        return _give(found, account)
    guest = Cart.objects.filter(token=token, user=None).select_for_update().first() if token else None
    if guest is not None:
        _merge(guest, into=found)
    return found


def _new(account: Any) -> Cart:
    now = timezone.now()
    try:
        with transaction.atomic():
            return Cart.objects.create(token=secrets.token_urlsafe(24), user=account, created_at=now, updated_at=now)
    except IntegrityError:
        return Cart.objects.get(user=account)


def _give(cart: Cart, account: Any) -> Cart:
    """Make a guest's cart that of an account, which may have got another one in the meantime."""
    try:
        with transaction.atomic():
            Cart.objects.filter(pk=cart.pk, user=None).update(user=account)
    except IntegrityError:
        pass
    return Cart.objects.get(user=account)


def _merge(guest: Cart, *, into: Cart) -> None:
    """Add a guest's items to an account's cart, and delete the guest's."""
    for item in guest.items.all():
        _add(into, item.variant_id, item.quantity)
    if guest.discount_code and not into.discount_code:
        into.discount_code = guest.discount_code
        into.save(update_fields=["discount_code"])
    if pending_order(into) is None:
        # The next checkout changes this order, which would otherwise keep the items from its own customer.
        Order.objects.filter(cart=guest, status=OrderStatus.PENDING).update(cart=into)
    guest.delete()


@transaction.atomic
def add_to_cart(*, cart: Cart, variant: ProductVariant, quantity: int = 1) -> None:
    """Put pieces into a cart. Raises Invalid (`variant`, `quantity`) if they are not sold, or there are not as many."""
    # Checkouts lock the cart before its variants.
    cart = get_row(Cart.objects.select_for_update(), cart.pk)
    is_there = bool(lock_for_share(ProductVariant, [variant.pk]))
    if not is_there or not is_sold(variant):
        raise Invalid({"variant": "This product is no longer available."})
    if not 1 <= quantity <= MAX_QUANTITY:
        raise Invalid({"quantity": f"Enter a quantity between 1 and {MAX_QUANTITY}."})
    item = _add(cart, variant.pk, quantity)
    _check_available(cart, variant, item.quantity)
    if CartItem.objects.filter(cart=cart).count() > MAX_ITEMS:
        raise Invalid({"variant": f"A cart has room for {MAX_ITEMS} different items."})
    _touch(cart)


def _add(cart: Cart, variant: int, quantity: int) -> CartItem:
    item, is_new = CartItem.objects.get_or_create(cart=cart, variant_id=variant, defaults={"quantity": quantity})
    if not is_new:
        CartItem.objects.filter(pk=item.pk).update(quantity=F("quantity") + quantity)
        item.refresh_from_db()
    if item.quantity > MAX_QUANTITY:
        item.quantity = MAX_QUANTITY
        item.save(update_fields=["quantity"])
    return item


def _check_available(cart: Cart, variant: ProductVariant, quantity: int) -> None:
    """Raise Invalid (`quantity`) if there are not as many, counting those that the cart's own order has reserved."""
    left = variant.available
    if left is not None and quantity > left + reserved_for(cart, variant):
        left += reserved_for(cart, variant)
        raise Invalid({"quantity": f"Only {left} of {variant} left." if left else f"{variant} is out of stock."})


@transaction.atomic
def change_cart(*, cart: Cart, quantities: Mapping[CartItem, int], code: str | None = None) -> None:
    """Change quantities and, unless it is None, the discount code: all or nothing. Raises Invalid."""
    for item, quantity in quantities.items():
        set_quantity(cart=cart, item=item, quantity=quantity)
    if code is not None:
        set_discount_code(cart=cart, code=code)


@transaction.atomic
def set_quantity(*, cart: Cart, item: CartItem, quantity: int) -> None:
    """Change how many of an item are in a cart; 0 removes it. Raises Invalid (`quantity`)."""
    if not 0 <= quantity <= MAX_QUANTITY:
        raise Invalid({"quantity": f"Enter a quantity between 0 and {MAX_QUANTITY}."})
    own = CartItem.objects.filter(cart=cart, pk=item.pk)
    if quantity:
        _check_available(cart, item.variant, quantity)
        own.update(quantity=quantity)
    else:
        own.delete()
    _touch(cart)


@transaction.atomic
def set_discount_code(*, cart: Cart, code: str) -> None:
    """Enter or remove the discount code of a cart. Raises Invalid (`discount_code`) if there is none of this name."""
    key = code_key(code)
    if key:
        get_discount_code(DiscountCode, key)
    cart.discount_code = key
    cart.save(update_fields=["discount_code"])
    _touch(cart)


def _touch(cart: Cart) -> None:
    cart.updated_at = timezone.now()
    cart.save(update_fields=["updated_at"])


def drop_forgotten_carts() -> None:
    """Delete carts that nobody has changed for months (periodic job)."""
    old = Cart.objects.filter(updated_at__lt=timezone.now() - FORGOTTEN_AFTER).order_by("updated_at")
    while ids := list(old.values_list("pk", flat=True)[:_BATCH]):
        Cart.objects.filter(pk__in=ids).delete()
