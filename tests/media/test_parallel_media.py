"""Uploads, changes and deletions at the same time, in threads: no file is overwritten, and nothing refers to what is gone."""

import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.db import IntegrityError, connection, transaction

from cms_api.content.models import ContentItem, ContentType
from cms_api.content.services import items as item_services
from cms_api.media.models import Media, MediaImage
from cms_api.media.services import library, records
from tests.builders import make_image, make_item, make_type
from tests.client import Api, together

from .files import all_files, png, sent, stored

pytestmark = pytest.mark.django_db(transaction=True)

THREADS = 6


@pytest.fixture
def things(api_on: None) -> ContentType:
    return make_type(slug="things")


def upload(api: Api, number: int, **headers: str) -> Any:
    return Api(api.token).upload("/media", ("file", ("same.png", png(10 + number, 10))), **headers)


def test_it_works_with_files_of_the_same_name(api: Api, media_root: Path) -> None:
    answers = together(lambda number: upload(api, number), THREADS)
    assert [answer.status_code for answer in answers] == [201] * THREADS
    found = [answer.json()["data"] for answer in answers]
    assert len({record["path"] for record in found}) == THREADS
    assert all_files(media_root) == {record["path"] for record in found}
    assert [stored(record).width for record in found] == [10 + number for number in range(THREADS)]


def test_two_that_claim_the_same_path(media_root: Path, monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    """Even where both saw it free."""
    monkeypatch.setattr(records, "_is_free", lambda path: True)
    made = together(lambda number: library.upload(file=ContentFile(png(10 + number, 10), name="same.png")), 4)
    paths = set(Media.objects.values_list("path", flat=True))
    assert len(paths) == 4 == len(made)
    assert all_files(media_root) == paths
    assert sorted(MediaImage.objects.values_list("width", flat=True)) == [10, 11, 12, 13]


def test_a_key_that_is_used_at_the_same_time_uploads_once(api: Api, media_root: Path) -> None:
    def send(_: int) -> tuple[int, bytes]:
        answer = Api(api.token).upload("/media", ("file", ("a.png", png())), idempotency_key="k")
        return answer.status_code, answer.content if answer.status_code == 201 else b""

    answers = Counter(together(send, THREADS))
    assert {status for status, _ in answers} <= {201, 409}
    assert len([body for status, body in answers if status == 201]) == 1
    assert Media.objects.count() == len(all_files(media_root)) == 1


def assert_nothing_dangles() -> None:
    """Check that neither items nor their cached JSON refer to a deleted picture."""
    there = set(Media.objects.values_list("pk", flat=True))
    for item in ContentItem.objects.select_related("latest_revision"):
        assert item.featured_media_id in {None, *there}
        assert item.latest_revision.content["featured_media"] in {None, *there}
        if item.cached_epoch:
            named = bytes(item.cached_json).partition(b'"featured_media_id":')[2].partition(b",")[0]
            assert named == str(item.featured_media_id or "null").encode()


def race(api: Api, things: ContentType) -> list[int]:
    """One deletes a picture while others write items that feature it; the statuses."""
    picture = make_image()
    item = make_item(things, featured_media_id=picture.pk)

    def act(number: int) -> int:
        client = Api(api.token)
        if number == 0:
            return int(client.delete(f"/media/{picture.pk}").status_code)
        if number < 3:
            body = {"type": "things", "data": {"title": "One"}, "featured_media_id": picture.pk}
            return int(client.post("/content-items", body).status_code)
        return int(
            client.patch(f"/content-items/{item.pk}", {"featured_media_id": picture.pk, "excerpt": str(number)}).status_code
        )

    return together(act, THREADS)


def test_items_that_come_to_feature_what_is_being_deleted(api: Api, things: ContentType) -> None:
    for _ in range(8):
        statuses = race(api, things)
        assert statuses[0] == 200, statuses
        assert set(statuses[1:3]) <= {201, 422}, statuses
        assert set(statuses[3:]) <= {200, 422}, statuses
        assert_nothing_dangles()


def test_without_the_lock_the_writer_would_fail(things: ContentType, monkeypatch: pytest.MonkeyPatch) -> None:
    """The guard matters: a writer that does not hold the picture is stopped by the foreign key alone, too late."""
    if connection.vendor != "postgresql":
        pytest.skip("On SQLite a transaction has everything alone.")
    monkeypatch.setattr(library, "_LOCK", library._LOCK.replace("FOR KEY SHARE OF media", ""))
    picture = make_image()
    item = make_item(things)

    def act(number: int) -> None:
        if number == 0:
            library.delete_media(media=picture)
            return
        with transaction.atomic():
            values = {"featured_media_id": picture.pk}
            item_services.update_item(item=item, values=values)

    original = library.records.media_usages

    def late() -> Any:
        yield from original()
        # The writer has looked and found the picture; it waits at its foreign key until the deletion is done.
        time.sleep(0.3)

    monkeypatch.setattr(library.records, "media_usages", late)
    with pytest.raises(IntegrityError):
        together(act, 2)


def test_changes_of_pictures_while_their_items_are_written(api: Api, things: ContentType) -> None:
    picture = make_image()
    items = [make_item(things, featured_media_id=picture.pk) for _ in range(3)]

    def act(number: int) -> None:
        client = Api(api.token)
        for turn in range(3):
            if number % 2:
                assert client.patch(f"/media/{picture.pk}", {"alt": f"{number} {turn}"}).status_code == 200
            else:
                item = items[(number + turn) % 3]
                values = {"excerpt": f"{number} {turn}", "featured_media_id": picture.pk}
                assert client.patch(f"/content-items/{item.pk}", values).status_code == 200

    together(act, THREADS)
    url = api.data(f"/media/{picture.pk}")["url"]
    assert {record["featured_image"] for record in api.data("/content-items")} == {url}


def test_of_many_that_delete_a_picture_one_does(api: Api) -> None:
    record = sent(api, "a.png", png())
    answers = together(lambda _: Api(api.token).delete(f"/media/{record['id']}").status_code, THREADS)
    assert sorted(answers) == [200] + [404] * (THREADS - 1)


def test_changes_while_the_picture_is_deleted(api: Api) -> None:
    for _ in range(3):
        record = sent(api, "a.png", png())

        def act(number: int, path: str = f"/media/{record['id']}") -> int:
            client = Api(api.token)
            return int((client.delete(path) if number == 0 else client.patch(path, {"alt": str(number)})).status_code)

        statuses = together(act, 4)
        assert statuses[0] == 200
        assert set(statuses[1:]) <= {200, 404}
        assert not Media.objects.exists()
