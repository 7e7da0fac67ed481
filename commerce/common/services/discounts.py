"""Creates, changes and deletes the discount codes of a module, and counts their uses."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, TypeVar

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.auth.services.guesses import Secret
from cms_api.core.errors import Invalid, invalid_choice, required_message, taken_message
from cms_api.core.records import lock_or_build, set_values, store_record

from ..models import DiscountCodeBase
from ..types.discounts import CODE, MAX_CODE, MAX_NOTE, MAX_USES, USED_UP, DiscountKind, code_key
from .checks import amount_refusal, is_amount

C = TypeVar("C", bound=DiscountCodeBase)

#: Codes of discounts, and codes that unlock what is offered to some.
CODES = Secret("codes", per_network=20)

ATTRIBUTES = (
    "code",
    "note",
    "kind",
    "percent",
    "amount_cents",
    "minimum_cents",
    "max_uses",
    "max_uses_per_customer",
    "starts_at",
    "ends_at",
    "enabled",
)
#: Moments at the ends of the calendar do not exist in every time zone.
FIRST_YEAR, LAST_YEAR = 2000, 9000
#: Without the uses, which checkouts count, perhaps at this moment.
COLUMNS = (*ATTRIBUTES, "currency", "updated_at")


@transaction.atomic
def save_discount_code(*, model: type[C], values: Mapping[str, Any], code: C | None = None, user: Any = None) -> C:
    """Create or change a discount code; values not given are unchanged. Records that use it keep what they were placed with.

    Amounts are in minor units of the code's currency, which is the site's as long as it has none. `percent` is a Decimal with at
    most two decimals. Those without a meaning for the kind are cleared. Raises Invalid by attribute.
    """
    now = timezone.now()
    saved = lock_or_build(model, code, blocks_references=True, created_at=now, currency=settings.SITE_CURRENCY)
    had_amounts = saved.has_amounts
    set_values(saved, values, ATTRIBUTES)
    saved.code = code_key(saved.code)
    if saved.kind != DiscountKind.PERCENTAGE:
        saved.percent = Decimal(0)
    if saved.kind != DiscountKind.AMOUNT:
        saved.amount_cents = 0
    if not had_amounts or not saved.has_amounts:
        saved.currency = settings.SITE_CURRENCY
    saved.updated_at = now
    _check(saved)
    return store_record(saved, user=user, refusal={"code": taken_message("code")}, columns=COLUMNS)


def _check(code: DiscountCodeBase) -> None:
    errors: dict[str, str] = {}
    if not code.code:
        errors["code"] = required_message("code")
    elif len(code.code) > MAX_CODE:
        errors["code"] = f"The code may not be greater than {MAX_CODE} characters."
    elif not CODE.fullmatch(code.code):
        errors["code"] = "The code must be made of letters, digits, hyphens and underscores."
    if len(code.note) > MAX_NOTE or not code.note.isprintable():
        errors["note"] = f"The note must be one line of at most {MAX_NOTE} characters."
    if code.kind not in code.kinds:
        errors["kind"] = invalid_choice("kind", [kind.value for kind in code.kinds])
    elif code.kind == DiscountKind.PERCENTAGE and not _is_percentage(code.percent):
        errors["percent"] = "The percentage must be greater than 0 and at most 100, with at most two decimals."
    elif not is_amount(code.amount_cents) or (code.kind == DiscountKind.AMOUNT and not code.amount_cents):
        too_small = "The amount must be greater than nothing."
        errors["amount_cents"] = amount_refusal(code.amount_cents, "amount") if code.amount_cents > 0 else too_small
    if not is_amount(code.minimum_cents):
        errors["minimum_cents"] = amount_refusal(code.minimum_cents, f"{code.noun} value")
    for name in ("max_uses", "max_uses_per_customer"):
        uses = getattr(code, name)
        if uses is not None and not 0 < uses <= MAX_USES:
            errors[name] = f"The number of uses must be between 1 and {MAX_USES}, or empty for no limit."
    if "max_uses" not in errors and code.max_uses is not None and code.max_uses < code.used:
        errors["max_uses"] = f"The code has been used {code.used} times already. Disable it to end it."
    for name in ("starts_at", "ends_at"):
        moment = getattr(code, name)
        if moment and not FIRST_YEAR <= moment.year <= LAST_YEAR:
            errors[name] = f"The year must be between {FIRST_YEAR} and {LAST_YEAR}."
    if code.starts_at and code.ends_at and code.ends_at <= code.starts_at:
        errors["ends_at"] = "The end must be after the start."
    if errors:
        raise Invalid(errors)


def _is_percentage(percent: Decimal) -> bool:
    return percent.is_finite() and 0 < percent <= 100 and percent == round(percent, 2)


@transaction.atomic
def switch_discount_code(*, code: DiscountCodeBase, enabled: bool, user: Any = None) -> bool:
    """Accept a code at checkout, or no longer; return False if unchanged."""
    switched = type(code)._default_manager.filter(pk=code.pk, enabled=not enabled)
    if not switched.update(enabled=enabled, updated_at=timezone.now()):
        return False
    log(instance=code, action="discounts.enable" if enabled else "discounts.disable", user=user)
    return True


def take_use(code: DiscountCodeBase) -> None:
    """Count a use of a code, in one statement, which also makes others with the same code wait.

    Raises Invalid (`discount_code`) if none is left; the caller's transaction must then be rolled back.
    """
    free = type(code)._default_manager.filter(Q(max_uses=None) | Q(used__lt=F("max_uses")), pk=code.pk)
    if not free.update(used=F("used") + 1):
        raise Invalid({"discount_code": USED_UP})


def lock_codes(model: type[DiscountCodeBase], pks: Iterable[int | None]) -> None:
    """Lock codes in the order of their ids, before a transaction changes the uses of several, or locks what others lock after."""
    codes = model._default_manager.select_for_update(no_key=True).filter(pk__in=set(pks) - {None})
    list(codes.order_by("pk").values_list("pk"))


def give_back_use(model: type[DiscountCodeBase], pk: int | None) -> None:
    """Give back a use of the code with an id, if there still is one."""
    model._default_manager.filter(pk=pk, used__gt=0).update(used=F("used") - 1)
