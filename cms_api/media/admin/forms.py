"""Wagtail's upload and edit forms: they accept files by the API's rules, and never replace a stored file."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from wagtail.documents.fields import WagtailDocumentField
from wagtail.documents.forms import BaseDocumentForm
from wagtail.images.fields import WagtailImageField
from wagtail.images.forms import BaseImageForm

from cms_api.core.errors import Invalid, TooLarge
from cms_api.core.outages import Busy

from ..services import intake


class Receiving:
    """A file field whose value is a received file."""

    types: ClassVar[Sequence[str]] = ()

    def to_python(self, data: Any) -> Any:
        # Bypasses Wagtail's own check, which decodes the file in this process.
        file = forms.FileField.to_python(self, data)  # type: ignore[arg-type]
        if file is None:
            return None
        try:
            return intake.receive(file, types=self.types)
        except Invalid as refusal:
            raise ValidationError(refusal.errors["file"]) from None
        except (Busy, TooLarge) as refusal:
            raise ValidationError(refusal.message) from None


class PictureField(Receiving, WagtailImageField):
    types = intake.PICTURE_TYPES


class DocumentField(Receiving, WagtailDocumentField):
    types = intake.FILE_TYPES


class _FileForm:
    """Only a new record has a file input: other places refer to a stored file by its path, so another file needs another path."""

    field_class: ClassVar[Any] = None
    fields: dict[str, Any]
    instance: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        stock = self.fields.pop("file", None)
        if stock and not self.instance.pk:
            field = self.field_class(label=stock.label, required=stock.required, widget=stock.widget)
            self.fields = self._in_order(field)

    def _in_order(self, field: Any) -> dict[str, Any]:
        """Move the file after the title, as in Wagtail."""
        names = list(self.fields)
        names.insert(names.index("title") + 1 if "title" in names else 0, "file")
        return {name: field if name == "file" else self.fields[name] for name in names}


class ImageForm(_FileForm, BaseImageForm):
    field_class = PictureField


class DocumentForm(_FileForm, BaseDocumentForm):
    field_class = DocumentField
