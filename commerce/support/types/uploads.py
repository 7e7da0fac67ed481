"""Files that people attach to a message on a page."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from commerce.common.types.files import FilesField

from .files import NewFile
from .tickets import MAX_FILE_BYTES, MAX_FILE_NAME

#: Files of one message.
MAX_UPLOADS = 5
_MAX_FILE_MB = MAX_FILE_BYTES // 1024 // 1024


class AttachmentsField(FilesField):
    """The files of a message, as NewFile; their contents are read once their number and sizes are checked."""

    def __init__(self, *, at_most: int = MAX_UPLOADS, **options: Any) -> None:
        said = f"At most {at_most} files of up to {_MAX_FILE_MB} MB each."
        super().__init__(**{"required": False, "label": "Attachments", "help_text": said, "max_length": MAX_FILE_NAME, **options})
        self.at_most = at_most

    def clean(self, data: Any, initial: Any = None) -> list[NewFile]:
        sent: list[UploadedFile[Any]] = super().clean(data, initial)
        if len(sent) > self.at_most:
            raise forms.ValidationError(f"Attach at most {self.at_most} files.")
        if any((each.size or 0) > MAX_FILE_BYTES for each in sent):
            raise forms.ValidationError(f"A file may not be larger than {_MAX_FILE_MB} MB.")
        return [NewFile(each.name or "", each.read(), each.content_type or "") for each in sent]
