"""The tickets on the page of an event."""

from django.http import HttpRequest
from django.template.loader import render_to_string

from cms_api.content.models import ContentItem
from cms_api.content.selectors import type_by_id
from cms_api.content.types import Status
from cms_api.http import page_cache
from cms_api.rows.additions import Added

from ..resources import pages
from ..selectors.events import TYPE, sells_tickets
from ..types.sales import event_tag


def present(item: ContentItem, request: HttpRequest | None) -> Added | None:
    """Return the tickets of the page's date with their offers for search engines; None for an event that sells none."""
    if request is None or item.owner_id is not None or item.status != Status.PUBLISHED or type_by_id(item.type_id).slug != TYPE:
        return None
    page_cache.shows(event_tag(item.pk))
    if sells_tickets(item.pk) is None:
        return None
    shown = pages.picker(item, request.GET.get(pages.OCCURRENCE, ""))
    if shown is None:
        return None
    offers = pages.linked_offers(shown)
    panel = render_to_string("ticketing/panel.html", {"picker": shown})
    return Added({"action": panel}, {"offers": offers} if offers else {})
