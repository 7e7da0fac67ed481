"""The rich-text input: an editor of plain HTML, so that the stored HTML is what API clients get, with links and pictures.

Wagtail's own editor stores links and pictures in a form that only Wagtail resolves, and drops tables, figures and code blocks.
"""

from typing import Any

from django import forms
from django.urls import reverse

from cms_api.fields import Field

from ...models import ContentType
from .base import ContentWidget, Input, LineBreaksField, chooser_media, describe, register


class RichTextWidget(ContentWidget):
    template_name = "content_admin/widgets/richtext.html"

    @property
    def media(self) -> forms.Media:
        return super().media + chooser_media("wagtailimages/js/image-chooser-modal.js")

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        urls = {
            "image_chooser_url": reverse("wagtailimages_chooser:choose"),
            # Zero is replaced by the picture's id.
            "picture_url": reverse("content_items:picture", args=[1]).removesuffix("1/"),
        }
        return {**super().get_context(name, value, attrs), **urls, "value": value or ""}


@register("richtext_tiptap")
class RichTextInput(Input):
    is_html = True

    def formfield(self, field: Field, item_type: ContentType) -> forms.Field:
        return LineBreaksField(**describe(field, widget=RichTextWidget()))

    def text(self, field: Field, stored: Any) -> str:
        return stored if isinstance(stored, str) else ""
