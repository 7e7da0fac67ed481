"""Saves promo codes, for all events or for one."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from commerce.common.services.discounts import save_discount_code

from ..models import PromoCode


@transaction.atomic
def save_promo_code(*, values: Mapping[str, Any], code: PromoCode | None = None, user: Any = None) -> PromoCode:
    """Create or change a promo code. `values` are those of `save_discount_code`, and `event`, None for all events.

    Raises Invalid by attribute.
    """
    saved = save_discount_code(model=PromoCode, values=values, code=code, user=user)
    if "event" in values:
        saved.event = values["event"]
        saved.save(update_fields=["event"])
    return saved
