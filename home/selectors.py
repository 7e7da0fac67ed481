"""Reads of pages, their rows and the images in them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q, QuerySet
from wagtail.models import Page, PageViewRestriction, Site
from wagtail.permissions import policy_registry

from cms_api.content.selectors import type_by_id
from cms_api.core import versions
from cms_api.flags.selectors import is_on, rows_off
from cms_api.text.search import matching

from .models import HomePage, LandingPage, PageImage, RecordTemplate, Row, SharedRow, SitePage, StandardPage
from .models.blocks import record_rows

#: Moves with every write of a page or row.
PAGES = "home.pages"
#: Moves when a page is added, removed, moved or renamed.
TREE = "home.tree"
#: Moves with every change of the theme.
THEME = "home.theme"

PAGE_MODELS: tuple[type[SitePage], ...] = (HomePage, StandardPage, LandingPage, RecordTemplate)


#: The depth of the pages directly below the home page.
_TOP_DEPTH = 3


def page_tag(page_id: int) -> str:
    """Return the tag of public pages that show a page."""
    return f"page:{page_id}"


def shared_row_tag(shared_row_id: int) -> str:
    return f"shared-row:{shared_row_id}"


def public_pages() -> Any:
    """Return the pages that every visitor may see, including record templates of types whose feature is on."""
    return Page.objects.live().public().filter(depth__gt=1).type(*PAGE_MODELS).exclude(pk__in=hidden_templates())


def hidden_templates() -> list[int]:
    """Return the ids of the templates of types whose feature is off. Visitors and clients find no sign of them."""
    return [pk for pk, type_id in _record_types().items() if not is_on(type_by_id(type_id).feature)]


def has_restrictions() -> bool:
    """Return whether any page is restricted to some visitors."""
    return versions.load_once(TREE, PageViewRestriction.objects.exists, slot="home.has_restrictions")


def matching_pages(text: str) -> Any:
    """Return the public pages that match a search; record templates have no URL of their own."""
    pages = public_pages().not_type(RecordTemplate)
    kinds = [model for model in PAGE_MODELS if model is not RecordTemplate]
    return reduce(or_, (matching(pages, text, model=model) for model in kinds))


def page_by_slug(slug: str) -> SitePage | None:
    pages = public_pages().type(HomePage) if slug == "home" else public_pages().filter(slug=slug)
    found = pages.order_by("path").first()
    return found.specific if found else None


def find_page_at(part: str) -> str:
    """Return the page whose address begins with a part, as the beginning of a sentence; empty if there is none."""
    title = Page.objects.filter(depth=_TOP_DEPTH, slug=part).values_list("title", flat=True).first()
    return "" if title is None else f"The page “{title}”"


def is_at_the_top(page: Page) -> bool:
    """Return whether a page is directly below the home page, so that its slug is the first part of an address."""
    return page.depth == _TOP_DEPTH


def is_home(page: Page) -> bool:
    """Return whether a page is a site's root, below which slugs are the first parts of addresses."""
    return page.depth == _TOP_DEPTH - 1


def taken_page_slugs(page: Page) -> set[str]:
    """Return the slugs of other pages that begin like this one's."""
    return set(Page.objects.filter(slug__startswith=page.slug).exclude(pk=page.pk).values_list("slug", flat=True))


def record_template(type_id: int) -> RecordTemplate | None:
    """Return the live template of a content type's records."""

    def load() -> dict[int, RecordTemplate]:
        return {found.record_type_id: found for found in RecordTemplate.objects.live()}

    return versions.load_once(PAGES, load, slot="home.record_templates").get(type_id)


@dataclass(frozen=True)
class Place:
    """An image slot of a row, with the image that an integration has set for it."""

    row: Row
    slot: dict[str, Any]
    image: PageImage | None
    shared: bool


def placed_rows() -> QuerySet[Row]:
    """Return the rows that are on pages or in shared rows, without those of disabled modules."""
    return Row.objects.filter(position__isnull=False).exclude(kind__in=rows_off())


