"""Backups of a site that is in use: whatever happens to files while they are copied, they match the copied database."""

import hashlib
import itertools
from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from cms_api.gateway.backup import create
from cms_api.gateway.backup.databases import database
from cms_api.media.models import MediaImage
from cms_api.media.services.library import delete_media, rotate
from tests.builders import make_image

from .sites import Sites, run

Dump = Callable[..., AbstractContextManager[Any]]
Action = Callable[[], object]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return tmp_path / "site.tar"


@pytest.fixture
def around(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[int]]:
    """Have something happen just before or after the first copy of the database; returns a list with an entry for each copy."""

    def arrange(*, before: Action = lambda: None, after: Action = lambda: None, every_time: bool = False) -> list[int]:
        really: Dump = type(database()).dump
        copies: list[int] = []

        @contextmanager
        def dump(self: Any, target: Path, **options: Any) -> Any:
            happens = every_time or not copies
            copies.append(len(copies))
            if happens:
                before()
            with really(self, target, **options) as rows:
                if happens:
                    after()
                yield rows

        monkeypatch.setattr(type(database()), "dump", dump)
        return copies

    return arrange


def is_whole(sites: Sites, archive: Path) -> int:
    """The number of pictures in a backup, each of whose files is there and is what the record expects."""
    sites.use("restored", migrated=False)
    _, err = run("restore", str(archive))
    assert not err
    for image in MediaImage.objects.all():
        with image.file.open() as content:
            assert hashlib.sha1(content.read()).hexdigest() == image.file_hash
        assert all(Path(rendition.file.path).is_file() for rendition in image.renditions.all())
    return MediaImage.objects.count()


@pytest.mark.once
def test_a_picture_that_is_deleted_after_the_database_was_copied(sites: Sites, archive: Path, around: Any) -> None:
    image = make_image(width=1000)
    copies = around(after=lambda: delete_media(media=image))
    _, err = run("backup", str(archive))
    assert (err, len(copies)) == ("", 1)
    assert sites.files() == {}
    assert is_whole(sites, archive) == 1


def test_a_picture_that_is_deleted_before_the_database_is_copied(sites: Sites, archive: Path, around: Any) -> None:
    image = make_image(width=1000)
    around(before=lambda: delete_media(media=image))
    run("backup", str(archive))
    assert is_whole(sites, archive) == 0


def test_a_picture_that_is_added_before_the_database_is_copied(sites: Sites, archive: Path, around: Any) -> None:
    copies = around(before=lambda: make_image(width=1000))
    run("backup", str(archive))
    assert len(copies) == 1
    assert is_whole(sites, archive) == 1


@pytest.mark.once
def test_a_picture_that_is_added_and_deleted_around_the_copy(sites: Sites, archive: Path, around: Any) -> None:
    """Its file is gone before it can be copied, so the database is copied again."""
    copies = around(
        before=lambda: make_image("brief.png", width=1000), after=lambda: delete_media(media=MediaImage.objects.get())
    )
    _, err = run("backup", str(archive))
    assert (err, len(copies)) == ("", 2)
    assert is_whole(sites, archive) == 0


@pytest.mark.once
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_picture_that_is_rotated_around_the_copy(sites: Sites, archive: Path, around: Any, moment: str) -> None:
    image = make_image(width=1000)
    around(**{moment: lambda: rotate(media=image, degrees=90)})
    _, err = run("backup", str(archive))
    assert not err
    assert is_whole(sites, archive) == 1


@pytest.mark.once
def test_a_site_that_never_rests_is_backed_up_with_a_warning(sites: Sites, archive: Path, around: Any) -> None:
    numbers = itertools.count()
    copies = around(
        before=lambda: make_image(f"brief{next(numbers)}.png"),
        after=lambda: delete_media(media=MediaImage.objects.get()),
        every_time=True,
    )
    _, err = run("backup", str(archive))
    assert "brief4.png (missing)" in err
    assert len(copies) == create.ROUNDS


@pytest.mark.once
def test_without_a_second_copy_a_file_would_be_missing(
    sites: Sites, archive: Path, around: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The positive control of these tests: what the rounds are for."""
    monkeypatch.setattr(create, "ROUNDS", 1)
    around(before=lambda: make_image("brief.png"), after=lambda: delete_media(media=MediaImage.objects.get()))
    _, err = run("backup", str(archive))
    assert "brief.png (missing)" in err


@pytest.mark.once
def test_without_copying_files_first_a_file_would_be_missing(
    sites: Sites, archive: Path, around: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other control: a backup that looks for files after copying the database."""
    image = make_image()
    around(after=lambda: delete_media(media=image))
    really, calls = create.Collector.copy, []

    def copy(self: create.Collector) -> bool:
        calls.append(self)
        return len(calls) < 3 or really(self)

    monkeypatch.setattr(create, "ROUNDS", 1)
    monkeypatch.setattr(create.Collector, "copy", copy)
    _, err = run("backup", str(archive))
    assert f"{image.file.name} (missing)" in err
