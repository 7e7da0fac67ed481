"""Widgets of forms."""

import json
from collections.abc import Callable
from typing import Any

from django import forms
from wagtail.admin.widgets import SlugInput


class AsciiSlugInput(SlugInput):
    """The slug of a record, of ASCII letters only: others are transliterated, as the services do."""

    def __init__(self, attrs: dict[str, Any] | None = None, **options: Any) -> None:
        super().__init__({"data-w-slug-allow-unicode-value": False, **(attrs or {})}, **options)


class GroupedCheckboxes(forms.CheckboxSelectMultiple):
    """Checkboxes with their values and labels, in the groups of the choices; buttons tick and clear a whole group."""

    template_name = "adminkit/grouped_checkboxes.html"
    #: A button that ticks only the values with an ending: its label, and the ending.
    narrow = ("", "")

    def presets(self) -> list[tuple[str, list[str], dict[str, str]]]:
        """Return buttons that tick some values and clear all others: labels, values, and what other fields of the form get."""
        return []

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context(name, value, attrs)
        label, ending = self.narrow
        groups = []
        for title, options, _ in context["widget"]["optgroups"]:
            is_mixed = len({option["value"].endswith(ending) for option in options}) == 2
            groups.append({"title": title, "options": options, "narrow": label if is_mixed else ""})
        presets = [(label, json.dumps(values), json.dumps(others)) for label, values, others in self.presets()]
        return context | {"groups": groups, "ending": ending, "presets": presets}

    class Media:
        css = {"all": ["adminkit/adminkit.css"]}
        js = ["adminkit/adminkit.js"]


class KeptSelect(forms.Select):
    """A select that offers some of its options only where they are already chosen: those for which `is_offered` is false.

    A block renders its select once for all its values, so that `adminkit.js` removes the options.
    """

    def __init__(self, *args: Any, is_offered: Callable[[str], bool], **kwargs: Any) -> None:
        super().__init__({"data-controller": "kept-select"}, *args, **kwargs)
        self.is_offered = is_offered

    def create_option(self, name: str, value: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        option: dict[str, Any] = super().create_option(name, value, *args, **kwargs)
        if value and not self.is_offered(str(value)):
            option["attrs"]["data-kept-select-target"] = "kept"
        return option

    class Media:
        js = ["adminkit/adminkit.js"]
