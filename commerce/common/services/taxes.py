"""Creates, changes and deletes tax rules."""

from decimal import Decimal, InvalidOperation
from typing import Any

from django.db import transaction
from django.utils import timezone

from cms_api.core.errors import Invalid, invalid_choice, required_message
from cms_api.core.records import lock_or_build, set_values, store_record
from cms_api.text.addresses import countries, region_code

from ..models import TaxRule
from ..types import MAX_NAME
from ..types.tax import MAX_RATE_DECIMALS, MAX_TAX_LABEL, TaxClass

ATTRIBUTES = ("country", "region", "tax_class", "label", "percent")


@transaction.atomic
def save_tax_rule(*, values: dict[str, Any], rule: TaxRule | None = None, user: Any = None) -> TaxRule:
    """Create or change a tax rule; values not given are unchanged. Sales that were made keep their taxes.

    `country` is an ISO 3166 code, `percent` a Decimal from 0 to 100 with at most four decimals. Raises Invalid by attribute, also
    for a second rule of the same country, region (ignoring case) and tax class.
    """
    now = timezone.now()
    saved = lock_or_build(TaxRule, rule, created_at=now, percent=Decimal(0))
    set_values(saved, values, ATTRIBUTES)
    saved.updated_at = now
    _check(saved)
    taken = "There is a rule for this place and tax class already. Change that one."
    return store_record(saved, user=user, refusal={"region": taken})


def _check(rule: TaxRule) -> None:
    errors: dict[str, str] = {}
    if rule.country not in countries():
        errors["country"] = invalid_choice("country")
    rule.region = region_code(rule.country, " ".join(str(rule.region).split()))
    if len(rule.region) > MAX_NAME or not rule.region.isprintable():
        errors["region"] = f"The region must be one line of at most {MAX_NAME} characters."
    if rule.tax_class not in TaxClass.values:
        errors["tax_class"] = invalid_choice("tax_class", TaxClass.values)
    rule.label = " ".join(str(rule.label).split())
    if not rule.label:
        errors["label"] = required_message("label")
    elif len(rule.label) > MAX_TAX_LABEL or not rule.label.isprintable():
        errors["label"] = f"The label must be one line of at most {MAX_TAX_LABEL} characters."
    if not _is_percent(rule.percent):
        errors["percent"] = f"The rate must be a number from 0 to 100 with at most {MAX_RATE_DECIMALS} decimals."
    if errors:
        raise Invalid(errors)


def _is_percent(value: Any) -> bool:
    try:
        return isinstance(value, Decimal) and 0 <= value <= 100 and value == round(value, MAX_RATE_DECIMALS)
    except InvalidOperation:
        return False
