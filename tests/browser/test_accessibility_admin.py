"""Axe finds nothing on the project's own pages of the admin."""

from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Page

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
from commerce.members.demo import load as load_members
from commerce.members.models import Member
from home.models import PageImage, Row, SharedRow, StandardPage, Theme
from home.models.theme import PREVIEWS
from home.services import set_page_image
from tests import people
from tests.builders import field, make_item, make_type
from tests.commerce.imports.files import import_all, make_run, start_run, table

from .axe import LIGHT, LIGHT_AND_DARK, Audit
from .conftest import Open, SignIn
from .test_accessibility import make_reply, try_requests

pytestmark = [pytest.mark.browser, pytest.mark.audit, pytest.mark.django_db(transaction=True)]

#: How long the admin's scripts and transitions may take, in milliseconds.
SETTLE = 300


@pytest.fixture
def admin(open_page: Open, sign_in_page: SignIn) -> tuple[Page, list[str]]:
    """An empty page, signed in as Alice, and what goes wrong on it."""
    page, problems = open_page("about:blank")
    sign_in_page(page.context, people.alice())
    return page, problems


def check_pages(page: Page, *paths: str, dark: bool = False) -> dict[str, list[str]]:
    """Check these paths below /admin/ with axe, and return the violations."""
    audit = Audit(page, LIGHT_AND_DARK if dark else LIGHT)
    for path in paths:
        audit.visit(f"/admin/{path}", settle=SETTLE)
    return audit.found


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


def test_members(admin: tuple[Page, list[str]]) -> None:
    switch_feature(name="loyalty", on=True)
    load_members(1, lambda count: None)
    load_loyalty(1, lambda count: None)
    page, problems = admin
    member = Member.objects.filter(status="cancelled", plan__slug="friend").first()
    assert member
    paths = (
        *("members/", f"members/inspect/{member.pk}/", "members/new/", "members/plans/", "members/plans/new/"),
        *("loyalty/", "loyalty/new/", "loyalty/ledger/", f"loyalty/inspect/{PointsBalance.objects.latest('pk').pk}/"),
    )
    assert check_pages(page, *paths, dark=True) == {}
    assert problems == []


def bulk(app: str, model: str, action: str, *records: Any) -> str:
    """The path of a bulk action for the records."""
    address = reverse("wagtail_bulk_action", args=[app, model, action]).removeprefix("/admin/")
    return f"{address}?{'&'.join(f'id={record.pk}' for record in records)}"


def test_contacts(admin: tuple[Page, list[str]]) -> None:
    switch_feature(name="crm", on=True)
    load_crm(1, lambda count: None)
    contact, twin = Contact.objects.filter(last_name="Reyes").order_by("pk")
    company, rule = Company.objects.order_by("pk").first(), AssignmentRule.objects.order_by("pk").first()
    assert company
    assert rule
    merging = merge_url([contact.pk, twin.pk]).removeprefix("/admin/")
    own = (
        *("crm/contacts/", f"crm/contacts/inspect/{contact.pk}/", "crm/contacts/duplicates/", merging),
        bulk("crm", "contact", "tag", contact, twin),
        *("crm/companies/", f"crm/companies/inspect/{company.pk}/", f"crm/rules/edit/{rule.pk}/"),
    )
    others = (
        *("crm/contacts/new/", f"crm/contacts/edit/{contact.pk}/", f"crm/contacts/delete/{contact.pk}/"),
        *(f"crm/companies/edit/{company.pk}/", "crm/rules/", "crm/rules/new/"),
    )
    page, problems = admin
    assert check_pages(page, *own, dark=True) | check_pages(page, *others) == {}
    assert problems == []


def test_imports(admin: tuple[Page, list[str]]) -> None:
    for name in ("crm", "marketing"):
        switch_feature(name=name, on=True)
    waiting, refused = make_run(), import_all(table("bad", "a@example.com"))
    moving = start_run(make_run())
    own = ("imports/new/subscribers/", f"imports/{waiting.pk}/prepare/", f"imports/{refused.pk}/", f"imports/{moving.pk}/")
    page, problems = admin
    assert check_pages(page, *own, dark=True) | check_pages(page, "imports/", "imports/new/contacts/") == {}
    assert problems == []


def test_marketing(admin: tuple[Page, list[str]]) -> None:
    for name in ("crm", "marketing"):
        switch_feature(name=name, on=True)
    load_crm(1, lambda count: None)
    load_marketing(1, lambda count: None)
    person, left = (Subscriber.objects.filter(status=status, enrolments__gt=0).first() for status in ("active", "unsubscribed"))
    sequence, mailing_list = Sequence.objects.order_by("pk").first(), MailingList.objects.order_by("pk").first()
    assert person
    assert left
    assert sequence
    assert mailing_list
    step = sequence.steps.first()
    own = (
        *("marketing/subscribers/", f"marketing/subscribers/inspect/{person.pk}/"),
        bulk("marketing", "subscriber", "enrol", person),
        *(f"marketing/sequences/inspect/{sequence.pk}/", f"marketing/sequences/edit/{sequence.pk}/"),
        f"marketing/sequences/steps/{step.pk}/",
    )
    #: Those that Wagtail draws, and what was seen in a like page.
    others = (
        *("marketing/subscribers/new/", f"marketing/subscribers/edit/{person.pk}/", f"marketing/subscribers/inspect/{left.pk}/"),
        *(f"marketing/subscribers/unsubscribe/{person.pk}/", f"marketing/subscribers/resubscribe/{left.pk}/"),
        *("marketing/lists/", f"marketing/lists/edit/{mailing_list.pk}/", "marketing/sequences/", "marketing/sequences/new/"),
    )
    page, problems = admin
    assert check_pages(page, *own, dark=True) | check_pages(page, *others) == {}
    assert problems == []


