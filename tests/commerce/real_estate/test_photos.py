"""Photos are copied into the library, replaced when they change, and deleted with their listings unless something uses them."""

import errno
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.core.leases import LOST
from cms_api.media.models import MediaImage
from cms_api.media.services import library
from commerce.real_estate.admin.words import photo_state
from commerce.real_estate.models import Feed, Property, PropertyPhoto
from commerce.real_estate.resources.listings import listing
from commerce.real_estate.selectors.listings import find_property
from commerce.real_estate.services import save_feed
from commerce.real_estate.services.photos import COPYING, _copy, clear_former_photos
from tests.media.files import jpeg, png
from tests.webhooks.receiver import Answer, Receiver

from .builders import import_records, make_feed, make_property, record

FIRST, SECOND = "2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z"


def media(receiver: Receiver, *names: str) -> list[dict[str, Any]]:
    return [{"MediaURL": receiver.url(f"/{name}"), "Order": place} for place, name in enumerate(names)]


def with_photos(receiver: Receiver, *names: str, feed: Feed | None = None, stamp: str = FIRST) -> Property:
    row = make_property(feed, 1, Media=media(receiver, *names), PhotosChangeTimestamp=stamp)
    COPYING.run_due()
    return row


def urls(row: Property) -> list[str]:
    found = find_property(row.slug)
    assert found is not None
    photos: list[str] = listing(found)["photos"]
    return photos


@pytest.fixture
def photos(receiver: Receiver) -> Receiver:
    for number, name in enumerate(("a.jpg", "b.jpg", "c")):
        receiver.set_answers(f"/{name}", Answer(200, {}, jpeg(40 + number, 30)))
    return receiver


@pytest.mark.both_databases
def test_it_works(photos: Receiver) -> None:
    row = make_property(number=1, Media=media(photos, "a.jpg", "c"), PhotosChangeTimestamp=FIRST)
    assert urls(row) == []
    COPYING.run_due()
    found = urls(row)
    assert [url.startswith(f"{settings.BASE_URL}/media/media/") for url in found] == [True, True]
    assert [image.alt for image in MediaImage.objects.order_by("pk")] == [f"{row.title}, photo 1", f"{row.title}, photo 2"]
    assert COPYING.run_due().attempts == 0


def test_photos_are_read_again_only_when_they_have_changed(photos: Receiver) -> None:
    feed = make_feed()
    row = with_photos(photos, "a.jpg", "b.jpg", feed=feed)
    before, requests = urls(row), len(photos.requests)
    # The listing has changed, and its photos have other addresses, but their stamp is the same.
    import_records(feed, record(1, ListPrice=1, Media=media(photos, "b.jpg"), PhotosChangeTimestamp=FIRST))
    assert (urls(row), COPYING.run_due().attempts, len(photos.requests)) == (before, 0, requests)


def test_a_photo_that_is_the_same_is_not_copied_again(photos: Receiver) -> None:
    feed = make_feed()
    row = with_photos(photos, "a.jpg", "b.jpg", feed=feed)
    first, second = urls(row)
    row = with_photos(photos, "b.jpg", "a.jpg", feed=feed, stamp=SECOND)
    assert urls(row) == [second, first]
    assert MediaImage.objects.count() == 2


def test_another_photo_at_the_same_address(photos: Receiver) -> None:
    feed = make_feed()
    row = with_photos(photos, "a.jpg", feed=feed)
    before = urls(row)
    photos.set_answers("/a.jpg", Answer(200, {}, png(50, 50)))
    import_records(feed, record(1, Media=media(photos, "a.jpg"), PhotosChangeTimestamp=SECOND))
    # Until it is copied, the former one is shown.
    assert urls(row) == before
    COPYING.run_due()
    clear_former_photos()
    assert urls(row) != before
    assert MediaImage.objects.count() == 1


@pytest.mark.both_databases
def test_without_a_stamp_the_addresses_count(photos: Receiver) -> None:
    feed = make_feed()
    row = make_property(feed, 1, Media=media(photos, "a.jpg"))
    COPYING.run_due()
    make_property(feed, 1, Media=media(photos, "a.jpg"))
    assert COPYING.run_due().attempts == 0
    make_property(feed, 1, Media=media(photos, "b.jpg", "a.jpg"))
    assert COPYING.run_due().attempts == 1
    assert len(urls(row)) == 2


@pytest.mark.both_databases
def test_former_photos_are_deleted(photos: Receiver) -> None:
    feed = make_feed()
    row = with_photos(photos, "a.jpg", "b.jpg", feed=feed)
    row = with_photos(photos, "c", feed=feed, stamp=SECOND)
    assert len(urls(row)) == 1
    clear_former_photos()
    assert (MediaImage.objects.count(), PropertyPhoto.objects.count()) == (1, 1)
    import_records(feed, record(1, StandardStatus="Delete"))
    clear_former_photos()
    assert (MediaImage.objects.count(), PropertyPhoto.objects.count(), Property.objects.count()) == (0, 0, 0)


def test_a_photo_that_is_used_elsewhere_stays(photos: Receiver) -> None:
    feed = make_feed()
    with_photos(photos, "a.jpg", feed=feed)
    image = MediaImage.objects.get()
    other = make_property(make_feed(), 7)
    PropertyPhoto.objects.create(listing=other, url="https://photos.example.com/a.jpg", image_id=image.pk)
    import_records(feed, record(1, StandardStatus="Delete"))
    clear_former_photos()
    assert MediaImage.objects.filter(pk=image.pk).exists()


@pytest.mark.both_databases
def test_a_picture_deleted_in_the_library(photos: Receiver) -> None:
    row = with_photos(photos, "a.jpg", "b.jpg")
    image = MediaImage.objects.order_by("pk").first()
    assert image is not None
    assert [each.label for each in library.references(media=image)] == [row.title]
    library.delete_media(media=image)
    assert len(urls(row)) == 1


