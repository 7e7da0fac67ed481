"""Saved searches of accounts in the admin: a list. Accounts change and delete their own."""

from typing import Any

from django.db.models import QuerySet

from cms_api.adminkit import filters
from cms_api.adminkit.columns import MomentColumn, NotedColumn, StatusColumn, TransitionsColumn, person
from cms_api.adminkit.viewset import RecordViewSet

from ..models import SavedSearch
from ..selectors.searches import saved_searches
from ..types.listings import Frequency

LABELS = {
    "search": "Words",
    "city": "City",
    "state": "State",
    "postal_code": "Postal code",
    "property_type": "Type",
    "min_price": "Price from",
    "max_price": "Price to",
    "min_beds": "Bedrooms from",
    "min_baths": "Bathrooms from",
    "min_sqft": "Living area from",
    "status": "Status",
    "box": "Part of the map",
}


def query_words(search: SavedSearch) -> str:
    """Return what a saved search asks for."""
    found = ((LABELS[name], value) for name, value in search.query.items() if name in LABELS)
    words = (label if label == LABELS["box"] else f"{label}: {_text(value)}" for label, value in found)
    return " · ".join(words) or "All listings"


def _text(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


class SavedSearchViewSet(RecordViewSet):
    model = SavedSearch
    icon = "search"
    menu_label = "Saved searches"
    menu_order = 50
    name = "saved_property_searches"
    url_prefix = "real-estate/searches"
    pages = ()
    renew_permission = "delete"
    list_display = (
        NotedColumn("name", label="Name", note=query_words),
        NotedColumn(
            "user",
            label="Account",
            accessor=lambda each: person(each.user),
            note=lambda each: each.user.email if person(each.user) != each.user.email else "",
        ),
        StatusColumn("frequency", label="Emails", primary=lambda each: each.frequency != Frequency.NEVER),
        MomentColumn("due_at", label="Next email", empty="Never"),
        MomentColumn("created_at", label="Created"),
        TransitionsColumn("actions", label="Actions", accessor=lambda each: ""),
    )
    nulls_last = ("due_at",)
    filters = {
        "frequency": filters.choice(Frequency.choices, label="Emails"),
        "created_at": filters.date_range("Created"),
    }
    search_fields = ["name", "user__email", "user__first_name", "user__last_name"]

    def records(self) -> QuerySet[SavedSearch]:
        return saved_searches()
