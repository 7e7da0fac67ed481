"""Campaigns and fundraisers in the admin: forms, lists with progress, buttons, bulk actions and media usage."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cms_api.mail.models import OutgoingMail
from commerce.donations.models import Campaign, Fundraiser
from commerce.donations.selectors.campaigns import progress_by_id, with_progress
from commerce.donations.selectors.donations import today
from commerce.donations.services import save_campaign
from commerce.donations.services.media_usage import MEDIA_USAGE
from tests import people
from tests.builders import make_image

from .admin_builders import stored
from .builders import make_campaign, make_fundraiser

CAMPAIGNS, FUNDRAISERS = "/admin/donations/campaigns/", "/admin/donations/fundraisers/"


def posted(**changes: str) -> dict[str, str]:
    """The fields of a campaign's form."""
    page = {"name": "A kiln for the mill", "slug": "", "summary": "New", "story": "Old\n\nNew", "image_chosen": ""}
    lists = {"amount_lines": "25\n 50.50 \n\n", "designation_lines": "Youth, and age\nStudio"}
    return {**page, **lists, "goal": "6000", "ends_on": "", "is_visible": "on", "position": "2", **changes}


def organized(**changes: str) -> dict[str, str]:
    """The fields of a fundraiser's form."""
    page = {"name": "Noor runs", "slug": "", "story": "", "image_chosen": "", "goal": ""}
    return {**page, "organizer": "Noor de Vries", "email": "noor@example.com", **changes}


def test_it_works(admin_client: Client) -> None:
    image = make_image()
    values = posted(image_chosen=str(image.pk), has_fundraisers="on", ends_on=str(today()))
    assert admin_client.post(f"{CAMPAIGNS}new/", values).status_code == 302
    campaign = Campaign.objects.get()
    assert (campaign.slug, campaign.goal_cents, campaign.amounts) == ("a-kiln-for-the-mill", 600_000, [2500, 5050])
    assert (campaign.designations, campaign.ends_on) == (["Youth, and age", "Studio"], today())
    assert (campaign.image_id, campaign.has_fundraisers, campaign.shows_donors) == (image.pk, True, False)
    edit = f"{CAMPAIGNS}edit/{campaign.pk}/"
    page = admin_client.get(edit).content.decode()
    for words in ('value="6000.00"', "25.00\n50.50", "Youth, and age\nStudio", "Goal (USD)", "/donate/a-kiln-for-the-mill"):
        assert words in page, words
    admin_client.post(edit, posted(goal="", amount_lines="", designation_lines="", is_visible=""))
    campaign.refresh_from_db()
    assert (campaign.goal_cents, campaign.amounts, campaign.designations, campaign.image) == (None, [], [], None)
    assert "/donate/a-kiln-for-the-mill" not in admin_client.get(edit).content.decode()


@pytest.mark.parametrize(
    "wrong",
    [
        {"goal": "much", "image_chosen": "99999", "amount_lines": "25\nmuch", "designation_lines": "x" * 151},
        {"goal": "0", "amount_lines": "25\n-1", "designation_lines": "\n".join(map(str, range(13)))},
        {"slug": "Not A Slug"},
        {"designation_lines": "a\0b"},
    ],
)
def test_a_campaign_that_makes_no_sense_is_refused(wrong: dict[str, str], admin_client: Client) -> None:
    answer = admin_client.post(f"{CAMPAIGNS}new/", posted(**wrong))
    assert answer.status_code == 200
    assert set(answer.context["form"].errors) == set(wrong)
    assert not Campaign.objects.exists()


def test_the_list_with_progress(admin_client: Client) -> None:
    kiln, past = make_campaign(), make_campaign("Flood", ends_on=today() - timedelta(days=1), goal_cents=None)
    hidden = make_campaign("Hidden", is_visible=False)
    fundraiser = make_fundraiser(kiln)
    stored(campaign=kiln, fundraiser=fundraiser, fee_cover_cents=200)
    stored(campaign=kiln, refunded_cents=1000)
    stored("failed", campaign=kiln)
    page = admin_client.get(CAMPAIGNS).content.decode()
    for words in ("$90.00 of $10,000.00", "0% of the goal", f"/admin/donations/?campaign={kiln.pk}", "Ended", "Hidden"):
        assert words in page, words
    for state, campaign in (("open", kiln), ("ended", past), ("hidden", hidden)):
        assert list(admin_client.get(CAMPAIGNS, {"state": state}).context["object_list"]) == [campaign]
    lines = admin_client.get(CAMPAIGNS, {"export": "csv", "state": "open"}).getvalue().decode().splitlines()
    assert lines[1].startswith("A kiln for the mill,Open,90.00,10000.00,USD,2,1,,")
    for model in (Campaign, Fundraiser):
        for each in with_progress(model.objects.all()):
            progress = progress_by_id([each])[each.pk]
            assert (each.raised_cents, each.donation_count) == (progress.raised.cents, progress.donations)


