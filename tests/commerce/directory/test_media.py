"""Images of listings: where they are used, and what remains when one is deleted."""

import pytest

from cms_api.core import versions
from cms_api.media.services.library import delete_media, references
from commerce.directory.services.saving import save_listing
from commerce.directory.types.listings import VERSION
from tests.builders import make_image
from tests.client import Api

from .builders import make_listing, reloaded

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_it_works(directory_api: Api) -> None:
    image, other = make_image("a.png"), make_image("b.png")
    listing = make_listing(logo=image.pk, cover=image.pk, pictures=[image.pk, other.pk])
    kiln = make_listing("Kiln", cover=other.pk)
    make_listing("Without images")
    found = references(media=image)
    assert [(each.label, each.use) for each in found] == [("Reyes Ceramics", each) for each in ("Logo", "Cover", "Picture")]
    data = directory_api.data(f"/directory/listings/{listing.pk}")
    assert data["logo_url"] == data["cover_url"]
    assert image.file.name in data["logo_url"]
    versions.forget()
    before = versions.version(VERSION)
    delete_media(media=image)
    versions.forget()
    assert versions.version(VERSION) != before
    stored = reloaded(listing)
    assert (stored.logo, stored.cover, [each.media_id for each in stored.pictures.all()]) == (None, None, [other.pk])
    assert reloaded(kiln).cover_id == other.pk
    assert references(media=image) == []
    data = directory_api.data(f"/directory/listings/{listing.pk}")
    assert (data["logo_url"], data["cover_url"]) == (None, None)


def test_deleting_an_image_that_no_listing_shows_invalidates_nothing() -> None:
    image = make_image()
    make_listing()
    versions.forget()
    before = versions.version(VERSION)
    delete_media(media=image)
    versions.forget()
    assert versions.version(VERSION) == before


def test_pictures_keep_their_order() -> None:
    images = [make_image(f"{number}.png").pk for number in range(3)]
    listing = make_listing(pictures=images)
    for order in (images[::-1], [images[1]], [images[1], images[0], images[1]], []):
        save_listing(listing=listing, values={"pictures": order})
        assert [each.media_id for each in reloaded(listing).pictures.all()] == list(dict.fromkeys(order))
    save_listing(listing=listing, values={"name": "Kiln"})
    assert not reloaded(listing).pictures.exists()
