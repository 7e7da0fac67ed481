"""The page row that shows a form."""

from collections.abc import Mapping
from typing import Any

from wagtail import blocks

from cms_api.http import page_cache
from cms_api.rows import WORDS, RecordBlock, RowBlock, heading

from .selectors import VERSION, enabled_forms, find_form


def listed_forms() -> list[tuple[str, str]]:
    """Return the enabled forms as choices: slug and name."""
    return [(slug, form.name) for slug, form in enabled_forms().items()]


class FormBlock(RowBlock):
    heading = heading()
    text = blocks.RichTextBlock(required=False, features=WORDS)
    form = RecordBlock(choices=listed_forms)

    def present(self, value: Any) -> Mapping[str, Any] | None:
        """Return `form`, or None while the form is disabled. Enabling it invalidates pages rendered without it."""
        page_cache.depends_on(VERSION)
        form = find_form(value["form"] or "")
        return {"form": form} if form else None

    class Meta:
        icon = "form"
        label = "Form"
        description = "A form for visitors to fill in. Create forms under Forms."
