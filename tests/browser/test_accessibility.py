"""Axe finds nothing against WCAG 2.2 AA: on the public pages, light and dark, and on the project's own pages of the admin."""

from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page

from cms_api.accounts.services import create_member
from cms_api.auth.services.tokens import create_token
from cms_api.comments.models import Comment
from cms_api.content.models import ContentItem, ContentType
from cms_api.flags.services import switch_feature
from cms_api.forms.models import Submission
from cms_api.mail.demo import load as load_mail
from cms_api.mail.models import OutgoingMail
from cms_api.media.models import MediaFile, MediaImage
from cms_api.media.services.categories import save_category
from cms_api.webhooks.services.endpoints import create_endpoint
from commerce.crm.admin.merging import merge_url
from commerce.crm.demo import load as load_crm
from commerce.crm.models import AssignmentRule, Company, Contact
from commerce.loyalty.demo import load as load_loyalty
from commerce.loyalty.models import PointsBalance
from commerce.marketing.demo import load as load_marketing
from commerce.marketing.models import MailingList, Sequence, Subscriber
from commerce.marketing.services.links import confirm_url, preferences_url, unsubscribe_url
from commerce.members.demo import load as load_members
from commerce.members.models import Member
from events.models import Rsvp
from events.selectors.rsvps import offered_dates, token_for
from events.services.rsvps import reply
from home.models import PageImage, Row, SharedRow, StandardPage
from home.services import set_page_image
from tests import people
from tests.builders import field, make_item, make_page, make_type
from tests.commerce.imports.files import import_all, make_run, start_run, table

from .conftest import Open

pytestmark = [pytest.mark.browser, pytest.mark.audit, pytest.mark.django_db(transaction=True)]

RULES = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]},
    # What is right is not told in detail.
    "resultTypes": ["violations"],
}

#: Wagtail's own: the outline beside an editor, which scrolls without being focusable, and rich text editors without a name.
OURS = {"exclude": [[".w-minimap"], [".Draftail-Editor"]]}

PUBLIC = (
    *("/", "/about/", "/find-us/", "/summer-school/", "/nothing/here"),
    *("/blog-post", "/blog-post?q=mill", "/blog-post?q=nothing-at-all", "/service", "/projects"),
    *("/blog-post/a-year-in-numbers", "/blog-post/a-year-in-numbers?commented=1", "/showcase/turbine-hall"),
    *("/events", "/events?tab=past", "/events?q=nothing-at-all", "/events?view=calendar", "/events?view=calendar&month=1999-01"),
    *("/events/choir-on-thursdays", "/events/river-festival", "/events/category/music"),
    *("/forms/hire-a-room", "/forms/contact", "/forms/contact?sent=contact"),
)

ACCOUNTS = (
    *("/accounts/signup/", "/accounts/inactive/", "/accounts/confirm-email/", "/accounts/confirm-email/MTI3/"),
    *("/accounts/password/reset/", "/accounts/password/reset/done/", "/accounts/password/reset/key/1-x/"),
    "/accounts/password/reset/key/done/",
)


def violations(page: Page) -> list[str]:
    """What axe finds, each as the rule, the element and what to do."""
    found: list[dict[str, Any]] = Axe().run(page, context=OURS, options=RULES).response["violations"]
    return [f"{each['id']}: {node['html'][:160]} ({node['failureSummary'][:200]})" for each in found for node in each["nodes"]]


def set_picture() -> PageImage:
    """A picture of the demo that an integration has put on a page."""
    media = MediaImage.objects.first()
    row = next(row for row in Row.objects.filter(page__isnull=False, position__isnull=False).order_by("pk") if row.slots)
    assert media
    image = set_page_image(row=row, key=row.slots[0]["key"], media_id=media.pk)
    assert image
    return image


def set_repeating_date() -> ContentItem:
    """An item whose form tells of its dates, over a change of the clocks."""
    date = {"start": "2099-02-02T18:30", "tz": "Europe/Paris", "repeat": {"frequency": "weekly"}}
    return make_item(make_type(field("at", "datetime")), data={"at": date})


