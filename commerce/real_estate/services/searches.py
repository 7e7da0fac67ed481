"""Saves searches of accounts, and mails their new results."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils import timezone
from django.utils.html import format_html, format_html_join

from cms_api.core import batches
from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice
from cms_api.core.locks import lock_row
from cms_api.core.module import Block
from cms_api.mail.services import queue
from cms_api.mail.types import is_address
from commerce.common.services.checks import check_line

from ..models import Property, SavedSearch
from ..selectors.listings import price_text
from ..selectors.searches import UNSUBSCRIBE_LINK, due_searches, new_results
from ..types.listings import EVERY, MAX_MAILED_LISTINGS, MAX_SEARCH_NAME, MAX_SEARCHES, Frequency, property_path
from ..types.searches import SearchFilter, stored_filter

#: Saved searches that one run of the job works on; the next run continues.
SEARCHES_PER_RUN = 500
TOO_MANY = f"You can save up to {MAX_SEARCHES} searches. Delete one first."


@transaction.atomic
def save_search(*, user: Any, values: Mapping[str, Any], search: SavedSearch | None = None) -> SavedSearch:
    """Save a search of an account, or change a saved one; values not given are unchanged. Raises Invalid by name.

    `values`: `name`, `frequency`, and `filter`, a `SearchFilter`. Listings from then on are mailed.
    """
    now = timezone.now()
    # Locked, so that two requests do not both save the last one that is allowed.
    get_user_model().objects.select_for_update(no_key=True).filter(pk=user.pk).first()
    saved = _own(user, search) if search else SavedSearch(user=user, last_sent_at=now, created_at=now)
    errors = ErrorCollector()
    name = " ".join(str(values.get("name", saved.name) or "").split())
    check_line(errors, "name", name, MAX_SEARCH_NAME, needed=True)
    frequency = values.get("frequency", saved.frequency)
    if frequency not in Frequency.values:
        errors.add("frequency", invalid_choice("frequency", Frequency.values))
    wanted = values.get("filter")
    if wanted is not None and not isinstance(wanted, SearchFilter):
        errors.add("filter", invalid_choice("filter"))
    errors.raise_if_any()
    if search is None and SavedSearch.objects.filter(user=user).count() >= MAX_SEARCHES:
        raise Invalid({"name": TOO_MANY})
    if saved.pk is None or frequency != saved.frequency:
        if saved.due_at is None:
            # Listings from the time without emails are not news.
            saved.last_sent_at = now
        saved.due_at = _due(frequency, saved.last_sent_at)
    saved.name, saved.frequency = name, frequency
    if wanted is not None:
        saved.query = stored_filter(wanted)
    saved.save()
    return saved


def _own(user: Any, search: SavedSearch) -> SavedSearch:
    return lock_row(SavedSearch.objects.filter(pk=search.pk, user=user))


def _due(frequency: str, sent_at: datetime) -> datetime | None:
    every = EVERY.get(Frequency(frequency))
    return sent_at + every if every else None


@transaction.atomic
def delete_search(*, search: SavedSearch) -> None:
    SavedSearch.objects.filter(pk=search.pk).delete()


@transaction.atomic
def pause_search(*, search: SavedSearch) -> bool:
    """End the emails of a saved search, which stays; return False if there were none."""
    with_mails = SavedSearch.objects.filter(pk=search.pk).exclude(frequency=Frequency.NEVER)
    return with_mails.update(frequency=Frequency.NEVER, due_at=None) == 1


def send_saved_searches() -> None:
    """Mail the new results of saved searches that are due (periodic job)."""
    batches.each(due_searches(timezone.now()).values_list("pk", flat=True), _send, limit=SEARCHES_PER_RUN)


@transaction.atomic
def _send(pk: int) -> None:
    """Mail the new results, if there are any, and note from when on others are new."""
    now = timezone.now()
    search = SavedSearch.objects.select_for_update(of=("self",)).filter(pk=pk, due_at__lte=now).select_related("user").first()
    if search is None:
        return
    found = new_results(search)
    listings = list(found[:MAX_MAILED_LISTINGS])
    # Listings of a transaction that began before this one may become visible later: they have an earlier stamp.
    SavedSearch.objects.filter(pk=pk).update(last_sent_at=now, due_at=_due(search.frequency, now))
    if listings and is_address(search.user.email):
        _mail(search, listings, found.count() if len(listings) == MAX_MAILED_LISTINGS else len(listings))


def _mail(search: SavedSearch, listings: Sequence[Property], total: int) -> None:
    leave = UNSUBSCRIBE_LINK.url(search)
    queue(
        template="saved_search_results",
        to=[search.user.email],
        context={
            "name": search.user.first_name or "there",
            "search": search.name,
            "count": "1 new listing" if total == 1 else f"{total:,} new listings",
            "listings": _block(listings),
            "unsubscribe_url": leave,
        },
        headers={"List-Unsubscribe": f"<{leave}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"},
    )


def _block(listings: Sequence[Property]) -> Block:
    rows = [(settings.BASE_URL + property_path(row.slug), row.title, price_text(row)) for row in listings]
    text = "\n\n".join(f"{title}: {price}\n{url}" for url, title, price in rows)
    return Block(text, format_html("<ul>{}</ul>", format_html_join("", '<li><a href="{}">{}</a>: {}</li>', rows)))
