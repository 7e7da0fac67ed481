"""Demo shipping methods and discount codes, in the site's currency. Matched by name and by code."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

from django.conf import settings

from commerce.common.services.discounts import save_discount_code
from commerce.common.types.discounts import DiscountKind
from commerce.common.types.money import minor_units

from ..models import DiscountCode, ShippingMethod
from ..services import save_shipping_method
from ..types.shipping import ShippingKind

#: Amounts are in major units here, and so are the limits of order values; weights are in grams.
METHODS: tuple[dict[str, Any], ...] = (
    {"name": "Standard", "description": "3 to 5 working days.", "price": 5, "free_from": 75, "countries": ["GB", "IE", "US"]},
    {"name": "Express", "description": "Next working day.", "price": 14, "countries": ["GB", "US"]},
    {
        "name": "International parcel",
        "description": "1 to 2 weeks. The price depends on the weight.",
        "kind": ShippingKind.WEIGHT,
        "brackets": [(500, 9), (2000, 16), (10_000, 32)],
    },
    {
        "name": "Courier",
        "description": "To your door at a time of your choice.",
        "kind": ShippingKind.TOTAL,
        "brackets": [(50, 12), (200, 8), (None, 4)],
        "countries": ["GB"],
    },
    {
        "name": "Pick-up at the mill",
        "description": "The Old Mill, 14 Canal Street. Open Tuesday to Saturday, 10:00 to 17:00.",
        "kind": ShippingKind.PICKUP,
    },
)
CODES: tuple[dict[str, Any], ...] = (
    {"code": "WELCOME10", "percent": Decimal(10), "max_uses_per_customer": 1, "note": "For subscribers to the newsletter."},
    {"code": "FIVER", "kind": DiscountKind.AMOUNT, "amount": 5, "minimum": 30},
    {"code": "FREESHIP", "kind": DiscountKind.FREE_SHIPPING, "minimum": 20},
    {
        "code": "SPRING2026",
        "percent": Decimal(15),
        "starts": date(2026, 3, 1),
        "ends": date(2026, 4, 1),
        "note": "The spring sale.",
    },
    {"code": "FIRSTFIFTY", "percent": Decimal(20), "max_uses": 50, "used": 50, "note": "Opening of the shop."},
)


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the methods and codes that are missing."""
    known = set(ShippingMethod.objects.values_list("name", flat=True))
    for position, method in enumerate(METHODS):
        if method["name"] not in known:
            save_shipping_method(values=_method(position=position, **method))
            progress(1)
    codes = set(DiscountCode.objects.values_list("code", flat=True))
    for code in CODES:
        if code["code"] not in codes:
            saved = save_discount_code(model=DiscountCode, values=_code(**code))
            DiscountCode.objects.filter(pk=saved.pk).update(used=code.get("used", 0))
            progress(1)


def _cents(amount: int) -> int:
    return minor_units(amount, settings.SITE_CURRENCY)


def _method(*, price: int = 0, free_from: int | None = None, brackets: Any = (), **values: Any) -> dict[str, Any]:
    is_weight = values.get("kind") == ShippingKind.WEIGHT
    rows = [
        {"up_to": up_to if up_to is None or is_weight else _cents(up_to), "price_cents": _cents(each)} for up_to, each in brackets
    ]
    free = None if free_from is None else _cents(free_from)
    return {**values, "price_cents": _cents(price), "free_from_cents": free, "brackets": rows}


def _code(*, amount: int = 0, minimum: int = 0, used: int = 0, starts: Any = None, ends: Any = None, **v: Any) -> dict[str, Any]:
    dates = {name: day and datetime.combine(day, time(), UTC) for name, day in (("starts_at", starts), ("ends_at", ends))}
    return {**v, **dates, "amount_cents": _cents(amount), "minimum_cents": _cents(minimum)}
