"""File storage tied to transactions: files stored in a transaction are deleted when it rolls back."""

import weakref
from collections.abc import Callable
from pathlib import Path

from django.core.files.base import File
from django.core.files.storage import Storage, default_storage
from django.db import transaction


class _Stored:
    """A stored file that is deleted when this object is garbage-collected, unless `keep` was called."""

    def __init__(self, storage: Storage, path: str) -> None:
        self.keep: Callable[[], object] = weakref.finalize(self, _delete, storage, path).detach


def _delete(storage: Storage, path: str) -> None:
    storage.delete(path)


def delete_on_rollback(path: str, storage: Storage = default_storage) -> None:
    """Delete a stored file if the open transaction does not commit.

    On rollback Django drops the on-commit callbacks, and with them the only reference to the `_Stored` object.
    """
    stored = _Stored(storage, path)
    transaction.on_commit(lambda: stored.keep())
    if waiting := transaction.get_connection().run_on_commit:
        # Run before all other on-commit callbacks: one that fails must not cost the file.
        waiting.insert(0, waiting.pop())


def is_free(path: str) -> bool:
    return not default_storage.exists(path)


def replace_on_commit(path: str, content: File) -> None:
    """Replace the content of a path once the transaction commits; everything that can fail is done before.

    On a disk the new file replaces the old one atomically.
    """
    beside = default_storage.save(path + ".new", content)
    delete_on_rollback(beside)
    transaction.on_commit(lambda: _move_into_place(beside, path))


def _move_into_place(beside: str, path: str) -> None:
    try:
        Path(default_storage.path(beside)).replace(default_storage.path(path))
    except NotImplementedError:
        with default_storage.open(beside) as content:
            default_storage.delete(path)
            default_storage.save(path, content)
        default_storage.delete(beside)