@pytest.mark.parametrize("path", [CAMPAIGNS, FUNDRAISERS])
@pytest.mark.both_databases
def test_lists_take_a_constant_number_of_statements(path: str, admin_client: Client) -> None:
    def statements() -> int:
        fundraiser = make_fundraiser(make_campaign())
        stored(campaign=fundraiser.campaign, fundraiser=fundraiser)
        admin_client.get(path)
        with CaptureQueriesContext(connection) as caught:
            assert admin_client.get(path).status_code == 200
        return len(caught)

    few = statements()
    statements()
    assert statements() <= few


def test_copies_and_deletion(admin_client: Client) -> None:
    campaign, used = make_campaign(amounts=[2500]), make_campaign("Used")
    stored(campaign=used)
    page = admin_client.get(f"{CAMPAIGNS}copy/{campaign.pk}/").content.decode()
    for words in ("A kiln for the mill (copy)", "25.00", 'value="10000.00"'):
        assert words in page, words
    for each in (campaign, used):
        admin_client.post(f"{CAMPAIGNS}delete/{each.pk}/")
    assert list(Campaign.objects.all()) == [used]


def test_a_fundraiser_is_added_changed_and_deleted(admin_client: Client) -> None:
    campaign = make_campaign()
    assert set(admin_client.post(f"{FUNDRAISERS}new/", organized()).context["form"].errors) == {"campaign"}
    assert admin_client.post(f"{FUNDRAISERS}new/", organized(campaign=str(campaign.pk))).status_code == 302
    fundraiser = Fundraiser.objects.get()
    assert (fundraiser.status, fundraiser.campaign, fundraiser.slug) == ("pending", campaign, "noor-runs")
    answer = admin_client.post(f"{FUNDRAISERS}edit/{fundraiser.pk}/", organized(email="no", goal="5"))
    assert set(answer.context["form"].errors) == {"email"}
    admin_client.post(f"{FUNDRAISERS}edit/{fundraiser.pk}/", organized(goal="5"))
    fundraiser.refresh_from_db()
    assert fundraiser.goal_cents == 500
    admin_client.post(f"{FUNDRAISERS}delete/{fundraiser.pk}/")
    assert not Fundraiser.objects.exists()


OFFERED = {"pending": {"publish", "hide"}, "published": {"end", "hide"}, "ended": {"publish", "hide"}, "hidden": {"publish"}}
LEADS_TO = {"publish": "published", "end": "ended", "hide": "hidden"}


@pytest.mark.parametrize("status", OFFERED)
def test_buttons_of_fundraisers(status: str, admin_client: Client) -> None:
    fundraiser = make_fundraiser(make_campaign(), story="For <all>")
    same = Fundraiser.objects.filter(pk=fundraiser.pk)
    same.update(status=status)
    page = admin_client.get(f"{FUNDRAISERS}inspect/{fundraiser.pk}/").content.decode()
    assert {each for each in LEADS_TO if f"{FUNDRAISERS}{each}/{fundraiser.pk}/" in page} == OFFERED[status]
    assert "For &lt;all&gt;" in page
    assert ("Public page" in page) == (status in {"published", "ended"})
    for action, reached in LEADS_TO.items():
        admin_client.post(f"{FUNDRAISERS}{action}/{fundraiser.pk}/")
        assert same.get().status == (reached if action in OFFERED[status] else status)
        same.update(status=status)


def test_many_are_published_at_once(admin_client: Client) -> None:
    campaign = make_campaign()
    pending = [make_fundraiser(campaign) for _ in range(2)]
    Fundraiser.objects.update(status="pending")
    OutgoingMail.objects.all().delete()
    ids = "&".join(f"id={each.pk}" for each in pending)
    admin_client.post(f"/admin/bulk/donations/fundraiser/publish/?{ids}", {"next": FUNDRAISERS})
    assert set(Fundraiser.objects.values_list("status", flat=True)) == {"published"}
    assert OutgoingMail.objects.filter(template="fundraiser_published").count() == 2


def test_pictures_in_use() -> None:
    image: Any = make_image()
    campaign = save_campaign(values={"name": "A kiln", "image": image.pk})
    fundraiser = make_fundraiser(campaign, image=image.pk)
    found = [(each.label, each.address) for each in MEDIA_USAGE.references(image)]
    urls = (f"{CAMPAIGNS}edit/{campaign.pk}/", f"{FUNDRAISERS}edit/{fundraiser.pk}/")
    assert found == [("A kiln", urls[0]), (fundraiser.name, urls[1])]
    MEDIA_USAGE.clear(image)
    assert not MEDIA_USAGE.references(image)


def test_editors_are_kept_out(client: Client) -> None:
    fundraiser = make_fundraiser(make_campaign())
    client.force_login(people.bob())
    for path in (CAMPAIGNS, FUNDRAISERS, f"{CAMPAIGNS}new/", f"{FUNDRAISERS}inspect/{fundraiser.pk}/"):
        assert client.get(path).status_code == 302, path
