"""Files without a URL, such as attachments of forms: views that check who asks serve them, and background tasks read them."""

import logging
import secrets
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import NoReturn, Protocol, cast, runtime_checkable

from django.conf import settings
from django.core.files.storage import Storage
from django.db import transaction
from django.db.models import Model
from django.utils import timezone

from cms_api.http.files import ServedStorage

from .storage import LocalStorage

logger = logging.getLogger(__name__)

#: The folder of private files below VAR_DIR, or in the storage of media.
PRIVATE = "private"
#: Minimum age at which a file without a row is deleted; a process that dies between storing the two leaves one.
STRAY_FILE_AGE = timedelta(days=1)


@runtime_checkable
class PrivateStorage(ServedStorage, Protocol):
    """The additions to Django's storage interface."""

    #: The folder below VAR_DIR, or in the storage of media, and in backups.
    folder: str

    def modified_before(self, moment: datetime) -> list[str]:
        """Return the names of all files that are older."""


class PrivateFolder(LocalStorage):
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


def random_name(record: Model, filename: str) -> str:
    """Return a random name for a stored file, so that the name of an upload never reaches the disk."""
    return secrets.token_hex(20)


def upload_name(name: str) -> str:
    """Return the name of an upload as people read it: without folders and unprintable characters, at most 200 characters."""
    bare = PurePosixPath(PureWindowsPath(name).name).name
    kept = "".join(character for character in bare if character.isprintable()).strip(". ")
    stem, dot, extension = kept.rpartition(".")
    return stem[: 200 - len(extension) - 1] + dot + extension[:20] if dot else kept[:200]


def delete_after_commit(storage: Storage, name: str) -> None:
    """Delete the file of a row that is deleted in this transaction. If that fails, `delete_strays` does it later."""

    def delete() -> None:
        try:
            storage.delete(name)
        except OSError as problem:
            logger.warning("The file %s of a deleted record could not be deleted; a job will try again. %s", name, problem)

    if name:
        transaction.on_commit(delete)


def delete_strays(storage: Storage, referenced: Callable[[list[str]], Iterable[str]], *, age: timedelta = STRAY_FILE_AGE) -> int:
    """Delete old files without a row, and return how many there were; `referenced(names)` are those that have one."""
    old = names_modified_before(storage, timezone.now() - age)
    known = set(referenced(old))
    strays = [name for name in old if name not in known]
    for name in strays:
        storage.delete(name)
    return len(strays)
