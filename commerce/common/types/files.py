"""Several files in one input of a form."""

from typing import Any

from django import forms


class SeveralFiles(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Several files at once; its value is a list."""

    widget = SeveralFiles

    def clean(self, data: Any, initial: Any = None) -> Any:
        sent = data if isinstance(data, list | tuple) else [data] if data else []
        return [super(FilesField, self).clean(each, initial) for each in sent]
