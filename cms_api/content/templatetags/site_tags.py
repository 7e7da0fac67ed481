"""What every page of the site needs: its name, its navigation, cards of items and linked data."""

import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlencode

from django import template
from django.conf import settings
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from cms_api.content.models import ContentItem, ContentType
from cms_api.content.selectors import visible_types
from cms_api.content.views.cards import Card, make_cards
from cms_api.flags.selectors import get_setting

register = template.Library()

#: What could end a `<script>` or begin a comment in it, written as JSON escapes.
_IN_SCRIPT = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


@register.simple_tag
def site_name() -> str:
    return str(get_setting("site.name") or "")


@register.simple_tag
def base_url() -> str:
    """The site's absolute address, without a slash at its end."""
    return settings.BASE_URL


@register.simple_tag(takes_context=True)
def navigation(context: template.Context) -> list[dict[str, Any]]:
    """The content types that have pages, the one whose page is shown marked."""
    current = context.get("type")
    here = current.pk if isinstance(current, ContentType) else None
    return [
        {
            "label": item_type.name_plural,
            "url": reverse("item_list", args=[slug]),
            "is_current": here == item_type.pk,
        }
        for slug, item_type in visible_types().items()
        if item_type.has_detail
    ]


@register.simple_tag
def cards_of(items: Iterable[ContentItem]) -> list[Card]:
    return make_cards(items)


@register.filter
def json_ld(value: dict[str, Any]) -> SafeString:
    """A JSON-LD object in its `<script>`, out of which no text in it can break."""
    text = json.dumps(value, ensure_ascii=False).translate(_IN_SCRIPT)
    return mark_safe(f'<script type="application/ld+json">{text}</script>')  # every < in the text is escaped


@register.simple_tag
def page_query(number: int, query: str) -> str:
    """The query string of a page of a list; the first page of an unsearched one has none."""
    values = {**({"q": query} if query else {}), **({"page": number} if number > 1 else {})}
    return "?" + urlencode(values) if values else "?"
