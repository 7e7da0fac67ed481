"""Reads of shipping methods."""

from django.conf import settings

from ..models import ShippingMethod
from ..types.shipping import Parcel


def offered_shipping(parcel: Parcel) -> list[tuple[ShippingMethod, int]]:
    """Return the methods for a parcel, in display order, with their prices in minor units of the site's currency."""
    enabled = ShippingMethod.objects.filter(enabled=True)
    methods = [method for method in enabled if method.currency == settings.SITE_CURRENCY or not method.has_amounts]
    return [(method, price) for method in methods if (price := method.price_of(parcel)) is not None]
