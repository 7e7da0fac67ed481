"""A review is written on the public form in a browser that runs no scripts, approved and answered in the admin, and shown."""

import pytest
from playwright.sync_api import Page, expect

from cms_api.flags.services import switch_feature
from commerce.reviews.models import Review
from commerce.reviews.selectors import DECLINE_LINK, INVITATION_LINK
from commerce.reviews.services import reply_to_review
from commerce.reviews.types import Subject
from tests.builders import make_page
from tests.commerce.reviews.builders import google, make_invitation, public_review, sync
from tests.commerce.shop.builders import make_product
from tests.events.event_pages import at, make_event

from .axe import Audit
from .test_shop import picture

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

#: Milliseconds: nobody fills in a form faster.
READING = 2100


def test_it_works(admin_page: Page, plain_page: Page) -> None:
    switch_feature(name="reviews", on=True)
    visitor = plain_page
    visitor.goto("/reviews")
    visitor.get_by_role("link", name="Write a review").click()
    visitor.get_by_role("radio", name="4 stars: Good").check()
    visitor.get_by_label("Title").fill("Lovely")
    visitor.get_by_label("Your review").fill("The café could open earlier.")
    visitor.get_by_label("Your name").fill("Dana Reyes")
    visitor.wait_for_timeout(READING)
    visitor.get_by_role("button", name="Submit review").click()
    expect(visitor.get_by_role("alert")).to_contain_text("Enter your email address.")
    visitor.get_by_label("Your email address").fill("dana@example.com")
    visitor.get_by_role("button", name="Submit review").click()
    expect(visitor.get_by_role("status")).to_have_text("Thank you! Your review will appear once it's approved.")
    visitor.goto("/reviews")
    expect(visitor.get_by_role("heading", name="No reviews yet")).to_be_visible()

    admin_page.goto("/admin/")
    admin_page.get_by_role("link", name="Reviews awaiting moderation").click()
    admin_page.get_by_role("link", name="Lovely").first.click()
    admin_page.get_by_role("button", name="Approve").click()
    expect(admin_page.get_by_text("Review approved and published.")).to_be_visible()
    admin_page.get_by_role("link", name="Reply").click()
    admin_page.get_by_label("Reply").fill("From May on, it does!")
    admin_page.get_by_role("button", name="Reply").click()
    expect(admin_page.get_by_text("Reply saved.")).to_be_visible()

    visitor.goto("/reviews")
    expect(visitor.get_by_role("heading", name="Lovely")).to_be_visible()
    expect(visitor.get_by_role("listitem").get_by_role("img", name="4 out of 5 stars")).to_be_visible()
    expect(visitor.get_by_text("From May on, it does!")).to_be_visible()


@pytest.mark.audit
def test_axe_finds_nothing(page: Page) -> None:
    audit = Audit(page)

    def check(name: str, path: str = "") -> None:
        if path:
            page.goto(path)
        audit.check(name)
        page.set_viewport_size({"width": 320, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, name
        page.set_viewport_size({"width": 1280, "height": 900})
        picture(page, name)

    for name in ("reviews", "shop", "loyalty"):
        switch_feature(name=name, on=True)
    mug = Subject("product", make_product("Stoneware mug", price=2400, summary="Holds 0.3 l.").pk, "Stoneware mug")
    event = make_event("Open rehearsal", at(48))
    check("reviews-none", "/reviews")
    long = "The staff remember what you were working on, and the kiln is fired twice a week. " * 4
    for number in range(7):
        public_review(subject=mug, rating=5 - number % 3, title="Exactly as described" if number % 2 else "", body=long)
    public_review(subject=Subject("event", event.pk, "Open rehearsal"), rating=2, title="Too crowded")
    public_review(author_name="Kim Oduya-Featherstonehaugh", title="Our third visit", rating=4)
    Review.objects.filter(rating=4).update(received_points=True)
    reply_to_review(review=Review.objects.filter(rating=2)[0], reply="Thank you for telling us!\n\nWe've added a second date.")
    sync(google(url="https://google.example/1"))
    check("reviews-list", "/reviews")
    check("reviews-rating", "/reviews?rating=1")
    check("reviews-product", "/shop/products/stoneware-mug")
    check("reviews-event", f"/events/{event.slug}")
    check("reviews-of-product", f"/reviews/about/product/{mug.id}")
    check("reviews-row", make_page({"type": "reviews", "value": {"heading": "", "count": 3}}).url)
    check("reviews-form", "/reviews/new")
    page.get_by_role("button", name="Submit review").click()
    check("reviews-form-errors")
    check("reviews-thanks", "/reviews/thanks")
    invitation = make_invitation(mug)
    check("reviews-invitation", INVITATION_LINK.path(invitation))
    check("reviews-decline", DECLINE_LINK.path(invitation))
    page.get_by_role("button", name="Unsubscribe").click()
    check("reviews-declined")
    assert audit.found == {}


@pytest.mark.audit
def test_axe_finds_nothing_in_the_admin(admin_page: Page) -> None:
    audit = Audit(admin_page)
    switch_feature(name="reviews", on=True)
    review = public_review(title="Lovely")
    make_invitation(name="Ruth Adeyemi")
    sync(google())
    for name, path in (
        ("list", ""),
        ("inspect", f"inspect/{review.pk}/"),
        ("hide", f"hide/{review.pk}/"),
        ("reply", f"reply/{review.pk}/"),
        ("import", "import/"),
        ("invitations", "invitations/"),
    ):
        audit.visit(f"/admin/reviews/{path}")
        picture(admin_page, f"reviews-admin-{name}")
    assert audit.found == {}
