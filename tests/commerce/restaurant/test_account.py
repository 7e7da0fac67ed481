"""The restaurant orders of an account."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cms_api.accounts.services import create_member
from cms_api.flags.services import switch_feature
from commerce.restaurant.services.kitchen import mark_ready
from tests.people import PASSWORD

from .builders import make_order

pytestmark = pytest.mark.django_db

MEALS = "/accounts/meals/"


@pytest.fixture
def mia() -> Any:
    return create_member(email="mia@example.com", password=PASSWORD, name="Mia Sand")


@pytest.fixture
def visitor(mia: Any) -> Client:
    visitor = Client()
    visitor.force_login(mia)
    return visitor


@pytest.mark.both_databases
def test_it_works(mia: Any, visitor: Client) -> None:
    own = make_order(email="MIA@example.com")
    foreign = make_order(email="dana@example.com")
    mark_ready(order=own)
    answer = visitor.get(MEALS)
    page = answer.content.decode()
    for words in (own.number, "$20.00", "Ready for pick-up", "/menu/orders/"):
        assert words in page
    assert foreign.number not in page
    assert "no-store" in answer.headers["Cache-Control"]
    assert MEALS in visitor.get("/accounts/").content.decode()
    for number in ("0", "-1", "x", "9" * 30, "\0"):
        assert visitor.get(MEALS, {"page": number}).status_code == 200


def test_an_address_that_is_not_confirmed_shows_nothing(mia: Any, visitor: Client) -> None:
    mia.emailaddress_set.update(verified=False)
    order = make_order(email="mia@example.com")
    page = visitor.get(MEALS).content.decode()
    assert order.number not in page
    assert "You haven't ordered anything yet." in page


@pytest.mark.both_databases
def test_the_order_that_an_account_placed_is_its_own(mia: Any, visitor: Client) -> None:
    order = make_order(email="other@example.com", user=mia)
    assert order.number in visitor.get(MEALS).content.decode()


def test_visitors_sign_in_first() -> None:
    assert Client().get(MEALS).headers["Location"].startswith("/accounts/login/")


def test_no_trace_while_the_restaurant_is_off(visitor: Client) -> None:
    switch_feature(name="restaurant", on=False)
    assert visitor.get(MEALS).status_code == 404


@pytest.mark.both_databases
def test_the_list_takes_a_constant_number_of_statements(visitor: Client) -> None:
    def statements() -> int:
        make_order(email="mia@example.com")
        visitor.get(MEALS)
        with CaptureQueriesContext(connection) as caught:
            assert visitor.get(MEALS).status_code == 200
        return len(caught)

    assert statements() == statements()
