"""A panel for a field of a content type, and the comparison of its values in two versions of an item."""

from typing import Any

from django.db import models
from django.utils.functional import cached_property
from wagtail.admin import compare
from wagtail.admin.panels import FieldPanel

from cms_api.fields import Field

from .inputs import INPUTS

#: Prefix of field keys in the names of form fields.
PREFIX = "data__"


class DataField(models.TextField):
    """Represents a key of `data` where Wagtail requires a panel to have a model field; not a database column."""

    def __init__(self, field: Field) -> None:
        super().__init__(verbose_name=field.label, blank=True)
        self.field = field
        self.set_attributes_from_name(PREFIX + field.key)

    def value_from_object(self, obj: Any) -> Any:
        return INPUTS[self.field.type].text(self.field, obj.data.get(self.field.key))


class DataPanel(FieldPanel):
    def __init__(self, field: Field, **kwargs: Any) -> None:
        kwargs = {"icon": INPUTS[field.type].icon, "disable_comments": True, **kwargs, "field_name": PREFIX + field.key}
        super().__init__(**kwargs)
        self.field = field

    def clone_kwargs(self) -> dict[str, Any]:
        return {**super().clone_kwargs(), "field": self.field}

    def get_form_options(self) -> dict[str, Any]:
        # Drafts may omit required fields.
        return {"fields": [self.field_name], "defer_required_on_fields": [self.field_name]}

    @cached_property
    def db_field(self) -> DataField:
        return DataField(self.field)

    def get_comparison_class(self) -> type[compare.FieldComparison]:
        return compare.RichTextFieldComparison if INPUTS[self.field.type].is_html else compare.TextFieldComparison
