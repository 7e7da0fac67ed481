"""CRM form inputs: tags and company names."""

import csv
import io
import json
from collections.abc import Iterable
from typing import Any

from django import forms
from django.urls import reverse
from wagtail.admin.widgets import AdminTagWidget


class TagsWidget(AdminTagWidget):
    """Wagtail's tag input with autocompletion from the tags of contacts."""

    def format_value(self, value: Any) -> str:
        return value if isinstance(value, str) else join(value or [])

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context(name, value, attrs)
        attributes = context["widget"]["attrs"]
        attributes["data-w-tag-url-value"] = reverse("crm_contacts:tags")
        # The script replaces the labelled input with its own; this gives the new one an accessible name.
        options = json.loads(attributes["data-w-tag-options-value"])
        attributes["data-w-tag-options-value"] = json.dumps({**options, "placeholderText": "Add a tag"})
        context["widget"]["help_text"] = "Press comma or Enter after each."
        return context


class TagsField(forms.CharField):
    """A list of tags, entered comma-separated; tags that contain a comma are quoted."""

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
    """Join tags into the input's text."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(tags)
    return line.getvalue()


class CompanyNameInput(forms.TextInput):
    """A company name input that suggests existing companies."""

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context(name, value, attrs)
        names_url = reverse("crm_companies:names")
        context["widget"]["attrs"] |= {"autocomplete": "off", "data-company-names": names_url}
        return context

    class Media:
        js = ("crm/company-names.js",)
