"""A form that is sent many times at once creates one listing."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from cms_api.flags.services import set_setting
from cms_api.media.models import MediaImage
from commerce.directory.models import Listing
from commerce.directory.services import account
from commerce.directory.services.account import submit_with_pictures
from tests.client import together
from tests.media.files import png
from tests.unprotected import meet_before, without_transactions

pytestmark = pytest.mark.django_db(transaction=True)

THREADS = 6


def send(owner: Any) -> int:
    logo = [SimpleUploadedFile("logo.png", png())]
    return submit_with_pictures(user=owner, values={"name": "Reyes Ceramics"}, uploads={"logo": logo}).pk


@pytest.fixture(autouse=True)
def _many(directory: None) -> None:
    set_setting(key="directory.submissions_per_day", value=100)


def test_it_works(owner: Any) -> None:
    found = together(lambda number: send(owner), THREADS)
    assert (len(set(found)), Listing.objects.count(), MediaImage.objects.count()) == (1, 1, 1)


def test_control_without_the_lock_there_are_several(owner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    without_transactions(monkeypatch)
    meet_before(monkeypatch, account, "submit_listing", threads=THREADS)
    together(lambda number: send(owner), THREADS)
    assert Listing.objects.count() == THREADS
