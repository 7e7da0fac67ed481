"""Private files where hosts share nothing but a storage: each host reads what another one has stored, and visitors read none."""

import os
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import Storage
from django.db.models.fields.files import FieldFile
from django.http import Http404
from django.test import Client, RequestFactory
from django.utils import timezone

from cms_api.forms.models import Attachment, private_files
from cms_api.http.downloads import download
from cms_api.media.services.private import names_modified_before
from commerce.imports.models import import_files
from config.settings.environment import storage

from .object_server import Bucket

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("files", [private_files, import_files])
def test_another_host_reads_them(bucket: Bucket, settings: Any, tmp_path: Path, files: Any) -> None:
    settings.VAR_DIR = tmp_path / "host-1"
    name = files().save("8f3a", ContentFile(b"plan"))
    settings.VAR_DIR = tmp_path / "host-2"
    with files().open(name) as stored:
        assert stored.read() == b"plan"
    files().delete(name)
    assert bucket.objects == {}


@pytest.mark.parametrize("prefix", ["site a", ""])
def test_they_have_no_address(bucket: Bucket, settings: Any, client: Client, prefix: str) -> None:
    settings.STORAGES = {**settings.STORAGES, "default": storage(bucket.setting(prefix))}
    stored = private_files()
    name = stored.save("8f3a.png", ContentFile(b"plan"))
    with pytest.raises(ValueError, match="no address"):
        stored.url(name)
    for path in (*bucket.objects, f"private/forms/{name}", f"../private/forms/{name}", name):
        response = client.get(f"/media/{path}")
        assert response.status_code == 404 or b"".join(response) != b"plan", path


@pytest.mark.both_databases
def test_forms_and_imports_do_not_see_each_other(bucket: Bucket) -> None:
    private_files().save("8f3a", ContentFile(b"plan"))
    assert not import_files().exists("8f3a")


def test_old_ones_are_found_in_a_storage(bucket: Bucket) -> None:
    _check_old_ones(private_files())


def test_old_ones_are_found_in_a_folder(settings: Any, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path
    stored = private_files()
    assert names_modified_before(stored, timezone.now()) == []
    _check_old_ones(stored)
    os.utime(stored.path("8f3a"), (time.time() - 7200,) * 2)
    assert names_modified_before(stored, timezone.now() - timedelta(hours=1)) == ["8f3a"]


def _check_old_ones(stored: Storage) -> None:
    stored.save("8f3a", ContentFile(b"plan"))
    assert names_modified_before(stored, timezone.now() + timedelta(minutes=1)) == ["8f3a"]
    assert names_modified_before(stored, timezone.now() - timedelta(minutes=1)) == []


def test_a_part_of_one_in_a_storage_is_downloaded(bucket: Bucket) -> None:
    stored = private_files()
    name = stored.save("8f3a", ContentFile(b"0123456789"))
    file = FieldFile(Attachment(), Attachment._meta.get_field("file"), name)
    # The field chose its storage when the process started.
    file.storage = stored
    part = download(RequestFactory().get("/", headers={"Range": "bytes=2-4"}), file, "Plan März.txt")
    assert (part.status_code, b"".join(part)) == (206, b"234")  # type: ignore[call-overload]
    assert part.headers["Content-Range"] == "bytes 2-4/10"
    assert part.headers["Content-Disposition"] == "attachment; filename*=utf-8''Plan%20M%C3%A4rz.txt"
    stored.delete(name)
    with pytest.raises(Http404):
        download(RequestFactory().get("/"), file, "Plan.txt")
