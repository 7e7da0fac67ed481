"""Template tags for every page: the site's name, metadata, cards of items and linked data."""

import datetime as dt
import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlencode

from django import template
from django.conf import settings
from django.utils.safestring import SafeString, mark_safe

from cms_api.content.models import ContentItem
from cms_api.content.resources import linked_data, meta
from cms_api.content.resources.cards import Card, make_cards

register = template.Library()

#: Characters that could end a `<script>` or start a comment in it, as JSON escapes.
_IN_SCRIPT = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


@register.simple_tag
def site_name() -> str:
    return linked_data.site_name()


@register.simple_tag(takes_context=True)
def page_meta(context: template.Context) -> meta.Meta:
    """Return the page's metadata from the view, completed with defaults."""
    return meta.complete(context.get("meta") or {}, context.get("request"))


@register.simple_tag
def base_url() -> str:
    """Return the site's absolute URL, without a trailing slash."""
    return settings.BASE_URL


@register.simple_tag
def cards_of(items: Iterable[ContentItem]) -> list[Card]:
    return make_cards(items)


@register.filter
def day_of(iso: str) -> dt.date:
    """Return the day of a machine-readable `<time>` value."""
    return dt.date.fromisoformat(iso[:10])


@register.filter
def json_ld(value: dict[str, Any]) -> SafeString:
    """Return a JSON-LD object in a `<script>`, escaped so that no text can break out of it."""
    text = json.dumps(value, ensure_ascii=False).translate(_IN_SCRIPT)
    return mark_safe(f'<script type="application/ld+json">{text}</script>')  # every < in the text is escaped


@register.simple_tag
def page_query(number: int, query: str, tab: str = "", kept: str = "") -> str:
    """Return the query string for a page of a list; empty for the first page without a search.

    A list with other parameters has all of them in `kept`, encoded.
    """
    if kept:
        return f"?{kept}" + (f"&page={number}" if number > 1 else "")
    values = {**({"tab": tab} if tab else {}), **({"q": query} if query else {}), **({"page": number} if number > 1 else {})}
    return "?" + urlencode(values) if values else "?"
