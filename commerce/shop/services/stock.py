"""Reserves stock for orders that are being paid, takes it when they are, and gives it back otherwise.

Each change is one conditional statement a variant, in the order of their ids: two buyers can neither get the same piece nor
block each other. `reserved` of a variant is always the sum of its pieces in the orders with a `reserved_until`. The caller has
locked the order, and saves it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Case, F, Q, Sum, Value, When
from django.urls import reverse
from django.utils import timezone

from cms_api.core import versions
from cms_api.core.errors import Invalid
from cms_api.flags.selectors import get_setting
from cms_api.mail.services import queue_to_business
from commerce.common.services.networks import NETWORK_RETENTION, most_orders
from commerce.common.types.shares import most_unpaid
from commerce.payments.types import SHORTEST_PAGE_LIFETIME

from ..models import Order, OrderItem, ProductVariant
from ..types.orders import OrderStatus
from ..types.products import STOCK, product_tag

#: Pieces of a variant that an ordinary order has, and those that an unpaid one may always have, or else half of the stock.
ORDINARY_ORDER_PIECES, LARGE_ORDER_PIECES = 10, 20
HAS_MANY = "You can order at most {most} of {variant} at a time. Write to us if you need more."
HOLDS_MANY = "Other orders from your network have reserved this item. Pay for them first, or try again in half an hour."

#: Pieces by the id of their variant.
Pieces = Mapping[int, int]


def pieces_of(items: Iterable[OrderItem]) -> Counter[int]:
    """Return the counted pieces of an order."""
    found: Counter[int] = Counter()
    for item in items:
        if item.is_tracked and item.variant_id:
            found[item.variant_id] += item.quantity
    return found


def lock(items: Iterable[OrderItem], *others: ProductVariant) -> None:
    """Lock the variants of an order, and others, before a transaction gives pieces of some back and takes those of others."""
    wanted = {*pieces_of(items), *(variant.pk for variant in others)}
    list(ProductVariant.objects.select_for_update(no_key=True).filter(pk__in=wanted).order_by("pk").values_list("pk"))


def reserve(order: Order, items: Iterable[OrderItem], *, until: datetime) -> None:
    """Reserve the pieces of an order, or, if they are reserved already, extend that.

    Raises Invalid (`items`) if there are not enough, or one network would hold too many; the caller's transaction must then be
    rolled back.
    """
    if order.reserved_until is None:
        for pk, quantity in sorted(pieces_of(items).items()):
            if not _take(pk, quantity):
                raise Invalid({"items": _sold_out(pk)})
        # The rows are locked now: orders of one network are counted one after another.
        _check_share(order, pieces_of(items))
        _invalidate(pieces_of(items))
    order.reserved_until = until


def release(order: Order, items: Iterable[OrderItem]) -> bool:
    """Give back the reserved pieces of an order; return False if it has none."""
    if order.reserved_until is None:
        return False
    for pk, quantity in sorted(pieces_of(items).items()):
        ProductVariant.objects.filter(pk=pk, reserved__gte=quantity).update(reserved=F("reserved") - quantity)
    order.reserved_until = None
    _invalidate(pieces_of(items))
    return True


def consume(order: Order, items: Iterable[OrderItem]) -> bool:
    """Take the pieces of an order that is paid out of the stock; return False, changing nothing, if there are not enough.

    That can only be if they were reserved no longer.
    """
    pieces = pieces_of(items)
    in_order = sorted(pieces.items())
    if order.reserved_until is None and not _take_all(in_order):
        return False
    left = Case(When(stock__isnull=True, then=None), When(stock__gt=F("taken"), then=F("stock") - F("taken")), default=Value(0))
    for pk, quantity in in_order:
        variants = ProductVariant.objects.filter(pk=pk).annotate(taken=Value(quantity))
        variants.update(stock=left, reserved=F("reserved") - quantity)
    order.reserved_until = None
    _invalidate(pieces)
    _notice_low_stock(pieces)
    return True


def restock(pieces: Pieces) -> None:
    """Put pieces back into the stock."""
    for pk, quantity in sorted(pieces.items()):
        ProductVariant.objects.filter(pk=pk, stock__isnull=False).update(stock=F("stock") + quantity)
    _invalidate(pieces)
    _forget_low_stock(pieces)


def _check_share(order: Order, pieces: Pieces) -> None:
    """Raise Invalid (`items`) if visitors of one network would hold too many pieces of a variant without paying.

    One order may have half of the stock, and always what a large order has; several may have that of a few ordinary ones.
    """
    orders = most_orders()
    if not order.network or not orders:
        return
    reserved = Q(order__reserved_until__isnull=False, order__is_processing=False)
    free = Q(order__total_cents=0, order__created_at__gt=timezone.now() - NETWORK_RETENTION) & ~Q(
        order__status=OrderStatus.CANCELLED
    )
    others = OrderItem.objects.filter(reserved | free, order__network=order.network, variant__in=pieces).exclude(order=order.pk)
    unpaid = dict(others.order_by().values_list("variant").annotate(Sum("quantity")))
    for variant in ProductVariant.objects.filter(pk__in=pieces, stock__isnull=False).select_related("product").order_by("pk"):
        assert variant.stock is not None
        before, wanted = unpaid.get(variant.pk, 0), pieces[variant.pk]
        share = max(LARGE_ORDER_PIECES, variant.stock // 2)
        if wanted > share:
            raise Invalid({"items": HAS_MANY.format(most=share, variant=variant)})
        if before and before + wanted > most_unpaid(
            variant.stock, one_order=ORDINARY_ORDER_PIECES, several=orders * ORDINARY_ORDER_PIECES
        ):
            raise Invalid({"items": HOLDS_MANY})


def _take(pk: int, quantity: int) -> bool:
    """Reserve pieces of a variant in one statement; return False if there are not enough."""
    enough = Q(stock__isnull=True) | Q(stock__gte=F("reserved") + quantity)
    return bool(ProductVariant.objects.filter(enough, pk=pk).update(reserved=F("reserved") + quantity))


def _take_all(pieces: Iterable[tuple[int, int]]) -> bool:
    """Reserve pieces of several variants, or none."""
    try:
        with transaction.atomic():
            for pk, quantity in pieces:
                if not _take(pk, quantity):
                    raise _SoldOut
    except _SoldOut:
        return False
    return True


class _SoldOut(Exception):
    """Rolls a partial reservation back."""


def _sold_out(pk: int) -> str:
    variant = ProductVariant.objects.select_related("product").filter(pk=pk).first()
    if variant is None:
        return "An item in your cart is no longer available."
    left = variant.available
    return f"Only {left} of {variant} left." if left else f"{variant} is out of stock."


def _invalidate(pieces: Pieces) -> None:
    """Invalidate the pages that say how few are left; a change among plenty shows nowhere, and locks no version."""
    shown = F("reserved") + get_setting("shop.low_stock") + max(pieces.values(), default=0)
    few = ProductVariant.objects.filter(pk__in=pieces, stock__isnull=False, stock__lte=shown)
    if products := set(few.values_list("product_id", flat=True)):
        versions.bump(STOCK, tags=map(product_tag, products))


def _notice_low_stock(ids: Iterable[int]) -> None:
    """Email the business once about each variant of which few are left."""
    few = get_setting("shop.low_stock")
    low = ProductVariant.objects.filter(pk__in=ids, is_low=False, stock__isnull=False, stock__lte=F("reserved") + few)
    for variant in low.select_related("product").order_by("pk"):
        if ProductVariant.objects.filter(pk=variant.pk, is_low=False).update(is_low=True):
            link = settings.BASE_URL + reverse("products:edit", args=[variant.product_id])
            context = {"product": str(variant), "left": str(variant.available), "product_url": link}
            queue_to_business(template="low_stock", context=context)


def _forget_low_stock(ids: Iterable[int]) -> None:
    few = get_setting("shop.low_stock")
    ProductVariant.objects.filter(pk__in=ids, is_low=True, stock__gt=F("reserved") + few).update(is_low=False)


def reservation_end() -> datetime:
    """Return until when the items of an order that is placed now are reserved."""
    return timezone.now() + max(timedelta(minutes=get_setting("shop.reservation_minutes")), SHORTEST_PAGE_LIFETIME)
