"""Query helpers shared by several modules."""

import re
from collections.abc import Mapping
from typing import Any

from django.db import connection
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

from cms_api.accounts.selectors import confirmed_address
from cms_api.flags.selectors import site_formats
from cms_api.text.addresses import region_code

from .models import TaxRule
from .types import email_key
from .types.money import Money
from .types.tax import TaxRate

_ID = re.compile("[1-9][0-9]{0,18}")


def format_money(money: Money) -> str:
    """Return an amount as people write it in the site's country: `$12.50`."""
    return site_formats().money(money.amount, money.currency)


def find_numbered(records: QuerySet[Any], reference: str) -> Any | None:
    """Return the record with an id, or with a number such as `ORD-1001` in any case."""
    if _ID.fullmatch(reference):
        return records.filter(pk=reference).first()
    return records.filter(number=reference.upper()).first() if reference.isascii() else None


def placed_by(records: QuerySet[Any], user: Any) -> QuerySet[Any]:
    """Filter records with `user` and `email` by those that an account made, and those of its confirmed address."""
    own = records.filter(user=user)
    address = confirmed_address(user)
    return own | records.filter(email=email_key(address)) if address else own


def tagged(records: QuerySet[Any], tag: str) -> QuerySet[Any]:
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
