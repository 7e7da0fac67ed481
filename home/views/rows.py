"""Rows as pages show them: their blocks' context, and the images in their slots, set by editors or integrations."""

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from wagtail.blocks import StreamValue

from cms_api.content.resources.pictures import Picture, is_known, picture, prefetch_renditions
from cms_api.core import registry, versions
from cms_api.flags.selectors import VERSION as FLAGS
from cms_api.flags.selectors import is_on
from cms_api.http import page_cache
from cms_api.media.selectors import VERSION as MEDIA
from cms_api.rows import Slot

from ..models import Row
from ..selectors import PAGES, images_of, shared_row_tag
from ..types import RECORD, SHARED
from .drawings import slot_address

#: Sets of stored rows that a process keeps, about one for each page.
CACHED_SETS = 1000

#: The owner of a row: a page or a shared row, and its id.
Owner = tuple[str, int | None]


@dataclass(frozen=True)
class ShownRow:
    kind: str
    #: The row's `id` on the page, for links to it.
    anchor: str
    value: Any
    #: The context that its block gives its template.
    context: Mapping[str, Any]
    has_heading: bool
    #: Images by the slot's key; for parts by their number, as in `parts`.
    pictures: dict[str, Picture] = field(default_factory=dict)
    #: The parts of a list, each with its image.
    parts: list[tuple[Any, Picture]] = field(default_factory=list)
    #: Whether its image is visible before scrolling.
    is_first: bool = False
    #: Whether its heading is the title of the page.
    is_title: bool = False

    @property
    def level(self) -> int:
        """The level of its heading."""
        return 1 if self.is_title else 2

    @property
    def part_level(self) -> int:
        """The level of headings inside it: below its own heading, or instead of it."""
        return self.level + 1 if self.has_heading else self.level

    @property
    def template(self) -> str:
        return f"rows/{self.kind}.html"


@dataclass(frozen=True)
class Stored:
    """Stored rows by owner and block, and the images set for them by row and key."""

    rows: Mapping[tuple[Owner, uuid.UUID | None], Row]
    images: Mapping[tuple[int, str], Any]


@dataclass(frozen=True)
class _Bound:
    """A block of a stream with its context, its stored row, and its slots with the editor's choices."""

    child: Any
    context: Mapping[str, Any]
    row: Row | None
    slots: list[tuple[Slot, Any]]


def present_rows(value: StreamValue, *, page_id: int | None) -> list[ShownRow]:
    """Return the rows of a page, shared rows expanded; the record's position is a row of the kind `record`."""
    children = [nested for child in value for nested in _unfold(child, page_id)]
    stored = _read_stored(children)
    bound = [found for owner, child in children for found in _bind(child, stored.rows.get((owner, _block_id(child))))]
    slots = [(number, each, slot, part) for number, each in enumerate(bound) for slot, part in each.slots]
    chosen = {(number, slot.key): _choice(each, slot, part, stored.images) for number, each, slot, part in slots}
    shown = [(chosen[number, slot.key][0], slot.kind) for number, _, slot, _ in slots]
    prefetch_renditions(image for image, kind in shown if image and not is_known(image, kind))
    return [_show(number, each, chosen) for number, each in enumerate(bound)]


def preview_row(bound: Any) -> ShownRow | None:
    """Return a block that is not on a page yet, with illustrations in its slots; None if it shows nothing."""
    child = StreamValue.StreamChild(bound.block, bound.value, id=None)
    for each in _bind(child, None):
        return _show(0, each, {(0, slot.key): (None, None) for slot, _ in each.slots})
    return None


def titled_by_hero(rows: list[ShownRow]) -> list[ShownRow]:
    """Return the rows of a page without its own title: a hero in first place becomes the title."""
    return [replace(rows[0], is_title=True), *rows[1:]] if rows and rows[0].kind == "hero" else rows


def split_at_record(rows: list[ShownRow]) -> tuple[list[ShownRow], list[ShownRow]]:
    """Return the rows before and after the record; all of them before it if none marks its position."""
    at = next((number for number, row in enumerate(rows) if row.kind == RECORD), len(rows))
    return rows[:at], [replace(row, is_first=False) for row in rows[at + 1 :]]


def _unfold(child: Any, page_id: int | None) -> list[tuple[Owner, Any]]:
    """Return a block with its owner; for a shared row, the blocks of that row."""
    if child.block_type != SHARED:
        return [(("page", page_id), child)]
    shared = child.value.get("row")
    if shared is None:
        return []
    page_cache.shows(shared_row_tag(shared.pk))
    return [(("shared", shared.pk), nested) for nested in shared.rows]


def _bind(child: Any, row: Row | None) -> Iterator[_Bound]:
    """Yield the block with its context, or nothing if its module is off or it presents nothing."""
    module, _ = registry.rows()[child.block_type]
    if module.feature:
        page_cache.depends_on(FLAGS)
    if is_on(module.feature) and (context := child.block.present(child.value)) is not None:
        yield _Bound(child, context, row, list(child.block.bound_slots(child.value)))


def _block_id(child: Any) -> uuid.UUID | None:
    return uuid.UUID(child.id) if child.id else None


def _read_stored(children: list[tuple[Owner, Any]]) -> Stored:
    """Return the stored rows of blocks and their images, as they are until a page, a row or media change (two statements)."""
    known = frozenset(block_id for _, child in children if (block_id := _block_id(child)))
    kept: dict[frozenset[uuid.UUID], Stored] = versions.load_once(PAGES, dict, slot="home.stored_rows", also=(MEDIA,))
    found = kept.get(known)
    if found is None:
        if len(kept) >= CACHED_SETS:
            kept.clear()
        kept[known] = found = _read(known) if known else Stored({}, {})
    return found


def _read(block_ids: frozenset[uuid.UUID]) -> Stored:
    """Read the rows by owner and block: a copied page has its own rows for the same blocks."""
    rows: dict[tuple[Owner, uuid.UUID | None], Row] = {}
    for row in Row.objects.filter(block_id__in=block_ids):
        owner: Owner = ("page", row.page_id) if row.page_id else ("shared", row.shared_row_id)
        rows[owner, row.block_id] = row
    return Stored(rows, images_of(list(rows.values())))


def _choice(each: _Bound, slot: Slot, part: Any, images: Any) -> tuple[Any, str | None]:
    """Return the image of a slot and its alternative text; None for the library's own text."""
    image = images.get((each.row.pk, slot.key)) if each.row else None
    words = (part.get(slot.alt_key) or None) if slot.alt_key else None
    if image is not None and image.media:
        return image.media, image.alt
    return part.get(slot.field), (image.alt if image else None) or words


def _show(number: int, each: _Bound, chosen: dict[tuple[int, str], tuple[Any, str | None]]) -> ShownRow:
    shown = {slot.key: _picture(slot, *chosen[number, slot.key]) for slot, _ in each.slots}
    block, kind = each.child.block, each.child.block_type
    own = {slot.key for slot in block.slots}
    return ShownRow(
        kind=kind,
        anchor=each.row.slug if each.row else "",
        value=each.child.value,
        context=each.context,
        has_heading=block.has_heading(each.child.value),
        pictures={key: found for key, found in shown.items() if key in own},
        parts=[(part, shown[slot.key]) for slot, part in each.slots if slot.key not in own],
        is_first=number == 0 and kind != RECORD,
    )


def _picture(slot: Slot, image: Any, alt: str | None) -> Picture:
    found = picture(image, slot.kind, alt=alt) if image else None
    return found or Picture(slot_address(slot.kind), alt="")
