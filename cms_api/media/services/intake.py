"""Receives files: detects the type from the bytes, and rewrites images in a process with resource limits.

Nothing is stored yet, and no transaction is open: this can take seconds.
"""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import weakref
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from mimetypes import guess_type
from pathlib import Path
from typing import Any

from django.core.files.base import File
from django.core.files.uploadedfile import UploadedFile

import cms_api
from cms_api.core.errors import Invalid, TooLarge
from cms_api.core.outages import Busy

from ..types import DOCUMENTS, MAX_UPLOAD_BYTES, MEDIA_TYPES, PICTURES, SNIFFED_BYTES, VARIANTS, VIDEOS, Kind, Variant, sniff
from . import capacity, naming
from .sizes import SizedFile

#: Seconds that processing a file may take on a busy host. The processor time that it may take is limited by the process itself.
PROCESSING_SECONDS = 120

#: Files that `receive_all` has taken while the one before them is stored.
FILES_AHEAD = 2

#: With less room than this, in bytes, a file may be refused only because its copies could not be written.
MIN_FREE_BYTES = 16 * 1024 * 1024

_ROOT = Path(cms_api.__path__[0]).parent


@dataclass(frozen=True)
class Copy:
    """A rendered variant: a file in the folder of the received file."""

    variant: Variant
    path: Path
    width: int
    height: int


class ReceivedFile(SizedFile):
    """A file accepted for the library, with its metadata. The receiver must close it or drop every reference to it."""

    def __init__(self, file: Any, *, name: str, kind: Kind, mime_type: str, folder: Path | None = None) -> None:
        super().__init__(file, name=name)
        self.kind = kind
        self.mime_type = mime_type
        self.animated = False
        self.copies: list[Copy] = []
        self._discard = weakref.finalize(self, _discard, file, folder)

    def close(self) -> None:
        self._discard()


def _discard(file: Any, folder: Path | None) -> None:
    file.close()
    if folder:
        shutil.rmtree(folder, ignore_errors=True)


def receive(file: File, *, types: Collection[str] = tuple(MEDIA_TYPES), degrees: int = 0, work: str = "uploads") -> ReceivedFile:
    """Return the file as it may be stored, images rotated clockwise by `degrees`.

    `types` are the accepted extensions, `work` is whose slot the processing of an image takes (`capacity`). Raises Invalid
    (`file`), TooLarge, and Busy if too many images are being processed.
    """
    name = naming.shown_name(file.name or "")
    extension = naming.split(name)[1]
    if extension not in types:
        raise _refusal(f"The file must be a file of type: {', '.join(types)}.")
    if file.size > MAX_UPLOAD_BYTES:
        raise TooLarge(f"The file may not be larger than {MAX_UPLOAD_BYTES // 1024 // 1024} MiB.")
    if not file.size:
        raise _refusal("The file is empty.")
    if extension not in MEDIA_TYPES:
        return _receive_document(file, name, extension)
    file.seek(0)
    mime_type = sniff(file.read(SNIFFED_BYTES))
    file.seek(0)
    if mime_type != MEDIA_TYPES[extension]:
        raise _refusal(f"The content isn't a valid .{extension} file.")
    if extension in VIDEOS:
        return ReceivedFile(file, name=name, kind=Kind.VIDEO, mime_type=mime_type)
    return _receive_picture(file, name, mime_type, degrees, work)


def receive_all(files: Iterable[File]) -> Iterator[ReceivedFile]:
    """Yield small pictures of our own as `receive` returns them; the next ones are taken from `files` and processed meanwhile."""
    waiting = deque[Future[ReceivedFile]]()
    with ThreadPoolExecutor(FILES_AHEAD) as pool:
        for file in files:
            waiting.append(pool.submit(receive, file, work="renditions"))
            if len(waiting) > FILES_AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _receive_document(file: File, name: str, extension: str) -> ReceivedFile:
    file.seek(0)
    if extension == "pdf" and b"%PDF-" not in file.read(1024):
        raise _refusal("The content isn't a valid .pdf file.")
    file.seek(0)
    mime_type = guess_type(name)[0] or "application/octet-stream"
    return ReceivedFile(file, name=name, kind=Kind.FILE, mime_type=mime_type)


def _receive_picture(file: File, name: str, mime_type: str, degrees: int, work: str) -> ReceivedFile:
    folder = Path(tempfile.mkdtemp(prefix="upload-"))
    try:
        with _on_disk(file, folder) as source:
            task = {"source": str(source), "mime_type": mime_type, "into": str(folder), "degrees": degrees}
            report = _process(task, work)
        if "refused" in report:
            if shutil.disk_usage(folder).free < MIN_FREE_BYTES:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))
            raise _refusal(report["refused"])
        drawn = (folder / report["file"]).open("rb")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    received = ReceivedFile(drawn, name=name, kind=Kind.IMAGE, mime_type=mime_type, folder=folder)
    received.width, received.height, received.animated = report["width"], report["height"], report["animated"]
    variants = {variant.name: variant for variant in VARIANTS}
    received.copies = [
        Copy(variants[copy["name"]], folder / copy["file"], copy["width"], copy["height"]) for copy in report["variants"]
    ]
    if not isinstance(file, UploadedFile):
        # A request closes its own, which Wagtail stores for another form if anything beside it is wrong.
        file.close()
    return received


@contextmanager
def _on_disk(file: File, folder: Path) -> Iterator[Path]:
    """Yield the file's path, or that of a copy if the file is in memory or in a remote storage."""
    if hasattr(file, "temporary_file_path"):
        yield Path(file.temporary_file_path())
        return
    source = folder / "source"
    with source.open("wb") as copy:
        for chunk in file.chunks():
            copy.write(chunk)
    yield source
    source.unlink()


def _process(task: dict[str, Any], work: str) -> dict[str, Any]:
    """Return the report of the processing process; one that fails or needs too long reports that the file cannot be read.

    Raises Busy if the host has no time for it.
    """
    command = [sys.executable, "-P", "-m", "cms_api.media.services.processing", json.dumps(task)]
    with capacity.uploads.enter(), capacity.slot(work):
        try:
            done = subprocess.run(
                command,
                env={"PYTHONPATH": str(_ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
                cwd=task["into"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=PROCESSING_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise Busy from None
    if done.returncode == -signal.SIGXCPU:
        return {"refused": "The file took too long to process."}
    try:
        report = json.loads(done.stdout)
    except ValueError:
        report = None
    if done.returncode or not isinstance(report, dict):
        return {"refused": "The file is damaged or unreadable."}
    return report


def _refusal(sentence: str) -> Invalid:
    return Invalid({"file": sentence})


#: The extensions that Wagtail's two upload pages accept.
PICTURE_TYPES = tuple(PICTURES)
FILE_TYPES = (*DOCUMENTS, *VIDEOS)