def make_reply() -> Rsvp:
    """Somebody comes to the next rehearsal of the demo."""
    event = ContentItem.objects.get(slug="choir-on-thursdays")
    (row,) = offered_dates(event, 1)
    found = reply(event=event, start=str(row.pk), name="Dana Reyes", email="dana@example.org", party_size=2)
    assert found
    return found


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_public_pages(open_page: Open, scheme: str, width: int) -> None:
    page, _ = open_page("/", scheme=scheme, width=width)
    site = page.url.rstrip("/")
    found = {}
    for path in (*PUBLIC, f"/events/rsvp/{token_for(make_reply())}/cancel"):
        page.goto(site + path)
        found[path] = violations(page)
    page.goto(f"{site}/events/choir-on-thursdays")
    page.get_by_role("button", name="I'm coming").click()
    page.get_by_role("alert").wait_for()
    found["mistakes in a reply"] = violations(page)
    page.goto(f"{site}/forms/hire-a-room")
    page.get_by_role("button", name="Ask for the room").click()
    page.get_by_role("alert").wait_for()
    found["mistakes"] = violations(page)
    page.goto(f"{site}/blog-post/a-year-in-numbers")
    page.get_by_role("link", name="Write a comment").click()
    found["writing a comment"] = violations(page)
    page.get_by_role("button", name="Submit comment").click()
    page.get_by_role("alert").wait_for()
    found["mistakes in a comment"] = violations(page)
    assert {path: problems for path, problems in found.items() if problems} == {}


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_pages_of_accounts(open_page: Open, accounts_on: None, sign_in: Callable[[Any], Client], scheme: str, width: int) -> None:
    page, problems = open_page("/accounts/login/", scheme=scheme, width=width)
    site = page.url.removesuffix("/accounts/login/")
    found = {"/accounts/login/": violations(page)}
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("alert").wait_for()
    found["mistakes"] = violations(page)
    for path in ACCOUNTS:
        page.goto(site + path)
        found[path] = violations(page)
    member = create_member(email="mia@example.com", password=people.PASSWORD, name="Mia Sand")
    EmailAddress.objects.create(user=member, email="new@example.com")
    cookie = sign_in(member).cookies["sessionid"]
    page.context.add_cookies([{"name": "sessionid", "value": cookie.value, "url": site}])
    for path in ("/accounts/", "/accounts/email/", "/accounts/password/change/", "/accounts/logout/"):
        page.goto(site + path)
        found[path] = violations(page)
    assert {path: wrong for path, wrong in found.items() if wrong} == {}
    assert problems == []


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_pages_of_members(open_page: Open, sign_in: Callable[[Any], Client], scheme: str, width: int) -> None:
    switch_feature(name="loyalty", on=True)
    load_members(1, lambda count: None)
    load_loyalty(1, lambda count: None)
    page, problems = open_page("/membership", scheme=scheme, width=width)
    site = page.url.removesuffix("/membership")
    found = {"/membership": violations(page)}
    for status in ("active", "cancelled"):
        member = Member.objects.filter(status=status, plan__slug="friend").first()
        assert member
        cookie = sign_in(member.user).cookies["sessionid"]
        page.context.add_cookies([{"name": "sessionid", "value": cookie.value, "url": site}])
        for path in ("/accounts/", "/accounts/membership/?plan=family", "/accounts/membership/cancel/", "/accounts/points/"):
            page.goto(site + path)
            found[f"{path} {status}"] = violations(page)
    cookie = sign_in(people.alice()).cookies["sessionid"]
    page.context.add_cookies([{"name": "sessionid", "value": cookie.value, "url": site}])
    for path in (
        *("members/", f"members/inspect/{member.pk}/", "members/new/", "members/plans/", "members/plans/new/"),
        *("loyalty/", "loyalty/adjust/", "loyalty/ledger/", f"loyalty/inspect/{PointsBalance.objects.latest('pk').pk}/"),
    ):
        page.goto(f"{site}/admin/{path}")
        page.wait_for_timeout(300)
        found[path] = violations(page)
    assert {path: wrong for path, wrong in found.items() if wrong} == {}
    assert problems == []


