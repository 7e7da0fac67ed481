"""Rows as pages show them: with the pictures that stand in their places, whoever put them there."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from django.templatetags.static import static
from django.urls import reverse
from wagtail.blocks import StreamValue

from cms_api.content import selectors as content
from cms_api.content.views.pictures import Picture, picture, prefetch_renditions
from cms_api.flags.selectors import VERSION as FLAGS
from cms_api.flags.selectors import is_on
from cms_api.forms.selectors import VERSION as FORMS
from cms_api.forms.selectors import find_form
from cms_api.http import page_cache
from commerce.marketing.selectors import lists_by_slug, public_lists
from commerce.marketing.types import FEATURE as MARKETING
from commerce.marketing.types import LISTS

from ..models import Row
from ..models.blocks import FormBlock, ItemListBlock, NewsletterBlock, RecordBlock, RowBlock, SharedBlock
from ..selectors import images_of, shared_row_tag
from ..types import Slot

#: What a row belongs to: a page, or a shared row, and its id.
Holder = tuple[str, int | None]


@dataclass(frozen=True)
class ShownRow:
    kind: str
    #: Names the row on its page, for links to it.
    anchor: str
    value: Any
    #: By the slot's key; of parts by their number, as `parts` has them.
    pictures: dict[str, Picture] = field(default_factory=dict)
    #: The parts of a list, each with its picture.
    parts: list[tuple[Any, Picture]] = field(default_factory=list)
    #: Of an item list: its type and items.
    type: Any = None
    items: Sequence[Any] = ()
    #: Of a form: itself, while visitors may use it.
    form: Any = None
    #: Of an invitation to subscribe: the lists that visitors are asked about, and where they subscribe to them.
    lists: Sequence[Any] = ()
    link: str = ""
    #: Whether its picture is seen before anything is scrolled.
    is_first: bool = False
    #: Whether its heading is the page's own title.
    is_title: bool = False

    @property
    def level(self) -> int:
        """Of its heading."""
        return 1 if self.is_title else 2

    @property
    def part_level(self) -> int:
        """Of headings inside it: under its own, or where it has none in the place of that."""
        has_heading = self.kind == "item_list" or self.value.get("heading")
        return self.level + 1 if has_heading else self.level

    @property
    def template(self) -> str:
        return f"rows/{self.kind}.html"


@dataclass(frozen=True)
class _Bound:
    """A block of a stream, its row where it has been saved, and what is chosen for its places."""

    child: Any
    row: Row | None
    places: list[tuple[Slot, Any]]


def present_rows(value: StreamValue, *, page_id: int | None) -> list[ShownRow]:
    """The rows of a page's stream, those of shared rows in their place; the one for the record is of the kind `record`."""
    children = [nested for child in value for nested in _unfolded(child, page_id)]
    rows = _stored(children)
    bound = [
        _Bound(child, rows.get((holder, _block_id(child))), list(child.block.places(child.value))) for holder, child in children
    ]
    images = images_of([each.row for each in bound if each.row])
    chosen = {
        (number, slot.key): _choice(each, slot, part, images) for number, each in enumerate(bound) for slot, part in each.places
    }
    prefetch_renditions(image for image, _ in chosen.values() if image)
    return [_show(number, each, chosen) for number, each in enumerate(bound)]


def preview_row(bound: Any) -> ShownRow:
    """A block that stands on no page yet, with the drawings in the places of its pictures."""
    places = list(bound.block.places(bound.value))
    child = StreamValue.StreamChild(bound.block, bound.value, id=None)
    return _show(0, _Bound(child, None, places), {(0, slot.key): (None, None) for slot, _ in places})


def titled_by_hero(rows: list[ShownRow]) -> list[ShownRow]:
    """The rows of a page without a title of its own: a hero that comes first bears it."""
    return [replace(rows[0], is_title=True), *rows[1:]] if rows and rows[0].kind == "hero" else rows


