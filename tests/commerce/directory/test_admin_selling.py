"""Categories, plans and purchases in the admin, and the cards on its home."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from cms_api.webhooks.models import OutboxEvent
from commerce.directory.admin.cards import add_listing, claims, create, expired_listings, pending_changes, pending_listings
from commerce.directory.models import Category, Plan, Purchase
from commerce.payments.models import Payment, Refund
from tests import people
from tests.builders import make_endpoint
from tests.confirming import button_of, post_twice

from .admin_builders import account, category, change, claim, listing, plan, purchase, reloaded, submission

CATEGORIES, PLANS, PURCHASES = (f"/admin/listings/{name}/" for name in ("categories", "plans", "purchases"))


@pytest.fixture(autouse=True)
def switched_on(db: None) -> None:
    switch_feature(name="directory", on=True)


def plan_form(**changes: str) -> dict[str, str]:
    texts = {"name": "One year", "description": "", "kind": "term", "months": "12", "price": "120", "position": "0"}
    return {**texts, "enabled": "on", **changes}


def test_it_works(admin_client: Client) -> None:
    assert (
        admin_client.post(f"{CATEGORIES}new/", {"name": "Crafts", "slug": "", "description": "", "position": "1"}).status_code
        == 302
    )
    crafts = Category.objects.get()
    listing(categories=[crafts.pk])
    page = admin_client.get(CATEGORIES).content.decode()
    assert "/directory/category/crafts" in page
    assert f"/admin/listings/?category={crafts.pk}" in page
    values = {"name": "Makers", "slug": "crafts", "description": "All of them", "position": "2"}
    assert admin_client.post(f"{CATEGORIES}edit/{crafts.pk}/", values).status_code == 302
    assert (reloaded(crafts).name, reloaded(crafts).slug) == ("Makers", "crafts")
    assert admin_client.post(f"{CATEGORIES}delete/{crafts.pk}/").status_code == 302
    assert not Category.objects.exists()

    assert admin_client.post(f"{PLANS}new/", plan_form()).status_code == 302
    made = Plan.objects.get()
    assert (made.price_cents, made.months, made.kind, made.enabled) == (12_000, 12, "term", True)
    assert 'value="120.00"' in admin_client.get(f"{PLANS}edit/{made.pk}/").content.decode()
    assert admin_client.post(f"{PLANS}edit/{made.pk}/", plan_form(price="99.50", enabled="")).status_code == 302
    assert (reloaded(made).price_cents, reloaded(made).enabled) == (9950, False)
    assert admin_client.post(f"{PLANS}delete/{made.pk}/").status_code == 302
    assert not Plan.objects.exists()


def test_a_plan_that_makes_no_sense_is_refused(admin_client: Client) -> None:
    for field, value in [
        ("name", "a\0b"),
        ("kind", "forever"),
        *(("months", value) for value in ("61", "9" * 40)),
        *(("price", value) for value in ("0", "cheap")),
    ]:
        answer = admin_client.post(f"{PLANS}new/", plan_form(**{field: value}))
        assert answer.status_code == 200
        assert set(answer.context["form"].errors) == {field}
        assert not Plan.objects.exists()


def test_a_category_that_makes_no_sense_is_refused(admin_client: Client) -> None:
    for field, value in [("name", ""), ("name", "a\0b"), ("slug", "No slug"), ("position", "x")]:
        values = {"name": "Crafts", "slug": "", "description": "", "position": "0", field: value}
        answer = admin_client.post(f"{CATEGORIES}new/", values)
        assert answer.status_code == 200
        assert set(answer.context["form"].errors) == {field}
        assert not Category.objects.exists()


def test_a_plan_that_somebody_pays_for_stays(admin_client: Client) -> None:
    made = plan()
    purchase(listing(), made)
    admin_client.post(f"{PLANS}delete/{made.pk}/")
    assert Plan.objects.exists()


def test_money_from_outside_extends_the_term(admin_client: Client) -> None:
    switch_feature(name="webhooks", on=True)
    make_endpoint("*")
    made = listing(owner=account(), expires_at=timezone.now() - timedelta(days=1))
    bought = purchase(made, plan())
    page = admin_client.get(f"{PURCHASES}inspect/{bought.pk}/").content.decode()
    assert "Awaiting payment" in page
    url = f"{PURCHASES}record-payment/{bought.pk}/"
    assert "$120.00 has arrived" in admin_client.get(url).content.decode()
    values = {"most_cents": "12000", "method": "check", "paid_at": "", "reference": "1042", "note": "By post"}
    assert admin_client.post(url, values).status_code == 302
    assert (reloaded(bought).status, Payment.objects.get().typed_reference) == ("paid", "1042")
    assert reloaded(made).expires_at > timezone.now() + timedelta(days=364)
    assert OutboxEvent.objects.filter(kind="directory_listing.paid").count() == 1
    assert OutgoingMail.objects.filter(template="listing_paid").count() == 1
    # Not twice.
    admin_client.post(url, values)
    assert Payment.objects.count() == 1
    page = admin_client.get(f"{PURCHASES}inspect/{bought.pk}/").content.decode()
    for words in ("$120.00, check: succeeded (1042)", "By post", "Open payment", "Reyes Ceramics", "Refund"):
        assert words in page, words
    assert "Paid $120.00 for One year" in admin_client.get(f"/admin/listings/inspect/{made.pk}/").content.decode()


@pytest.mark.parametrize(
    "wrong",
    [
        {"method": "online"},
        {"paid_at": "2999-01-01"},
        {"note": "a\0b"},
    ],
)
def test_hostile_payments_are_refused(wrong: dict[str, str], admin_client: Client) -> None:
    bought = purchase(listing(), plan())
    values = {"most_cents": "12000", "method": "check", "paid_at": "", "reference": "", "note": "", **wrong}
    assert admin_client.post(f"{PURCHASES}record-payment/{bought.pk}/", values).status_code == 422
    assert (reloaded(bought).status, Payment.objects.count()) == ("pending", 0)


@pytest.mark.parametrize("state", [{"is_processing": True}, {"status": "cancelled"}, {"listing": None}])
def test_nothing_is_recorded_where_nothing_is_due(state: dict[str, Any], admin_client: Client) -> None:
    bought = purchase(listing(), plan())
    Purchase.objects.update(**state)
    values = {"most_cents": "12000", "method": "check"}
    admin_client.post(f"{PURCHASES}record-payment/{bought.pk}/", values)
    assert not Payment.objects.exists()
    assert admin_client.get(f"{PURCHASES}inspect/{bought.pk}/").status_code == 200


def test_a_refund_takes_its_time_back(admin_client: Client, django_capture_on_commit_callbacks: Any) -> None:
    now = timezone.now()
    made = listing(expires_at=now + timedelta(days=365))
    bought = purchase(made, plan(), "paid", starts_at=now, ends_at=now + timedelta(days=365))
    url = f"{PURCHASES}refund/{bought.pk}/"
    assert "loses the time" in admin_client.get(url).content.decode()
    values = {"amount_cents": "120.00", "most_cents": "12000", "reason": "Closed down"}
    assert button_of(admin_client.post(url, values)) == "Refund $120.00"
    assert not Refund.objects.exists()
    with django_capture_on_commit_callbacks(execute=True):
        answer = post_twice(admin_client, url, values)
    assert answer.status_code == 302
    assert (reloaded(bought).status, reloaded(bought).refunded_cents) == ("refunded", 12_000)
    assert reloaded(made).expires_at < now + timedelta(minutes=1)
    page = admin_client.get(f"{PURCHASES}inspect/{bought.pk}/").content.decode()
    for words in ("Closed down", "Refund of $120.00 requested", "Refunded $120.00"):
        assert words in page, words
    for amount in ("120.01", "0", "-1", "x", "9" * 30):
        admin_client.post(url, {"amount_cents": amount, "most_cents": "0", "reason": ""})
    assert reloaded(bought).refunded_cents == 12_000


@pytest.mark.both_databases
def test_purchases_are_filtered_and_exported(admin_client: Client) -> None:
    year, beside = plan(), plan("Featured", kind="featured", months=1, price_cents=4500)
    paid = purchase(listing("=Formula"), year, "paid")
    pending = purchase(listing(), beside)

    def shown(**query: Any) -> set[int]:
        answer = admin_client.get(PURCHASES, query)
        assert answer.status_code == 200
        return {each.pk for each in answer.context["object_list"]}

    assert shown() == {paid.pk, pending.pk}
    assert shown(status="paid") == shown(kind="term") == shown(plan=year.pk) == {paid.pk}
    assert shown(status="pending") == shown(kind="featured") == {pending.pk}
    assert shown(paid_at_from=str(timezone.localdate() - timedelta(days=1))) == {paid.pk}
    assert shown(created_at_to=str(timezone.localdate() - timedelta(days=2))) == set()
    for hostile in ({"plan": "9" * 30}, {"status": "\0"}, {"created_at_to": "9999-12-31"}):
        assert admin_client.get(PURCHASES, hostile).status_code == 200
    lines = admin_client.get(PURCHASES, {"export": "csv", "status": "paid"}).getvalue().decode().splitlines()
    assert lines[0] == "Listing,Plan,Kind,Months,Amount,Refunded,Currency,Status,Email,Created,Paid,From,Until"
    assert lines[1].startswith("'=Formula,One year,term,12,120.00,0.00,USD,paid,dana@example.com,")
    assert admin_client.get(f"{PURCHASES}new/").status_code == 404


@pytest.mark.parametrize("url", [CATEGORIES, PLANS, PURCHASES, "/admin/listings/claims/"])
def test_lists_take_a_constant_number_of_statements(url: str, admin_client: Client) -> None:
    def statements() -> int:
        with CaptureQueriesContext(connection) as found:
            assert admin_client.get(url).status_code == 200
        return len(found)

    def add(number: int) -> None:
        made = listing(f"Listing {number}", categories=[category(f"Category {number}").pk])
        purchase(made, plan(f"Plan {number}"), "paid")
        claim(made, account(f"{number}@example.com"))

    add(0)
    statements()
    one = statements()
    for number in range(1, 5):
        add(number)
    assert statements() == one


def test_the_home_shows_what_waits() -> None:
    request = people.request_by(people.alice())
    submission()
    made = listing(owner=account())
    change(made, name="New")
    listing("Over", expires_at=timezone.now())
    claim(listing("Free"), account("tom@example.com"))
    claim(listing("Coded"), account("ruth@example.com"), method="email", code_digest="x")
    with CaptureQueriesContext(connection) as statements:
        cards = [each(request) for each in (pending_listings, pending_changes, claims, expired_listings)]
    assert len(statements) == 4
    assert [(card.count, card.url) for card in cards] == [
        (1, "/admin/listings/?status=pending"),
        (1, "/admin/listings/?moderation=change"),
        (1, "/admin/listings/claims/?status=to_decide"),
        (1, "/admin/listings/?status=expired"),
    ]
    assert (create(request).url, add_listing(request).done) == ("/admin/listings/new/", True)


def test_editors_record_no_payments(sign_in: Callable[[Any], Client]) -> None:
    bought = purchase(listing(), plan())
    client = sign_in(people.bob())
    for path in (f"{PURCHASES}inspect/", f"{PURCHASES}record-payment/", f"{PURCHASES}refund/"):
        assert client.post(f"{path}{bought.pk}/").status_code in {302, 403}
    assert reloaded(bought).status == "pending"
