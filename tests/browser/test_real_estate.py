"""A visitor narrows the search, opens a listing and inquires; a member saves the search and deletes it."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from cms_api.accounts.services import create_member
from cms_api.flags.services import set_setting, switch_feature
from commerce.real_estate.models import Inquiry, PropertyPhoto, SavedSearch
from tests.builders import make_image
from tests.commerce.real_estate.builders import make_feed, make_property
from tests.people import PASSWORD

from .axe import Audit
from .conftest import SignIn
from .test_shop import picture

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

#: Milliseconds: nobody fills in a form faster.
READING = 2100
TEXT = "A brick house by the canal, with a workshop in the garden and a view of the hills."


@pytest.fixture
def listings(transactional_db: None, settings: Any) -> None:
    switch_feature(name="real_estate", on=True)
    settings.BUSINESS_EMAIL = "office@example.org"
    set_setting(key="real_estate.disclaimer", value="Information is deemed reliable but is not guaranteed.")
    feed = make_feed()
    media = [{"MediaURL": f"https://photos.example.com/{number}.jpg", "Order": number} for number in range(8)]
    make_property(feed, 1, StreetName="Canal", ListPrice=400_000, Media=media, PublicRemarks=f"{TEXT}\n\n{TEXT}")
    make_property(feed, 2, StreetName="River", ListPrice=650_000, BedroomsTotal=4, Longitude=-72.57, StandardStatus="Pending")
    make_property(feed, 3, StreetName="Mill", ListPrice=1_250_000, BedroomsTotal=5, Latitude=42.86, LotSizeSquareFeet=100_000)
    make_property(feed, 4, City="Keene", StateOrProvince="NH", PostalCode="03431", Latitude=42.9337, Longitude=-72.2781)
    make_property(feed, 5, PropertyType="Land", BedroomsTotal=None, BathroomsTotalInteger=None, LivingArea=None)
    image = make_image("house.png", width=640, height=480)
    PropertyPhoto.objects.update(image=image.pk)


def test_a_visitor(listings: None, plain_page: Page) -> None:
    page = plain_page
    page.goto("/real-estate")
    expect(page.get_by_text("5 listings", exact=True)).to_be_visible()
    page.get_by_label("City or postal code").fill("Brattleboro")
    page.get_by_label("Price to").fill("500,000")
    page.get_by_label("Bedrooms").select_option("3+")
    page.get_by_role("main").get_by_role("button", name="Search", exact=True).click()
    expect(page.get_by_text("1 listing in Brattleboro")).to_be_visible()
    expect(page.get_by_label("Price to")).to_have_value("500000")
    page.get_by_role("link", name="101 Canal Street").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("101 Canal Street, Brattleboro, VT 05301")
    page.get_by_text("Show 3 more photos").click()
    expect(page.get_by_role("link", name="Photo 8 of 8")).to_be_visible()
    page.get_by_role("link", name="Send an inquiry").click()
    page.get_by_label("Your name").fill("Dana Reyes")
    page.get_by_label("Your message").fill("Can I see it on Saturday?")
    page.wait_for_timeout(READING)
    page.get_by_role("button", name="Send inquiry").click()
    expect(page.get_by_role("alert")).to_contain_text("Enter your email address.")
    page.get_by_label("Your email address").fill("dana@example.com")
    page.get_by_role("button", name="Send inquiry").click()
    expect(page.get_by_role("status")).to_contain_text("has been sent")
    assert Inquiry.objects.get().message == "Can I see it on Saturday?"


def test_a_member(listings: None, page: Page) -> None:
    create_member(email="noor@example.com", password=PASSWORD, name="Noor")
    page.goto("/real-estate?area=Brattleboro&beds=4")
    page.get_by_role("link", name="Save this search").click()
    page.get_by_role("main").get_by_role("link", name="Sign in").click()
    page.get_by_label("Email").fill("noor@example.com")
    page.get_by_label("Password").first.fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("All listings in Brattleboro, 4+ beds")).to_be_visible()
    page.get_by_label("Name").fill("Large houses")
    page.get_by_label("Email me new listings").select_option("Weekly")
    page.get_by_role("button", name="Save search").click()
    expect(page.get_by_text("Your search has been saved.")).to_be_visible()
    page.get_by_role("link", name="Large houses", exact=True).click()
    expect(page.get_by_text("2 listings in Brattleboro")).to_be_visible()
    page.goto("/accounts/searches/")
    page.get_by_role("link", name="Edit Large houses").click()
    page.get_by_label("Name").fill("Houses with a garden")
    page.get_by_role("button", name="Save changes").click()
    page.get_by_role("link", name="Delete Houses with a garden").click()
    page.get_by_role("button", name="Delete search").click()
    expect(page.get_by_text("You haven't saved a search yet.")).to_be_visible()
    assert not SavedSearch.objects.exists()


def without_tiles(page: Page) -> None:
    """Answer requests for tiles, which are those of another host, with nothing."""

    def answer(route: Route) -> None:
        route.fulfill(status=204)

    page.route(re.compile("tile.openstreetmap.org"), answer)


def test_the_map_searches_what_is_visible(listings: None, page: Page) -> None:
    without_tiles(page)
    page.goto("/real-estate?beds=3")
    expect(page.get_by_role("link", name="Search this area")).to_have_count(0)
    page.get_by_role("button", name="Show map").click()
    markers = page.locator(".leaflet-marker-icon")
    expect(markers).to_have_count(4)
    page.get_by_role("button", name="Zoom in").click()
    page.get_by_role("button", name="Zoom in").click()
    page.get_by_role("link", name="Search this area").click()
    page.wait_for_url(re.compile("box="))
    assert "beds=3&box=" in page.url
    expect(page.get_by_text("Only listings in the part of the map that you chose are shown.")).to_be_visible()
    # The map of this search is opened at once, with the same part visible.
    expect(page.get_by_role("link", name="Search this area")).to_be_visible()
    visible = page.url
    page.get_by_role("link", name="Search this area").click()
    page.wait_for_load_state()
    before, after = ([float(part) for part in url.split("box=")[1].replace("%2C", ",").split(",")] for url in (visible, page.url))
    assert after == pytest.approx(before, abs=0.01)
    page.get_by_role("link", name="Search everywhere").click()
    expect(page.get_by_text("4 listings", exact=True)).to_be_visible()


@pytest.mark.audit
def test_axe_finds_nothing(listings: None, page: Page, sign_in_page: SignIn) -> None:
    audit = Audit(page)
    without_tiles(page)
    names = {
        "search": "/real-estate",
        "nothing": "/real-estate?q=castle",
        "filtered": "/real-estate?area=Brattleboro&box=42,-73,43,-72",
    }
    page.goto("/real-estate")
    path = page.get_by_role("link", name="101 Canal Street").get_attribute("href") or ""
    sold = make_property(None, 9, StandardStatus="Closed", InternetAddressDisplayYN=False)
    names |= {"detail": path, "sold": f"/real-estate/listings/{sold.slug}", "inquire": f"{path}/inquire"}
    names |= {"guest": "/accounts/searches/new/?area=Keene"}
    for name, address in names.items():
        audit.visit(address, name=name)
        page.set_viewport_size({"width": 320, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, name
        picture(page, f"estate-{name}")
    # With a single place: markers that are close to each other overlap, until a visitor zooms in.
    page.goto("/real-estate?area=Keene")
    page.get_by_role("button", name="Show map").click()
    expect(page.get_by_role("link", name="Search this area")).to_be_visible()
    audit.check("map")
    picture(page, "estate-map")
    firm, fact = (page.goto(path) and page.locator(each).first for each in (".property__firm dd", ".property__facts dd"))
    size = "element => parseFloat(getComputedStyle(element).fontSize)"
    assert firm.evaluate(size) >= fact.evaluate(size)
    sign_in_page(page.context, create_member(email="noor@example.com", password=PASSWORD, name="Noor"))
    audit.visit("/accounts/searches/new/?area=Keene", name="save")
    picture(page, "estate-save")
    page.get_by_role("button", name="Save search").click()
    audit.check("account")
    picture(page, "estate-account")
    assert audit.found == {}
