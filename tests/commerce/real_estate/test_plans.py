"""Lists are read in the order of an index, so that they cost the same among many listings."""

from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from commerce.real_estate.selectors.listings import properties, shown_properties
from commerce.real_estate.selectors.searches import due_searches
from commerce.real_estate.types.searches import SORTS, SearchFilter

pytestmark = pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL reads a few rows without an index.")

FILTERS: list[dict[str, Any]] = [
    {},
    {"status": "active"},
    {"status": "active", "city": "x"},
    {"status": "active", "state": "x"},
    {"status": "active", "postal_code": "x"},
    {"status": "active", "property_type": "x"},
    {"status": "active", "agent_mls_id": "x"},
]


def plan(queryset: Any) -> str:
    return str(queryset.explain())


@pytest.mark.parametrize("wanted", FILTERS)
def test_the_order_of_the_api(wanted: dict[str, Any]) -> None:
    found = plan(properties(SearchFilter(**wanted)).order_by("-modified_at", "-id")[:15])
    assert "USING INDEX property_" in found
    assert "TEMP B-TREE" not in found


@pytest.mark.parametrize("field", ["modified_at", "list_price", "listed_on", "created_at", "updated_at"])
def test_sort_keys(field: str) -> None:
    found = plan(properties(SearchFilter(status="active")).order_by(field, "id")[:15])
    assert "TEMP B-TREE" not in found


@pytest.mark.parametrize("sort", SORTS)
def test_the_order_of_pages(sort: str) -> None:
    found = plan(shown_properties(sort=sort)[:24])
    assert "USING INDEX property_market_" in found
    assert "TEMP B-TREE" not in found


def test_saved_searches() -> None:
    assert "saved_search_due" in plan(due_searches(timezone.now()))