@pytest.mark.usefixtures("own_budgets")
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_pages_of_marketing(open_page: Open, settings: Any, scheme: str, width: int) -> None:
    switch_feature(name="marketing", on=True)
    load_marketing(1, lambda count: None)
    row = {"type": "newsletter", "value": {"heading": "News", "text": "<p>Twice a <b>month</b>.</p>", "lists": [], "button": ""}}
    active, waiting, gone = (Subscriber.objects.filter(status=status).first() for status in ("active", "pending", "unsubscribed"))
    assert active
    assert waiting
    assert gone
    page, _ = open_page("/subscribe", scheme=scheme, width=width)
    site = page.url.removesuffix("/subscribe")
    found = {"/subscribe": violations(page)}
    page.get_by_role("button", name="Subscribe").click()
    page.get_by_role("alert").wait_for()
    found["mistakes"] = violations(page)
    links = {
        "asks to confirm": confirm_url(waiting, lists=list(MailingList.objects.all())),
        "confirmed before": confirm_url(active),
        "nobody's to confirm": "/subscribe/confirm/1:x",
        "asks to unsubscribe": unsubscribe_url(active),
        "unsubscribed before": unsubscribe_url(gone),
        "nobody's to unsubscribe": "/unsubscribe/1:x",
        "choices": preferences_url(active),
        "choices of who left": preferences_url(gone),
        "nobody's choices": "/subscriptions/1:x",
        "a row": f"/{make_page(row, title='Stay in touch').slug}/",
        "sent": "/subscribe?sent=1",
    }
    for name, link in links.items():
        page.goto(site + link.removeprefix(settings.BASE_URL))
        found[name] = violations(page)
    for name, link, button in (
        ("confirmed", links["asks to confirm"], "Confirm subscription"),
        ("saved", links["choices"], "Save"),
        ("unsubscribed", links["asks to unsubscribe"], "Unsubscribe"),
    ):
        page.goto(site + link.removeprefix(settings.BASE_URL))
        page.get_by_role("button", name=button).click()
        page.get_by_role("status").wait_for()
        found[name] = violations(page)
    page.goto(site + preferences_url(waiting).removeprefix(settings.BASE_URL))
    page.get_by_label("First name").fill("x" * 300)
    page.get_by_role("button", name="Save").click()
    page.get_by_role("alert").wait_for()
    found["mistakes in choices"] = violations(page)
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_pages_of_contacts_in_the_admin(open_page: Open, sign_in: Callable[[Any], Client], scheme: str, width: int) -> None:
    for name in ("crm", "marketing"):
        switch_feature(name=name, on=True)
    load_crm(1, lambda count: None)
    load_marketing(1, lambda count: None)
    contact, twin = Contact.objects.filter(last_name="Reyes").order_by("pk")
    company, rule = Company.objects.order_by("pk").first(), AssignmentRule.objects.order_by("pk").first()
    person, left = (Subscriber.objects.filter(status=status, enrolments__gt=0).first() for status in ("active", "unsubscribed"))
    sequence, mailing_list = Sequence.objects.order_by("pk").first(), MailingList.objects.order_by("pk").first()
    assert company
    assert rule
    assert person
    assert left
    assert sequence
    assert mailing_list
    step = sequence.steps.first()
    waiting, refused = make_run(), import_all(table("bad", "a@example.com"))
    moving = start_run(make_run())
    page, problems = open_page("/admin/login/", scheme=scheme, width=width)
    site = page.url.removesuffix("/admin/login/")
    cookie = sign_in(people.alice()).cookies["sessionid"]
    page.context.add_cookies([{"name": "sessionid", "value": cookie.value, "url": site}])
    merging, tagging, enrolling = (
        address.removeprefix("/admin/")
        for address in (
            merge_url([contact.pk, twin.pk]),
            reverse("wagtail_bulk_action", args=["crm", "contact", "tag"]) + f"?id={contact.pk}&id={twin.pk}",
            reverse("wagtail_bulk_action", args=["marketing", "subscriber", "enrol"]) + f"?id={person.pk}",
        )
    )
    own = (
        *("crm/contacts/", f"crm/contacts/inspect/{contact.pk}/", "crm/contacts/duplicates/", merging, tagging),
        *("crm/companies/", f"crm/companies/inspect/{company.pk}/", f"crm/rules/edit/{rule.pk}/"),
        *("marketing/subscribers/", f"marketing/subscribers/inspect/{person.pk}/", enrolling),
        *(f"marketing/sequences/inspect/{sequence.pk}/", f"marketing/sequences/edit/{sequence.pk}/"),
        *(f"marketing/sequences/steps/{step.pk}/", "imports/new/subscribers/", f"imports/{waiting.pk}/prepare/"),
        *(f"imports/{refused.pk}/", f"imports/{moving.pk}/"),
    )
    #: Those that Wagtail draws, and what was seen in a like page.
    others = (
        *("crm/contacts/new/", f"crm/contacts/edit/{contact.pk}/", f"crm/contacts/delete/{contact.pk}/"),
        *(f"crm/companies/edit/{company.pk}/", "crm/rules/", "crm/rules/new/"),
        *("marketing/subscribers/new/", f"marketing/subscribers/edit/{person.pk}/", f"marketing/subscribers/inspect/{left.pk}/"),
        *(f"marketing/subscribers/unsubscribe/{person.pk}/", f"marketing/subscribers/resubscribe/{left.pk}/"),
        *("marketing/lists/", f"marketing/lists/edit/{mailing_list.pk}/", "marketing/sequences/", "marketing/sequences/new/"),
        *("imports/", "imports/new/contacts/"),
    )
    found = {}
    for path in own if scheme == "dark" else own + others:
        answer = page.goto(f"{site}/admin/{path}")
        assert answer
        assert answer.status == 200, path
        page.wait_for_timeout(300)
        found[path] = violations(page)
    assert {path: wrong for path, wrong in found.items() if wrong} == {}
    assert problems == []


