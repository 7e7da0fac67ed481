"""Files without a URL, such as attachments of forms: only the admin serves them, and background tasks read them."""

from datetime import datetime
from pathlib import Path
from typing import NoReturn, Protocol, cast, runtime_checkable

from django.conf import settings
from django.core.files.storage import FileSystemStorage, Storage

#: The folder of private files below VAR_DIR, or in the storage of media.
PRIVATE = "private"


@runtime_checkable
class PrivateStorage(Protocol):
    """The additions to Django's storage interface."""

    #: The folder below VAR_DIR, or in the storage of media, and in backups.
    folder: str

    def modified_before(self, moment: datetime) -> list[str]:
        """Return the names of all files that are older."""


class PrivateFolder(FileSystemStorage):
    """A folder below VAR_DIR."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        super().__init__(location=Path(settings.VAR_DIR) / folder, file_permissions_mode=0o600)

    def url(self, name: str | None) -> NoReturn:
        raise ValueError("A private file has no address.")

    def modified_before(self, moment: datetime) -> list[str]:
        try:
            names = self.listdir("")[1]
        except FileNotFoundError:
            return []
        return [name for name in names if self.get_modified_time(name) < moment]


def private_storage(folder: str) -> Storage:
    """Return the storage of a folder of private files, which is where media are: then all hosts share it."""
    options = settings.STORAGES["default"].get("OPTIONS", {})
    if "bucket" not in options:
        return PrivateFolder(f"{PRIVATE}/{folder}")
    from .object_storage import PrivateObjects

    return PrivateObjects(f"{PRIVATE}/{folder}", options)


def names_modified_before(storage: Storage, moment: datetime) -> list[str]:
    return cast(PrivateStorage, storage).modified_before(moment)
