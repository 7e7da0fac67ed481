"""The feeds that the footer of the site links to."""

from collections.abc import Iterator

from django.urls import reverse

from cms_api.core.module import FooterLink
from cms_api.http import page_cache

from ..resources.cards import is_dated
from ..selectors import TYPES, visible_types


def footer_links() -> Iterator[FooterLink]:
    """Yield the Atom feed of each type with pages for whose items the publication date matters."""
    page_cache.depends_on(TYPES)
    for slug, found in visible_types().items():
        if found.has_detail and is_dated(found):
            yield FooterLink(f"{found.name_plural} feed", reverse("type_atom", args=[slug]), is_feed=True)
