"""Demo shipping methods and discount codes, in the site's currency. Matched by name and by code."""

from collections.abc import Callable
from decimal import Decimal

from cms_api.core.demo import data_beside, missing
from commerce.common.services.discounts import save_discount_code

from ..models import DiscountCode, ShippingMethod
from ..services import save_shipping_method

DATA = data_beside(__file__, "selling.yaml")


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the methods and codes that are missing."""
    for position, values in missing(DATA["shipping_methods"], ShippingMethod.objects, "name"):
        save_shipping_method(values={**values, "position": position})
        progress(1)
    for _, values in missing(DATA["discount_codes"], DiscountCode.objects, "code"):
        saved = save_discount_code(model=DiscountCode, values={**values, "percent": Decimal(values.get("percent", 0))})
        DiscountCode.objects.filter(pk=saved.pk).update(used=values.get("used", 0))
        progress(1)
