"""Reading orders through the API: filters, look-up by id and number, hostile values."""

from datetime import timedelta

import pytest
from django.utils import timezone

from cms_api.flags.services import set_setting
from commerce.shop.models import Order
from tests.client import Api

from .builders import make_order, make_paid_order

pytestmark = pytest.mark.django_db


@pytest.mark.both_databases
def test_it_works(shop_api: Api) -> None:
    order = make_paid_order()
    for reference in (order.pk, order.number, order.number.lower()):
        data = shop_api.get(f"/shop/orders/{reference}").json()["data"]
        assert (data["id"], data["status"], data["customer"]) == (order.pk, "paid", {"name": "Dana Reyes", "phone": None})
    listed = shop_api.get("/shop/orders").json()
    assert (listed["data"], listed["meta"]["total"]) == ([data], 1)


@pytest.mark.both_databases
def test_filters(shop_api: Api) -> None:
    old, new, paid = make_order(email="old@example.com"), make_order(email="new@example.com"), make_paid_order()
    Order.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(minutes=61))

    def found(query: str) -> list[int]:
        return sorted(order["id"] for order in shop_api.get(f"/shop/orders?{query}").json()["data"])

    assert found("status=pending") == [old.pk, new.pk]
    assert found("status=abandoned") == [old.pk]
    assert found("status=paid") == [paid.pk]
    assert found("email=OLD@example.com") == [old.pk]
    assert found("email=nobody@example.com") == []
    since = (timezone.now() - timedelta(minutes=5)).strftime("%Y-%m-%dT%H:%M:%SZ")
    assert found(f"since={since}") == [new.pk, paid.pk]
    set_setting(key="shop.abandoned_after_minutes", value=120)
    assert found("status=abandoned") == []
    set_setting(key="shop.abandoned_after_minutes", value=60)
    Order.objects.filter(pk=old.pk).update(is_processing=True)
    assert found("status=abandoned") == []


@pytest.mark.parametrize("query", ["status=lost", "since=yesterday", "sort=email", "per_page=0", "fields=secret", "cursor=x"])
def test_bad_filters_are_refused(shop_api: Api, query: str) -> None:
    assert shop_api.get(f"/shop/orders?{query}").status_code == 422
