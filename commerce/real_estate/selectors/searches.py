"""Reads of saved searches and inquiries."""

from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from cms_api.http.signed_links import SignedLink

from ..models import Inquiry, Property, SavedSearch
from ..types.searches import read_filter
from .listings import shown_properties

#: The link in an email with results, to the page that ends these emails.
UNSUBSCRIBE_LINK = SignedLink("real_estate.saved_search", SavedSearch, view="saved_search_unsubscribe")


def saved_searches(user: Any = None) -> QuerySet[SavedSearch]:
    """Return the saved searches, newest first: all of them, or those of an account."""
    found = SavedSearch.objects.select_related("user")
    return found if user is None else found.filter(user=user)


def due_searches(now: datetime) -> QuerySet[SavedSearch]:
    """Return the saved searches whose email is due, of accounts that can sign in."""
    due = SavedSearch.objects.filter(due_at__lte=now, user__is_active=True).select_related("user")
    return due.order_by("due_at", "pk")


def new_results(search: SavedSearch) -> QuerySet[Property]:
    """Return the listings of a saved search that became active since its last email, newest first."""
    found = shown_properties(read_filter(search.query)).filter(activated_at__gt=search.last_sent_at)
    return found.order_by("-activated_at", "-pk")


def inquiries() -> QuerySet[Inquiry]:
    return Inquiry.objects.select_related("listing")
