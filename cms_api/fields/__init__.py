"""The field-schema engine: defines the fields of a content type, and validates and serializes their values."""

# Importing each of these modules registers its field types.
from cms_api.fields import choices, clock, datetimes, media, numeric, places, references, richtext, texts  # noqa: F401
from cms_api.fields.base import FIELD_TYPES, FieldType
from cms_api.fields.data import clean_data
from cms_api.fields.definition import Context, Field, Option, parse_fields

__all__ = ["FIELD_TYPES", "Context", "Field", "FieldType", "Option", "clean_data", "parse_fields"]
