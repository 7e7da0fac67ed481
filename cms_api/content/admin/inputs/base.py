"""The shared parts of all inputs: registry, widget base classes, and conversion of stored values to form values."""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from django import forms
from django.forms.widgets import Script
from wagtail.admin.staticfiles import versioned_static

from cms_api.core.errors import Invalid
from cms_api.fields import FIELD_TYPES, Context, Field
from cms_api.flags.selectors import site_timezone

from ...models import ContentItem, ContentType


class Input:
    """The form field of one field type in the admin, and the comparison of its values."""

    icon: ClassVar[str] = "pilcrow"
    #: Whether versions are compared as HTML text.
    is_html: ClassVar[bool] = False

    def formfield(self, field: Field, item_type: ContentType) -> forms.Field:
        raise NotImplementedError

    def initial(self, field: Field, stored: Any) -> Any:
        """Return the form's initial value. A value that the field does not accept is not shown (nor lost, see `ItemForm`)."""
        return stored if fits(field, stored) else None

    def adapt(self, formfield: forms.Field, field: Field, stored: Any) -> None:
        """Adjust one form's own copy of the field to the item's stored value."""

    def text(self, field: Field, stored: Any) -> str:
        """Return the value as readable text, for comparing versions."""
        return "" if stored is None else str(stored)


INPUTS: dict[str, Input] = {}


def fits(field: Field, stored: Any) -> bool:
    """Return whether the field, as currently defined, accepts a value that was stored earlier."""
    try:
        FIELD_TYPES[field.type].clean(field, stored, Context(timezone=site_timezone()))
    except Invalid:
        return False
    return True


def register(name: str) -> Callable[[type[Input]], type[Input]]:
    def add(cls: type[Input]) -> type[Input]:
        INPUTS[name] = cls()
        return cls

    return add


def describe(field: Field, **more: Any) -> dict[str, Any]:
    """Return the form field arguments that come from the field's definition."""
    return {"label": field.label, "help_text": field.help_text, "required": field.required, **more}


class LineBreaksField(forms.CharField):
    """Text with the stored line breaks, which differ from those that browsers send."""

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        return text.replace("\r\n", "\n").replace("\r", "\n") if text else None


class ContentWidget(forms.Widget):
    """A widget with its own template and scripts."""

    template_name = ""
    #: The item whose form contains the widget.
    item: ContentItem | None = None

    @property
    def media(self) -> forms.Media:
        script = Script("content_admin/item-form.js", type="module")
        return forms.Media(css={"all": ["content_admin/item-form.css"]}, js=[script])  # type: ignore[list-item]


def chooser_media(script: str) -> forms.Media:
    """Return the media that one of Wagtail's choosers needs in addition to that of every admin page."""
    return forms.Media(js=[versioned_static(script)])


class GroupWidget(ContentWidget):
    """Several inputs for one value: `split` returns their texts by name, `join` the value."""

    use_fieldset = True

    def split(self, value: Any) -> dict[str, Any]:
        raise NotImplementedError

    def join(self, parts: dict[str, Any]) -> Any:
        raise NotImplementedError

    def read(self, data: Any, name: str) -> dict[str, Any]:
        """Return the parts as the browser sent them."""
        return {part: data.get(f"{name}-{part}", "").strip() for part in self.split(None)}

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        return {**super().get_context(name, value, attrs), "parts": self.split(value)}

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        return self.join(self.read(data, name))

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        return not any(key.startswith(f"{name}-") for key in data)

    def id_for_label(self, id_: str) -> str:
        return ""


class GroupField(forms.Field):
    """Holds the value that its GroupWidget joins. Validation is left to the service."""

    def has_changed(self, initial: Any, data: Any) -> bool:
        # Compared as submitted by the inputs: 48.85 and "48.85" are equal.
        return self.widget.join(self.widget.split(initial)) != data


def values_of(data: Any, name: str) -> list[str]:
    """Return every value sent under a name."""
    found: Iterable[str] = data.getlist(name) if hasattr(data, "getlist") else data.get(name, [])
    return [found] if isinstance(found, str) else list(found)
