"""The calendars that the footer of the site links to."""

from collections.abc import Iterator

from django.urls import reverse

from cms_api.content.selectors import TYPES, visible_types
from cms_api.core.module import FooterLink
from cms_api.http import page_cache

from .selectors.dates import has_upcoming


def footer_links() -> Iterator[FooterLink]:
    """Yield the calendar of each type with upcoming dates."""
    page_cache.depends_on(TYPES)
    for slug, found in visible_types().items():
        if has_upcoming(found):
            yield FooterLink(f"{found.name_plural} calendar", reverse("calendar_feed", args=[slug]), is_feed=True)
