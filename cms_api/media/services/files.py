"""Files beside transactions: what a transaction stores goes with it when it is rolled back."""

import weakref
from collections.abc import Callable
from pathlib import Path

from django.core.files.base import File
from django.core.files.storage import Storage, default_storage
from django.db import transaction


class _Stored:
    """A file that has been stored; gone with this, unless it is kept."""

    def __init__(self, storage: Storage, path: str) -> None:
        self.keep: Callable[[], object] = weakref.finalize(self, _delete, storage, path).detach


def _delete(storage: Storage, path: str) -> None:
    storage.delete(path)


def undo_with_transaction(path: str, storage: Storage = default_storage) -> None:
    """Deletes a stored file if the transaction that is open now does not commit.

    Django drops what is to be done after a commit when there will be none, and with it goes what holds the file.
    """
    stored = _Stored(storage, path)
    transaction.on_commit(lambda: stored.keep())
    if waiting := transaction.get_connection().run_on_commit:
        # Before everything else that waits for the commit: what fails there must not cost the file.
        waiting.insert(0, waiting.pop())


def is_free(path: str) -> bool:
    return not default_storage.exists(path)


def replace_on_commit(path: str, content: File) -> None:
    """Puts other content under a path once the transaction commits; all that can fail is done before.

    On a disk the new file takes the old one's place in one step.
    """
    beside = default_storage.save(path + ".new", content)
    undo_with_transaction(beside)
    transaction.on_commit(lambda: _put_in_place(beside, path))


def _put_in_place(beside: str, path: str) -> None:
    try:
        Path(default_storage.path(beside)).replace(default_storage.path(path))
    except NotImplementedError:
        with default_storage.open(beside) as content:
            default_storage.delete(path)
            default_storage.save(path, content)
        default_storage.delete(beside)
