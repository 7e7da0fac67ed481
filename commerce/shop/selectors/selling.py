"""Reads of shipping methods and discount codes."""

from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from ..models import DiscountCode, ShippingMethod
from ..types.discounts import CODE, MAX_CODE, CodeState, code_key
from ..types.shipping import Parcel


def find_discount_code(text: str) -> DiscountCode | None:
    """Return the code that a customer entered, in any case and with any spaces, in whatever state it is.

    A code in another currency than the site's is not found.
    """
    key = code_key(text)
    if len(key) > MAX_CODE or not CODE.fullmatch(key):
        return None
    return DiscountCode.objects.filter(code=key, currency=settings.SITE_CURRENCY).first()


def codes_in_state(codes: QuerySet[DiscountCode], state: str) -> QuerySet[DiscountCode]:
    """Filter codes by their state, as `types.discounts.code_state` tells it; an unknown one has none."""
    now = timezone.now()
    expired = Q(ends_at__isnull=False, ends_at__lte=now)
    used_up = Q(max_uses__isnull=False, used__gte=F("max_uses"))
    scheduled = Q(starts_at__isnull=False, starts_at__gt=now)
    enabled = Q(enabled=True)
    conditions = {
        CodeState.DISABLED: ~enabled,
        CodeState.EXPIRED: enabled & expired,
        CodeState.USED_UP: enabled & ~expired & used_up,
        CodeState.SCHEDULED: enabled & ~expired & ~used_up & scheduled,
        CodeState.ACTIVE: enabled & ~expired & ~used_up & ~scheduled,
    }
    return codes.filter(conditions[CodeState(state)]) if state in CodeState.values else codes.none()


def offered_shipping(parcel: Parcel) -> list[tuple[ShippingMethod, int]]:
    """Return the methods for a parcel, in display order, with their prices in minor units of the site's currency."""
    methods = ShippingMethod.objects.filter(enabled=True, currency=settings.SITE_CURRENCY)
    return [(method, price) for method in methods if (price := method.price_of(parcel)) is not None]
