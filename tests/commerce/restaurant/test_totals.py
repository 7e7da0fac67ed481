"""Orders add up: dishes, options, the delivery, taxes and the tip, with prices that include tax and that do not."""

from decimal import Decimal
from typing import Any

import pytest
from django.test import override_settings
from hypothesis import given
from hypothesis import strategies as st

from cms_api.flags.services import set_setting
from commerce.common.services import save_tax_rule
from commerce.common.types.tax import TaxClass, TaxRate
from commerce.restaurant.models import DeliveryZone, MenuCartItem, MenuItem, Option
from commerce.restaurant.resources import sums
from commerce.restaurant.selectors import pricing
from commerce.restaurant.selectors.carts import Chosen
from commerce.restaurant.selectors.pricing import quote

from .builders import ADDRESS, make_dish, make_order, make_zone

pytestmark = pytest.mark.both_databases

cents = st.integers(0, 10**7)
percents = st.decimals(0, 100, places=3)
sold = st.builds(
    lambda price, extra, quantity, tax_class: Chosen(
        MenuCartItem(quantity=quantity), MenuItem(price_cents=price, tax_class=tax_class), (Option(price_cents=extra),)
    ),
    cents,
    cents,
    st.integers(1, 99),
    st.sampled_from(TaxClass),
)
zones = st.none() | st.builds(DeliveryZone, fee_cents=cents, free_from_cents=st.none() | cents)


@given(st.lists(sold, min_size=1, max_size=12), zones, cents, percents, percents, st.booleans())
def test_totals_add_up(
    items: list[Chosen], zone: DeliveryZone | None, tip: int, standard: Decimal, reduced: Decimal, inclusive: bool
) -> None:
    rates = {TaxClass.STANDARD: TaxRate("VAT", standard), TaxClass.REDUCED: TaxRate("VAT", reduced)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pricing, "rates_for", lambda *_: rates)
        patch.setattr(pricing, "get_setting", lambda _: inclusive)
        priced = quote(items, zone=zone, tip_cents=tip)
    totals = priced.totals
    net = sum((each.item.price_cents + each.options[0].price_cents) * each.row.quantity for each in items)
    is_free = zone is None or (zone.free_from_cents is not None and net >= zone.free_from_cents)
    assert totals.subtotal_cents == net
    assert totals.shipping_cents == (0 if is_free or zone is None else zone.fee_cents)
    assert priced.total_cents == net + totals.shipping_cents + (0 if inclusive else totals.tax_cents) + tip
    assert sum(line.tax_cents for line in totals.lines) + totals.shipping.tax_cents == totals.tax_cents
    assert sum(total.tax_cents for total in totals.taxes) == totals.tax_cents
    # Tips are not taxed, and what is taxed is never more than what is sold.
    taxed = sum(total.net_cents for total in totals.taxes) + (totals.tax_cents if inclusive else 0)
    assert taxed <= net + totals.shipping_cents


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("inclusive", "tax", "total", "labels"),
    [
        # 26.00 of food at 10 %, and a delivery of 3.00 at 20 %.
        (False, 320, 3420, ["Subtotal", "Delivery (Town)", "VAT 20%", "VAT 10%", "Tip", "Total"]),
        (True, 286, 3100, ["Subtotal", "Delivery (Town)", "Tip", "Total", "Includes VAT 20%", "Includes VAT 10%"]),
    ],
)
def test_an_order_stores_what_was_quoted(inclusive: bool, tax: int, total: int, labels: list[str]) -> None:
    set_setting(key="taxes.prices_include_tax", value=inclusive)
    for tax_class, percent in ((TaxClass.REDUCED, 10), (TaxClass.STANDARD, 20)):
        values: dict[str, Any] = {"country": "US", "label": "VAT", "percent": Decimal(percent), "tax_class": tax_class}
        save_tax_rule(values=values)
    make_zone()
    dish = make_dish(price=1300, tax_class=TaxClass.REDUCED)
    changes = {"fulfillment": "delivery", "delivery_address": ADDRESS, "phone": "802"}
    order = make_order((dish, 2), tip_cents=200, total_cents=total, **changes)
    order.refresh_from_db()
    assert (order.subtotal_cents, order.delivery_fee_cents, order.tip_cents) == (2600, 300, 200)
    assert (order.tax_cents, order.total_cents) == (tax, total)
    assert sum(each["tax_cents"] for each in order.taxes) == tax
    assert order.items.get().tax_cents == (260 if not inclusive else 236)
    assert [label for label, _ in sums.of_order(order)] == labels


@pytest.mark.django_db
@pytest.mark.parametrize(("fulfillment", "total"), [("pickup", 2880), ("dine_in", 2880), ("delivery", 2856)])
def test_only_a_delivery_is_taxed_where_the_customer_is(fulfillment: str, total: int) -> None:
    set_setting(key="restaurant.dine_in", value=True)
    set_setting(key="site.country", value="GB")
    for country, percent in (("GB", 20), ("DE", 19)):
        save_tax_rule(values={"country": country, "label": "VAT", "percent": Decimal(percent)})
    make_zone(postal_codes="10*", fee_cents=0)
    address = {**ADDRESS, "city": "Berlin", "state": "", "postal_code": "10115", "country": "DE"}
    order = make_order(
        (make_dish(price=2400), 1), fulfillment=fulfillment, delivery_address=address, phone="+49 30 5550100", table="4"
    )
    assert (order.total_cents, order.tax_cents) == (total, total - 2400)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("currency", "payment", "total"), [("chf", "at_store", 1005), ("chf", "online", 1003), ("kwd", "online", 1000)]
)
def test_a_total_is_rounded_to_what_can_be_paid(currency: str, payment: str, total: int) -> None:
    with override_settings(SITE_CURRENCY=currency):
        order = make_order((make_dish(price=1003), 1), payment_method=payment)
        assert (order.total_cents, order.subtotal_cents) == (total, 1003)
        labels = [label for label, _ in sums.of_order(order)]
        assert labels == ["Subtotal", *(["Rounding"] if total != 1003 else []), "Total"]
