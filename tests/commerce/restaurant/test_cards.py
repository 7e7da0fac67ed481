"""The card of open orders on the admin's home."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from commerce.restaurant.admin.cards import open_orders
from commerce.restaurant.services.kitchen import cancel_order, complete_order, mark_ready, start_preparing
from tests import people

from .builders import make_order

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_it_counts_what_the_kitchen_has_not_finished() -> None:
    request = people.request_by(people.alice())
    empty = open_orders(request)
    assert empty is not None
    assert (empty.count, empty.url) == (0, "/admin/restaurant/orders/kitchen/")
    begun, ready, completed, cancelled = (make_order() for _ in range(4))
    make_order()
    make_order(payment_method="online")
    start_preparing(order=begun)
    mark_ready(order=ready)
    start_preparing(order=completed)
    complete_order(order=completed)
    cancel_order(order=cancelled)
    card = open_orders(request)
    assert card.count == 2


def test_it_takes_one_statement_at_most() -> None:
    request = people.request_by(people.alice())
    make_order()
    open_orders(request)
    with CaptureQueriesContext(connection) as statements:
        open_orders(request)
    assert len(statements) == 1
