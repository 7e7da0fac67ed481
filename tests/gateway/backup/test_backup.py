"""`manage.py backup` and `manage.py restore`: everything is in one file, and comes out of it as it was."""

import os
import resource
import stat
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from wagtail.models import Collection, CollectionViewRestriction

from cms_api.content.models import ContentItem
from cms_api.flags.services import switch_feature
from cms_api.forms.models import Attachment, private_files
from cms_api.gateway.backup.files import storages
from cms_api.mail.models import OutgoingMail
from cms_api.media.models import MediaFile, MediaImage
from cms_api.media.services.library import delete_media
from cms_api.media.services.object_storage import ObjectStorage
from cms_api.webhooks.models import Delivery
from commerce.imports.models import ImportRun
from config.settings.environment import storage
from tests.builders import make_endpoint, make_image, make_item, make_token
from tests.media.object_server import serving, storage_url

from .sites import Sites, import_run, rows, run


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return tmp_path / "backups" / "site.tar"


@pytest.fixture(autouse=True)
def _folder(archive: Path) -> None:
    archive.parent.mkdir()


def names(archive: Path) -> list[str]:
    with tarfile.open(archive) as tar:
        return tar.getnames()


def queue_mail(state: str = "waiting") -> OutgoingMail:
    common = {
        "template": "t",
        "recipient": "a@example.com",
        "sender": "b@example.com",
        "subject": "Hello",
        "text": "",
        "html": "",
    }
    now = "2026-01-01T00:00:00Z"
    due = now if state == "waiting" else None
    return OutgoingMail.objects.create(**common, message_id=state, state=state, created_at=now, next_attempt_at=due)


def test_it_works(sites: Sites, archive: Path) -> None:
    make_token("content:read")
    image = make_image(width=1000)
    make_item(title="Tide tables", featured_media_id=image.pk)
    run_of_import = ImportRun.objects.create(**import_run(), file=ContentFile(b"email\n", name="a.csv"))
    before, files = rows(), sites.files()
    out, err = run("backup", str(archive))
    assert f"{archive}: the database and" in out
    assert not err
    run_of_import.file.delete(save=False)
    sites.use("second", migrated=False)
    out, err = run("restore", str(archive))
    assert "Restored the backup of 20" in out
    assert not err
    assert rows() == before
    assert sites.files() == files
    assert len(files) > 1
    with ImportRun.objects.get().file.open() as content:
        assert content.read() == b"email\n"
    assert stat.S_IMODE(os.stat(ImportRun.objects.get().file.path).st_mode) == 0o600
    # New records do not get ids that are taken.
    assert make_item().pk not in {item.pk for item in ContentItem.objects.filter(title="Tide tables")}


@pytest.mark.once
def test_the_archive_is_read_by_tar_and_sha256sum(sites: Sites, archive: Path) -> None:
    make_image()
    run("backup", str(archive))
    assert stat.S_IMODE(archive.stat().st_mode) == 0o600
    folder = archive.parent / "unpacked"
    folder.mkdir()
    subprocess.run(["tar", "-xf", archive, "-C", folder], check=True)
    subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=folder, check=True)
    assert names(archive)[0] == "backup.json"
    assert names(archive)[-1] == "SHA256SUMS"


@pytest.mark.once
def test_nothing_is_left_beside_the_file(sites: Sites, archive: Path) -> None:
    run("backup", str(archive))
    assert os.listdir(archive.parent) == [archive.name]


@pytest.mark.once
def test_an_existing_file_is_not_replaced(sites: Sites, archive: Path) -> None:
    archive.write_bytes(b"the last good backup")
    with pytest.raises(CommandError, match=r"exists\. Delete it first, or name another"):
        run("backup", str(archive))
    assert archive.read_bytes() == b"the last good backup"


