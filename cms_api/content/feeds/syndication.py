"""RSS and Atom feeds of the newest items of a type, or of one of its terms."""

import re
from dataclasses import dataclass
from datetime import datetime
from html import escape, unescape
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urljoin, urlsplit

from django.conf import settings
from django.contrib.syndication.views import Feed
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed, Enclosure, Rss201rev2Feed, SyndicationFeed, rfc3339_date
from django.utils.xmlutils import SimplerXMLGenerator
from django.views.decorators.http import require_safe

from cms_api.http import page_cache
from cms_api.media.selectors import media_tag
from cms_api.text.xml import xml_text

from .. import selectors
from ..models import ContentItem, ContentType, Term
from ..resources.calendar_links import resolve
from ..resources.cards import summary_of
from ..resources.fields import terms_of
from ..resources.linked_data import absolute, address_of, author_of, site_name
from ..resources.pictures import featured_image

FEED_ITEMS = 30
SUMMARY_LENGTH = 400

#: Links and images in stored HTML. It is sanitized, so tag names are lower-case and all values double-quoted.
_TAG = re.compile(r'<(?:a|img)\s(?:[^">]|"[^"]*+")*+>')
_ADDRESS = re.compile(r'(?<=\s)(href|src)="([^"]*+)"')
_IMAGES = {"jpg": "jpeg", "svg": "svg+xml"}


@dataclass(frozen=True)
class Subject:
    """The type, and optionally the term, that a feed covers."""

    type: ContentType
    term: Term | None

    @property
    def path(self) -> list[str]:
        return [self.type.slug, *([self.term.taxonomy, self.term.slug] if self.term else [])]


class _Printable(SyndicationFeed):
    """A feed of user-written texts that includes the full content of items besides their summaries."""

    def __init__(self, *args: Any, **feed: Any) -> None:
        super().__init__(*args, **_printable(feed))

    def add_item(self, *args: Any, **item: Any) -> None:
        super().add_item(*args, **_printable(item))

    def latest_post_date(self) -> datetime:
        """Return when the feed last changed. It is constant for an empty feed, for the same ETag in every process."""
        stamps = [item["updateddate"] for item in self.items]
        latest: datetime = max(stamps, default=self.feed["made"])
        return latest


class Rss(_Printable, Rss201rev2Feed):
    def rss_attributes(self) -> dict[str, str]:
        return {**super().rss_attributes(), "xmlns:content": "http://purl.org/rss/1.0/modules/content/"}

    def add_item_elements(self, handler: SimplerXMLGenerator, item: dict[str, Any]) -> None:
        super().add_item_elements(handler, item)
        handler.addQuickElement("atom:updated", rfc3339_date(item["updateddate"]))
        if item["content"]:
            handler.addQuickElement("content:encoded", item["content"])


class Atom(_Printable, Atom1Feed):
    def add_item_elements(self, handler: SimplerXMLGenerator, item: dict[str, Any]) -> None:
        super().add_item_elements(handler, item)
        if item["content"]:
            handler.addQuickElement("content", item["content"], {"type": "html"})


