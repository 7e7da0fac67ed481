"""The files that records refer to, whatever storage they are in: the media library's, and the private ones."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.core.files.storage import Storage, default_storage
from django.db import connection

from cms_api.media.selectors import file_fields
from cms_api.media.services.private import PrivateStorage

from .types import BackupError, Rows

#: The folder of the media library in the archive.
MEDIA = "media"


@dataclass(frozen=True)
class FileColumn:
    """A column that names files."""

    table: str
    column: str
    #: A column with the SHA-1 of the content; empty if there is none.
    hash_column: str
    folder: str

    def references(self, rows: Rows) -> Iterator[tuple[str, str]]:
        """Yield the name of each file in the archive, and the SHA-1 that its record expects, or an empty text."""
        digest = f'"{self.hash_column}"' if self.hash_column else "''"
        for name, expected in rows(f"""SELECT "{self.column}", {digest} FROM "{self.table}" WHERE "{self.column}" <> ''"""):
            yield f"{self.folder}/{name}", expected


def storages() -> dict[str, Storage]:
    """Return every storage that records' files are in, by its folder in the archive."""
    return {_folder(field.storage): field.storage for field in file_fields()}


def storage_of(member: str, known: dict[str, Storage]) -> tuple[Storage, str] | None:
    """Return the storage of a member, and the file's name there; None if it belongs to none."""
    for folder, storage in known.items():
        if member.startswith(folder + "/"):
            return storage, member.removeprefix(folder + "/")
    return None


def file_columns() -> list[FileColumn]:
    """Return the columns that exist in the database, which may be older than the code."""
    found = []
    with connection.cursor() as cursor:
        tables = set(connection.introspection.table_names(cursor))
        for field in file_fields():
            table = field.model._meta.db_table
            if table not in tables:
                continue
            cursor.execute(f'SELECT * FROM "{table}" LIMIT 0')
            columns = {column[0] for column in cursor.description}
            if field.column and field.column in columns:
                digest = "file_hash" if "file_hash" in columns else ""
                found.append(FileColumn(table, field.column, digest, _folder(field.storage)))
    return found


def _folder(storage: Storage) -> str:
    """Return a storage's folder in the archive."""
    if storage is default_storage:
        return MEDIA
    if isinstance(storage, PrivateStorage):
        return storage.folder
    raise BackupError(f"Files in {storage!r} cannot be backed up: it is neither the media library nor a private folder.")
