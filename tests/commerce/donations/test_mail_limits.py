"""Emails to addresses that donors and organizers have entered, which may be a stranger's, are limited."""

import pytest

from cms_api.accounts.services import create_member
from cms_api.mail.models import OutgoingMail
from commerce.donations.services import publish_fundraiser, start_fundraiser
from tests.people import PASSWORD

from .builders import make_campaign, paid_donation

pytestmark = pytest.mark.django_db


@pytest.mark.both_databases
def test_it_works() -> None:
    """A payment shows nothing about the address of somebody else."""
    paid_donation(tribute={"type": "memory", "name": "Alma Reyes", "email": "ruth@example.com"})
    limited = dict(OutgoingMail.objects.values_list("recipient", "is_limited"))
    assert limited == {"dana@example.com": False, "ruth@example.com": True}


@pytest.mark.both_databases
def test_the_organizer_of_a_fundraiser() -> None:
    campaign = make_campaign(has_fundraisers=True)
    member = create_member(email="noor@example.com", password=PASSWORD)
    for user in (None, member):
        values = {"name": "Noor runs", "organizer": "Noor", "email": "noor@example.com"}
        publish_fundraiser(fundraiser=start_fundraiser(values=values, campaign=campaign, user=user))
    mails = OutgoingMail.objects.filter(template="fundraiser_published").order_by("pk")
    assert [mail.is_limited for mail in mails] == [True, False]
