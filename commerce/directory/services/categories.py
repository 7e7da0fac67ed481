"""Categories of listings, and plans."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from wagtail.search.backends import get_search_backend

from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice
from cms_api.core.locks import lock_row
from cms_api.core.records import delete_record, lock_or_build, set_values, store_record
from commerce.common.services.categories import store_category
from commerce.common.services.checks import check_line, check_payable, check_price, check_whole, is_whole
from commerce.common.types import MAX_POSITION

from ..models import Category, Listing, Plan
from ..types.terms import MAX_MONTHS, MAX_PLAN_DESCRIPTION, MAX_PLAN_NAME, PlanKind
from .changed import invalidate_listings

#: Search entries that are written at once.
BATCH = 500


@transaction.atomic
def save_category(*, values: Mapping[str, Any], category: Category | None = None, user: Any = None) -> Category:
    """Create or change a category, as `store_category`. Raises Invalid by attribute, and NotFound."""
    saved = lock_or_build(Category, category)
    former = saved.name
    store_category(saved, values, user)
    if category is not None and saved.name != former:
        _index_listings(_ids_of(saved))
    invalidate_listings()
    return saved


def _ids_of(category: Category) -> list[int]:
    return list(category.listings.order_by("pk").values_list("pk", flat=True))


def _index_listings(ids: Sequence[int]) -> None:
    """Update the search entries of listings: they have the names of the categories."""
    for start in range(0, len(ids), BATCH):
        found = Listing.objects.filter(pk__in=ids[start : start + BATCH]).prefetch_related("categories")
        get_search_backend().add_bulk(Listing, list(found))


@transaction.atomic
def delete_category(*, category: Category, user: Any = None) -> None:
    """Delete a category; its listings stay. Raises NotFound."""
    locked = lock_row(Category.objects.filter(pk=category.pk), to_delete=True)
    ids = _ids_of(locked)
    delete_record(record=locked, user=user)
    _index_listings(ids)
    invalidate_listings()


@transaction.atomic
def save_plan(*, values: Mapping[str, Any], plan: Plan | None = None, user: Any = None) -> Plan:
    """Create or change a plan. Raises Invalid by attribute.

    The price is in minor units of its currency, which is the site's when it is created.
    """
    now = timezone.now()
    saved = lock_or_build(Plan, plan, created_at=now, currency=settings.SITE_CURRENCY)
    errors = ErrorCollector()
    set_values(saved, values, ("name", "description", "kind", "months", "price_cents", "enabled", "position"))
    check_line(errors, "name", saved.name, MAX_PLAN_NAME, needed=True)
    check_line(errors, "description", saved.description, MAX_PLAN_DESCRIPTION)
    if saved.kind not in PlanKind.values:
        errors.add("kind", invalid_choice("kind", PlanKind.values))
    if not is_whole(saved.months, 1, MAX_MONTHS):
        errors.add("months", f"The months must be a whole number between 1 and {MAX_MONTHS}.")
    check_price(errors, "price_cents", saved.price_cents)
    if "price_cents" not in errors.errors:
        check_payable(errors, "price_cents", saved.price_cents, saved.currency)
    if saved.price_cents == 0:
        errors.add("price_cents", "The price must be more than nothing. Listings are free while no term can be bought.")
    check_whole(errors, "position", saved.position, MAX_POSITION)
    errors.raise_if_any()
    saved.name, saved.updated_at = saved.name.strip(), now
    store_record(saved, user=user)
    invalidate_listings()
    return saved


@transaction.atomic
def delete_plan(*, plan: Plan, user: Any = None) -> None:
    """Delete a plan; what was bought stays as it was. Raises NotFound, and Invalid (`status`) while somebody pays for it."""
    locked = lock_row(Plan.objects.filter(pk=plan.pk), to_delete=True)
    if locked.purchases.filter(status="pending").exists():
        raise Invalid({"status": "Somebody is about to pay for this plan. Switch it off instead."})
    delete_record(record=locked, user=user)
    invalidate_listings()
