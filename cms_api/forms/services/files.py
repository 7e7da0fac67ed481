"""Submitted files: which are accepted, and how they are stored until somebody deletes them."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.core.files.uploadedfile import UploadedFile

from cms_api.core.errors import ErrorCollector, required_message
from cms_api.media.services.private import delete_after_commit, delete_strays, upload_name

from ..models import Attachment, Submission, private_files
from ..types import FormField
from ..types.files import BEGINNINGS, MAX_FILE_BYTES, MIB


def clean_files(fields: Iterable[FormField], files: Mapping[str, UploadedFile[Any]]) -> dict[str, UploadedFile[Any]]:
    """Return the accepted files of a form's fields by key. Raises Invalid (`data.<key>`)."""
    errors = ErrorCollector()
    found: dict[str, UploadedFile[Any]] = {}
    for field in fields:
        if field.type != "file":
            continue
        sent = files.get(field.key)
        if sent is None:
            if field.required:
                errors.add(f"data.{field.key}", required_message(field.key))
        elif refusal := _refusal(sent):
            errors.add(f"data.{field.key}", refusal)
        else:
            found[field.key] = sent
    errors.raise_if_any()
    return found


def _refusal(sent: UploadedFile[Any]) -> str:
    """Return what is wrong with a file; empty if nothing is."""
    extension = upload_name(sent.name or "").rpartition(".")[2].lower()
    if extension not in BEGINNINGS:
        return f"The file must be of one of these types: {', '.join(BEGINNINGS)}."
    if not sent.size:
        return "The file is empty. Choose another one."
    if sent.size > MAX_FILE_BYTES:
        return f"The file may not be larger than {MAX_FILE_BYTES // MIB} MB."
    sent.seek(0)
    head = sent.read(4096)
    sent.seek(0)
    beginnings = BEGINNINGS[extension]
    if (beginnings and not head.startswith(beginnings)) or (not beginnings and b"\0" in head):
        return f"The content isn't a valid .{extension} file."
    return ""


def keep_files(submission: Submission, files: Mapping[str, UploadedFile[Any]]) -> None:
    """Store the files of a submission; a rollback removes them."""
    for key, sent in files.items():
        attachment = Attachment(submission=submission, key=key, filename=upload_name(sent.name or ""), size=sent.size or 0)
        attachment.file.save("", sent, save=False)
        try:
            attachment.save()
        except BaseException:
            attachment.file.delete(save=False)
            raise


def forget_files(attachments: Iterable[Attachment]) -> None:
    """Delete the files of records that are about to be deleted, once the transaction commits."""
    storage = private_files()
    for attachment in attachments:
        delete_after_commit(storage, attachment.file.name or "")


def clear_stray_files() -> int:
    """Delete files without a submission. Return how many there were."""

    def find_referenced(names: list[str]) -> Iterable[str]:
        return Attachment.objects.filter(file__in=names).values_list("file", flat=True)

    return delete_strays(private_files(), find_referenced)
