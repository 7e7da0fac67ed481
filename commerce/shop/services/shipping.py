"""Creates, changes and deletes shipping methods."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import ErrorCollector, invalid_choice, required_message
from cms_api.core.records import lock_or_build, set_values, store_record
from cms_api.text.addresses import countries
from commerce.common.services.checks import amount_refusal, check_price, check_text, is_amount
from commerce.common.types.money import MAX_AMOUNT_CENTS
from commerce.common.types.tax import TaxClass

from ..models import ShippingMethod
from ..types.products import MAX_WEIGHT
from ..types.shipping import BY_BRACKETS, MAX_BRACKETS, MAX_DESCRIPTION, MAX_METHOD_NAME, MAX_POSITION, ShippingKind

ATTRIBUTES = (
    "name",
    "description",
    "kind",
    "price_cents",
    "brackets",
    "free_from_cents",
    "countries",
    "tax_class",
    "enabled",
    "position",
)


@transaction.atomic
def save_shipping_method(*, values: Mapping[str, Any], method: ShippingMethod | None = None, user: Any = None) -> ShippingMethod:
    """Create or change a shipping method; values not given are unchanged. Orders keep what they were placed with.

    Amounts are in minor units of the method's currency, which is the site's as long as it has none. `brackets` are dicts with
    `up_to` (grams or an order value, rising; None in the last one for no limit) and `price_cents`. Values without a meaning for
    the kind are cleared. Raises Invalid by path, such as `brackets.1.up_to`.
    """
    now = timezone.now()
    saved = lock_or_build(ShippingMethod, method, created_at=now, currency=settings.SITE_CURRENCY)
    had_amounts = saved.has_amounts
    set_values(saved, values, ATTRIBUTES)
    saved.name = " ".join(saved.name.split())
    if saved.kind in BY_BRACKETS:
        saved.price_cents = 0
    else:
        saved.brackets = []
    if saved.kind == ShippingKind.PICKUP:
        saved.countries = []
    if not had_amounts or not saved.has_amounts:
        saved.currency = settings.SITE_CURRENCY
    saved.updated_at = now
    _check(saved)
    return store_record(saved, user=user)


def _check(method: ShippingMethod) -> None:
    errors = ErrorCollector()
    if not method.name:
        errors.add("name", required_message("name"))
    elif len(method.name) > MAX_METHOD_NAME or not method.name.isprintable():
        errors.add("name", f"The name must be one line of at most {MAX_METHOD_NAME} characters.")
    check_text(errors, "description", method.description, MAX_DESCRIPTION)
    if method.kind not in ShippingKind.values:
        errors.add("kind", invalid_choice("kind", ShippingKind.values))
    check_price(errors, "price_cents", method.price_cents)
    if method.free_from_cents is not None and not is_amount(method.free_from_cents):
        errors.add("free_from_cents", amount_refusal(method.free_from_cents, "order value"))
    if not set(method.countries) <= countries().keys():
        errors.add("countries", invalid_choice("countries"))
    method.countries = sorted(set(method.countries))
    if method.tax_class not in TaxClass.values:
        errors.add("tax_class", invalid_choice("tax_class", TaxClass.values))
    if not 0 <= method.position <= MAX_POSITION:
        errors.add("position", f"The position must be a number between 0 and {MAX_POSITION}.")
    if method.kind in BY_BRACKETS:
        _check_brackets(method, errors)
    errors.raise_if_any()


def _check_brackets(method: ShippingMethod, errors: ErrorCollector) -> None:
    if not method.brackets:
        errors.add("brackets", "Add at least one price.")
    if len(method.brackets) > MAX_BRACKETS:
        errors.add("brackets", f"There may not be more than {MAX_BRACKETS} prices.")
    largest = MAX_WEIGHT if method.kind == ShippingKind.WEIGHT else MAX_AMOUNT_CENTS
    before = 0
    for place, bracket in enumerate(method.brackets):
        up_to, last = bracket["up_to"], place == len(method.brackets) - 1
        if up_to is None:
            if not last:
                errors.add(f"brackets.{place}.up_to", "Only the last price may be without a limit.")
        elif not 0 < up_to <= largest:
            errors.add(f"brackets.{place}.up_to", "The limit must be greater than nothing, and not too large.")
        elif up_to <= before:
            errors.add(f"brackets.{place}.up_to", "The limit must be greater than the one before.")
        before = max(before, up_to or 0)
        check_price(errors, f"brackets.{place}.price_cents", bracket["price_cents"])


@transaction.atomic
def switch_shipping_method(*, method: ShippingMethod, enabled: bool, user: Any = None) -> bool:
    """Offer a method at checkout, or no longer; return False if unchanged."""
    switched = ShippingMethod.objects.filter(pk=method.pk, enabled=not enabled)
    if not switched.update(enabled=enabled, updated_at=timezone.now()):
        return False
    log(instance=method, action="shop.enable" if enabled else "shop.disable", user=user)
    return True
