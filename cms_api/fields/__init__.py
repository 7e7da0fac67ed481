"""The field-schema engine: what a content type's fields are, and how the values sent for them are checked and shown."""

# Each of these modules puts its types into the registry as it is imported.
from cms_api.fields import choices, clock, datetimes, media, numeric, places, references, richtext, texts  # noqa: F401
from cms_api.fields.base import FIELD_TYPES, FieldType
from cms_api.fields.data import clean_data
from cms_api.fields.definition import Context, Field, Option, parse_fields

__all__ = ["FIELD_TYPES", "Context", "Field", "FieldType", "Option", "clean_data", "parse_fields"]
