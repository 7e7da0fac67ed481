"""Widgets of forms."""

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

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context(name, value, attrs)
        label, ending = self.narrow
        groups = []
        for title, options, _ in context["widget"]["optgroups"]:
            is_mixed = len({option["value"].endswith(ending) for option in options}) == 2
            groups.append({"title": title, "options": options, "narrow": label if is_mixed else ""})
        return context | {"groups": groups, "ending": ending}

    class Media:
        css = {"all": ["adminkit/adminkit.css"]}
        js = ["adminkit/adminkit.js"]