def test_content(admin: tuple[Page, list[str]]) -> None:
    item, kind = ContentItem.objects.get(slug="turbine-hall"), ContentType.objects.get(slug="showcase")
    row, shown, dated = SharedRow.objects.first(), StandardPage.objects.first(), set_repeating_date()
    assert row
    assert shown
    make_reply()
    paths = (
        *("", "content/items/", f"content/items/edit/{item.pk}/", f"content/items/edit/{dated.pk}/"),
        *("content/types/", f"content/types/edit/{kind.pk}/"),
        *("snippets/home/sharedrow/", f"snippets/home/sharedrow/edit/{row.pk}/", f"pages/{shown.pk}/edit/"),
        *("events/rsvps/", "events/rsvps/?cancelled=1", f"events/dates/{dated.pk}/"),
    )
    assert check_pages(admin[0], *paths) == {}


def test_media_and_pictures_of_pages(admin: tuple[Page, list[str]]) -> None:
    switch_feature(name="api", on=True)
    category, document = save_category(name="Drawings"), MediaFile.objects.create(title="Prices", file="media/2026/03/prices.pdf")
    picture = set_picture()
    paths = (
        *(f"images/{picture.media_id}/delete/", f"images/usage/{picture.media_id}/", f"documents/delete/{document.pk}/"),
        bulk("media", "mediaimage", "delete", picture.media),
        *(f"pages/{picture.row.page_id}/edit/", f"page-pictures/{picture.row.page_id}/{picture.row.slug}/{picture.key}/"),
        *("categories/", "categories/new/", f"categories/edit/{category.pk}/", f"categories/delete/{category.pk}/"),
    )
    assert check_pages(admin[0], *paths) == {}


def test_forms_and_comments(admin: tuple[Page, list[str]]) -> None:
    spam, waiting = Submission.objects.filter(is_spam=True).first(), Comment.objects.filter(waits=1).first()
    assert spam
    assert waiting
    paths = (
        *("forms/", "forms/new/", f"forms/edit/{spam.form_id}/", f"forms/delete/{spam.form_id}/"),
        *("forms/submissions/", f"forms/submissions/inspect/{spam.pk}/"),
        *("comments/", f"comments/inspect/{waiting.pk}/", f"comments/delete/{waiting.pk}/"),
        bulk("comments", "comment", "approve", waiting),
    )
    assert check_pages(admin[0], *paths) == {}


def test_tokens_webhooks_mails_and_settings(admin: tuple[Page, list[str]]) -> None:
    for name in ("api", "webhooks"):
        switch_feature(name=name, on=True)
    create_token(name="Reader", abilities=["content:read"])
    endpoint = create_endpoint(url="https://93.184.216.34/hook", events=["*"])
    load_mail(1, lambda count: None)
    mail = OutgoingMail.objects.get(state="failed")
    paths = (
        *("api-tokens/", "api-tokens/new/", "webhooks/", "webhooks/new/", f"webhooks/inspect/{endpoint.pk}/"),
        *("webhooks/deliveries/", f"webhooks/rotate/{endpoint.pk}/"),
        *(
            "mail/log/",
            f"mail/log/{mail.pk}/",
            "mail/templates/",
            "mail/templates/webhook_disabled/",
            "mail/templates/event_rsvp/",
        ),
        *("features/", "settings/home/theme/"),
    )
    assert check_pages(admin[0], *paths) == {}


def test_documentation_of_the_api(admin: tuple[Page, list[str]]) -> None:
    page, _ = admin
    assert check_pages(page, "api-documentation/", dark=True) == {}
    for name in ("api", "webhooks"):
        switch_feature(name=name, on=True)
    audit = Audit(page)
    audit.visit("/admin/api-documentation/", settle=SETTLE)
    try_requests(page)
    audit.check("forms and responses")
    assert audit.found == {}


def test_the_preview_of_the_theme(admin: tuple[Page, list[str]]) -> None:
    """Colours that are too light or too dark for text."""
    for accent in ("#f5b82e", "#131a3f"):
        theme = Theme.load()
        theme.accent, theme.fonts = accent, "classic"
        theme.save()
        assert check_pages(admin[0], *(f"settings/home/theme/{theme.pk}/preview/?mode={mode}" for mode in PREVIEWS)) == {}
