"""A signed link is for one record and one purpose."""

import pytest

from cms_api.http.signed_links import SignedLink
from cms_api.media.models import MediaImage
from tests.builders import make_image

pytestmark = pytest.mark.django_db

RATE = SignedLink("tests.rate", view="unsubscribe")


def test_it_works() -> None:
    image = make_image()
    assert RATE.url(image).endswith(RATE.path(image))
    assert RATE.token(image) in RATE.path(image)
    assert RATE.find(MediaImage.objects.all(), RATE.token(image)) == image


def test_other_records_and_purposes_are_not_found() -> None:
    image = make_image()
    token = RATE.token(image)
    foreign = SignedLink("tests.manage", view="unsubscribe").token(image)
    for sent in (foreign, token[:-1], f"1{token}", str(image.pk), "", "\0:x"):
        assert RATE.find(MediaImage.objects.all(), sent) is None, sent
    assert RATE.find(MediaImage.objects.exclude(pk=image.pk), token) is None
