"""The media endpoints: list, read, upload, update, delete."""

from collections.abc import Sequence
from typing import Any

from cms_api.core import versions
from cms_api.core.errors import Invalid, invalid_choice
from cms_api.core.not_found import found_or_404
from cms_api.http import wire
from cms_api.http.endpoint import ApiRequest, Endpoint, operation
from cms_api.http.listing import answer_list, answer_one, list_by_filter
from cms_api.http.query import Choice, Query, Search, Sort, Text
from cms_api.http.serializers import FileInput, InputSerializer, TextInput
from cms_api.http.wire import Answer, Record

from . import selectors
from .resources import MediaResource, media_record, validators
from .selectors import MediaFilter
from .services import intake
from .services import library as services
from .types import MAX_ALT, MAX_CAPTION, MEDIA_TYPES, SHOWN

MEDIA_QUERY = Query(
    filters=(
        Search("search", "Words; all of them must occur in the file name, alternative text or caption."),
        Text("category", "Slug of a category."),
        Choice("kind", "Which media.", choices=SHOWN),
    ),
    sort=Sort({"created_at": "added_at", "updated_at": "updated_at", "filename": "name", "size": "size"}),
)


class UploadInput(InputSerializer):
    """A file with its alternative text, caption and category."""

    file = FileInput(help_text=f"At most 100 MiB; {', '.join(MEDIA_TYPES)}. Images over 2400 pixels wide are scaled down.")
    alt = TextInput(required=False, allow_null=True, max_length=MAX_ALT, help_text="Alternative text.")
    caption = TextInput(required=False, allow_null=True, max_length=MAX_CAPTION)
    category = TextInput(required=False, allow_null=True, max_length=100, help_text="Slug of a category.")

    example = {"file": "(the bytes of harbour.jpg)", "alt": "Fishing boats in the harbour", "category": "places"}


class MediaInput(InputSerializer):
    """The changeable keys of a media record; null clears one."""

    alt = TextInput(required=False, allow_null=True, max_length=MAX_ALT, help_text="Alternative text.")
    caption = TextInput(required=False, allow_null=True, max_length=MAX_CAPTION)
    category = TextInput(required=False, allow_null=True, max_length=100, help_text="Slug of a category.")

    example = {"alt": "Fishing boats in the harbour at low tide", "category": "places"}


def receive(request: ApiRequest) -> dict[str, Any]:
    """Read an upload and receive its file; cheap mistakes are reported before the file is processed."""
    values = request.input()
    category = values.get("category")
    if category and selectors.find_category(category) is None:
        raise Invalid({"category": invalid_choice("category")})
    return {**values, "file": intake.receive(values["file"])}


class MediaList(Endpoint):
    @operation("List the images and videos of the library", query=MEDIA_QUERY, answer=MediaResource, kind="list")
    def get(self, request: ApiRequest) -> Answer:
        wanted = MediaFilter(**request.query)
        query = request.http.META.get("QUERY_STRING", "")
        state = versions.fingerprint([selectors.VERSION])
        tag = wire.entity_tag(state, request.http.path, query, *validators())
        request.unless_current(tag)
        answer = answer_list(request, list_by_filter(wanted, _records, columns=selectors.COLUMNS))
        answer.tag = tag
        return answer

    @operation(
        "Upload an image or video",
        body=UploadInput,
        multipart=True,
        receive=receive,
        answer=MediaResource,
        status=201,
        description="The type is detected from the content. Images are rotated upright, stripped of metadata and given smaller "
        "variants; SVG files are stripped of scripts and external references.",
    )
    def post(self, request: ApiRequest) -> Answer:
        return wire.one(_record(services.upload(**request.receive_once()).pk), status=201)


class OneMedia(Endpoint):
    @operation("Read an image or video", answer=MediaResource)
    def get(self, request: ApiRequest, media: int) -> Answer:
        return answer_one(request, _record(media))

    @operation("Update alternative text, caption or category", body=MediaInput, answer=MediaResource)
    def patch(self, request: ApiRequest, media: int) -> Answer:
        found = found_or_404(selectors.find_media(media))
        services.edit(media=found, values=request.input())
        return wire.one(_record(media))

    @operation("Delete an image or video, its variants, and every reference to it on the site", kind="deleted")
    def delete(self, request: ApiRequest, media: int) -> Answer:
        services.delete_media(media=found_or_404(selectors.find_media(media)))
        return wire.confirm_deletion(media)


def _record(media_id: int) -> Record:
    row = found_or_404(selectors.find_row(media_id))
    return _records([row])[0]


def _records(rows: Sequence[Any]) -> list[Record]:
    """Return records from rows with COLUMNS (one statement, for the variants)."""
    variants = selectors.variants(row[0] for row in rows) if rows else {}
    return [media_record(row, variants.get(row[0], {})) for row in rows]
