"""Files that only the user of the site may read: everything below VAR_DIR, the database and its log included."""

import os
import stat
from contextlib import suppress
from pathlib import Path

FILE_MODE, FOLDER_MODE = 0o600, 0o700
#: The permissions of others than the owner.
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def keep_private(folder: Path) -> None:
    """Let this process and those that it starts make private files only, and mend those that are there."""
    os.umask(_OTHERS)
    for where, _, names in os.walk(folder):
        for path in (where, *(os.path.join(where, name) for name in names)):
            make_private(path)


def make_private(path: str | os.PathLike[str]) -> None:
    """Take a file or folder away from everybody but its owner; links, shared folders and what belongs to others stay."""
    with suppress(FileNotFoundError, PermissionError):
        found = os.lstat(path)
        is_ours = found.st_uid == os.geteuid() and not stat.S_ISLNK(found.st_mode) and not found.st_mode & stat.S_ISVTX
        if is_ours and found.st_mode & _OTHERS:
            os.chmod(path, stat.S_IMODE(found.st_mode) & ~_OTHERS)


def create_private(path: str) -> None:
    """Create a database file, if there is none, so that its logs are private too: SQLite gives them the file's permissions.

    One that exists is not opened: closing it again would release all locks that this process holds on it, and others would
    delete the log of a database that is in use.
    """
    with suppress(FileExistsError, FileNotFoundError, PermissionError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, FILE_MODE))
    for each in (path, f"{path}-wal", f"{path}-shm", f"{path}-journal"):
        make_private(each)