def test_pages_of_the_admin(open_page: Open, admin_page: Page) -> None:
    for name in ("api", "webhooks"):
        switch_feature(name=name, on=True)
    create_token(name="Reader", abilities=["content:read"])
    endpoint = create_endpoint(url="https://93.184.216.34/hook", events=["*"])
    item, kind = ContentItem.objects.get(slug="turbine-hall"), ContentType.objects.get(slug="showcase")
    load_mail(1, lambda count: None)
    mail = OutgoingMail.objects.get(state="failed")
    spam = Submission.objects.filter(is_spam=True).first()
    assert spam
    waiting = Comment.objects.filter(waits=1).first()
    assert waiting
    row, page = SharedRow.objects.first(), StandardPage.objects.first()
    assert row
    assert page
    category, document = save_category(name="Drawings"), MediaFile.objects.create(title="Prices", file="media/2026/03/prices.pdf")
    picture, dated = set_picture(), set_repeating_date()
    make_reply()
    bulk = (
        reverse("wagtail_bulk_action", args=["media", "mediaimage", "delete"]).removeprefix("/admin/") + f"?id={picture.media_id}"
    )
    decide = reverse("wagtail_bulk_action", args=["comments", "comment", "approve"]).removeprefix("/admin/") + f"?id={waiting.pk}"
    found = {}
    for path in (
        *(
            "",
            "content/items/",
            f"content/items/edit/{item.pk}/",
            f"content/items/edit/{dated.pk}/",
            "content/types/",
            f"content/types/edit/{kind.pk}/",
        ),
        *("snippets/home/sharedrow/", f"snippets/home/sharedrow/edit/{row.pk}/", f"pages/{page.pk}/edit/"),
        *("api-tokens/", "api-tokens/new/", "webhooks/", "webhooks/new/", f"webhooks/inspect/{endpoint.pk}/"),
        *("forms/", "forms/new/", f"forms/edit/{spam.form_id}/", f"forms/delete/{spam.form_id}/"),
        *("forms/submissions/", f"forms/submissions/inspect/{spam.pk}/"),
        *("comments/", f"comments/inspect/{waiting.pk}/", f"comments/delete/{waiting.pk}/", decide),
        *("mail/log/", f"mail/log/{mail.pk}/", "mail/templates/", "mail/templates/webhook_disabled/"),
        *(f"images/{picture.media_id}/delete/", f"images/usage/{picture.media_id}/", f"documents/delete/{document.pk}/", bulk),
        *(f"pages/{picture.row.page_id}/edit/", f"page-pictures/{picture.row.page_id}/{picture.row.slug}/{picture.key}/"),
        *("categories/", "categories/new/", f"categories/edit/{category.pk}/", f"categories/delete/{category.pk}/"),
        *("events/rsvps/", "events/rsvps/?cancelled=1", "mail/templates/event_rsvp/"),
        *("features/", "api-documentation/", "settings/home/sitelook/"),
    ):
        answer = admin_page.goto(f"/admin/{path}")
        assert answer
        assert answer.status == 200, path
        admin_page.wait_for_timeout(300)
        found[path] = violations(admin_page)
    assert {path: problems for path, problems in found.items() if problems} == {}
