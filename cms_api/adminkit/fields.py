"""Fields of forms."""

from typing import Any

from django import forms
from wagtail.admin.widgets import AdminAutoHeightTextInput

from .widgets import AsciiSlugInput


class LinesField(forms.CharField):
    """A list of values, entered one per line, or with one of the `separators` between them. Validators check each value."""

    widget = AdminAutoHeightTextInput

    def __init__(self, *, separators: str = "", **options: Any) -> None:
        super().__init__(**options)
        self.separators = separators

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> list[str]:  # type: ignore[override]
        text = super().to_python(value) or ""
        for separator in self.separators:
            text = text.replace(separator, "\n")
        return [word for line in text.splitlines() if (word := line.strip())]

    def run_validators(self, value: list[str]) -> None:
        for word in value:
            super().run_validators(word)

    def has_changed(self, initial: Any, data: Any) -> bool:
        return list(initial or []) != self.to_python(data)


class SlugField(forms.CharField):
    """The slug of a record, which its service derives where it is left empty, and checks."""

    widget = AsciiSlugInput

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, **options)
