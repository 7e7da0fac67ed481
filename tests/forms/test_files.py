"""Files that visitors send: which are taken, where they are kept, who gets them, and when they go."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from cms_api.core.errors import Invalid
from cms_api.forms.models import Attachment, Form, PrivateFiles, Submission
from cms_api.forms.services import files, submissions
from cms_api.forms.services.forms import delete_form, save_form
from cms_api.forms.services.submissions import delete_submission, release
from tests import people
from tests.builders import field, make_form
from tests.client import Api

from .visitor import fill_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_budgets")]

PDF = b"%PDF-1.7\n..."


def upload(name: str = "plan.pdf", content: bytes = PDF, kind: str = "text/html") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content, kind)


def with_file(**changes: Any) -> Form:
    return make_form(field("name", "text"), field("plan", "file", **changes))


def on_disk() -> set[str]:
    folder = Path(settings.VAR_DIR) / "private" / "forms"
    return set(os.listdir(folder)) if folder.exists() else set()


@pytest.fixture(autouse=True)
def _nothing_on_disk() -> None:
    for name in on_disk():
        PrivateFiles().delete(name)


@pytest.mark.both_databases
def test_it_works(client: Client, api: Api, admin_client: Client) -> None:
    form = with_file(required=True)
    assert 'enctype="multipart/form-data"' in client.get(f"/forms/{form.slug}").content.decode()
    assert fill_in(client, form, name="Dana", plan=upload()).status_code == 302
    submission = Submission.objects.get()
    assert submission.data == {"name": "Dana", "plan": "plan.pdf"}
    assert api.data(f"/forms/{form.pk}/submissions/{submission.pk}")["data"]["plan"] == "plan.pdf"
    attachment = submission.attachments.get()
    assert on_disk() == {attachment.file.name}
    assert "plan" not in attachment.file.name
    assert oct(os.stat(attachment.file.path).st_mode & 0o777) == "0o600"
    page = admin_client.get(f"/admin/forms/submissions/inspect/{submission.pk}/").content.decode()
    assert f"/admin/forms/submissions/files/{attachment.pk}/" in page
    answer = admin_client.get(f"/admin/forms/submissions/files/{attachment.pk}/")
    assert b"".join(answer.streaming_content) == PDF
    assert answer.headers["Content-Disposition"] == 'attachment; filename="plan.pdf"'
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer.headers["Content-Security-Policy"]


def test_nobody_else_gets_them(client: Client, sign_in: Callable[[Any], Client]) -> None:
    fill_in(client, with_file(), plan=upload())
    attachment = Attachment.objects.get()
    path = f"/admin/forms/submissions/files/{attachment.pk}/"
    for visitor in (client, sign_in(people.bob()), sign_in(people.charlie())):
        assert visitor.get(path).status_code in {302, 403}
    for guess in (
        f"/media/{attachment.file.name}",
        f"/media/private/forms/{attachment.file.name}",
        f"/media/../private/forms/{attachment.file.name}",
    ):
        assert client.get(guess).status_code == 404
    assert not Path(attachment.file.path).is_relative_to(settings.MEDIA_ROOT)
    with pytest.raises(ValueError, match="no address"):
        _ = attachment.file.url


REFUSED = {
    "no extension": upload("plan"),
    "a page": upload("plan.html", b"<script>"),
    "a drawing with scripts": upload("plan.svg", b"<svg>"),
    "a program": upload("plan.exe", b"MZ"),
    "a program called a document": upload("plan.pdf", b"MZ\x90"),
    "a page called a picture": upload("plan.png", b"<html>"),
    "two extensions": upload("plan.pdf.php"),
    "an extension after a NUL": upload("plan.php\0.pdf", b"<?php"),
    "nothing": upload(content=b""),
    "binary text": upload("plan.txt", b"a\0b"),
    "a file that is too large": upload(content=PDF + b"x" * files.MAX_FILE_BYTES),
}


@pytest.mark.parametrize("sent", REFUSED.values(), ids=REFUSED)
def test_files_that_are_refused(client: Client, sent: SimpleUploadedFile) -> None:
    sent.seek(0)
    refused = fill_in(client, with_file(), plan=sent)
    if refused.status_code == 422:
        assert "plan-error" in refused.content.decode()
    assert refused.status_code in {422, 302}
    assert (refused.status_code == 302) == Submission.objects.exists()
    assert on_disk() == set()


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("../../etc/passwd.txt", "passwd.txt"),
        ("C:\\Users\\me\\plan.txt", "plan.txt"),
        ("a\r\nb\u202e.txt", "ab.txt"),
        ("x" * 300 + ".txt", "x" * 196 + ".txt"),
        ("Größe 😀.TXT", "Größe 😀.TXT"),
        ('"quoted";.txt', '"quoted";.txt'),
    ],
)
def test_names_are_shown_and_never_used(admin_client: Client, name: str, kept: str) -> None:
    sent = upload("x.txt", b"words")
    sent._name = name
    form = with_file()
    submissions.submit(form=form, data={}, source=submissions.Source.SITE, files={"plan": sent})
    attachment = Attachment.objects.get()
    assert attachment.filename == Submission.objects.get().data["plan"] == kept
    answer = admin_client.get(f"/admin/forms/submissions/files/{attachment.pk}/")
    assert b"".join(answer.streaming_content) == b"words"
    assert "\n" not in answer.headers["Content-Disposition"]


@pytest.mark.parametrize("extension", files.BEGINNINGS)
def test_every_type_that_is_taken(client: Client, extension: str) -> None:
    beginning = (files.BEGINNINGS[extension] or (b"words",))[0]
    assert fill_in(client, with_file(), plan=upload(f"plan.{extension.upper()}", beginning + b"...")).status_code == 302
    assert Attachment.objects.count() == 1


def test_a_file_that_nobody_asked_for_is_left(client: Client) -> None:
    assert fill_in(client, make_form(field("name", "text")), name=upload(), other=upload()).status_code == 302
    assert (Attachment.objects.count(), on_disk()) == (0, set())


def test_files_go_with_their_submission(client: Client, django_capture_on_commit_callbacks: Any) -> None:
    form = with_file()
    for _ in range(3):
        fill_in(client, form, plan=upload())
    first = Submission.objects.order_by("id")[0]
    with django_capture_on_commit_callbacks(execute=True):
        delete_submission(submission=first)
    assert len(on_disk()) == 2
    with django_capture_on_commit_callbacks(execute=True):
        delete_form(form=form)
    assert (on_disk(), Submission.objects.count()) == (set(), 0)


def test_a_file_in_quarantine_waits_there(client: Client, django_capture_on_commit_callbacks: Any) -> None:
    form = with_file()
    fill_in(client, form, plan=upload(), hp_url="x")
    found = Submission.objects.get()
    assert len(on_disk()) == 1
    save_form(form=form, values={"store_submissions": False, "fields": [field("name", "text")]})
    with django_capture_on_commit_callbacks(execute=True):
        release(submission=found)
    assert (on_disk(), Submission.objects.count()) == (set(), 0)


def test_a_form_that_asks_for_files_keeps_submissions() -> None:
    with pytest.raises(Invalid) as refused:
        make_form(field("plan", "file"), store_submissions=False)
    assert set(refused.value.errors) == {"store_submissions"}


def test_a_submission_that_fails_leaves_no_file(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("The database failed.")

    monkeypatch.setattr(Attachment, "save", fail)
    with pytest.raises(RuntimeError):
        fill_in(client, with_file(), plan=upload())
    assert on_disk() == set()


def test_strays_are_cleared_away(client: Client) -> None:
    fill_in(client, with_file(), plan=upload())
    (kept,) = on_disk()
    storage = PrivateFiles()
    for name in ("old", "new"):
        storage.save(name, upload())
    long_ago = time.time() - 2 * 24 * 3600
    for name in (kept, "old"):
        os.utime(storage.path(name), (long_ago, long_ago))
    assert files.clear_stray_files() == 1
    assert on_disk() == {kept, "new"}


def test_a_file_that_is_gone_is_not_found(client: Client, admin_client: Client) -> None:
    fill_in(client, with_file(), plan=upload())
    attachment = Attachment.objects.get()
    PrivateFiles().delete(attachment.file.name)
    assert admin_client.get(f"/admin/forms/submissions/files/{attachment.pk}/").status_code == 404
    assert admin_client.get("/admin/forms/submissions/files/987654/").status_code == 404
