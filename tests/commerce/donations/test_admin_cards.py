"""Donations on the admin's home: the last days, declined cards, fundraisers to approve, and the first step."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from commerce.donations.admin.cards import add_campaign, declined_cards, donations, fundraisers
from commerce.donations.models import Fundraiser
from tests import people

from .admin_builders import stored, stored_recurring
from .builders import make_campaign, make_fundraiser


@pytest.mark.both_databases
def test_it_works() -> None:
    stored(fee_cover_cents=200, refunded_cents=1000)
    stored(paid_at=timezone.now() - timedelta(days=31))
    stored("failed")
    stored_recurring("past_due")
    stored_recurring("paused")
    request = people.request_by(people.alice())
    with CaptureQueriesContext(connection) as statements:
        assert donations(request).text == "$42.00 from 1 donation"
        assert declined_cards(request).count == 1
    assert len(statements) == 2


def test_fundraisers_await_approval() -> None:
    request = people.request_by(people.alice())
    make_fundraiser(make_campaign())
    make_fundraiser(make_campaign())
    Fundraiser.objects.filter(pk=Fundraiser.objects.latest("pk").pk).update(status="pending")
    card = fundraisers(request)
    assert (card.count, card.url) == (1, "/admin/donations/fundraisers/?status=pending")


def test_the_first_step_is_ticked() -> None:
    request = people.request_by(people.alice())
    step = add_campaign(request)
    assert not step.done
    make_campaign()
    step = add_campaign(request)
    assert step.done