@pytest.mark.once
def test_a_failed_backup_leaves_no_file(sites: Sites, archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = make_image()
    path = Path(image.file.path)
    path.unlink()
    path.symlink_to(path)
    with pytest.raises(CommandError, match="No backup was made"):
        run("backup", str(archive))
    assert os.listdir(archive.parent) == []


@pytest.mark.once
def test_a_full_disk_leaves_no_file(sites: Sites, archive: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    # The copy of the database alone is larger.
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, before[1]))
    try:
        with pytest.raises(CommandError, match="No backup was made"):
            run("backup", str(archive))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert os.listdir(archive.parent) == []


@pytest.mark.once
def test_a_database_without_tables_is_not_backed_up(sites: Sites, archive: Path) -> None:
    sites.use("bare", migrated=False)
    with pytest.raises(CommandError, match="nothing to back up"):
        run("backup", str(archive))


def test_sessions_and_caches_are_left_out(sites: Sites, archive: Path) -> None:
    session = SessionStore()
    session["secret"] = "1"
    session.save()
    assert session.session_key
    run("backup", str(archive))
    assert session.session_key.encode() not in archive.read_bytes()
    sites.use("second", migrated=False)
    run("restore", str(archive))
    assert not SessionStore().exists(session.session_key)
    assert {"django_session", "core_cache"} <= set(connection.introspection.table_names())


@pytest.mark.once
def test_mail_and_deliveries_that_were_waiting_are_not_sent_again(sites: Sites, archive: Path) -> None:
    switch_feature(name="webhooks", on=True)
    endpoint = make_endpoint("*")
    make_item()
    queue_mail("waiting")
    queue_mail("sent")
    waiting = Delivery.objects.filter(endpoint_id=endpoint.pk, status="pending").count()
    assert waiting
    run("backup", str(archive))
    sites.use("second", migrated=False)
    out, _ = run("restore", str(archive))
    assert f"Deliveries that were waiting, and are not sent: {waiting}." in out
    assert "Mails that were waiting, and are not sent: 1." in out
    assert set(OutgoingMail.objects.values_list("message_id", "state")) == {("waiting", "failed"), ("sent", "sent")}
    assert set(Delivery.objects.values_list("status", "next_attempt_at")) == {("failed", None)}
    assert "may have been sent" in Delivery.objects.first().error  # type: ignore[union-attr]


def test_new_deliveries_have_ids_that_receivers_do_not_know(sites: Sites, archive: Path) -> None:
    """The lost site went on after the backup; a receiver would drop ids that it knows as repeats."""
    switch_feature(name="webhooks", on=True)
    make_endpoint("*")
    make_item()
    run("backup", str(archive))
    make_item()
    known = set(Delivery.objects.values_list("pk", flat=True))
    sites.use("second", migrated=False)
    run("restore", str(archive))
    before = set(Delivery.objects.values_list("pk", flat=True))
    make_item()
    after = set(Delivery.objects.values_list("pk", flat=True))
    assert before < known
    assert after - before
    assert not (after - before) & known


@pytest.mark.once
def test_a_site_that_moves_sends_them(sites: Sites, archive: Path) -> None:
    switch_feature(name="webhooks", on=True)
    make_endpoint("*")
    make_item()
    queue_mail()
    run("backup", str(archive))
    before = rows(without={"core_version"})
    assert before["webhooks_delivery"]
    sites.use("second", migrated=False)
    out, _ = run("restore", str(archive), "--send-queued")
    assert "waiting" not in out
    assert rows(without={"core_version"}) == before


@pytest.mark.once
def test_a_process_shows_the_restored_site_at_once(sites: Sites, archive: Path) -> None:
    """Neither this process nor the shared cache shows what was there before."""
    run("setup_site")
    item = make_item(title="As it was")
    run("backup", str(archive))
    sites.use("second")
    run("setup_site")
    path = f"/blog-post/{item.slug}"
    assert Client().get(path).status_code == 404
    assert b"As it was" not in Client().get("/blog-post").content
    run("restore", str(archive))
    assert b"As it was" in Client().get(path).content
    assert b"As it was" in Client().get("/blog-post").content


