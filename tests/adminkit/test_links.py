"""Links to pages of other modules: a path leads to a page only while the feature that the page belongs to is on."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from wagtail.admin.admin_url_finder import AdminURLFinder

from cms_api.adminkit.links import existing_path
from cms_api.flags.services import set_setting, switch_feature
from commerce.crm.selectors import find_contacts
from tests import people
from tests.commerce.crm.records import make_contact
from tests.commerce.donations.builders import make_donation
from tests.commerce.invoicing.builders import make_invoice
from tests.commerce.reviews.builders import make_review
from tests.commerce.ticketing.builders import make_order, make_sales

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", ["/admin/orders/inspect/1/", "/admin/orders/inspect/1/?p=2#note", "/shop"])
def test_it_works(path: str) -> None:
    switch_feature(name="shop", on=True)
    assert existing_path(path) == path
    switch_feature(name="shop", on=False)
    assert existing_path(path) == ""


@pytest.mark.parametrize("path", ["", "/", "/about/", "/admin/nothing/1/", "/admin/nothing"])
def test_paths_that_no_module_has(path: str) -> None:
    assert existing_path(path) == ""


def test_an_invoice_has_no_page_while_invoicing_is_off() -> None:
    switch_feature(name="invoicing", on=True)
    invoice, finder = make_invoice(), AdminURLFinder(people.alice())
    assert finder.get_edit_url(invoice) == reverse("invoices:inspect", args=[invoice.pk])
    switch_feature(name="invoicing", on=False)
    assert finder.get_edit_url(invoice) is None


def _review() -> tuple[str, str]:
    review = make_review(author_email="dana@example.com")
    return reverse("reviews:inspect", args=[review.pk]), review.author_email


def _donation() -> tuple[str, str]:
    donation = make_donation()
    return reverse("donations:inspect", args=[donation.pk]), donation.email


def _ticket_order() -> tuple[str, str]:
    order = make_order(make_sales())
    return reverse("ticket_orders:inspect", args=[order.pk]), order.email


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("feature", "make"),
    [("reviews", _review), ("donations", _donation), ("events", _ticket_order)],
    ids=["review", "donation", "order"],
)
def test_no_record_leads_to_a_contact_while_the_crm_is_off(feature: str, make: Any, admin_client: Client) -> None:
    for name in ("crm", feature):
        switch_feature(name=name, on=True)
    set_setting(key="payments.allow_test_payments", value=True)
    path, email = make()
    contact = find_contacts([email]).get(email) or make_contact(email)
    link = f'<a href="{reverse("crm_contacts:inspect", args=[contact.pk])}">Open in the CRM</a>'
    assert link in admin_client.get(path).content.decode()
    switch_feature(name="crm", on=False)
    answer = admin_client.get(path)
    assert answer.status_code == 200
    assert "CRM" not in answer.content.decode()
