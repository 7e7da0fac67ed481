"""Media and private files on a disk that can only be read, or refuses access: nothing is stored, and no mistake is reported."""

import errno
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, Storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from cms_api.forms.models import private_files
from cms_api.forms.services.files import clear_stray_files
from cms_api.media.models import Media
from cms_api.media.services.private import PrivateFolder, delete_after_commit
from cms_api.media.services.storage import LocalStorage, StorageUnavailable
from tests.client import Api
from tests.servers import Disk, disk

from .files import jpeg, sent

AWAY = "The file storage is unavailable. Try again later."

pytestmark = pytest.mark.django_db


@pytest.fixture
def read_only(tmp_path: Path, settings: Any) -> Iterator[Disk]:
    """A disk with the media, which can only be read."""
    with disk(tmp_path, 16) as small:
        settings.MEDIA_ROOT = tmp_path
        small.set_mode("ro")
        yield small


@pytest.mark.both_databases
def test_a_disk_that_can_only_be_read(read_only: Disk, api: Api, admin_client: Client) -> None:
    answer = api.upload("/media", ("file", ("a.jpg", jpeg())))
    assert (answer.status_code, answer.json(), answer["Retry-After"]) == (503, {"message": AWAY}, "30")
    admin_client.raise_request_exception = False
    files = {"files[]": SimpleUploadedFile("a.jpg", jpeg())}
    page = admin_client.post(reverse("wagtailimages:add_multiple"), {"title": "a", **files})
    assert (page.status_code, page["Retry-After"]) == (503, "30")
    assert "our file storage" in page.content.decode()
    assert not Media.objects.exists()
    read_only.set_mode("rw")
    assert sent(api, "a.jpg", jpeg())


@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM, errno.ENOTCONN])
@pytest.mark.parametrize("kind", [LocalStorage, PrivateFolder])
def test_a_folder_that_refuses_access(
    kind: type[LocalStorage], number: int, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> str:
        raise OSError(number, "Refused")

    settings.VAR_DIR = tmp_path
    storage: Storage = kind("forms") if kind is PrivateFolder else kind(tmp_path)
    monkeypatch.setattr(FileSystemStorage, "_save", refuse)
    with pytest.raises(StorageUnavailable, match="Refused"):
        storage.save("8f3a", ContentFile(b"plan"))


def test_a_file_that_cannot_be_deleted_is_deleted_later(
    settings: Any,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
) -> None:
    folder = tmp_path / "private/forms"
    folder.mkdir(parents=True)
    with disk(folder, 1) as small:
        settings.VAR_DIR = tmp_path
        name = private_files().save("8f3a", ContentFile(b"plan"))
        small.set_mode("ro")
        with django_capture_on_commit_callbacks(execute=True):
            delete_after_commit(private_files(), name)
        assert f"The file {name} of a deleted record could not be deleted" in caplog.text
        tomorrow = timezone.now() + timedelta(days=1, minutes=1)
        monkeypatch.setattr(timezone, "now", lambda: tomorrow)
        with pytest.raises(OSError, match="Read-only"):
            clear_stray_files()
        small.set_mode("rw")
        assert (clear_stray_files(), private_files().exists(name)) == (1, False)
