"""What every page of the site needs: its name, cards of items and linked data."""

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

#: What could end a `<script>` or begin a comment in it, written as JSON escapes.
_IN_SCRIPT = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


@register.simple_tag
def site_name() -> str:
    return linked_data.site_name()


@register.simple_tag(takes_context=True)
def page_meta(context: template.Context) -> meta.Meta:
    """What the view says of its page, completed with what can be said of any."""
    return meta.completed(context.get("meta") or {}, context.get("request"))


@register.simple_tag
def base_url() -> str:
    """The site's absolute address, without a slash at its end."""
    return settings.BASE_URL


@register.simple_tag
def cards_of(items: Iterable[ContentItem]) -> list[Card]:
    return make_cards(items)


@register.filter
def day_of(iso: str) -> dt.date:
    """The day of what a `<time>` says to machines."""
    return dt.date.fromisoformat(iso[:10])


@register.filter
def json_ld(value: dict[str, Any]) -> SafeString:
    """A JSON-LD object in its `<script>`, out of which no text in it can break."""
    text = json.dumps(value, ensure_ascii=False).translate(_IN_SCRIPT)
    return mark_safe(f'<script type="application/ld+json">{text}</script>')  # every < in the text is escaped


@register.simple_tag
def page_query(number: int, query: str, tab: str = "") -> str:
    """The query string of a page of a list; the first page of an unsearched one has none."""
    values = {**({"tab": tab} if tab else {}), **({"q": query} if query else {}), **({"page": number} if number > 1 else {})}
    return "?" + urlencode(values) if values else "?"
