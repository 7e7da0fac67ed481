"""The pages of campaigns and fundraisers: what they show, and for how long they are cached."""

from datetime import date
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cms_api.flags.services import set_setting
from commerce.donations.services import DONATIONS, end_fundraiser, hide_fundraiser, save_campaign, save_fundraiser
from commerce.payments.services import send_refund
from tests.builders import make_image

from .builders import make_campaign, make_fundraiser, paid_donation
from .page_builders import yesterday

KILN = "/donate/a-kiln-for-the-mill"


def html(path: str) -> str:
    answer = Client().get(path)
    assert answer.status_code == 200, path
    return unescape(answer.content.decode())


def test_it_works() -> None:
    campaign = make_campaign(summary="A new kiln.", story="The old one is broken.\n\nHelp us\nbuy one.", goal_cents=20_000)
    paid_donation(campaign, amount_cents=5050, covers_fee=True, message="Keep the wheels turning.")
    page = html(KILN)
    for words in (
        "<h1>A kiln for the mill</h1>",
        "A new kiln.",
        "<p>The old one is broken.</p>",
        "Help us<br>buy one.",
        "<strong>$50.50</strong> raised of $200",
        'value="25" aria-label',
        "<span>25%</span><span>1 donation</span>",
        "Dana Reyes",
        "Keep the wheels turning.",
        'action="/donations/give/a-kiln-for-the-mill"',
        'value="2500" checked',
        '"DonateAction"',
    ):
        assert words in page, words
    assert 'property="og:title" content="A kiln for the mill' in page


def test_the_list_shows_open_campaigns() -> None:
    assert "Make a donation" in html("/donate")
    make_campaign(summary="A new kiln.", goal_cents=None)
    make_campaign("Over", ends_on=yesterday())
    make_campaign("Hidden", is_visible=False)
    page = html("/donate")
    for words in ("A kiln for the mill", KILN, "A new kiln.", "<strong>$0</strong> raised", 'action="/donations/give"'):
        assert words in page
    assert "Over" not in page
    assert "Hidden" not in page
    assert "<progress" not in page
    assert Client().get("/donate/hidden").status_code == 404
    assert Client().get("/donate/no-such-campaign").status_code == 404


def test_markup_is_only_text() -> None:
    campaign = make_campaign("<b>Kiln</b>", summary="<i>x</i>", story="<script>alert(1)</script>")
    paid_donation(campaign, first_name="<u>Dana</u>", message="<s>x</s>")
    page = Client().get(f"/donate/{campaign.slug}").content.decode()
    for markup in ("<b>Kiln", "<i>x", "<script>alert", "<u>Dana", "<s>x"):
        assert markup not in page


def test_donors_can_be_anonymous_or_not_be_listed() -> None:
    campaign = make_campaign()
    paid_donation(campaign, anonymous=True, message="With love")
    page = html(KILN)
    assert "Anonymous" in page
    assert "With love" in page
    assert "Reyes" not in page
    save_campaign(campaign=campaign, values={"shows_donors": False})
    page = html(KILN)
    assert "With love" not in page
    assert "1 donation" in page


def test_the_page_is_cached_until_money_moves() -> None:
    campaign = make_campaign()
    assert "0 donations" in html(KILN)
    with CaptureQueriesContext(connection) as caught:
        html(KILN)
    assert len(caught) <= 3
    donation = paid_donation(campaign)
    assert "<strong>$50</strong> raised" in html(KILN)
    (refund,) = DONATIONS.refund(donation)
    assert send_refund(refund_id=refund.pk).status == "succeeded"
    assert "<strong>$0</strong> raised" in html(KILN)
    save_campaign(campaign=campaign, values={"name": "Another kiln"})
    assert "Another kiln" in html(KILN)
    set_setting(key="payments.allow_test_payments", value=False)
    assert "Online donations aren't available" in html(KILN)


def test_a_campaign_ends_with_its_last_day(clock: Any) -> None:
    set_setting(key="site.timezone", value="America/New_York")
    clock("2026-03-10 12:00")
    make_campaign(ends_on=date(2026, 3, 10), has_fundraisers=True)
    assert "Donate</button>" in html(KILN)
    # The tenth is not over in New York.
    clock("2026-03-11 03:59")
    assert "Donate</button>" in html(KILN)
    clock("2026-03-11 04:01")
    page = html(KILN)
    assert "This campaign has ended." in page
    assert "Donate</button>" not in page
    assert "DonateAction" not in page
    assert "Start a fundraiser" not in page
    assert "A kiln for the mill" not in html("/donate")


def test_a_fundraiser_has_its_own_progress() -> None:
    campaign = make_campaign(has_fundraisers=True)
    fundraiser = make_fundraiser(campaign, story="Please sponsor me!")
    paid_donation(campaign, amount_cents=10_000, first_name="Alex")
    paid_donation(campaign, fundraiser, amount_cents=20_000, first_name="Sam")
    page = html(f"{KILN}/noor-runs-for-the-kiln")
    for words in (
        "Noor de Vries is raising money for",
        "Please sponsor me!",
        "<strong>$200</strong> raised of $500",
        "Sam Reyes",
        'action="/donations/give/a-kiln-for-the-mill/noor-runs-for-the-kiln"',
    ):
        assert words in page
    assert "Alex" not in page
    shown = html(KILN)
    for words in ("Noor runs for the kiln", "By Noor de Vries", "<strong>$300</strong> raised", "Start a fundraiser"):
        assert words in shown
    end_fundraiser(fundraiser=fundraiser)
    page = html(f"{KILN}/noor-runs-for-the-kiln")
    assert "This fundraiser has ended." in page
    assert "Donate</button>" not in page
    assert Client().get("/donate/a-kiln-for-the-mill/no-such-one").status_code == 404
    other = make_campaign("Other")
    assert Client().get(f"/donate/{other.slug}/noor-runs-for-the-kiln").status_code == 404
    hide_fundraiser(fundraiser=fundraiser)
    assert Client().get(f"{KILN}/noor-runs-for-the-kiln").status_code == 404
    assert "Noor" not in html(KILN)


def test_a_fundraiser_waits_for_its_approval() -> None:
    campaign = make_campaign()
    values = {"name": "Waiting", "organizer": "Noor", "email": "noor@example.com"}
    waiting = save_fundraiser(values=values, campaign=campaign)
    assert Client().get(f"{KILN}/{waiting.slug}").status_code == 404


def test_pictures_are_shown() -> None:
    campaign = make_campaign(image=make_image("kiln.png").pk)
    make_fundraiser(campaign)
    assert "cause__picture" in html(KILN)
    # A fundraiser without a picture has that of its campaign.
    assert "cause__picture" in html(f"{KILN}/noor-runs-for-the-kiln")
    assert "/media/" in html("/donate")


@pytest.mark.parametrize("path", ["/donate", KILN])
@pytest.mark.both_databases
def test_pages_take_a_constant_number_of_statements(path: str) -> None:
    def statements() -> int:
        with CaptureQueriesContext(connection) as caught:
            assert Client().get(path).status_code == 200
        return len(caught)

    campaign = make_campaign()
    one = make_campaign(image=make_image("a.png").pk)
    make_fundraiser(campaign, image=one.image_id)
    paid_donation(campaign)
    html(path)
    save_campaign(campaign=campaign, values={"position": 1})
    few = statements()
    for number in range(4):
        make_campaign(f"Campaign {number}", image=one.image_id)
        make_fundraiser(campaign, f"Fundraiser {number}", image=one.image_id)
        paid_donation(campaign)
    assert statements() == few
