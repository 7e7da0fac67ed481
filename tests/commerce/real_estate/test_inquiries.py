"""Inquiries are stored, mailed with the visitor as the one to reply to, and recorded in the CRM; spam is only stored."""

from typing import Any

import pytest
from django.conf import settings as django_settings

from cms_api.core.errors import Invalid, TooManyAttempts
from cms_api.core.not_found import NotFound
from cms_api.flags.services import set_setting, switch_feature
from cms_api.mail.models import OutgoingMail
from commerce.crm.models import Activity, Contact
from commerce.real_estate.models import Inquiry, Property
from commerce.real_estate.services import release_inquiry, send_inquiry

from .builders import import_records, make_feed, make_property, record, visit


@pytest.fixture(autouse=True)
def business(settings: Any) -> None:
    settings.BUSINESS_EMAIL = "office@example.org"


def ask(listing: Property | None = None, *, honeypot: str = "", **changes: Any) -> Inquiry:
    values = {
        "name": "Dana  Reyes",
        "email": "Dana@Example.com",
        "phone": "+1 802 555 0142",
        "message": "Can I see it?",
        **changes,
    }
    return send_inquiry(listing=listing or make_property(), visit=visit(honeypot), **values)


def mails() -> list[OutgoingMail]:
    return list(OutgoingMail.objects.filter(template="property_inquiry").order_by("pk"))


@pytest.mark.both_databases
def test_it_works() -> None:
    listing = make_property(number=1)
    inquiry = ask(listing)
    assert (inquiry.listing, inquiry.title, inquiry.listing_key) == (listing, listing.title, "RE-1")
    assert (inquiry.name, inquiry.email) == ("Dana Reyes", "dana@example.com")
    (mail,) = mails()
    assert (mail.to, mail.reply_to) == ("office@example.org", "dana@example.com")
    for text in ("Can I see it?", listing.title, "RE-1", f"{django_settings.BASE_URL}/real-estate/listings/{listing.slug}"):
        assert text in mail.text


def test_another_address_may_get_them() -> None:
    set_setting(key="real_estate.inquiries_to", value="sales@example.org")
    ask()
    assert [mail.to for mail in mails()] == ["sales@example.org"]


def test_without_an_address_it_is_stored(settings: Any) -> None:
    settings.BUSINESS_EMAIL = ""
    ask()
    assert (Inquiry.objects.count(), mails()) == (1, [])


def test_the_contact_and_its_timeline() -> None:
    ask()
    assert not Contact.objects.exists()
    switch_feature(name="crm", on=True)
    inquiry = ask()
    contact = Contact.objects.get()
    assert (contact.email, contact.first_name, contact.phone) == ("dana@example.com", "Dana", "+1 802 555 0142")
    assert [each.summary for each in Activity.objects.filter(contact=contact)] == [f"Inquired about {inquiry.title}"]


def test_spam_is_stored_and_not_sent() -> None:
    switch_feature(name="crm", on=True)
    inquiry = ask(honeypot="x")
    assert (inquiry.is_spam, inquiry.spam_reason) == (True, "The honeypot field was filled in.")
    assert (mails(), Contact.objects.count()) == ([], 0)
    assert release_inquiry(inquiry=inquiry)
    assert (len(mails()), Contact.objects.count(), inquiry.is_spam) == (1, 1, False)
    assert not release_inquiry(inquiry=inquiry)


def test_it_outlives_the_listing() -> None:
    feed = make_feed()
    inquiry = ask(make_property(feed, 1))
    import_records(feed, record(1, StandardStatus="Delete"))
    inquiry.refresh_from_db()
    assert (inquiry.listing, inquiry.listing_key) == (None, "RE-1")


def test_a_listing_that_is_not_shown() -> None:
    listing = make_property()
    Property.objects.update(is_shown=False, is_on_market=False, hidden_reason="relisted")
    with pytest.raises(NotFound):
        ask(listing)


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"name": ""}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"name": "a\0b"}, "name"),
        ({"name": "a\ud800"}, "name"),
        ({"name": 7}, "name"),
        ({"email": "nobody"}, "email"),
        ({"email": None}, "email"),
        ({"email": "a\0@example.com"}, "email"),
        ({"phone": "1" * 51}, "phone"),
        ({"message": " "}, "message"),
        ({"message": "x" * 5001}, "message"),
        ({"message": "a\0"}, "message"),
        ({"message": "a\ud800"}, "message"),
        ({"message": ["x"]}, "message"),
    ],
)
def test_refusals(changes: dict[str, Any], name: str) -> None:
    with pytest.raises(Invalid) as refusal:
        ask(**changes)
    assert list(refusal.value.errors) == [name]
    assert not Inquiry.objects.exists()


def test_a_flood_is_refused() -> None:
    listing, same = make_property(), visit()
    values: dict[str, Any] = {"name": "Dana", "email": "dana@example.com", "message": "Hello", "visit": same}
    for _ in range(200):
        send_inquiry(listing=listing, **values)
    with pytest.raises(TooManyAttempts):
        send_inquiry(listing=listing, **values)
    assert Inquiry.objects.filter(is_spam=False).count() == 5
