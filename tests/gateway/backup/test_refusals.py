"""`manage.py restore` refuses before it has written anything; one that fails later leaves nothing behind."""

import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.contrib.auth import get_user_model
from django.core.management import CommandError
from django.db import connection

from cms_api.content.models import ContentItem
from cms_api.core import jobs
from cms_api.core.models import PeriodicJob
from cms_api.gateway.backup.databases import database, filled_tables
from cms_api.media.models import MediaImage
from tests.builders import make_image, make_item
from tests.conftest import ROOT

from .sites import Sites, rows, run

Edit = Callable[[dict[str, bytes]], None]


@pytest.fixture
def archive(sites: Sites, tmp_path: Path) -> Path:
    """A backup of a site with a picture. The site in use is another one, without tables."""
    path = tmp_path / "site.tar"
    make_image("heron.png")
    run("backup", str(path))
    sites.use("second", migrated=False)
    return path


def edited(archive: Path, edit: Edit, *, rehash: bool = True) -> Path:
    """A copy of an archive with changed members; its sums are right unless `rehash` is False."""
    with tarfile.open(archive) as tar:
        members = {member.name: tar.extractfile(member).read() for member in tar}  # type: ignore[union-attr]
    sums = members.pop("SHA256SUMS")
    edit(members)
    if rehash:
        sums = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in members.items()).encode()
    path = archive.with_name("edited.tar")
    with tarfile.open(path, "w") as tar:
        for name, content in {**members, "SHA256SUMS": sums}.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return path


def manifest(**changes: Any) -> Edit:
    def edit(members: dict[str, bytes]) -> None:
        members["backup.json"] = json.dumps({**json.loads(members["backup.json"]), **changes}).encode()

    return edit


def is_refused(path: Path, reason: str, sites: Sites) -> None:
    """Refused for this reason, with nothing written."""
    with pytest.raises(CommandError, match=reason):
        run("restore", str(path))
    assert connection.introspection.table_names() == []
    assert sites.media.exists() is False or sites.files() == {}


def test_edited_archives_are_restored(sites: Sites, archive: Path) -> None:
    """The other tests would pass for any reason if this one did not."""
    run("restore", str(edited(archive, lambda members: None)))
    assert MediaImage.objects.count() == 1


def test_a_site_with_content_is_left_alone(sites: Sites, archive: Path) -> None:
    sites.use("third")
    make_item()
    before = rows(without=set())
    with pytest.raises(CommandError, match="not empty: there are records in content_contentitem"):
        run("restore", str(archive))
    assert rows(without=set()) == before
    assert sites.files() == {}


@pytest.mark.once
def test_a_site_with_an_account_is_left_alone(sites: Sites, archive: Path) -> None:
    sites.use("third")
    get_user_model().objects.create_user("alice")
    with pytest.raises(CommandError, match="not empty: there are records in auth_user"):
        run("restore", str(archive))


def test_a_site_that_has_just_been_set_up_is_empty(sites: Sites, archive: Path) -> None:
    """A module whose `setup` writes more adds its table to those that `restore` replaces."""
    sites.use("third")
    run("setup_site")
    run("feature", "on", "all")
    run("run_due", in_process=True)
    assert filled_tables() == []
    run("restore", str(archive))
    assert MediaImage.objects.count() == 1
    assert not ContentItem.objects.exists()


def test_a_site_whose_worker_is_running_is_left_alone(sites: Sites, archive: Path) -> None:
    """It would send and charge what was waiting, before the restore has paused it."""
    sites.use("served")
    jobs.note_worker("host:1")
    with pytest.raises(CommandError, match="A worker of this site is running"):
        run("restore", str(archive))
    assert not MediaImage.objects.exists()
    jobs.forget_worker("host:1")
    run("restore", str(archive))
    assert MediaImage.objects.count() == 1


def test_a_backup_of_the_other_engine_is_refused(sites: Sites, archive: Path) -> None:
    other = "postgresql" if connection.vendor == "sqlite" else "sqlite"
    is_refused(edited(archive, manifest(engine=other)), f"of a {other} database, but this site uses {database().engine}", sites)


@pytest.mark.once
def test_a_backup_of_a_newer_version_is_refused(sites: Sites, archive: Path) -> None:
    with tarfile.open(archive) as tar:
        applied = json.load(tar.extractfile("backup.json"))["migrations"]  # type: ignore[arg-type]
    newer = edited(archive, manifest(migrations=[*applied, ["content", "0999_later"]], product="9.0"))
    is_refused(newer, r"made by a newer version \(9.0\).* content.0999_later are unknown", sites)


