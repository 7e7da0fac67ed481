"""A signed link is for one record and one purpose."""

import pytest
from django.core import signing

from cms_api.flags.services import switch_feature
from cms_api.http.signed_links import SignedLink
from events.models import Rsvp
from tests.events.guests import make_event, make_reply

pytestmark = pytest.mark.django_db

RATE = SignedLink("tests.rate", Rsvp, view="rsvp_cancel")


@pytest.fixture(autouse=True)
def _events_on(db: None) -> None:
    switch_feature(name="events", on=True)


def test_it_works() -> None:
    rsvp = make_reply(make_event())
    assert RATE.url(rsvp).endswith(RATE.path(rsvp))
    assert RATE.token(rsvp) in RATE.path(rsvp)
    assert RATE.find(Rsvp.objects.all(), RATE.token(rsvp)) == rsvp


def test_other_records_and_purposes_are_not_found() -> None:
    rsvp = make_reply(make_event())
    token = RATE.token(rsvp)
    foreign = SignedLink("tests.manage", Rsvp, view="rsvp_cancel").token(rsvp)
    sign = signing.Signer(salt="tests.rate").sign
    for sent in (foreign, token[:-1], f"1{token}", str(rsvp.pk), sign(str(rsvp.pk)), sign("x" * 32), sign("9" * 19), "", "\0:x"):
        assert RATE.find(Rsvp.objects.all(), sent) is None, sent
    assert RATE.find(Rsvp.objects.exclude(pk=rsvp.pk), token) is None
