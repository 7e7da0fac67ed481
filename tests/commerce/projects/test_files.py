"""Files of projects: stored privately, downloaded by staff and, if they are public, by the client."""

import os
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from cms_api.core.not_found import NotFound
from commerce.projects.models import ProjectFile, private_files
from commerce.projects.selectors import PROJECT_LINK
from commerce.projects.services import add_file, delete_file, delete_project
from commerce.projects.services.files import clear_stray_files
from commerce.projects.types import MAX_FILE_BYTES
from tests.commerce.booking.builders import refusals

from .builders import make_file, make_project, upload


def path_of(file: ProjectFile) -> str:
    return f"{PROJECT_LINK.path(file.project)}files/{file.pk}/"


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    file = make_file(make_project(), "../über/Plan.html", is_public=True)
    assert (file.filename, file.size) == ("Plan.html", 13)
    answer = client.get(path_of(file))
    assert b"".join(answer.streaming_content) == b"%PDF-1.7 plan"  # type: ignore[attr-defined]
    assert answer.headers["Content-Disposition"] == 'attachment; filename="Plan.html"'
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert "sandbox" in answer.headers["Content-Security-Policy"]
    assert "no-store" in answer.headers["Cache-Control"]
    assert "Plan" not in file.file.name


def test_internal_files_and_those_of_others_are_unknown(client: Client) -> None:
    project = make_project()
    internal, foreign = make_file(project), make_file(make_project("Other"), is_public=True)
    for file in (internal, foreign):
        assert client.get(f"{PROJECT_LINK.path(project)}files/{file.pk}/").status_code == 404
    shared = make_file(project, is_public=True)
    private_files().delete(shared.file.name)
    assert client.get(path_of(shared)).status_code == 404


def test_refusals() -> None:
    project = make_project()
    large = upload()
    large.size = MAX_FILE_BYTES + 1
    for file in (upload(content=b""), large, upload("...")):
        assert list(refusals(lambda file=file: add_file(project=project, file=file))) == ["file"]
    assert not ProjectFile.objects.exists()


def test_a_file_of_a_project_that_is_gone_is_not_kept() -> None:
    project = make_project()
    before = private_files().listdir("")[1] if private_files().exists("") else []
    delete_project(project=project)
    with pytest.raises(NotFound):
        make_file(project)
    assert (private_files().listdir("")[1] if private_files().exists("") else []) == before


@pytest.mark.django_db(transaction=True)
def test_a_deleted_file_is_gone() -> None:
    file = make_file(make_project())
    name = file.file.name
    delete_file(file=file)
    assert (ProjectFile.objects.count(), private_files().exists(name)) == (0, False)


def test_strays_are_cleared() -> None:
    kept = make_file(make_project())
    stray = private_files().save("stray", upload())
    storage: Any = private_files()
    for name in (kept.file.name, stray):
        os.utime(Path(storage.path(name)), (0, 0))
    assert clear_stray_files() >= 1
    assert (private_files().exists(stray), private_files().exists(kept.file.name)) == (False, True)