@pytest.mark.once
def test_a_missing_file_is_reported_by_both_commands(sites: Sites, archive: Path) -> None:
    lost, whole = make_image("lost.png"), make_image("whole.png")
    Path(lost.file.path).unlink()
    _, err = run("backup", str(archive))
    assert f"media/{lost.file.name} (missing)" in err
    assert whole.file.name not in err
    sites.use("second", migrated=False)
    _, err = run("restore", str(archive))
    assert f"media/{lost.file.name} (missing)" in err
    assert MediaImage.objects.filter(pk=lost.pk).exists()


def test_files_that_came_after_the_backup_are_not_served(sites: Sites, archive: Path, settings: Any) -> None:
    """They may have been private, and their records, which said so, are gone."""
    before = make_image("before.png")
    private = Collection.get_first_root_node().add_child(name="Private")
    CollectionViewRestriction.objects.create(collection=private, restriction_type="login")
    run("backup", str(archive))
    document = MediaFile(title="Salaries", collection=private)
    document.file.save("salaries.pdf", ContentFile(b"%PDF-1.4 secret"), save=False)
    document.save()
    image = make_image("passport.png", width=1000)
    image.collection = private
    image.save()
    files = [document.file, image.file, *(each.file for each in image.renditions.all())]
    assert len(files) > 2
    assert {Client().get(f"/media/{file.name}").status_code for file in files} == {302}
    media = settings.MEDIA_ROOT
    sites.use("second", migrated=False)
    settings.MEDIA_ROOT = media
    run("restore", str(archive))
    for file in files:
        answer = Client().get(f"/media/{file.name}")
        assert (answer.status_code, answer.headers["Cache-Control"]) == (404, "no-store")
        assert file.storage.exists(file.name)
    shown: Any = Client().get(f"/media/{before.file.name}")
    assert b"".join(shown.streaming_content) == Path(before.file.path).read_bytes()


@pytest.mark.once
def test_a_file_that_differs_from_its_record_is_reported(sites: Sites, archive: Path) -> None:
    image = make_image()
    Path(image.file.path).write_bytes(b"damaged by the disk")
    _, err = run("backup", str(archive))
    assert f"media/{image.file.name} (changed)" in err


@pytest.mark.once
def test_media_in_an_object_storage_are_included(sites: Sites, archive: Path, settings: Any) -> None:
    local = settings.STORAGES["default"]
    with serving() as bucket:
        settings.STORAGES = {**settings.STORAGES, "default": storage(storage_url(bucket.endpoint))}
        image = make_image(width=1000)
        run("backup", str(archive))
        stored = {name.removeprefix("site a/"): content for name, (content, _) in bucket.objects.items()}
        assert len(stored) > 1
        bucket.objects.clear()
        sites.use("second", migrated=False)
        run("restore", str(archive))
        assert {name.removeprefix("site a/"): content for name, (content, _) in bucket.objects.items()} == stored
    # The same archive, restored to a disk.
    settings.STORAGES = {**settings.STORAGES, "default": local}
    sites.use("third", migrated=False)
    run("restore", str(archive))
    assert sites.files() == stored
    delete_media(media=MediaImage.objects.get(pk=image.pk))
    assert sites.files() == {}


def test_an_older_backup_is_migrated(sites: Sites, archive: Path) -> None:
    call_command("migrate", "mail", "0001", verbosity=0)
    run("backup", str(archive))
    sites.use("second", migrated=False)
    run("restore", str(archive))
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM django_migrations WHERE app = 'mail'")
        assert cursor.fetchone() == (len(list(Path(settings.BASE_DIR, "cms_api/mail/migrations").glob("0*.py"))),)


@pytest.mark.once
def test_every_storage_of_files_is_known(db: None) -> None:
    """A module that stores files in a storage of its own says here that a backup includes them."""
    folders = ("forms", "imports", "products", "projects", "property-feeds", "support")
    assert set(storages()) == {"media", *(f"private/{name}" for name in folders)}


@pytest.mark.once
def test_private_files_in_an_object_storage_are_known(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.STORAGES = {**settings.STORAGES, "default": storage(storage_url("http://127.0.0.1:9"))}
    monkeypatch.setattr(Attachment._meta.get_field("file"), "storage", private_files())
    assert isinstance(storages()["private/forms"], ObjectStorage)
