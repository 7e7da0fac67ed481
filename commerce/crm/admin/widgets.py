"""Inputs of the CRM's forms: tags, names of companies, and words one a line."""

import csv
import io
import json
from collections.abc import Iterable
from typing import Any

from django import forms
from django.urls import reverse
from wagtail.admin.widgets import AdminAutoHeightTextInput, AdminTagWidget


class TagsWidget(AdminTagWidget):
    """Wagtail's input of tags; what is typed is completed from the tags that contacts have."""

    def format_value(self, value: Any) -> str:
        return value if isinstance(value, str) else join(value or [])

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context(name, value, attrs)
        attributes = context["widget"]["attrs"]
        attributes["data-w-tag-url-value"] = reverse("crm_contacts:tags")
        # The script puts an input of its own in the place of the one that the label names: this names it.
        options = json.loads(attributes["data-w-tag-options-value"])
        attributes["data-w-tag-options-value"] = json.dumps({**options, "placeholderText": "Add a tag"})
        context["widget"]["help_text"] = "Press comma or Enter after each."
        return context


class TagsField(forms.CharField):
    """Tags as a list; in the input they are parted by commas, those that hold one stand in quotes."""

    widget = TagsWidget

    def to_python(self, value: Any) -> list[str]:  # type: ignore[override]
        text = " ".join((super().to_python(value) or "").split())
        return [tag for part in next(csv.reader([text], skipinitialspace=True), []) if (tag := part.strip())]

    def run_validators(self, value: list[str]) -> None:
        for tag in value:
            super().run_validators(tag)

    def has_changed(self, initial: Any, data: Any) -> bool:
        return list(initial or []) != self.to_python(data)


def join(tags: Iterable[str]) -> str:
    """Tags as the input holds them."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(tags)
    return line.getvalue()


class CompanyNameInput(forms.TextInput):
    """The name of a company, with those that there are listed below as one types."""

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context(name, value, attrs)
        names_url = reverse("crm_companies:names")
        context["widget"]["attrs"] |= {"autocomplete": "off", "data-company-names": names_url}
        return context

    class Media:
        js = ("crm/company-names.js",)


class LinesField(forms.CharField):
    """Words as a list: one a line, or parted by commas."""

    widget = AdminAutoHeightTextInput

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> list[str]:  # type: ignore[override]
        return [word for line in (super().to_python(value) or "").replace(",", "\n").splitlines() if (word := line.strip())]

    def run_validators(self, value: list[str]) -> None:
        for word in value:
            super().run_validators(word)

    def has_changed(self, initial: Any, data: Any) -> bool:
        return list(initial or []) != self.to_python(data)