class ItemFeed(Feed):
    """The shared parts of both formats. All URLs are absolute; titles are plain text, summaries and contents HTML."""

    def get_object(self, request: HttpRequest, type_slug: str, taxonomy: str = "", term: str = "") -> Subject:
        item_type = selectors.all_types()[type_slug]
        terms = selectors.vocabulary(item_type.pk).get(taxonomy, ())
        found = next((each for each in terms if each.slug == term), None)
        if not item_type.has_detail or (taxonomy and found is None):
            raise Http404
        selectors.cache_page(selectors.order_version(item_type.pk))
        return Subject(item_type, found)

    def title(self, subject: Subject) -> str:
        name = subject.type.name_plural
        return " \u2013 ".join([f"{subject.term.name}: {name}" if subject.term else name, site_name()])

    def description(self, subject: Subject) -> str:
        return subject.type.description or self.title(subject)

    def subtitle(self, subject: Subject) -> str:
        return self.description(subject)

    def link(self, subject: Subject) -> str:
        return absolute(reverse("term_archive" if subject.term else "item_list", args=subject.path))

    def feed_url(self, subject: Subject) -> str:
        kind = "atom" if self.feed_type is Atom else "rss"
        return absolute(reverse(f"term_{kind}" if subject.term else f"type_{kind}", args=subject.path))

    def feed_guid(self, subject: Subject) -> str:
        return self.feed_url(subject)

    def author_name(self) -> str:
        return site_name()

    def author_link(self) -> str:
        return absolute("/")

    def feed_extra_kwargs(self, subject: Subject) -> dict[str, Any]:
        return {"made": subject.type.updated_at}

    def items(self, subject: Subject) -> list[ContentItem]:
        items = list(selectors.newest_items(subject.type, subject.term)[:FEED_ITEMS])
        for item in items:
            item.type = subject.type
        page_cache.shows(*(selectors.item_tag(item.pk) for item in items))
        return items

    def item_title(self, item: ContentItem) -> str:
        return item.title

    def item_description(self, item: ContentItem) -> str:
        return escape(summary_of(item, SUMMARY_LENGTH), quote=False)

    def item_link(self, item: ContentItem) -> str:
        return address_of(item)

    def item_guid(self, item: ContentItem) -> str:
        """Return a tag URI (RFC 4151), which stays the same when the item's slug changes."""
        host = urlsplit(settings.BASE_URL).hostname
        number = item.type.external_number(item.pk, item.created_at)
        return f"tag:{host},{item.created_at:%Y-%m-%d}:content-item/{number}"

    item_guid_is_permalink = False

    def item_pubdate(self, item: ContentItem) -> datetime:
        return item.listed_at

    def item_updateddate(self, item: ContentItem) -> datetime:
        return item.updated_at

    def item_author_name(self, item: ContentItem) -> str | None:
        return author_of(item) or None

    def item_categories(self, item: ContentItem) -> list[str]:
        return [term.name for group in terms_of(item) for term in group["terms"]]

    def item_enclosures(self, item: ContentItem) -> list[Enclosure]:
        """Return the original upload of the item's featured picture."""
        image = featured_image(item)
        if image is None:
            return []
        page_cache.shows(media_tag(image.pk))
        ending = PurePosixPath(image.file.name).suffix.lstrip(".").lower()
        return [Enclosure(absolute(image.file.url), str(image.file_size or 0), f"image/{_IMAGES.get(ending, ending)}")]

    def item_extra_kwargs(self, item: ContentItem) -> dict[str, Any]:
        return {"content": _content(item)}


class RssFeed(ItemFeed):
    feed_type = Rss


class AtomFeed(ItemFeed):
    feed_type = Atom


rss, atom = require_safe(RssFeed()), require_safe(AtomFeed())


def _content(item: ContentItem) -> str:
    """Return the item's rich text, if the type has exactly one such field."""
    keys = [field.key for field in item.type.schema if field.type == "richtext_tiptap"]
    html = item.data.get(keys[0]) if len(keys) == 1 else ""
    return _with_absolute_addresses(resolve(html, item), address_of(item)) if isinstance(html, str) else ""


def _with_absolute_addresses(html: str, base: str) -> str:
    def address(found: re.Match[str]) -> str:
        return f'{found[1]}="{escape(_join(base, unescape(found[2])))}"'

    return _TAG.sub(lambda tag: _ADDRESS.sub(address, tag[0]), html)


def _join(base: str, url: str) -> str:
    try:
        return urljoin(base, url)
    except ValueError:
        return url


def _printable(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values without characters that XML cannot represent."""
    return {name: _clean(value) for name, value in values.items()}


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return xml_text(value)
    return [_clean(each) for each in value] if isinstance(value, list) else value
