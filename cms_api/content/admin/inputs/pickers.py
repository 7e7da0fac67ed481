"""Inputs that pick media files or content items: a single one or an ordered list."""

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.db.models import QuerySet
from django.urls import reverse
from wagtail.images.shortcuts import get_rendition_or_not_found

from cms_api.core.identifiers import read_id
from cms_api.fields import Field
from cms_api.media.models import MediaFile, MediaImage

from ...models import ContentItem, ContentType
from ...selectors import visible_types
from .base import ContentWidget, Input, chooser_media, describe, register, values_of

#: Prefix that the browser sends with the media id of a newly picked file; replaced by the file's path here.
PICKED = "media:"

#: The same size as in Wagtail's own chooser, so that both use the same file.
THUMBNAIL = "max-165x165"


class PickerWidget(ContentWidget):
    """A list of picked entries, each a hidden input under the field's name."""

    template_name = "content_admin/widgets/picker.html"
    use_fieldset = True
    kind: ClassVar[str] = ""
    icon: ClassVar[str] = ""
    chooser_url_name: ClassVar[str] = ""
    chooser_script: ClassVar[str] = "wagtailadmin/js/chooser-modal.js"
    #: The name of an entry, in the singular.
    noun: ClassVar[str] = ""

    def __init__(self, *, multiple: bool, attrs: dict[str, Any] | None = None) -> None:
        super().__init__(attrs)
        self.multiple = multiple

    def entries(self, values: list[Any]) -> list[dict[str, Any]]:
        """Return `value`, `title`, `edit_url` and `preview` of each value, for the list."""
        raise NotImplementedError

    @property
    def media(self) -> forms.Media:
        return super().media + chooser_media(self.chooser_script)

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        values = value if isinstance(value, list) else []
        shown = {
            "entries": self.entries(values) if values else [],
            "empty": {"value": "", "title": "", "edit_url": "", "preview": ""},
            "multiple": self.multiple,
            "kind": self.kind,
            "icon": self.icon,
            "noun": self.noun,
            "prefix": "" if self.kind == "item" else PICKED,
            "chooser_url": reverse(self.chooser_url_name),
        }
        return {**super().get_context(name, value, attrs), **shown}

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[Any]:
        return [value for value in values_of(data, name) if value]

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        # The template always sends an empty value, to distinguish an emptied list from one that was not shown.
        return name not in data

    def id_for_label(self, id_: str) -> str:
        return ""


class MediaWidget(PickerWidget):
    model: ClassVar[Any] = None

    def records(self) -> QuerySet[Any]:
        """Return the library's records, with everything the list shows."""
        return self.model.objects.all()

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[Any]:
        values = super().value_from_datadict(data, files, name)
        ids = {number for value in values if value.startswith(PICKED) and (number := value.removeprefix(PICKED)).isdecimal()}
        paths = {f"{PICKED}{pk}": path for pk, path in self.model.objects.filter(pk__in=ids).values_list("pk", "file")}
        return [paths.get(value, value) for value in values]

    def entries(self, values: list[Any]) -> list[dict[str, Any]]:
        stored = {record.file.name: record for record in self.records().filter(file__in=[str(value) for value in values])}
        return [self.entry(str(value), stored.get(str(value))) for value in values]

    def entry(self, path: str, record: Any) -> dict[str, Any]:
        title = record.title if record else PurePosixPath(path).name
        return {"value": path, "title": title, "edit_url": self.edit_url(record) if record else "", "preview": ""}

    def edit_url(self, record: Any) -> str:
        raise NotImplementedError


class ImageWidget(MediaWidget):
    model = MediaImage
    kind = "image"
    icon = "image"
    noun = "image"
    chooser_url_name = "wagtailimages_chooser:choose"
    chooser_script = "wagtailimages/js/image-chooser-modal.js"

    def records(self) -> QuerySet[Any]:
        images: Any = super().records()
        return images.prefetch_renditions(THUMBNAIL)

    def entry(self, path: str, record: Any) -> dict[str, Any]:
        foreign = path.startswith(("http://", "https://"))
        url = get_rendition_or_not_found(record, THUMBNAIL).url if record else path if foreign else settings.MEDIA_URL + path
        return {**super().entry(path, record), "preview": url}

    def edit_url(self, record: Any) -> str:
        return reverse("wagtailimages:edit", args=[record.pk])


class FileWidget(MediaWidget):
    model = MediaFile
    kind = "document"
    icon = "doc-full"
    noun = "file"
    chooser_url_name = "wagtaildocs_chooser:choose"
    chooser_script = "wagtaildocs/js/document-chooser-modal.js"

    def edit_url(self, record: Any) -> str:
        return reverse("wagtaildocs:edit", args=[record.pk])


class ItemWidget(PickerWidget):
    kind = "item"
    icon = "snippet"
    noun = "item"
    chooser_url_name = "content_item_chooser:choose"

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[Any]:
        values = super().value_from_datadict(data, files, name)
        return [read_id(value) or value for value in values]

    def entries(self, values: list[Any]) -> list[dict[str, Any]]:
        stored = ContentItem.objects.only("title", "type_id").in_bulk([value for value in values if isinstance(value, int)])
        types = {found.pk: found.name for found in visible_types().values()}

        def entry(value: Any) -> dict[str, Any]:
            item = stored.get(value)
            kind = types.get(item.type_id) if item else None
            title = f"{item.title} ({kind or 'hidden'})" if item else f"Item {value} (deleted)"
            edit_url = reverse("content_items:edit", args=[item.pk]) if item and kind else ""
            return {"value": value, "title": title, "edit_url": edit_url, "preview": ""}

        return [entry(value) for value in values]


class PickerField(forms.Field):
    """One value or a list of values; the value of its widget is always a list."""

    def __init__(self, *, multiple: bool, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.multiple = multiple

    def to_python(self, value: Any) -> Any:
        values = value or []
        return values if self.multiple else values[0] if values else None

    def has_changed(self, initial: Any, data: Any) -> bool:
        return (initial or []) != (data or [])


class PickerInput(Input):
    icon = "image"
    widget: ClassVar[type[PickerWidget]] = ImageWidget

    def is_many(self, field: Field) -> bool:
        return False

    def formfield(self, field: Field, item_type: ContentType) -> forms.Field:
        many = self.is_many(field)
        return PickerField(**describe(field, multiple=many, widget=self.widget(multiple=many)))

    def initial(self, field: Field, stored: Any) -> Any:
        shown = super().initial(field, stored)
        return shown if isinstance(shown, list) else [] if shown is None else [shown]

    def text(self, field: Field, stored: Any) -> str:
        values = stored if isinstance(stored, list) else [] if stored is None else [stored]
        return ", ".join(map(str, self.names(values)))

    def names(self, values: list[Any]) -> Iterable[Any]:
        return values


@register("image")
class ImageInput(PickerInput):
    pass


@register("file")
class FileInput(PickerInput):
    icon = "doc-full"
    widget = FileWidget


@register("gallery")
class GalleryInput(PickerInput):
    icon = "media"

    def is_many(self, field: Field) -> bool:
        return True


@register("relation")
class RelationInput(PickerInput):
    icon = "link"
    widget = ItemWidget

    def is_many(self, field: Field) -> bool:
        return field.multiple

    def names(self, values: list[Any]) -> Iterable[Any]:
        return [entry["title"] for entry in ItemWidget(multiple=True).entries(values)]
