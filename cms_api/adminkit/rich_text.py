"""Wagtail's rich text editor in the admin's forms: what no editor sends is refused at its field, as any other mistake is.

Wagtail's own takes whatever was posted for the editor's document: it fails where that is none, and lets links through that break
the pages they stand on.
"""

import json
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.core.serializers.json import DjangoJSONEncoder
from django.forms import Media
from django.utils.functional import cached_property
from django.utils.html import escape
from draftjs_exporter.error import ExporterException
from wagtail.admin.rich_text import DraftailRichTextArea
from wagtail.admin.rich_text.editors.draftail import DraftailRichTextAreaAdapter
from wagtail.admin.staticfiles import versioned_static
from wagtail.admin.telepath import register

from cms_api.core.identifiers import MAX_ID

UNREADABLE = "This text couldn't be read. Enter it again."

#: Lists stand within each other no deeper; the editor itself stops far above.
MAX_DEPTH = 20


class Unreadable:
    """Stands in for a text in fields and blocks. Both ask for its string when they clean it, and so refuse it."""

    def __init__(self, sent: str) -> None:
        self.sent = sent

    def __str__(self) -> str:
        raise ValidationError(UNREADABLE, code="unreadable")


class RichTextArea(DraftailRichTextArea):
    """Named by the setting `WAGTAILADMIN_RICH_TEXT_EDITORS`, and so the input of every rich text field and block of Wagtail's."""

    @cached_property
    def media(self) -> Media:
        return super().media + Media(js=[versioned_static("adminkit/rich-text.js")])

    def value_from_datadict(self, data: Mapping[str, Any], files: Mapping[str, Any], name: str) -> Any:
        sent = data.get(name)
        if sent is None:
            return None
        try:
            self._check(json.loads(sent))
            text: str = super().value_from_datadict(data, files, name)
            # Half of a character pair may be written in JSON, and nowhere else.
            text.encode()
        except (AttributeError, ExporterException, LookupError, RecursionError, TypeError, ValueError):
            return Unreadable(sent)
        return text

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """Name the editor by its label, which belongs to a hidden input otherwise; in blocks, rich-text.js does."""
        context = super().get_context(name, value, attrs)
        found = context["widget"]["attrs"]
        if "id" in found:
            options = {**self.options, "ariaLabelledBy": f"{found['id']}-label"}
            found["data-w-init-detail-value"] = json.dumps(options, cls=DjangoJSONEncoder)
        return context

    def format_value(self, value: Any) -> Any:
        """Show a refused value as it was sent, so that nothing typed is lost."""
        return super().format_value(f"<p>{escape(value.sent)}</p>" if isinstance(value, Unreadable) else value)

    def _check(self, document: Any) -> None:
        """Raise an error unless a document is one of this editor's; None is an empty text."""
        if document is None:
            return
        known, entities = self.converter.exporter, document["entityMap"]
        for entity in entities.values():
            _must(entity["type"] in known.entity_options)
            _check_reference(entity["data"])
        for block in document["blocks"]:
            _must(block.get("type", "unstyled") in known.block_options)
            _must(0 <= _whole(block.get("depth", 0)) <= MAX_DEPTH)
            _must(isinstance(block["text"], str))
            for style in block.get("inlineStyleRanges", ()):
                _check_range(style, block["text"])
                _must(isinstance(style["style"], str))
            for linked in block.get("entityRanges", ()):
                _check_range(linked, block["text"])
                _must(str(linked["key"]) in entities)


class RichTextAreaAdapter(DraftailRichTextAreaAdapter):
    js_constructor = "adminkit.RichTextArea"


register(RichTextAreaAdapter(), RichTextArea)


def _must(is_so: bool) -> None:
    if not is_so:
        raise ValueError


def _whole(number: Any) -> int:
    _must(type(number) is int)
    return int(number)


def _check_range(given: Any, text: str) -> None:
    start, length = _whole(given["offset"]), _whole(given["length"])
    _must(start >= 0 and length >= 0 and start + length <= len(text))


def _check_reference(data: Any) -> None:
    """The number of the page that a link leads to; Wagtail asks for it when the text is shown."""
    number = data.get("id")
    _must(number is None or (str(number).isdecimal() and 0 < int(number) <= MAX_ID))
