"""OpenAPI schemas of types, vocabularies and items."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from cms_api.fields import FIELD_TYPES
from cms_api.http.serializers import Resource

from ..types import Status

_TEXT = {"type": "string"}
_TERM = {
    "type": "object",
    "required": ["id", "name", "slug"],
    "properties": {"id": {"type": "integer"}, "name": _TEXT, "slug": _TEXT},
}
_TERMS: dict[str, Any] = {
    "type": "object",
    "additionalProperties": {"type": "array", "items": _TERM},
    "description": "Terms by taxonomy field.",
}
_FIELD: dict[str, Any] = {
    "type": "object",
    "required": ["key", "label", "type", "required", "help_text", "default", "options", "multiple", "facet"],
    "properties": {
        "key": _TEXT,
        "label": _TEXT,
        "type": {"type": "string", "enum": sorted(FIELD_TYPES)},
        "required": {"type": "boolean"},
        "help_text": _TEXT,
        "default": {},
        "options": {
            "type": ["array", "null"],
            "items": {"type": "object", "required": ["value", "label"], "properties": {"value": _TEXT, "label": _TEXT}},
        },
        "multiple": {"type": "boolean"},
        "facet": {"type": "boolean", "description": "Items are upcoming or past by this date."},
        "unique": {"type": "boolean"},
    },
}
_TAXONOMY: dict[str, Any] = {
    "type": "object",
    "required": ["key", "label", "multiple", "hierarchical"],
    "properties": {"key": _TEXT, "label": _TEXT, "multiple": {"type": "boolean"}, "hierarchical": {"type": "boolean"}},
}
_VALUES: dict[str, Any] = {
    "type": "object",
    "additionalProperties": True,
    "description": "Values by field key, as the content type's `fields` describe them.",
}


@extend_schema_field({"type": "array", "items": _FIELD})
class FieldList(serializers.JSONField):
    pass


@extend_schema_field({"type": "array", "items": _TAXONOMY})
class TaxonomyList(serializers.JSONField):
    pass


@extend_schema_field(_VALUES)
class Values(serializers.JSONField):
    pass


@extend_schema_field(_TERMS)
class TermsByTaxonomy(serializers.JSONField):
    pass


class ContentTypeResource(Resource):
    """A content type with its full field schema."""

    id = serializers.IntegerField()
    slug = serializers.CharField()
    name = serializers.CharField()
    name_plural = serializers.CharField()
    description = serializers.CharField()
    icon = serializers.CharField()
    is_system = serializers.BooleanField(help_text="Whether the type is built in.")
    schema_type = serializers.CharField(allow_null=True, help_text="schema.org type of the items.")
    has_detail = serializers.BooleanField(help_text="Whether items have pages of their own.")
    excerpt_enabled = serializers.BooleanField()
    comments_enabled = serializers.BooleanField()
    index_layout = serializers.CharField()
    detail_layout = serializers.CharField()
    fields_ = FieldList()
    taxonomies = TaxonomyList()
    item_count = serializers.IntegerField(min_value=0, help_text="Published items, without those owned by other items.")

    example = {
        "id": 1,
        "slug": "blog-post",
        "name": "Blog post",
        "name_plural": "Blog posts",
        "description": "News and stories.",
        "icon": "doc-full",
        "is_system": True,
        "schema_type": "BlogPosting",
        "has_detail": True,
        "excerpt_enabled": True,
        "comments_enabled": False,
        "index_layout": "content-list",
        "detail_layout": "content-detail",
        "fields": [],
        "taxonomies": [{"key": "category", "label": "Category", "multiple": True, "hierarchical": False}],
        "item_count": 12,
    }


class VocabularyResource(Resource):
    """Terms by taxonomy field: `{"category": [{"id": 3, "name": "News", "slug": "news"}]}`."""

    json_schema = _TERMS
    example = {"category": [{"id": 3, "name": "News", "slug": "news"}]}


class ContentItemResource(Resource):
    """A content item."""

    id = serializers.IntegerField()
    type = serializers.CharField(help_text="Slug of the content type.")
    title = serializers.CharField(help_text="The first text field's value.")
    slug = serializers.CharField()
    excerpt = serializers.CharField(allow_null=True)
    status = serializers.ChoiceField(Status.choices)
    published_at = serializers.DateTimeField(allow_null=True)
    url = serializers.URLField(help_text="Omitted if the type has no detail pages.")
    featured_media_id = serializers.IntegerField(allow_null=True)
    featured_image = serializers.URLField(allow_null=True)
    meta_title = serializers.CharField(allow_null=True)
    meta_description = serializers.CharField(allow_null=True)
    fields_ = Values()
    terms = TermsByTaxonomy()
    owner_id = serializers.IntegerField(allow_null=True, help_text="The item that owns this one.")
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()

    optional = frozenset({"url"})
    example = {
        "id": 7,
        "type": "blog-post",
        "title": "Spring opening",
        "slug": "spring-opening",
        "excerpt": None,
        "status": "published",
        "published_at": "2026-03-01T18:30:00+00:00",
        "url": "http://localhost:8000/blog-post/spring-opening",
        "featured_media_id": None,
        "featured_image": None,
        "meta_title": None,
        "meta_description": None,
        "fields": {"title": "Spring opening", "body": "<p>We open on Monday.</p>"},
        "terms": {"category": [{"id": 3, "name": "News", "slug": "news"}]},
        "owner_id": None,
        "created_at": "2026-03-01T18:30:00+00:00",
        "updated_at": "2026-03-01T18:30:00+00:00",
    }
