"""The invoices of an account: those issued to its confirmed address."""

from datetime import date
from typing import Any

import pytest
from django.test import Client

from cms_api.accounts.services import create_member
from commerce.common.views import RECORDS_PER_PAGE
from commerce.invoicing.selectors.invoices import INVOICE_LINK
from tests.people import PASSWORD

from .builders import make_client, make_draft, make_estimate, make_invoice, make_overdue, make_void

PATH = "/accounts/invoices/"


@pytest.fixture
def mia(accounts_on: None) -> Any:
    return create_member(email="mia@example.com", password=PASSWORD, name="Mia Sand")


@pytest.fixture
def visitor(mia: Any) -> Client:
    found = Client()
    found.force_login(mia)
    return found


def shown(visitor: Client, path: str = PATH) -> str:
    answer = visitor.get(path)
    assert answer.status_code == 200
    assert "no-store" in answer.headers["Cache-Control"]
    return " ".join(answer.content.decode().split())


@pytest.mark.both_databases
def test_it_works(visitor: Client) -> None:
    client = make_client(email="MIA@example.com")
    invoice, estimate = make_invoice(client=client, due_date=date(2099, 3, 4)), make_estimate(client=client)
    overdue = make_overdue(client=client)
    hidden = [make_draft(client=client), make_void(client=client), make_invoice()]
    text = shown(visitor)
    for words in ("Due March 4, 2099", "Overdue", "Valid until", "$100.00", f"Estimate {estimate.number}", "January 1, 2026"):
        assert words in text
    for each in (invoice, estimate, overdue):
        assert INVOICE_LINK.path(each) in text
    for each in hidden:
        assert str(each.number) not in text


def test_it_needs_an_account() -> None:
    assert Client().get(PATH).status_code in {302, 404}


def test_an_address_that_is_not_confirmed_shows_nothing(visitor: Client, mia: Any) -> None:
    mia.emailaddress_set.update(verified=False)
    invoice = make_invoice(client=make_client(email="mia@example.com"))
    assert str(invoice.number) not in shown(visitor)
    assert "You don't have any invoices yet." in shown(visitor)


@pytest.mark.both_databases
def test_many_take_several_pages(visitor: Client, django_assert_max_num_queries: Any) -> None:
    client = make_client(email="mia@example.com")
    numbers = [make_estimate(client=client).number for _ in range(RECORDS_PER_PAGE + 1)]
    with django_assert_max_num_queries(12):
        first = shown(visitor)
    assert numbers[0] not in first
    assert 'href="?page=2"' in first
    assert str(numbers[0]) in shown(visitor, f"{PATH}?page=2")
    for number in ("0", "-1", "x", "9" * 30, "%00"):
        shown(visitor, f"{PATH}?page={number}")
