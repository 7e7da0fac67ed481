"""The wire shapes of pages and of the image slots in their rows; pages as results of the site's search."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.conf import settings
from rest_framework import serializers
from wagtail.models import Page

from cms_api.http import page_cache
from cms_api.http.serializers import Resource
from cms_api.media.selectors import alternative_texts, image_paths
from cms_api.text.site_search import RANKED_MATCHES, Candidate, Result

from .models import HomePage, SitePage, texts_of
from .selectors import PAGES, Place, address, matching_pages, public_pages


class RecommendedResource(Resource):
    """The recommended image for a slot."""

    width = serializers.IntegerField(allow_null=True, help_text="In pixels.")
    aspect = serializers.CharField(allow_null=True, help_text="Such as `16:9`.")
    openai_size = serializers.CharField(allow_null=True, help_text="The closest size supported by image generators.")


class PageResource(Resource):
    """A public page."""

    id = serializers.IntegerField()
    slug = serializers.CharField(help_text="Identifies the page in requests; the home page's is `home`.")
    title = serializers.CharField()
    url = serializers.URLField()
    parameterized = serializers.BooleanField(
        help_text="Whether it renders many records, which have images of their own: `featured_media_id` of content items."
    )
    template = serializers.CharField()
    image_slots = serializers.IntegerField(min_value=0, help_text="Number of image slots.")

    example = {
        "id": 3,
        "slug": "home",
        "title": "Home",
        "url": "http://localhost:8000/",
        "parameterized": False,
        "template": "home",
        "image_slots": 4,
    }


class PageImageResource(Resource):
    """An image slot on a page."""

    row_slug = serializers.CharField(help_text="Identifies the row; never changes.")
    key = serializers.CharField(help_text="Identifies the slot within the row.")
    label = serializers.CharField()  # type: ignore[assignment]
    media_id = serializers.IntegerField(allow_null=True, help_text="The image that was set; null for the row's own.")
    url = serializers.URLField(help_text="The image that is shown.")
    alt = serializers.CharField(allow_blank=True)
    recommended = RecommendedResource(allow_null=True)
    shared = serializers.BooleanField(help_text="Whether the row is on more than one page.")
    alt_key = serializers.CharField(help_text="The row's field for the alternative text; omitted if it has none.")

    optional = frozenset({"alt_key"})
    example = {
        "row_slug": "hero-k3x0a9",
        "key": "image",
        "label": "Picture",
        "media_id": None,
        "url": "http://localhost:8000/site/slots/hero.svg",
        "alt": "",
        "recommended": {"width": 1920, "aspect": "16:9", "openai_size": "1536x1024"},
        "shared": False,
        "alt_key": "image_alt",
    }


class WrittenPageImageResource(Resource):
    """An image slot after a change."""

    page = serializers.CharField()
    row_slug = serializers.CharField()
    key = serializers.CharField()
    media_id = serializers.IntegerField(allow_null=True)
    url = serializers.URLField()
    alt = serializers.CharField(allow_blank=True)
    shared = serializers.BooleanField(help_text="Whether the change shows on more than one page.")
    alt_written = serializers.BooleanField(help_text="Whether the row has a field for the alternative text, and it was set.")

    example = {
        "page": "home",
        "row_slug": "hero-k3x0a9",
        "key": "image",
        "media_id": 12,
        "url": "http://localhost:8000/media/media/2026/03/river.jpg",
        "alt": "The river at dusk",
        "shared": False,
        "alt_written": True,
    }


def page_slug(page: Page) -> str:
    return "home" if page.specific_class is HomePage else str(page.slug)


def page_record(page: Page, *, slots: int) -> dict[str, Any]:
    """Return a page's record, from the columns of `Page` alone."""
    kind: type[SitePage] = page.specific_class
    return {
        "id": page.pk,
        "slug": page_slug(page),
        "title": page.title,
        "url": settings.BASE_URL + address(page),
        "parameterized": kind.parameterized,
        "template": kind.kind,
        "image_slots": 0 if kind.parameterized else slots,
    }


def place_records(places: list[Place]) -> list[dict[str, Any]]:
    """Return the records of image slots (two statements for all images)."""
    own = {place.slot["media_id"] for place in places} - {None}
    texts = alternative_texts(own | {place.image.media_id for place in places if place.image and place.image.media_id})
    paths = image_paths(texts)
    return [_place_record(place, paths, texts) for place in places]


def _place_record(place: Place, paths: dict[int, str], texts: dict[int, str]) -> dict[str, Any]:
    image, slot = place.image, place.slot
    set_id = image.media_id if image else None
    own_id = slot["media_id"]
    shown_id = next((each for each in (set_id, own_id) if each in paths), None)
    written = image.alt if image else None
    alt = written or ("" if set_id else slot["alt"]) or texts.get(shown_id or 0, "")
    record = {
        "row_slug": place.row.slug,
        "key": slot["key"],
        "label": slot["label"],
        "media_id": set_id,
        "url": settings.BASE_URL + (paths[shown_id] if shown_id else "/" + slot["default"]),
        "alt": alt,
        "recommended": slot["recommended"],
        "shared": place.shared,
    }
    return record | ({"alt_key": slot["alt_key"]} if slot["alt_key"] else {})


class PageSource:
    """The public pages, as results of the site's search."""

    def candidates(self, text: str) -> Iterable[Candidate]:
        page_cache.depends_on(PAGES)
        found = matching_pages(text).order_by("-last_published_at", "-pk").values_list("pk", "title", "last_published_at")
        return [Candidate(*row) for row in found[:RANKED_MATCHES]]

    def results(self, keys: Sequence[int]) -> Mapping[int, Result]:
        pages = list(public_pages().filter(pk__in=keys).specific())
        texts = texts_of(pages)
        return {page.pk: Result(title=page.title, url=address(page), kind="Page", text=texts[page.pk]) for page in pages}


SEARCHED_PAGES = PageSource()
