"""Media in an S3-compatible object storage, accessed with obstore. URLs stay the site's own: see `cms_api.media.views`."""

import os
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cached_property
from typing import IO, Any, NoReturn, TypeVar

import obstore
from django.conf import settings
from django.core.exceptions import SuspiciousFileOperation
from django.core.files.base import File
from django.core.files.storage import Storage
from django.utils.deconstruct import deconstructible
from django.utils.encoding import filepath_to_uri
from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import S3Store

from cms_api.core.outages import CircuitBreaker
from cms_api.http.files import Section, Stored

from ..types.served import file_type
from .storage import StorageUnavailable

T = TypeVar("T")

#: Lifetime of a signed URL. The redirect to it is cached for less, so that it is never used after it has expired.
SIGNATURE_LASTS = timedelta(hours=1)
#: Bytes per request while a file is streamed, so that no connection stays open for a slow visitor.
CHUNK_BYTES = 2 * 1024 * 1024
#: Seconds within which the storage says whether it has a file.
QUICK_SECONDS = 5
#: Files up to this size are uploaded in one request, from memory; larger ones in parts.
SINGLE_UPLOAD_BYTES = 8 * 1024 * 1024
#: A file that is read whole is spooled in memory up to this size, else on disk.
SPOOL_BYTES = 4 * 1024 * 1024

#: The process that uses the client, whose threads do not survive a fork.
_user: int | None = None


class ObjectSection:
    """A section of an object, fetched a piece at a time."""

    def __init__(self, fetch: Callable[[int, int], bytes], start: int, length: int) -> None:
        self._fetch = fetch
        self._next = start
        self._end = start + length
        self._buffer = memoryview(b"")

    def read(self, size: int = -1, /) -> bytes:
        if not self._buffer and self._next < self._end:
            end = min(self._next + CHUNK_BYTES, self._end)
            self._buffer = memoryview(self._fetch(self._next, end))
            self._next = end
        piece = self._buffer if size < 0 else self._buffer[:size]
        self._buffer = self._buffer[len(piece) :]
        return bytes(piece)

    def close(self) -> None:
        self._buffer = memoryview(b"")
        self._next = self._end