@pytest.mark.once
def test_a_backup_from_before_the_present_migrations_is_refused(sites: Sites, archive: Path) -> None:
    with tarfile.open(archive) as tar:
        applied = json.load(tar.extractfile("backup.json"))["migrations"]  # type: ignore[arg-type]
    former = edited(archive, manifest(migrations=[*applied, ["core", "0002_cache_table"]], product="0.1"))
    is_refused(former, r"made by a version before 0.9.0 \(0.1\). Restore it with that version", sites)


@pytest.mark.once
def test_a_backup_of_another_format_is_refused(sites: Sites, archive: Path) -> None:
    is_refused(edited(archive, manifest(format=2)), "has format 2, but this version reads format 1", sites)


@pytest.mark.once
def test_other_files_are_refused(sites: Sites, archive: Path) -> None:
    for content in (b"", b"not a tar file" * 100, b"\0" * 10240):
        archive.write_bytes(content)
        is_refused(archive, "not a backup of a site", sites)


@pytest.mark.once
def test_a_file_that_does_not_exist_is_reported(sites: Sites, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="There is no file"):
        run("restore", str(tmp_path / "absent.tar"))


@pytest.mark.once
def test_a_truncated_backup_is_refused_wherever_it_ends(sites: Sites, archive: Path) -> None:
    content = archive.read_bytes()
    for part in range(1, 20):
        # Ends of members are multiples of 512.
        archive.write_bytes(content[: len(content) * part // 20 // 512 * 512])
        is_refused(archive, "damaged or incomplete|not a backup", sites)


@pytest.mark.once
def test_a_changed_byte_is_noticed_wherever_it_is(sites: Sites, archive: Path) -> None:
    content = archive.read_bytes()
    with tarfile.open(archive) as tar:
        places = [member.offset_data + member.size // 2 for member in tar if member.name != "backup.json"]
    for place in places:
        archive.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        is_refused(archive, "damaged or incomplete", sites)


@pytest.mark.once
def test_a_missing_or_additional_member_is_noticed(sites: Sites, archive: Path) -> None:
    picture = "media/media/more.png"
    is_refused(edited(archive, lambda members: members.update({picture: b"x"}), rehash=False), "damaged or incomplete", sites)
    first = next(name for name in _names(archive) if name.startswith("media/"))
    is_refused(edited(archive, lambda members: members.pop(first), rehash=False), "damaged or incomplete", sites)  # type: ignore[arg-type,return-value]


@pytest.mark.once
def test_names_that_lead_elsewhere_are_refused(sites: Sites, archive: Path) -> None:
    for name in ("media/../../evil", "../evil", "/etc/evil", "media//evil", "media/./evil", "media/a\\b", "media/a\nb"):
        with_it = edited(archive, lambda members, name=name: members.update({name: b"x"}))  # type: ignore[misc]
        is_refused(with_it, "a member that no site writes", sites)


@pytest.mark.once
def test_members_that_are_no_files_are_refused(sites: Sites, archive: Path) -> None:
    content = archive.read_bytes()
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
        archive.write_bytes(content)
        with tarfile.open(archive, "a") as tar:
            member = tarfile.TarInfo("media/evil")
            member.type, member.linkname = kind, "/etc/passwd"
            tar.addfile(member)
        is_refused(archive, "a member that no site writes", sites)


@pytest.mark.once
def test_files_of_a_part_that_is_not_installed_are_refused(sites: Sites, archive: Path) -> None:
    strange = edited(archive, lambda members: members.update({"elsewhere/file": b"x"}))
    is_refused(strange, "a part of the site that is not installed: elsewhere/file", sites)


@pytest.mark.once
def test_a_backup_without_a_database_is_refused(sites: Sites, archive: Path) -> None:
    without = edited(archive, lambda members: members.pop(database().member))  # type: ignore[arg-type,return-value]
    is_refused(without, "has no database", sites)


@pytest.mark.once
def test_other_files_with_the_same_names_are_not_replaced(sites: Sites, archive: Path) -> None:
    name = next(name for name in _names(archive) if name.endswith("heron.png"))
    place = sites.media / name.removeprefix("media/")
    place.parent.mkdir(parents=True)
    place.write_bytes(b"somebody else's")
    with pytest.raises(CommandError, match=f"Other files have the names of files in the backup: {name}"):
        run("restore", str(archive))
    assert place.read_bytes() == b"somebody else's"
    assert connection.introspection.table_names() == []


@pytest.mark.once
def test_files_that_are_there_already_are_used(sites: Sites, archive: Path) -> None:
    """After the loss of the database alone, the media are still there."""
    sites.use("first")
    files, folder = sites.files(), sites.media
    sites.use("second")
    sites.settings.MEDIA_ROOT = folder
    run("restore", str(archive))
    assert sites.files() == files


def test_a_restore_that_fails_half_way_leaves_an_empty_site(sites: Sites, archive: Path) -> None:
    damaged = edited(archive, lambda members: members.update({database().member: members[database().member][:5000]}))
    is_refused(damaged, "The restore failed", sites)
    run("restore", str(archive))
    assert MediaImage.objects.count() == 1


def test_a_restore_that_cannot_be_finished_leaves_an_empty_site(
    sites: Sites, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as one whose migrations fail, or that the operator interrupts."""

    def interrupt() -> None:
        assert connection.introspection.table_names()
        assert sites.files()
        raise KeyboardInterrupt

    monkeypatch.setattr("cms_api.core.versions.bump_all", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run("restore", str(archive))
    assert connection.introspection.table_names() == []
    assert sites.files() == {}


def restore_until(moment: str, kill: signal.Signals, archive: Path) -> int:
    """Restore in a process of its own, which a signal ends before a function of the restore; return its exit status.

    A function that is called only afterwards stands for any moment between the steps.
    """
    script = f"""
import os, sys
import django
django.setup()
from django.conf import settings
from django.core.management import call_command
from django.db import connection
connection.settings_dict["NAME"] = {connection.settings_dict["NAME"]!r}
settings.MEDIA_ROOT = {str(django_settings.MEDIA_ROOT)!r}
from cms_api.gateway.backup import restore
restore.{moment} = lambda *_: os.kill(os.getpid(), {kill.value})
call_command("restore", {str(archive)!r})
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, env={**os.environ, "PYTHONPATH": f"{ROOT}/site:{ROOT}"})
    connection.close()
    return done.returncode


@pytest.mark.parametrize("moment", ["_continue_lost_site", "_invalidate_all", "finish"])
def test_a_restore_that_is_killed_is_no_site(moment: str, sites: Sites, archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert restore_until(moment, signal.SIGKILL, archive) == -signal.SIGKILL
    assert MediaImage.objects.count() == 1
    for words in (["web"], ["serve"], ["worker"], ["run_due"], ["status"], ["backup", str(archive.with_name("again.tar"))]):
        with pytest.raises(CommandError, match="restore into this database is running, or was interrupted"):
            run(*words)
    # The mail server keeps an email that can't be received yet.
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"From: dana@example.com\n\nThe mug is broken.")))
    with pytest.raises(SystemExit) as left:
        run("receive_mail")
    assert left.value.code == os.EX_TEMPFAIL
    run("restore", str(archive))
    assert MediaImage.objects.count() == 1
    assert PeriodicJob.objects.exclude(paused_for_backup_of=None).exists()
    run("backup", str(archive.with_name("again.tar")))


@pytest.mark.parametrize("kill", [signal.SIGTERM, signal.SIGHUP])
def test_a_restore_whose_session_ends_leaves_an_empty_site(kill: signal.Signals, sites: Sites, archive: Path) -> None:
    assert restore_until("_continue_lost_site", kill, archive) == 1
    assert connection.introspection.table_names() == []
    assert sites.files() == {}


@pytest.mark.once
@pytest.mark.parametrize("part", [slice(0, 0), slice(0, 40), slice(0, -1)], ids=["empty", "begun", "nearly whole"])
def test_a_file_whose_copying_was_interrupted_is_copied_again(part: slice, sites: Sites, archive: Path) -> None:
    sites.use("first")
    whole = sites.files()
    name = next(name for name in whole if name.endswith("heron.png"))
    sites.use("second", migrated=False)
    half = sites.media / name
    half.parent.mkdir(parents=True)
    half.write_bytes(whole[name][part])
    run("restore", str(archive))
    assert sites.files() == whole
    # Another file is no part of it.
    sites.use("third", migrated=False)
    other = sites.media / name
    other.parent.mkdir(parents=True)
    other.write_bytes(b"Something else.")
    with pytest.raises(CommandError, match="Other files have the names of files in the backup"):
        run("restore", str(archive))


@pytest.mark.once
def test_the_files_that_were_there_before_survive_a_failure(sites: Sites, archive: Path) -> None:
    sites.use("first")
    files, folder = sites.files(), sites.media
    sites.use("third", migrated=False)
    sites.settings.MEDIA_ROOT = folder
    damaged = edited(archive, lambda members: members.update({database().member: members[database().member][:5000]}))
    with pytest.raises(CommandError, match="The restore failed"):
        run("restore", str(damaged))
    assert sites.files() == files


def _names(archive: Path) -> list[str]:
    with tarfile.open(archive) as tar:
        return tar.getnames()
