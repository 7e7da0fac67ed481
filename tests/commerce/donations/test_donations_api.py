"""Donations over the API."""

from datetime import timedelta

import pytest
from django.utils import timezone

from commerce.donations.models import Donation
from commerce.donations.resources.donations import DonationResource
from tests.client import Api

from .builders import make_campaign, make_donation, make_fundraiser, paid_donation

pytestmark = pytest.mark.django_db
LIST = "/donations"


def ids(api: Api, query: str) -> list[int]:
    return [row["id"] for row in api.get(f"{LIST}?{query}").json()["data"]]


@pytest.mark.both_databases
def test_it_works(donations_api: Api) -> None:
    campaign = make_campaign()
    tribute = {"type": "memory", "name": "Alma Reyes", "message": "She taught us."}
    row = paid_donation(None, make_fundraiser(campaign), tribute=tribute, anonymous=True, frequency="monthly")
    found = donations_api.get(f"{LIST}/{row.pk}").json()["data"]
    assert found.keys() == DonationResource.example.keys()
    assert (found["status"], found["total_cents"], found["frequency"]) == ("paid", 5000, "monthly")
    assert found["tribute"] == tribute
    assert found["donor"]["anonymous"] is True
    assert found["donor"]["name"] == "Dana Reyes"
    assert found["campaign"] == {"id": campaign.pk, "name": "A kiln for the mill", "slug": "a-kiln-for-the-mill"}
    assert found["fundraiser"]["slug"] == "noor-runs-for-the-kiln"
    assert donations_api.get(LIST).json()["data"] == [found]


def test_what_is_empty_is_null(donations_api: Api) -> None:
    found = donations_api.get(f"{LIST}/{make_donation().pk}").json()["data"]
    empty = ("designation", "tribute", "campaign", "fundraiser", "message", "paid_at")
    assert [found[name] for name in empty] == [None] * len(empty)
    assert (found["donor"]["street"], found["donor"]["phone"]) == (None, None)


@pytest.mark.both_databases
def test_filters(donations_api: Api) -> None:
    campaign = make_campaign()
    once = paid_donation(campaign)
    monthly, yearly = make_donation(frequency="monthly"), make_donation(frequency="yearly", email="ruth@example.com")
    assert ids(donations_api, "status=paid") == [once.pk]
    assert ids(donations_api, "frequency=once") == [once.pk]
    assert ids(donations_api, "frequency=recurring") == [yearly.pk, monthly.pk]
    assert ids(donations_api, "frequency=yearly&email=RUTH@example.com") == [yearly.pk]
    assert ids(donations_api, f"campaign_id={campaign.pk}") == [once.pk]
    assert ids(donations_api, "campaign_id=999") == []
    Donation.objects.filter(pk=once.pk).update(created_at=timezone.now() - timedelta(days=40))
    assert ids(donations_api, f"since={timezone.now() - timedelta(days=1):%Y-%m-%d}") == [yearly.pk, monthly.pk]


@pytest.mark.parametrize("query", ["status=open", "frequency=weekly", "campaign_id=x", "since=yesterday", "page=0"])
def test_filters_that_are_malformed(donations_api: Api, query: str) -> None:
    answer = donations_api.get(f"{LIST}?{query}")
    assert (answer.status_code, list(answer.json()["errors"])) == (422, [query.partition("=")[0]])
