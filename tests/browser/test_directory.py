"""A visitor narrows the directory, opens its map and a listing, and writes to it; also without scripts."""

from pathlib import Path

import js_lib_leaflet
import pytest
from playwright.sync_api import Locator, Page, Route, expect

from cms_api.flags.services import set_setting, switch_feature
from cms_api.mail.models import OutgoingMail
from commerce.directory.models import Listing
from commerce.reviews.types import Subject
from tests.builders import make_image
from tests.commerce.directory.builders import ADDRESS, DAILY, HERE, make_category, make_listing
from tests.commerce.reviews.builders import public_review

from .axe import Audit
from .test_shop import picture

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

#: Stands for every tile.
TILE = Path(js_lib_leaflet.__file__).parent / "static/js_lib_leaflet/images/layers-2x.png"
#: Milliseconds: nobody fills in a form faster.
READING = 2100


def make_listings() -> Listing:
    """Two potters and a bakery; the first potter is nearer to Brattleboro."""
    for name in ("directory", "reviews"):
        switch_feature(name=name, on=True)
    set_setting(key="site.country", value="US")
    crafts, food = make_category("Crafts"), make_category("Food")
    potter = make_listing(
        "Reyes Ceramics",
        categories=[crafts.pk],
        featured=True,
        description="Stoneware for the table.\n\nSee https://example.com for our classes.",
        email="hello@example.com",
        phone="+1 802 555 0142",
        website="https://example.com/shop",
        hours=DAILY,
        special_hours=[{"date": "2099-12-24", "hours": []}],
        timezone="Asia/Tokyo",
        logo=make_image("logo.png", width=400, height=400).pk,
        cover=make_image("cover.png", width=1600, height=900).pk,
        pictures=[make_image(f"{number}.png", width=800, height=600).pk for number in range(3)],
        **ADDRESS,
        **HERE,
    )
    make_listing("Hill Pottery", categories=[crafts.pk], description="Bowls.", city="Putney", latitude=42.97, longitude=-72.52)
    make_listing("Noor's Bakery", categories=[food.pk], city="Keene", latitude=42.93, longitude=-72.28)
    return potter


def serve_tiles(page: Page) -> list[str]:
    """Answer requests for tiles, and return the list that fills with their URLs."""
    asked: list[str] = []

    def answer(route: Route) -> None:
        asked.append(route.request.url)
        route.fulfill(body=TILE.read_bytes(), content_type="image/png")

    page.route("https://tile.openstreetmap.org/**", answer)
    return asked


def search(page: Page) -> Locator:
    """The form that narrows the list."""
    return page.get_by_role("search", name="Directory")


def test_it_works(page: Page) -> None:
    make_listings()
    tiles = serve_tiles(page)
    page.goto("/directory")
    page.get_by_role("navigation", name="Categories").get_by_role("link", name="Crafts").click()
    expect(page.get_by_role("status").filter(has_text="listings")).to_have_text("2 listings")
    search(page).get_by_label("Search", exact=True).fill("pot")
    search(page).get_by_role("button", name="Search").click()
    expect(page.get_by_role("heading", level=2)).to_have_text(["Hill Pottery"])
    search(page).get_by_label("Search", exact=True).fill("")
    search(page).get_by_label("Near").fill("Brattleboro")
    search(page).get_by_label("Within").select_option("50 mi")
    search(page).get_by_role("button", name="Search").click()
    expect(page.get_by_role("heading", level=2)).to_have_text(["Reyes Ceramics", "Hill Pottery"])
    expect(search(page).get_by_label("Near")).to_have_value("Brattleboro")
    expect(search(page).get_by_label("Within")).to_have_value("50")

    assert not tiles
    page.get_by_role("button", name="Show map").click()
    view = page.get_by_role("region", name="Map of Crafts")
    expect(view.get_by_role("link", name="© OpenStreetMap contributors")).to_be_visible()
    page.wait_for_function("() => document.querySelector('.leaflet-tile-loaded')")
    assert tiles
    marker = view.get_by_role("button", name="Reyes Ceramics")
    marker.focus()
    page.keyboard.press("Enter")
    expect(view.get_by_role("link", name="Reyes Ceramics")).to_be_focused()
    page.keyboard.press("Escape")
    expect(marker).to_be_focused()
    page.keyboard.press("Enter")
    expect(view.get_by_text("14 Canal Street")).to_be_visible()
    view.get_by_role("link", name="Reyes Ceramics").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Reyes Ceramics")
    page.get_by_role("link", name="Send a message").click()
    page.get_by_label("Your name").fill("Ruth Adeyemi")
    page.get_by_label("Your message").fill("Do you have the blue bowls?")
    page.wait_for_timeout(READING)
    page.get_by_role("button", name="Send message").click()
    expect(page.get_by_role("alert")).to_contain_text("Enter your email address.")
    page.get_by_label("Your email address").fill("ruth@example.com")
    # Sent once.
    page.get_by_role("button", name="Send message").dblclick()
    expect(page.get_by_role("status")).to_contain_text("Your message to Reyes Ceramics has been sent.")
    mail = OutgoingMail.objects.get(template="listing_message")
    assert (mail.recipient, mail.reply_to) == ("hello@example.com", "ruth@example.com")
    page.get_by_role("link", name="Back to Reyes Ceramics").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Reyes Ceramics")


def test_it_works_without_scripts(plain_page: Page) -> None:
    make_listings()
    plain_page.goto("/directory")
    expect(plain_page.get_by_role("button", name="Show map")).to_have_count(0)
    plain_page.get_by_label("Featured only").check()
    search(plain_page).get_by_role("button", name="Search").click()
    expect(plain_page.get_by_label("Featured only")).to_be_checked()
    plain_page.get_by_role("link", name="Reyes Ceramics").click()
    expect(plain_page.get_by_role("link", name="View on OpenStreetMap")).to_be_visible()


@pytest.mark.audit
def test_axe_finds_nothing(page: Page) -> None:
    audit = Audit(page)
    serve_tiles(page)

    def check(name: str, path: str) -> None:
        page.goto(path)
        audit.check(name)
        page.set_viewport_size({"width": 320, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, name
        page.set_viewport_size({"width": 1280, "height": 900})
        if (button := page.get_by_role("button", name="Show map")).count():
            button.click()
            page.wait_for_function("() => document.querySelector('.leaflet-tile-loaded')")
            page.locator(".leaflet-marker-icon").first.press("Enter")
            audit.check(f"{name}-map")
        picture(page, name)

    potter = make_listings()
    public_review(subject=Subject("listing", potter.pk, potter.name), body="Bowls that last.")
    for name, path in (
        ("directory", "/directory"),
        ("directory-category", "/directory/category/crafts"),
        ("directory-near", "/directory?near=Brattleboro&open=1"),
        ("directory-nothing", "/directory?q=kettle&near=Atlantis"),
        ("listing", "/directory/reyes-ceramics"),
        ("listing-message", "/directory/reyes-ceramics/contact"),
        ("listing-message-sent", "/directory/reyes-ceramics/contact?sent=1"),
    ):
        check(name, path)
    Listing.objects.filter(pk=potter.pk).update(expires_at="2020-01-01T00:00:00Z")
    check("listing-ended", "/directory/reyes-ceramics")
    assert audit.found == {}