def split_at_record(rows: list[ShownRow]) -> tuple[list[ShownRow], list[ShownRow]]:
    """The rows before and after the place of the record; all come before where there is none."""
    at = next((number for number, row in enumerate(rows) if row.kind == "record"), len(rows))
    return rows[:at], [replace(row, is_first=False) for row in rows[at + 1 :]]


def _unfolded(child: Any, page_id: int | None) -> list[tuple[Holder, Any]]:
    """A block with what holds it; in place of a shared row, that row's own."""
    if not isinstance(child.block, SharedBlock):
        return [(("page", page_id), child)]
    shared = child.value.get("row")
    if shared is None:
        return []
    page_cache.shows(shared_row_tag(shared.pk))
    return [(("shared", shared.pk), nested) for nested in shared.rows]


def _block_id(child: Any) -> uuid.UUID | None:
    return uuid.UUID(child.id) if child.id else None


def _stored(children: list[tuple[Holder, Any]]) -> dict[tuple[Holder, uuid.UUID | None], Row]:
    """The rows of blocks by holder and block: a copied page has the same blocks in rows of its own (one statement)."""
    known = {block_id for _, child in children if (block_id := _block_id(child))}
    if not known:
        return {}
    found: dict[tuple[Holder, uuid.UUID | None], Row] = {}
    for row in Row.objects.filter(block_id__in=known):
        holder: Holder = ("page", row.page_id) if row.page_id else ("shared", row.shared_row_id)
        found[holder, row.block_id] = row
    return found


def _choice(each: _Bound, slot: Slot, part: Any, images: Any) -> tuple[Any, str | None]:
    """The picture that stands in a place, and the text that goes with it; None for the library's own."""
    image = images.get((each.row.pk, slot.key)) if each.row else None
    words = (part.get(slot.alt_key) or None) if slot.alt_key else None
    if image is not None and image.media:
        return image.media, image.alt
    return part.get(slot.field), (image.alt if image else None) or words


def _show(number: int, each: _Bound, chosen: dict[tuple[int, str], tuple[Any, str | None]]) -> ShownRow:
    shown = {slot.key: _picture(slot, *chosen[number, slot.key]) for slot, _ in each.places}
    block: RowBlock = each.child.block
    own = {slot.key for slot in block.slots}
    row = ShownRow(
        kind=each.child.block_type,
        anchor=each.row.slug if each.row else "",
        value=each.child.value,
        pictures={key: found for key, found in shown.items() if key in own},
        parts=[(part, shown[slot.key]) for slot, part in each.places if slot.key not in own],
        is_first=number == 0 and not isinstance(block, RecordBlock),
    )
    if isinstance(block, FormBlock):
        return _with_form(row)
    if isinstance(block, NewsletterBlock):
        return _with_lists(row)
    return _with_items(row) if isinstance(block, ItemListBlock) else row


def _picture(slot: Slot, image: Any, alt: str | None) -> Picture:
    found = picture(image, slot.kind, alt=alt) if image else None
    return found or Picture(static(slot.default), alt="")


def _with_form(row: ShownRow) -> ShownRow:
    """Also a form that is switched off or gone may come back, and end the page that shows nothing in its place."""
    page_cache.depends_on(FORMS)
    return replace(row, form=find_form(row.value["form"] or ""))


def _with_lists(row: ShownRow) -> ShownRow:
    """Leads to a page of its own: a form would need a visitor's own token and time, and the page could not be kept."""
    page_cache.depends_on(LISTS, FLAGS)
    if not is_on(MARKETING):
        return row
    chosen = row.value["lists"] or []
    lists = lists_by_slug(chosen) if chosen else public_lists()
    query = urlencode({"list": [each.slug for each in lists if chosen]}, doseq=True)
    return replace(row, lists=lists, link=reverse("subscribe") + (f"?{query}" if query else ""))


def _with_items(row: ShownRow) -> ShownRow:
    item_type = content.find_type(row.value["type"])
    if item_type is None:
        return row
    page_cache.depends_on(content.order_version(item_type.pk))
    return replace(row, type=item_type, items=list(content.published_items(item_type)[: row.value["count"]]))
