"""Sitemap URLs of every visible type: its list, the archives of terms that have items, and its items."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib.sitemaps import Sitemap
from django.db.models import OuterRef, QuerySet, Subquery
from django.urls import reverse

from cms_api.flags.selectors import VERSION as FLAGS
from cms_api.http import page_cache

from .. import selectors
from ..models import ContentItem, ContentType, ItemTerm, Term
from ..types import Status


@dataclass(frozen=True)
class Entry:
    path: str
    changed: datetime | None


@dataclass(frozen=True)
class Entries:
    """A type's URLs, of which only the requested slice is read."""

    type: ContentType
    items: int
    before: list[Entry]

    def __len__(self) -> int:
        return len(self.before) + self.items

    def __getitem__(self, wanted: slice) -> list[Entry]:
        start, stop, _ = wanted.indices(len(self))
        skipped = len(self.before)
        first, last = max(start - skipped, 0), max(stop - skipped, 0)
        return [*self.before[start:stop], *(self._items(first, last) if last > first else ())]

    def _items(self, first: int, last: int) -> list[Entry]:
        """Return items oldest first, in index order, so that a full sitemap page does not change when items are added."""
        found = _public().filter(type=self.type).order_by("created_at", "id").values_list("slug", "updated_at")
        return [Entry(f"/{self.type.slug}/{slug}", changed) for slug, changed in found[first:last]]


class TypeSitemap(Sitemap):
    def __init__(self, entries: Entries, changed: datetime | None) -> None:
        self.entries = entries
        self.changed = changed

    def items(self) -> Entries:  # type: ignore[override]
        """Return the entries, which implement as much of a sequence as a Paginator needs."""
        page_cache.depends_on(selectors.items_version(self.entries.type.pk))
        return self.entries

    def location(self, entry: Entry) -> str:
        return entry.path

    def lastmod(self, entry: Entry) -> datetime | None:
        return entry.changed

    def get_latest_lastmod(self) -> datetime | None:
        return self.changed


def sections() -> dict[str, Sitemap]:
    """Return a section for each type (three statements, regardless of the number of types)."""
    page_cache.depends_on(FLAGS, selectors.TYPES)
    types = {found.pk: found for found in selectors.visible_types().values()}
    counts = selectors.item_counts()
    stamps = _stamps()
    archives = _archives(types)
    found: dict[str, Sitemap] = {}
    for type_id, item_type in types.items():
        listed, changed = stamps.get(type_id, (None, None))
        own = Entry(reverse("item_list", args=[item_type.slug]), listed)
        items = counts.get(type_id, 0) if item_type.has_detail else 0
        found[item_type.slug] = TypeSitemap(Entries(item_type, items, [own, *archives.get(type_id, ())]), changed)
    return found


def _public() -> QuerySet[ContentItem]:
    return ContentItem.objects.filter(status=Status.PUBLISHED, owner=None)


def _stamps() -> dict[int, tuple[datetime | None, datetime | None]]:
    """Return for each type the latest publication date, and the latest change of a public item."""
    items = _public().filter(type=OuterRef("pk"))
    listed = items.order_by("-listed_at").values("listed_at")[:1]
    changed = items.order_by("-updated_at").values("updated_at")[:1]
    rows = ContentType.objects.order_by().annotate(listed=Subquery(listed), changed=Subquery(changed))
    return {type_id: (at, then) for type_id, at, then in rows.values_list("pk", "listed", "changed")}


def _archives(types: dict[int, ContentType]) -> dict[int, list[Entry]]:
    """Return the term archives that have items, by type."""
    items = ItemTerm.objects.filter(term=OuterRef("pk"), status=Status.PUBLISHED, item__owner=None)
    newest = items.order_by("-listed_at", "-item_id").values("listed_at")[:1]
    found: dict[int, list[Entry]] = {}
    rows = Term.objects.filter(type__in=types).annotate(newest=Subquery(newest)).filter(newest__isnull=False)
    for type_id, taxonomy, slug, at in rows.order_by("pk").values_list("type", "taxonomy", "slug", "newest"):
        path = reverse("term_archive", args=[types[type_id].slug, taxonomy, slug])
        found.setdefault(type_id, []).append(Entry(path, at))
    return found
