"""The wire shape of media."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from cms_api.http import wire
from cms_api.http.serializers import Resource

from .selectors import COLUMNS, address, address_version
from .types import MEDIA_TYPES, SHOWN

#: Increased when the wire shape changes, to invalidate clients' ETags.
FORMAT = "1"


@extend_schema_field({"type": "object", "additionalProperties": {"type": "string", "format": "uri"}})
class Variants(serializers.JSONField):
    pass


class MediaResource(Resource):
    """An image or video of the library."""

    id = serializers.IntegerField()
    filename = serializers.CharField(help_text="The name of the uploaded file.")
    path = serializers.CharField(help_text="Relative to the media root; the value of `image`, `file` and `gallery` fields.")
    url = serializers.URLField(help_text="Its `?v=` changes with the file.")
    mime_type = serializers.ChoiceField(sorted(set(MEDIA_TYPES.values())))
    kind = serializers.ChoiceField(SHOWN)
    size = serializers.IntegerField(min_value=0, help_text="In bytes.")
    width = serializers.IntegerField(allow_null=True, help_text="In pixels, if known.")
    height = serializers.IntegerField(allow_null=True)
    alt = serializers.CharField(allow_null=True)
    caption = serializers.CharField(allow_null=True)
    category = serializers.CharField(allow_null=True, help_text="Slug of the category.")
    variants = Variants(help_text="URLs of smaller copies by name; `w480` is 480 pixels wide, in WebP.")
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()

    example = {
        "id": 7,
        "filename": "Harbour.jpg",
        "path": "media/2026/03/harbour.jpg",
        "url": "http://localhost:8000/media/media/2026/03/harbour.jpg?v=8c1f0a3b2d",
        "mime_type": "image/jpeg",
        "kind": "image",
        "size": 182044,
        "width": 900,
        "height": 600,
        "alt": "Fishing boats in the harbour",
        "caption": None,
        "category": "places",
        "variants": {"w480": "http://localhost:8000/media/media/variants/2026/03/harbour.w480.5a0c21.webp"},
        "created_at": "2026-03-01T18:30:00+00:00",
        "updated_at": "2026-03-01T18:30:00+00:00",
    }


def media_record(row: Sequence[Any], variants: Mapping[str, str]) -> dict[str, Any]:
    """Return a record from its id and COLUMNS, after which a sort value may come; `variants` are paths by name."""
    media_id, values = row[0], dict(zip(COLUMNS, row[1:], strict=False))
    version = address_version(media_id, values["updated_at"])
    return {
        "id": media_id,
        "filename": values["name"],
        "path": values["path"],
        "url": settings.BASE_URL + address(values["path"] or "", version=version),
        "mime_type": values["mime_type"],
        "kind": values["kind"],
        "size": values["size"],
        "width": values["mediaimage__width"] or values["mediafile__width"],
        "height": values["mediaimage__height"] or values["mediafile__height"],
        "alt": values["alt"] or None,
        "caption": values["caption"] or None,
        "category": values["category__slug"],
        "variants": {name: settings.BASE_URL + address(path) for name, path in variants.items()},
        "created_at": wire.instant(values["added_at"]),
        "updated_at": wire.instant(values["updated_at"]),
    }


def validators() -> tuple[str, ...]:
    """Return what records depend on besides the library: the site's URL and the wire format."""
    return settings.BASE_URL, FORMAT
