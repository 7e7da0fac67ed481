"""Discount codes: saved by services, found by what a customer enters, and listed by their state."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.conf import LazySettings
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.core.records import delete_record
from commerce.common.selectors import codes_in_state, find_discount_code
from commerce.common.services.discounts import save_discount_code, switch_discount_code
from commerce.common.types.discounts import CodeState, DiscountKind
from commerce.shop.demo.selling import load
from commerce.shop.models import DiscountCode, ShippingMethod
from commerce.shop.selectors.selling import offered_shipping
from commerce.shop.types.shipping import Parcel
from tests import people
from tests.client import together

from .builders import make_code, make_method

pytestmark = pytest.mark.django_db


@pytest.mark.both_databases
def test_it_works() -> None:
    code = make_code(" save 10 ", note="Of the newsletter")
    assert (code.code, code.state, code.discount.of_items(1000)) == ("SAVE10", CodeState.ACTIVE, 100)
    assert find_discount_code(DiscountCode, "Save 10") == code
    save_discount_code(model=DiscountCode, code=code, values={"kind": DiscountKind.AMOUNT, "amount_cents": 700})
    code.refresh_from_db()
    assert (code.percent, code.amount_cents, code.discount.of_items(1000)) == (0, 700, 700)
    save_discount_code(model=DiscountCode, code=code, values={"kind": DiscountKind.FREE_SHIPPING})
    code.refresh_from_db()
    assert (code.amount_cents, code.discount.is_free_shipping) == (0, True)


@pytest.mark.parametrize("text", ["", " ", "SAVE1", "SAVE\0", "\ud800", "x" * 10_000, "SAVE10" + "x" * 40, "SAVE%"])
def test_what_is_no_code_is_not_found(text: str) -> None:
    make_code()
    assert find_discount_code(DiscountCode, text) is None


@pytest.mark.parametrize(
    "amounts", [{"kind": DiscountKind.AMOUNT, "amount_cents": 500}, {"minimum_cents": 2000}], ids=["amount", "minimum"]
)
def test_a_code_keeps_the_currency_of_its_amounts(amounts: Any, settings: LazySettings) -> None:
    code = make_code(**amounts)
    settings.SITE_CURRENCY = "eur"
    assert find_discount_code(DiscountCode, code.code) is None
    save_discount_code(model=DiscountCode, code=code, values={**amounts, "note": "Ours"})
    save_discount_code(model=DiscountCode, code=code, values=dict.fromkeys(amounts.keys() - {"kind"}, 700))
    assert (DiscountCode.objects.get().currency, find_discount_code(DiscountCode, code.code)) == ("usd", None)


@pytest.mark.parametrize(
    ("former", "change"),
    [
        ({}, {"kind": DiscountKind.AMOUNT, "amount_cents": 500}),
        ({}, {"note": "Ours"}),
        ({"kind": DiscountKind.AMOUNT, "amount_cents": 500}, {"kind": DiscountKind.PERCENTAGE, "percent": Decimal(5)}),
    ],
)
def test_a_code_without_amounts_follows_the_site(former: Any, change: Any, settings: LazySettings) -> None:
    code = make_code(**former)
    settings.SITE_CURRENCY = "eur"
    save_discount_code(model=DiscountCode, code=code, values=change)
    assert find_discount_code(DiscountCode, code.code) == code


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("code", {"code": " "}),
        ("code", {"code": "x" * 41}),
        ("code", {"code": "50%"}),
        ("code", {"code": "A\0B"}),
        ("note", {"note": "x" * 201}),
        ("note", {"note": "a\0b"}),
        ("kind", {"kind": "gift"}),
        ("percent", {"percent": Decimal(0)}),
        ("percent", {"percent": Decimal("100.01")}),
        ("percent", {"percent": Decimal("0.001")}),
        ("percent", {"percent": Decimal("nan")}),
        ("amount_cents", {"kind": "amount"}),
        ("amount_cents", {"kind": "amount", "amount_cents": -1}),
        ("amount_cents", {"kind": "amount", "amount_cents": 2**63}),
        ("minimum_cents", {"minimum_cents": -1}),
        ("max_uses", {"max_uses": 0}),
        ("max_uses", {"max_uses": 2**31}),
        ("max_uses_per_customer", {"max_uses_per_customer": 0}),
        ("ends_at", {"starts_at": datetime(2026, 3, 1, tzinfo=UTC), "ends_at": datetime(2026, 3, 1, tzinfo=UTC)}),
        ("ends_at", {"ends_at": datetime(9999, 12, 31, 23, tzinfo=UTC)}),
        ("starts_at", {"starts_at": datetime(1, 1, 1, tzinfo=UTC)}),
    ],
)
def test_a_code_that_makes_no_sense_is_refused(key: str, values: dict[str, Any]) -> None:
    with pytest.raises(Invalid) as refused:
        make_code(**{"code": "SAVE10", **values})
    assert set(refused.value.errors) == {key}
    assert not DiscountCode.objects.exists()


@pytest.mark.both_databases
def test_a_code_exists_once_in_any_case() -> None:
    make_code("Save10")
    other = make_code("OTHER")
    for attempt in ({"values": {"code": "sAVE10", "percent": Decimal(5)}}, {"code": other, "values": {"code": "save10"}}):
        with pytest.raises(Invalid, match="already been taken"):
            save_discount_code(model=DiscountCode, **attempt)


def test_a_limit_below_the_uses_is_refused() -> None:
    code = make_code(max_uses=9)
    DiscountCode.objects.update(used=5)
    with pytest.raises(Invalid, match="used 5 times"):
        save_discount_code(model=DiscountCode, code=code, values={"max_uses": 4})
    assert save_discount_code(model=DiscountCode, code=code, values={"max_uses": 5}).state == CodeState.USED_UP


@pytest.mark.both_databases
def test_saving_keeps_the_uses_that_were_counted_meanwhile() -> None:
    code = make_code()
    DiscountCode.objects.update(used=3)
    save_discount_code(model=DiscountCode, code=code, values={"note": "Seen with 0 uses"})
    code.refresh_from_db()
    assert (code.used, code.note) == (3, "Seen with 0 uses")


@pytest.mark.django_db(transaction=True)
def test_ten_equal_codes_at_once_are_one() -> None:
    def save(number: int) -> bool:
        try:
            return bool(make_code("save10" if number % 2 else "SAVE10"))
        except Invalid:
            return False

    assert sum(together(save, 10)) == DiscountCode.objects.count() == 1


@pytest.mark.both_databases
def test_a_code_is_switched_and_deleted() -> None:
    code, user = make_code(), people.alice()
    assert not switch_discount_code(code=code, enabled=True)
    assert switch_discount_code(code=code, enabled=False, user=user)
    found = find_discount_code(DiscountCode, "SAVE10")
    assert found is not None
    assert found.state == CodeState.DISABLED
    delete_record(record=code, user=user)
    assert find_discount_code(DiscountCode, "SAVE10") is None


@pytest.mark.both_databases
def test_the_filter_agrees_with_the_states() -> None:
    now, hour = timezone.now(), timedelta(hours=1)
    past, future = {"ends_at": now - hour}, {"starts_at": now + hour}
    for number, values in enumerate([{}, past, future, {"max_uses": 1}, {"max_uses": 1, **past}, {"max_uses": 1, **future}]):
        for enabled in (True, False):
            make_code(f"CODE{number}{enabled}", enabled=enabled, **values)
    DiscountCode.objects.filter(max_uses=1).update(used=1)
    everything = DiscountCode.objects.all()
    for state in CodeState:
        expected = {code.code for code in everything if code.state == state}
        assert expected == set(codes_in_state(everything, state).values_list("code", flat=True)) != set()
    assert not codes_in_state(everything, "unknown").exists()


@pytest.mark.parametrize("currency", ["usd", "jpy", "kwd"])
@pytest.mark.both_databases
def test_the_demo_is_loaded_once(currency: str, settings: LazySettings) -> None:
    settings.SITE_CURRENCY = currency
    load(1, lambda count: None)
    before = list(DiscountCode.objects.values()), list(ShippingMethod.objects.values())
    load(1, lambda count: None)
    assert (list(DiscountCode.objects.values()), list(ShippingMethod.objects.values())) == before
    assert {code.state for code in DiscountCode.objects.all()} == {CodeState.ACTIVE, CodeState.EXPIRED, CodeState.USED_UP}
    assert {method.currency for method in ShippingMethod.objects.all()} == {currency}


@pytest.mark.both_databases
def test_without_amounts_there_is_no_currency_to_differ(settings: Any) -> None:
    """The site has had yen."""
    settings.SITE_CURRENCY = "jpy"
    percentage, amount = make_code("TEN"), make_code("OFF", kind="amount", amount_cents=500)
    pickup, post = make_method("Our shop", kind="pickup", price_cents=0), make_method("Post", price_cents=550)
    settings.SITE_CURRENCY = "usd"
    assert [find_discount_code(DiscountCode, code.code) for code in (percentage, amount)] == [percentage, None]
    parcel = Parcel(100, 1000, "US")
    assert [method for method, _ in offered_shipping(parcel)] == [pickup]
    assert post.has_amounts
