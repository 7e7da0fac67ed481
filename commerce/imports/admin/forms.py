"""Import forms: the file, and the mapping of its columns."""

from collections.abc import Sequence
from typing import Any

from django import forms

from cms_api.core.errors import Invalid
from cms_api.core.module import Import

from ..models import ImportRun
from ..types import DELIMITERS, ENCODINGS, MAX_FILE_BYTES, MAX_ROWS, MIB


class FileForm(forms.Form):
    file = forms.FileField(
        label="CSV file",
        allow_empty_file=True,
        help_text=f"At most {MAX_FILE_BYTES // MIB} MB and {MAX_ROWS:,} rows. The first line must contain the column names.",
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,text/csv,text/tab-separated-values"}),
    )

    def refuse(self, refusal: Invalid) -> None:
        for sentences in refusal.errors.values():
            self.add_error("file", sentences)


class ColumnsForm(forms.Form):
    """The mapping of a file's columns, and the options that apply to the whole file."""

    def __init__(self, kind: Import, run: ImportRun, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.kind, self.run = kind, run
        chosen = {place: name for name, place in run.mapping.items()}
        choices = [("", "Don't import"), *((column.name, column.title) for column in kind.columns)]
        for place, name in enumerate(run.header):
            self.fields[f"column_{place}"] = forms.ChoiceField(
                label=name or f"Column {place + 1}", required=False, choices=choices, initial=chosen.get(place, "")
            )
        for option in kind.options:
            field = forms.BooleanField if option.must_be_ticked else forms.CharField
            self.fields[f"option_{option.name}"] = field(label=option.title, required=False, help_text=option.help)

    def options(self) -> dict[str, Any]:
        return {option.name: self.cleaned_data[f"option_{option.name}"] for option in self.kind.options}

    def mapping(self) -> dict[str, int]:
        """Return the mapping. Raises Invalid if two columns map to the same target."""
        found: dict[str, int] = {}
        for place in range(len(self.run.header)):
            name = self.cleaned_data[f"column_{place}"]
            if name in found:
                title = next(column.title for column in self.kind.columns if column.name == name)
                raise Invalid({name: f"Two columns of the file are mapped to “{title}”. Choose one of them."})
            if name:
                found[name] = place
        return found

    def refuse(self, refusal: Invalid) -> None:
        for path, sentences in refusal.errors.items():
            name = f"option_{path}"
            self.add_error(name if name in self.fields else None, sentences)

    def columns(self, rows: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
        """Return the file's columns with sample values."""
        return [
            {
                "field": self[f"column_{place}"],
                "values": [row[place] for row in rows if place < len(row) and row[place].strip()][:3],
            }
            for place in range(len(self.run.header))
        ]

    def option_fields(self) -> list[Any]:
        return [self[f"option_{option.name}"] for option in self.kind.options]


class LayoutForm(forms.Form):
    """Encoding and delimiter of a file, to correct a wrong detection."""

    encoding = forms.ChoiceField(choices=list(ENCODINGS.items()), label="Encoding")
    delimiter = forms.ChoiceField(choices=list(DELIMITERS.items()), label="Delimiter")