@deconstructible(path="cms_api.media.services.object_storage.ObjectStorage")
class ObjectStorage(Storage):
    """Files as objects of one bucket, whose keys are `prefix` and the file's name.

    Without `access_key`, credentials are taken from the environment, as AWS's own tools do. `public_endpoint` is the storage's
    URL for visitors, if it differs from the site's.
    """

    def __init__(
        self,
        *,
        bucket: str,
        prefix: str = "",
        endpoint: str = "",
        public_endpoint: str = "",
        region: str = "",
        access_key: str = "",
        secret_key: str = "",
    ) -> None:
        self._bucket = bucket
        self._prefix = prefix
        self._endpoint = endpoint
        self._public_endpoint = public_endpoint or endpoint
        self._options = {"region": region, "access_key_id": access_key, "secret_access_key": secret_key}

    @cached_property
    def _store(self) -> S3Store:
        return self._connect(self._endpoint)

    @cached_property
    def _quick_store(self) -> S3Store:
        return self._connect(self._endpoint, seconds=QUICK_SECONDS)

    @cached_property
    def _breaker(self) -> CircuitBreaker:
        return CircuitBreaker("The storage of media", instead="its files are not served")

    @cached_property
    def _public_store(self) -> S3Store:
        return self._connect(self._public_endpoint)

    def _connect(self, endpoint: str, *, seconds: int = 30) -> S3Store:
        given: dict[str, Any] = {name: value for name, value in {**self._options, "endpoint": endpoint}.items() if value}
        return S3Store(
            self._bucket,
            prefix=self._prefix or None,
            # Not every compatible storage supports bulk deletion.
            disable_bulk_delete=True,
            client_options={"connect_timeout": "3s", "timeout": f"{seconds}s", "allow_http": endpoint.startswith("http://")},
            retry_config={"max_retries": 2, "retry_timeout": timedelta(seconds=min(seconds, 10))},
            **given,
        )

    # Used by the media view.

    def find(self, name: str) -> Stored | None:
        """Return the file with this name, or None. While the storage is away, most calls fail at once, and occupy no thread."""
        key = _key(name)
        if self._breaker.is_open():
            raise StorageUnavailable("The storage of media is away.")
        try:
            found = self._ask(lambda: self._quick_store.head(key))
        except FileNotFoundError:
            self._breaker.record_success()
            return None
        except StorageUnavailable as problem:
            self._breaker.record_failure(problem)
            raise
        self._breaker.record_success()
        tag = found["e_tag"] or f'"{found["last_modified"].timestamp():x}-{found["size"]:x}"'
        return Stored(name, found["size"], found["last_modified"], tag)

    def section(self, stored: Stored, start: int, length: int) -> Section:
        def fetch(first: int, end: int) -> bytes:
            return self._ask(lambda: self._store.get_range(_key(stored.name), start=first, end=end).to_bytes())

        return ObjectSection(fetch, start, length)

    def direct_address(self, name: str) -> str:
        return self._ask(lambda: obstore.sign(self._public_store, "GET", _key(name), SIGNATURE_LASTS))

    def is_known_missing(self, name: str) -> bool:
        return False

    # Django's storage interface.

    def url(self, name: str | None) -> str:
        """Return the site's own URL, so that neither pages nor clients depend on where files are stored."""
        return settings.MEDIA_URL + (filepath_to_uri(name) or "")

    def exists(self, name: str) -> bool:
        return self.find(name) is not None

    def size(self, name: str) -> int:
        return self._get_stored(name).size

    def get_modified_time(self, name: str) -> Any:
        return self._get_stored(name).modified

    def delete(self, name: str) -> None:
        if not name:
            raise ValueError("The name must be given to delete().")
        with suppress(FileNotFoundError):
            self._ask(lambda: self._store.delete(_key(name)))

    def _get_stored(self, name: str) -> Stored:
        found = self.find(name)
        if found is None:
            raise FileNotFoundError(name)
        return found

    def _open(self, name: str, mode: str = "rb") -> File:
        if mode != "rb":
            raise ValueError("Files are read only; save a new one instead.")
        stored = self._get_stored(name)
        section = self.section(stored, 0, stored.size)
        target: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES)  # noqa: SIM115 - closed with the file it becomes
        try:
            while piece := section.read():
                target.write(piece)
        except BaseException:
            target.close()
            raise
        target.seek(0)
        return File(target, name=name)

    def _save(self, name: str, content: Any) -> str:
        """Create an object, under another name if this one has been taken meanwhile."""
        attributes = {"Content-Type": file_type(name).content_type, "Cache-Control": "public, max-age=31536000, immutable"}
        is_small = content.size <= SINGLE_UPLOAD_BYTES
        content.seek(0)
        # A multipart upload cannot be create-only, so an empty object reserves the name of a large file.
        claim = content.read() if is_small else b""
        while not self._create(name, claim, attributes):
            name = self.get_available_name(name)
        if not is_small:
            try:
                self._ask(lambda: self._store.put(_key(name), _pieces(content), attributes=attributes, max_concurrency=2))
            except BaseException:
                with suppress(OSError):
                    self.delete(name)
                raise
        return name

    def _create(self, name: str, content: bytes, attributes: Mapping[str, str]) -> bool:
        """Create an object; return False if one exists already."""
        try:
            self._ask(lambda: self._store.put(_key(name), content, attributes=dict(attributes), mode="create"))
        except FileExistsError:
            return False
        except FileNotFoundError as problem:
            raise StorageUnavailable("The storage of media has no such bucket.") from problem
        return True

    def _ask(self, question: Callable[[], T]) -> T:
        """Raise FileExistsError or, for any other storage error, StorageUnavailable without credentials in its message."""
        _stay_in_this_process()
        try:
            return question()
        except AlreadyExistsError as problem:
            raise FileExistsError from problem
        except BaseError as problem:
            raise StorageUnavailable(f"The storage of media failed: {type(problem).__name__}.") from problem


class PrivateObjects(ObjectStorage):
    """Private files, in a folder of the bucket that is outside the prefix of media."""

    def __init__(self, folder: str, options: Mapping[str, str]) -> None:
        self.folder = folder
        super().__init__(**{**options, "prefix": "/".join(filter(None, (folder, options.get("prefix"))))})

    def url(self, name: str | None) -> NoReturn:
        raise ValueError("A private file has no address.")

    direct_address = url

    def modified_before(self, moment: datetime) -> list[str]:
        found = self._ask(lambda: self._store.list().collect())
        return [each["path"] for each in found if each["last_modified"] < moment]


def _stay_in_this_process() -> None:
    """Refuse to use the client in a fork of the process that first used it: without its threads, it would wait forever."""
    global _user
    if _user not in {None, os.getpid()}:
        raise StorageUnavailable("The storage of media was used before this process was forked.")
    _user = os.getpid()


def _pieces(content: Any) -> Any:
    content.seek(0)
    while piece := content.read(CHUNK_BYTES):
        yield piece


def _key(name: str) -> str:
    """Return the key of a name. Raises SuspiciousFileOperation if it would leave the prefix."""
    key = name.replace("\\", "/")
    if key.startswith("/") or not all(part not in {"", ".", ".."} for part in key.split("/")):
        raise SuspiciousFileOperation("The name of the file leads out of the storage.")
    return key
