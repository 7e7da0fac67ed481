"""Stores the files of messages, and received emails; a rollback removes them."""

from collections.abc import Iterable, Sequence

from django.core.files.base import ContentFile

from cms_api.core.errors import Invalid
from cms_api.mail.types import MAX_ATTACHED_BYTES
from cms_api.media.services.private import delete_strays

from ..models import Attachment, Message, PrivateFiles, ReceivedMail
from ..types.bodies import file_name
from ..types.files import NewFile
from ..types.tickets import MAX_FILE_BYTES, MAX_FILE_TYPE, MAX_FILES

_MAX_ATTACHED_MB = MAX_ATTACHED_BYTES // 1024 // 1024


def check_files(files: Sequence[NewFile]) -> None:
    """Check the files that somebody attaches on a page. Raises Invalid (`files`)."""
    if len(files) > MAX_FILES:
        raise Invalid({"files": f"Attach at most {MAX_FILES} files."})
    for each in files:
        if not each.content or not file_name(each.name):
            raise Invalid({"files": "One of the files is empty, or has no name."})
        if len(each.content) > MAX_FILE_BYTES:
            raise Invalid({"files": f"A file may not be larger than {MAX_FILE_BYTES // 1024 // 1024} MB."})


def check_sendable(files: Sequence[NewFile]) -> None:
    """Check that files fit into one email. Raises Invalid (`files`)."""
    if sum(len(each.content) for each in files) > MAX_ATTACHED_BYTES:
        raise Invalid({"files": f"The files may not be larger than {_MAX_ATTACHED_MB} MB together."})


def store_files(message: Message, files: Iterable[NewFile]) -> list[Attachment]:
    """Store the files of a message."""
    stored: list[Attachment] = []
    try:
        for each in files:
            attachment = Attachment(message=message, filename=file_name(each.name) or "file", size=len(each.content))
            attachment.type = each.type[:MAX_FILE_TYPE]
            attachment.file.save("", ContentFile(each.content), save=False)
            stored.append(attachment)
        for attachment in stored:
            attachment.save()
    except BaseException:
        for attachment in stored:
            attachment.file.delete(save=False)
        raise
    return stored


def clear_stray_files() -> int:
    """Delete files without a row. Return how many there were."""

    def find_referenced(names: list[str]) -> Iterable[str]:
        yield from Attachment.objects.filter(file__in=names).values_list("file", flat=True)
        yield from ReceivedMail.objects.filter(original__in=names).values_list("original", flat=True)

    return delete_strays(PrivateFiles(), find_referenced)
