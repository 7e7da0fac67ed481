"""The page endpoints: list pages, list their image slots, and set images."""

from collections.abc import Sequence
from typing import Any

from wagtail.models import Page

from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice
from cms_api.core.not_found import found_or_404
from cms_api.http import wire
from cms_api.http.endpoint import ApiRequest, Endpoint, operation
from cms_api.http.listing import Listing, answer_list, answer_whole
from cms_api.http.query import Query, Sort, Text
from cms_api.http.serializers import IdInput, InputSerializer, TextInput
from cms_api.http.wire import Answer, Record

from . import selectors
from .models import SitePage
from .resources import PageImageResource, PageResource, WrittenPageImageResource, page_record, page_slug, place_records
from .selectors import Place
from .services import set_page_image


class PageImageInput(InputSerializer):
    """An image for a slot on a page."""

    page = TextInput(help_text="The page's slug.")
    row_slug = TextInput(help_text="As listed for the page.")
    key = TextInput(help_text="As listed for the page.")
    media_id = IdInput(allow_null=True, help_text="Id of an image; null resets the slot to the row's own image.")
    alt = TextInput(required=False, allow_null=True, max_length=255, help_text="Alternative text; empty for the image's own.")

    example = {"page": "home", "row_slug": "hero-k3x0a9", "key": "image", "media_id": 12, "alt": "The river at dusk"}


class Pages(Endpoint):
    @operation(
        "List public pages",
        query=Query(sort=Sort({"created_at": "id", "title": "title"})),
        answer=PageResource,
        kind="list",
    )
    def get(self, request: ApiRequest) -> Answer:
        return answer_list(request, Listing(selectors.public_pages(), _page_records))


class PageImages(Endpoint):
    @operation(
        "List the image slots of a page",
        query=Query((Text("page", "The page's slug.", required=True),)),
        answer=PageImageResource,
        kind="list",
    )
    def get(self, request: ApiRequest) -> Answer:
        page = found_or_404(selectors.page_by_slug(request.query["page"]))
        places = [] if page.parameterized else selectors.places_of(page.pk)
        return answer_whole(request, list(place_records(places)))

    @operation("Set or clear the image of a slot", body=PageImageInput, answer=WrittenPageImageResource, whole=True)
    def patch(self, request: ApiRequest) -> Answer:
        values = request.input()
        page, place = _find_place(values)
        takes_alt = bool(place.slot["alt_key"])
        image = set_page_image(
            row=place.row,
            key=place.slot["key"],
            media_id=values["media_id"],
            alt=values.get("alt"),
            alt_sent="alt" in values and takes_alt,
        )
        (record,) = place_records([Place(place.row, place.slot, image, place.shared)])
        written = {"page": page_slug(page), "alt_written": "alt" in values and takes_alt}
        return wire.one({**written, **{key: record[key] for key in ("row_slug", "key", "media_id", "url", "alt", "shared")}})


def _find_place(values: dict[str, Any]) -> tuple[SitePage, Place]:
    """Return the page and slot that a body names. Raises Invalid on the key at fault."""
    page = selectors.page_by_slug(values["page"])
    if page is None or page.parameterized:
        raise Invalid({"page": invalid_choice("page")})
    places = [place for place in selectors.places_of(page.pk) if place.row.slug == values["row_slug"]]
    collector = ErrorCollector()
    if not places and not selectors.has_row(page.pk, values["row_slug"]):
        collector.add("row_slug", invalid_choice("row_slug"))
    found = next((place for place in places if place.slot["key"] == values["key"]), None)
    if found is None:
        collector.add("key", invalid_choice("key"))
    collector.raise_if_any()
    assert found is not None
    return page, found


def _page_records(pages: Sequence[Page]) -> list[Record]:
    counts = selectors.slot_counts(page.pk for page in pages)
    return [page_record(page, slots=counts[page.pk]) for page in pages]
