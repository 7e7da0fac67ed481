"""Query helpers shared by several modules."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from django.conf import settings
from django.db import connection
from django.db.models import F, Q, QuerySet
from django.db.models.expressions import RawSQL
from django.utils import timezone

from cms_api.accounts.selectors import confirmed_address
from cms_api.core.errors import Invalid
from cms_api.core.identifiers import read_id
from cms_api.flags.selectors import get_setting, site_country, site_formats
from cms_api.text.addresses import region_code

from .models import DiscountCodeBase, TaxRule
from .types import email_key
from .types.codes import number_key
from .types.discounts import CODE, MAX_CODE, NOT_VALID, USED_UP, CodeState, code_key
from .types.money import Money
from .types.tax import Supply, TaxPlace, TaxRate, tax_place

C = TypeVar("C", bound=DiscountCodeBase)


def format_money(money: Money) -> str:
    """Return an amount as people write it in the site's country: `$12.50`."""
    return site_formats().money(money.amount, money.currency)


def format_cents(cents: int, currency: str) -> str:
    """Return an amount in minor units as people write it."""
    return format_money(Money(cents, currency))


def find_numbered(records: QuerySet[Any], reference: str) -> Any | None:
    """Return the record with an id, or with a number such as `ORD-1001` as people type it."""
    if (pk := read_id(reference)) is not None:
        return records.filter(pk=pk).first()
    key = number_key(reference)
    return records.filter(number=key).first() if key.isascii() else None


def find_with_slug(records: QuerySet[Any], reference: str) -> Any | None:
    """Return the record with an id, or with a slug, which is never a number."""
    if reference.isdecimal():
        pk = read_id(reference)
        return None if pk is None else records.filter(pk=pk).first()
    return records.filter(slug=reference).first()


def placed_by(records: QuerySet[Any], user: Any) -> QuerySet[Any]:
    """Filter records with `user` and `email` by those that an account made, and those of its confirmed address."""
    own = records.filter(user=user)
    address = confirmed_address(user)
    return own | records.filter(email=email_key(address)) if address else own


def filter_by_tag(records: QuerySet[Any], tag: str) -> QuerySet[Any]:
    """Filter records by a tag, ignoring case. Runs one query first, for the spellings in use."""
    table = connection.ops.quote_name(records.model._meta.db_table)
    is_postgresql = connection.vendor == "postgresql"
    tags = f"jsonb_array_elements_text({table}.tags) AS used(value)" if is_postgresql else f"json_each({table}.tags) AS used"
    source = f"FROM {table}, {tags}"
    # SQLite folds ASCII only, so the matching spellings are chosen here.
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT DISTINCT used.value {source}")
        meant = [value for (value,) in cursor.fetchall() if str(value).casefold() == tag.casefold()]
    if not meant:
        return records.none()
    places = ", ".join(["%s"] * len(meant))
    return records.filter(pk__in=RawSQL(f"SELECT {table}.id {source} WHERE used.value IN ({places})", meant))


def taxed_countries() -> list[str]:
    """Return the ISO codes of the countries that have tax rules."""
    return list(TaxRule.objects.order_by("country").values_list("country", flat=True).distinct())


def tax_rates(country: str, region: str = "") -> Mapping[str, TaxRate]:
    """Return the tax rates of sales to a place, by tax class; classes without a rule are not taxed. Runs one query.

    `country` is an ISO 3166 code. Rules of the region, by its name or code and in any case, take precedence over
    those of the country.
    """
    rules = TaxRule.objects.filter(country=country)
    wanted = region_code(country, region.strip()).casefold()
    found = [rule for rule in rules if rule.region.casefold() in {"", wanted}]
    return {rule.tax_class: rule.rate for rule in sorted(found, key=lambda rule: bool(rule.region))}


def business_place() -> TaxPlace:
    """Return where the business is taxed."""
    return TaxPlace(site_country(), get_setting("taxes.region") or "")


def rates_for(supply: Supply, customer: TaxPlace | None = None) -> Mapping[str, TaxRate]:
    """Return the tax rates of a sale by tax class, as `tax_rates`; see `types.tax.tax_place`. Runs one query."""
    place = tax_place(supply, business=business_place(), customer=customer)
    return tax_rates(place.country, place.region)


def find_discount_code(model: type[C], text: str) -> C | None:
    """Return the code that a customer entered, in any case and with any spaces, in whatever state it is.

    A code with amounts in another currency than the site's is not found.
    """
    key = code_key(text)
    if len(key) > MAX_CODE or not CODE.fullmatch(key):
        return None
    code = model._default_manager.filter(code=key).first()
    return code if code is not None and (code.currency == settings.SITE_CURRENCY or not code.has_amounts) else None


def get_discount_code(model: type[C], text: str) -> C:
    """Return the code that a customer entered, as `find_discount_code`. Raises Invalid (`discount_code`) if there is none."""
    code = find_discount_code(model, text)
    if code is None:
        raise Invalid({"discount_code": NOT_VALID})
    return code


def check_code(
    code: DiscountCodeBase, subtotal_cents: int, *, uses_of_customer: Callable[[], int] | None, is_own: bool = False
) -> None:
    """Raise Invalid (`discount_code`) if a code does not apply at present to items of this value.

    `uses_of_customer` counts the uses by this customer, without that of the record itself; None while the customer is unknown.
    `is_own` says that the record itself has a use of the code, which then does not count.
    """
    now = timezone.now()
    problem = ""
    if not code.enabled or code.currency != settings.SITE_CURRENCY:
        problem = NOT_VALID
    elif code.starts_at and now < code.starts_at:
        problem = "This discount code isn't valid yet."
    elif code.ends_at and now >= code.ends_at:
        problem = "This discount code has expired."
    elif subtotal_cents < code.minimum_cents:
        minimum = format_money(Money(code.minimum_cents, code.currency))
        problem = f"This discount code is for {code.noun}s of {minimum} or more."
    elif code.max_uses is not None and code.used - is_own >= code.max_uses:
        problem = USED_UP
    elif code.max_uses_per_customer is not None and uses_of_customer and uses_of_customer() >= code.max_uses_per_customer:
        problem = "You've already used this discount code."
    if problem:
        raise Invalid({"discount_code": problem})


def codes_in_state(codes: QuerySet[C], state: str) -> QuerySet[C]:
    """Filter codes by their state, as `types.discounts.code_state` defines it; an unknown one has none."""
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