def places_of(page_id: int) -> list[Place]:
    """Return the image slots of a page in order, including those of shared rows (three statements)."""
    own = list(placed_rows().filter(page_id=page_id).order_by("position"))
    embedded = rows_of_shared({row.embeds_id for row in own if row.embeds_id})
    rows = [each for row in own for each in ((row,) if not row.embeds_id else embedded.get(row.embeds_id, ()))]
    # A shared row may be on a page more than once; its slots are the same.
    rows = list({row.pk: row for row in rows}.values())
    images = images_of(rows)
    uses = times_used({row.shared_row_id for row in rows if row.shared_row_id})
    return [
        Place(row, slot, images.get((row.pk, slot["key"])), shared=uses.get(row.shared_row_id or 0, 0) > 1)
        for row in rows
        for slot in row.slots
    ]


def row_name(row: Row) -> str:
    """Return the name of a row in the admin: the label of its kind and its position."""
    block = dict(record_rows()).get(row.kind)
    label = str(block.label if block else row.kind)
    return f"{label} (shared row “{row.shared_row}”)" if row.shared_row else f"{label} (row {(row.position or 0) + 1})"


def may_give_back(user: Any, page: Page, row: Row) -> bool:
    """Return whether a user may reset a row's image: this takes edit access to the page, and to the shared row if it is one."""
    if user is None or not page.permissions_for_user(user).can_edit():
        return False
    return not row.shared_row_id or policy_registry.get_by_type(SharedRow).user_has_permission(user, "change")


def rows_of_shared(shared_row_ids: Iterable[int]) -> dict[int, list[Row]]:
    """Return the rows of shared rows by the shared row's id."""
    found: dict[int, list[Row]] = {}
    ids = set(shared_row_ids)
    if ids:
        for row in placed_rows().filter(shared_row_id__in=ids).order_by("position"):
            found.setdefault(row.shared_row_id or 0, []).append(row)
    return found


def images_of(rows: Sequence[Row]) -> dict[tuple[int, str], PageImage]:
    """Return the images set for rows, by row and key."""
    if not any(row.slots for row in rows):
        return {}
    images = PageImage.objects.filter(row__in=rows).select_related("media")
    return {(image.row_id, image.key): image for image in images}


def times_used(shared_row_ids: Iterable[int]) -> dict[int, int]:
    """Return the number of public pages that embed each shared row."""
    ids = set(shared_row_ids)
    if not ids:
        return {}
    uses = placed_rows().filter(embeds_id__in=ids, page__in=public_pages())
    pairs = set(uses.values_list("embeds_id", "page_id"))
    return {shared_id: sum(1 for used, _ in pairs if used == shared_id) for shared_id in ids}


def slot_counts(page_ids: Iterable[int]) -> dict[int, int]:
    """Return the number of image slots of each page (two statements)."""
    ids = set(page_ids)
    rows = list(placed_rows().filter(page_id__in=ids).only("page_id", "embeds_id", "slots"))
    embedded = rows_of_shared({row.embeds_id for row in rows if row.embeds_id})
    counts = dict.fromkeys(ids, 0)
    seen: set[tuple[int, int]] = set()
    for row in rows:
        assert row.page_id is not None
        counts[row.page_id] += len(row.slots)
        if row.embeds_id and (row.page_id, row.embeds_id) not in seen:
            seen.add((row.page_id, row.embeds_id))
            counts[row.page_id] += sum(len(each.slots) for each in embedded.get(row.embeds_id, ()))
    return counts


def has_row(page_id: int, slug: str) -> bool:
    """Return whether the row is on the page, directly or in a shared row."""
    embedded = placed_rows().filter(page_id=page_id).values("embeds_id")
    return placed_rows().filter(Q(page_id=page_id) | Q(shared_row_id__in=embedded), slug=slug).exists()


def address(page: Page) -> str:
    """Return the path of a page; for a record template, that of its records' list."""
    if page.specific_class is RecordTemplate:
        return f"/{type_by_id(_record_types()[page.pk]).slug}"
    return "/" + str(page.url_path).removeprefix(_root_path())


def _record_types() -> dict[int, int]:
    """Return the content types of templates by the template's id."""

    def load() -> dict[int, int]:
        return dict(RecordTemplate.objects.values_list("pk", "record_type_id"))

    return versions.load_once(PAGES, load, slot="home.record_types")


def _root_path() -> str:
    """Return the prefix that all pages' paths have and their URLs do not."""

    def load() -> str:
        site = Site.objects.filter(is_default_site=True).select_related("root_page").first()
        return str(site.root_page.url_path) if site else "/"

    return versions.load_once(TREE, load, slot="home.root_path")