@pytest.mark.parametrize(
    "answer", [Answer(404), Answer(200, {}, b"text"), Answer(200, {}, b"<svg/>"), Answer(200, {}, jpeg()[:200])]
)
def test_what_is_no_photo_is_left_out_in_the_end(photos: Receiver, answer: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(COPYING, "delays", (timedelta(0),))
    photos.set_answers("/a.jpg", answer)
    row = with_photos(photos, "a.jpg", "b.jpg")
    assert len(urls(row)) == 1
    assert PropertyPhoto.objects.get(position=0).next_attempt_at is None


@pytest.mark.both_databases
def test_a_full_disk_uses_up_no_attempt(photos: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(library, "upload", refuse)
        row = with_photos(photos, "a.jpg")
        for _ in range(2 * len(COPYING.delays)):
            PropertyPhoto.objects.update(next_attempt_at=timezone.now())
            assert not COPYING.run_due().reachable
    photo = PropertyPhoto.objects.get()
    assert (photo.failures, photo.error) == (0, "The server's disk is full. Try again later.")
    assert photo_state(photo) == "Waiting to be copied: The server's disk is full. Try again later."
    PropertyPhoto.objects.update(next_attempt_at=timezone.now())
    COPYING.run_due()
    assert len(urls(row)) == 1


@pytest.mark.both_databases
def test_a_photo_that_was_left_out_is_tried_again_by_a_later_import(photos: Receiver, clock: Callable[[str], None]) -> None:
    clock("2026-03-01 08:00")
    photos.set_answers("/a.jpg", Answer(503))
    feed = make_feed()
    row = with_photos(photos, "a.jpg", "b.jpg", feed=feed)

    def end_import(at: str) -> int:
        clock(at)
        run = import_records(feed, record(1, Media=media(photos, "a.jpg", "b.jpg"), PhotosChangeTimestamp=FIRST))
        assert run.status == "finished"
        return COPYING.run_due().attempts

    for at in ("2026-03-01 08:05", "2026-03-01 09:05"):
        clock(at)
        COPYING.run_due()
    assert end_import("2026-03-01 15:05") == 1
    photo = PropertyPhoto.objects.get(position=0)
    assert (photo.failures, photo.next_attempt_at) == (4, None)
    assert end_import("2026-03-02 15:00") == 0
    # Once, then it is left out for another day.
    assert [end_import("2026-03-02 15:05"), end_import("2026-03-03 15:00")] == [1, 0]
    photos.set_answers("/a.jpg", Answer(200, {}, jpeg(40, 30)))
    assert end_import("2026-03-03 15:05") == 1
    assert len(urls(row)) == 2
    assert end_import("2026-03-05 15:05") == 0
    PropertyPhoto.objects.filter(position=0).update(error=LOST)
    assert end_import("2026-03-07 15:05") == 0


@pytest.mark.both_databases
def test_a_photo_that_another_worker_has_taken_is_not_stored(photos: Receiver) -> None:
    row = make_property(number=1, Media=media(photos, "a.jpg"), PhotosChangeTimestamp=FIRST)
    photo = PropertyPhoto.objects.get(listing=row)
    PropertyPhoto.objects.filter(pk=photo.pk).update(attempts=5)
    photo.next_attempt_at = timezone.now()
    _copy(photo)
    assert MediaImage.objects.count() == 0


def test_linked_photos(photos: Receiver) -> None:
    with pytest.raises(Invalid, match="license"):
        make_feed(copies_photos=False)
    feed = make_feed(copies_photos=False, photo_license="Licensed for display by Vermont MLS.")
    row = with_photos(photos, "a.jpg", feed=feed)
    assert urls(row) == [photos.url("/a.jpg")]
    assert photos.requests == []
    save_feed(feed=feed, values={"copies_photos": True})
    assert urls(row) == []
    COPYING.run_due()
    assert [url.startswith(settings.BASE_URL) for url in urls(row)] == [True]
    save_feed(feed=feed, values={"copies_photos": False})
    assert urls(row) == [photos.url("/a.jpg")]


@pytest.mark.both_databases
def test_names_tell_no_address_and_copies_move_when_it_is_hidden(
    photos: Receiver, django_capture_on_commit_callbacks: Any
) -> None:
    feed = make_feed()
    row = with_photos(photos, "a.jpg", "b.jpg", feed=feed)
    before = urls(row)
    assert not any("canal" in url for url in before)
    names = [image.file.name for image in MediaImage.objects.all()]
    requests = len(photos.requests)
    # The source is not needed for it: addresses of photos end.
    import_records(feed, record(1, InternetAddressDisplayYN=False, PhotosChangeTimestamp=FIRST))
    row.refresh_from_db()
    assert urls(row) == []
    with django_capture_on_commit_callbacks(execute=True):
        COPYING.run_due()
    after = urls(row)
    assert (len(after), set(after) & set(before), len(photos.requests)) == (2, set(), requests)
    images = list(MediaImage.objects.all())
    assert len(images) == 2
    assert not any("Canal" in f"{image.title} {image.alt}" for image in images)
    assert not any(images[0].file.storage.exists(name) for name in names)
    assert not PropertyPhoto.objects.filter(listing=None).exists()


def test_a_copy_that_is_gone_is_fetched_again(photos: Receiver) -> None:
    feed = make_feed()
    row = with_photos(photos, "a.jpg", feed=feed)
    import_records(feed, record(1, InternetAddressDisplayYN=False, PhotosChangeTimestamp=FIRST))
    clear_former_photos()
    assert not MediaImage.objects.exists()
    COPYING.run_due()
    row.refresh_from_db()
    assert len(urls(row)) == 1
