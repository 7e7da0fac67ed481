"""Campaigns in the sitemap, the footer, the site's search and the page row."""

from html import unescape
from typing import Any

import pytest
from django.test import Client

from cms_api.flags.services import set_setting, switch_feature
from commerce.donations.services import hide_fundraiser, save_campaign
from tests.builders import make_image, make_page

from .builders import make_campaign, make_fundraiser, paid_donation
from .page_builders import yesterday

KILN = "/donate/a-kiln-for-the-mill"


def html(path: str, **query: Any) -> str:
    return unescape(Client().get(path, query).content.decode())


@pytest.mark.both_databases
def test_the_search_of_the_site_finds_campaigns() -> None:
    campaign = make_campaign(summary="With nettle glazes.", story="Pebbles too.")
    make_campaign("Nettle soup", is_visible=False)
    for words in ("kiln", "nettle", "pebbles"):
        page = html("/search", q=words)
        assert KILN in page
        assert "Nettle soup" not in page
    save_campaign(campaign=campaign, values={"is_visible": False})
    assert KILN not in html("/search", q="kiln")


def test_the_sitemap_and_the_footer() -> None:
    fundraiser = make_fundraiser(make_campaign())
    make_campaign("Hidden", is_visible=False)
    sitemap = html("/sitemap.xml")
    for path in ("/donate<", f"{KILN}<", f"{KILN}/noor-runs-for-the-kiln<"):
        assert path in sitemap
    assert "/donate/hidden" not in sitemap
    hide_fundraiser(fundraiser=fundraiser)
    assert "noor-runs" not in html("/sitemap.xml")
    assert 'href="/donate"' in html("/search")
    switch_feature(name="donations", on=False)
    assert "/donate" not in html("/sitemap.xml")
    assert "/donate" not in html("/search")


def row(**values: object) -> dict[str, object]:
    return {"type": "donate", "value": {"heading": "", "text": "", "campaign": "", **values}}


def main(page: Any) -> str:
    return html(page.url).partition("<main")[2].partition("</main")[0]


def test_the_row() -> None:
    site = main(make_page(row(heading="Help us", text="Every\namount")))
    for words in ("Help us", "Every<br>amount", 'href="/donations/give?amount=2500"', "$25", 'href="/donate"'):
        assert words in site
    assert "<progress" not in site
    campaign = make_campaign(summary="A new kiln.", amounts=[1500, 1250], image=make_image("kiln.png").pk)
    page = make_page(row(campaign=str(campaign.pk)))
    for words in (
        "A kiln for the mill",
        "A new kiln.",
        "<strong>$0</strong> raised of $10,000",
        'href="/donations/give/a-kiln-for-the-mill?amount=1250"',
        "$12.50",
        f'href="{KILN}"',
        "donate__picture",
    ):
        assert words in main(page)
    paid_donation(campaign)
    assert "<strong>$50</strong> raised" in main(page)
    save_campaign(campaign=campaign, values={"ends_on": yesterday()})
    assert "amount=1250" not in main(page)
    assert KILN in main(page)
    save_campaign(campaign=campaign, values={"is_visible": False})
    assert "row--donate" not in main(page)
    assert "row--donate" not in main(make_page(row(campaign="999999")))
    switch_feature(name="donations", on=False)
    assert "row--donate" not in main(page)


def test_the_row_without_a_provider() -> None:
    page = make_page(row())
    assert "amount=2500" in main(page)
    set_setting(key="payments.allow_test_payments", value=False)
    assert "amount=2500" not in main(page)
