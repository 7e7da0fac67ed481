"""Shipping methods and discount codes in the admin."""

import re
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client
from django.utils import timezone
from wagtail.log_actions import log

from commerce.shop.models import DiscountCode, ShippingMethod
from tests import people

from .builders import make_code, make_method

pytestmark = pytest.mark.django_db

SHIPPING, CODES = "/admin/shop/shipping/", "/admin/shop/discounts/"


def method_values(*brackets: tuple[str, str], **changes: Any) -> dict[str, Any]:
    values: dict[str, Any] = {
        "name": "Post",
        "description": "",
        "kind": "flat",
        "price": "5.50",
        "free_from": "",
        "enabled": "on",
    }
    rows = {f"brackets-{place}-{name}": "" for place in range(len(brackets)) for name in ("deleted", "type", "id")}
    for place, (up_to, price) in enumerate(brackets):
        rows |= {f"brackets-{place}-value-up_to": up_to, f"brackets-{place}-value-price_cents": price}
        rows[f"brackets-{place}-order"] = str(place)
    return {**values, "tax_class": "standard", "position": "0", "brackets-count": str(len(brackets)), **rows, **changes}


def code_values(**changes: str) -> dict[str, str]:
    values = {"code": "save10", "note": "", "kind": "percentage", "percent": "10", "amount": "", "minimum": "", "enabled": "on"}
    return {**values, "max_uses": "", "max_uses_per_customer": "", "starts_at": "", "ends_at": "", **changes}


def test_a_method_is_made_changed_and_switched(sign_in: Callable[[Any], Client]) -> None:
    manager = sign_in(people.mallory_manager())
    assert manager.post(f"{SHIPPING}new/", method_values(countries=["US", "CA"], free_from="75")).status_code == 302
    method = ShippingMethod.objects.get()
    assert (method.price_cents, method.free_from_cents, method.countries) == (550, 7500, ["CA", "US"])
    page = manager.get(SHIPPING).content.decode()
    for words in ("Post", "Flat rate", "$5.50, free from $75.00", "Canada, United States", "Enabled", f"disable/{method.pk}/"):
        assert words in page
    edit = f"{SHIPPING}edit/{method.pk}/"
    page = manager.get(edit).content.decode()
    for words in ('value="5.50"', 'value="75.00"', "Price (USD)", "European Union", "Type"):
        assert words in page
    manager.post(edit, method_values(("1.5", "5"), ("", "9"), kind="weight"))
    method.refresh_from_db()
    assert method.brackets == [{"up_to": 1500, "price_cents": 500}, {"up_to": None, "price_cents": 900}]
    assert "&quot;1.5&quot;" in manager.get(edit).content.decode()
    assert "$5.00 to $9.00" in manager.get(SHIPPING).content.decode()
    manager.post(edit, method_values(("50", "5"), kind="total"))
    method.refresh_from_db()
    assert method.brackets == [{"up_to": 5000, "price_cents": 500}]
    manager.post(f"{SHIPPING}disable/{method.pk}/")
    assert "Disabled" in manager.get(SHIPPING).content.decode()
    manager.post(f"{SHIPPING}enable/{method.pk}/")
    assert manager.get(f"{SHIPPING}history/{method.pk}/").content.decode().count("abled") >= 2
    manager.post(f"{SHIPPING}delete/{method.pk}/")
    assert not ShippingMethod.objects.exists()


def test_a_method_that_makes_no_sense_is_refused(admin_client: Client) -> None:
    for field, value in [
        ("name", "a\0b"),
        ("kind", "pigeon"),
        ("price", "five"),
        ("price", "1e999999"),
        ("countries", ["XX"]),
        ("position", "9" * 30),
    ]:
        answer = admin_client.post(f"{SHIPPING}new/", method_values(**{field: value}))
        assert answer.status_code == 200
        assert set(answer.context["form"].errors) == {field}
        assert not ShippingMethod.objects.exists()


def test_prices_that_make_no_sense_are_refused(admin_client: Client) -> None:
    for kind, rows, sentence in [
        ("weight", [], "Add at least one price."),
        ("weight", [("much", "5")], "number of kilograms"),
        ("weight", [("nan", "5")], "number of kilograms"),
        ("weight", [("1\0", "5")], "Null characters"),
        ("weight", [("1", "five")], "Enter an amount such as 1,500.00"),
        ("total", [("1.005", "5")], "must be an amount"),
        ("total", [("50", "5"), ("20", "4")], "greater than the one before"),
        ("total", [("", "5"), ("20", "4")], "Only the last price"),
    ]:
        answer = admin_client.post(f"{SHIPPING}new/", method_values(*rows, kind=kind))
        assert answer.status_code == 200
        assert set(answer.context["form"].errors) == {"brackets"}
        assert sentence in answer.content.decode()
        assert not ShippingMethod.objects.exists()


def test_a_code_is_made_changed_and_switched(sign_in: Callable[[Any], Client]) -> None:
    manager = sign_in(people.mallory_manager())
    values = code_values(minimum="20", max_uses="5", starts_at="2026-03-01 00:00", ends_at="2099-04-01 12:30")
    assert manager.post(f"{CODES}new/", values).status_code == 302
    code = DiscountCode.objects.get()
    assert (code.code, code.percent, code.minimum_cents, code.max_uses) == ("SAVE10", Decimal(10), 2000, 5)
    assert code.starts_at == timezone.make_aware(datetime(2026, 3, 1))
    DiscountCode.objects.update(used=2)
    page = manager.get(CODES).content.decode()
    for words in ("SAVE10", "10% off", "Active", "2 of 5", f"disable/{code.pk}/"):
        assert words in page
    edit = f"{CODES}edit/{code.pk}/"
    assert 'value="20.00"' in manager.get(edit).content.decode()
    manager.post(edit, code_values(code="FIVER", kind="amount", amount="5", percent=""))
    code.refresh_from_db()
    assert (code.code, code.amount_cents, code.percent, code.max_uses, code.used) == ("FIVER", 500, 0, None, 2)
    assert "$5.00 off" in manager.get(CODES).content.decode()
    manager.post(f"{CODES}disable/{code.pk}/")
    assert "Disabled" in manager.get(CODES).content.decode()
    assert "FIVER,$5.00 off,Disabled,2" in b"".join(manager.get(f"{CODES}?export=csv").streaming_content).decode()
    manager.post(f"{CODES}delete/{code.pk}/")
    assert not DiscountCode.objects.exists()


def test_the_history_of_a_code_has_its_switches(admin_client: Client) -> None:
    code = make_code()
    # As it was logged before codes were shared.
    log(instance=code, action="shop.disable")
    admin_client.post(f"{CODES}disable/{code.pk}/")
    admin_client.post(f"{CODES}enable/{code.pk}/")
    page = admin_client.get(f"{CODES}history/{code.pk}/").content.decode()
    switches = re.findall(r"\b(?:Enabled|Disabled)\b", page)
    assert Counter(switches) == {"Disabled": 2, "Enabled": 1}


def test_a_code_that_makes_no_sense_is_refused(admin_client: Client) -> None:
    make_code("TAKEN")
    for field, value in [
        ("code", "taken"),
        ("code", "a\0b"),
        ("kind", "gift"),
        ("percent", "101"),
        ("percent", "NaN"),
        ("max_uses", "9" * 30),
        ("starts_at", "0001-01-01 00:00"),
        ("ends_at", "9999-12-31 23:59"),
    ]:
        answer = admin_client.post(f"{CODES}new/", code_values(**{field: value}))
        assert answer.status_code == 200
        assert set(answer.context["form"].errors) == {field}
        assert DiscountCode.objects.count() == 1


def test_an_amount_is_needed_where_it_is_taken_off(admin_client: Client) -> None:
    answer = admin_client.post(f"{CODES}new/", code_values(kind="amount", amount=""))
    assert set(answer.context["form"].errors) == {"amount"}


def test_amounts_are_in_the_currency_of_the_site(settings: LazySettings, admin_client: Client) -> None:
    settings.SITE_CURRENCY = "jpy"
    admin_client.post(f"{SHIPPING}new/", method_values(("5000", "300"), kind="total", price="", free_from="9000"))
    method = ShippingMethod.objects.get()
    assert (method.currency, method.free_from_cents, method.brackets[0]["up_to"]) == ("jpy", 9000, 5000)
    assert "Free from (JPY)" in admin_client.get(f"{SHIPPING}edit/{method.pk}/").content.decode()
    assert set(admin_client.post(f"{SHIPPING}new/", method_values()).context["form"].errors) == {"price"}


KEPT = "Stays in JPY. For amounts in USD, create a new one."


def in_yen(record: Any) -> Any:
    """The site has had yen, which have no decimals."""
    type(record).objects.update(currency="jpy")
    return record


def test_a_code_in_another_currency_is_written_in_it(admin_client: Client) -> None:
    code = in_yen(make_code(kind="amount", amount_cents=500, minimum_cents=3000))
    page = f"{CODES}edit/{code.pk}/"
    shown = admin_client.get(page).content.decode()
    for words in ("Amount (JPY)", "Minimum order value (JPY)", 'value="500"', 'value="3000"', KEPT):
        assert words in shown
    values = code_values(kind="amount", percent="", amount="500", minimum="3000", note="Ours")
    for amount, kept in (("500", 500), ("1,500", 1500)):
        assert admin_client.post(page, {**values, "amount": amount}).status_code == 302
        code.refresh_from_db()
        assert (code.currency, code.amount_cents, code.minimum_cents) == ("jpy", kept, 3000)
    assert set(admin_client.post(page, {**values, "amount": "5.00"}).context["form"].errors) == {"amount"}


def test_the_form_of_a_code_without_amounts_asks_for_those_of_the_site(admin_client: Client) -> None:
    code = in_yen(make_code())
    page = f"{CODES}edit/{code.pk}/"
    shown = admin_client.get(page).content.decode()
    assert ("Amount (USD)" in shown, KEPT in shown) == (True, False)
    admin_client.post(page, code_values(kind="amount", percent="", amount="5"))
    code.refresh_from_db()
    assert (code.currency, code.amount_cents) == ("usd", 500)


def test_a_method_in_another_currency_is_written_in_it(admin_client: Client) -> None:
    method = in_yen(make_method(kind="total", brackets=[{"up_to": 5000, "price_cents": 300}], free_from_cents=9000))
    page = f"{SHIPPING}edit/{method.pk}/"
    shown = admin_client.get(page).content.decode()
    for words in ("Free from (JPY)", 'value="9000"', "&quot;5000&quot;", "&quot;300&quot;", KEPT):
        assert words in shown
    for limit in ("5000", "6,000"):
        values = method_values((limit, "300"), kind="total", price="", free_from="9000")
        assert admin_client.post(page, values).status_code == 302
        method.refresh_from_db()
        (row,) = method.brackets
        assert (method.currency, method.free_from_cents, row["price_cents"]) == ("jpy", 9000, 300)
        assert row["up_to"] == int(limit.replace(",", ""))


@pytest.mark.both_databases
def test_filters(admin_client: Client) -> None:
    make_method("By post")
    make_method("At the mill", kind="pickup", enabled=False)
    make_code("OLDER", enabled=False)
    make_code("NEWER")
    for address, shown in (
        (f"{SHIPPING}?kind=pickup", "At the mill"),
        (f"{SHIPPING}?enabled=True", "By post"),
        (f"{CODES}?state=active", "NEWER"),
        (f"{CODES}?q=older", "OLDER"),
    ):
        listed = {str(record) for record in admin_client.get(address).context["object_list"]}
        assert listed == {shown}, address
    for query in ("?state=%00", "?state=x", "?kind=%00", "?q=%00", "?enabled=%00", "?ordering=ends_at"):
        assert admin_client.get(CODES + query).status_code == 200
        assert admin_client.get(SHIPPING + query).status_code == 200


def test_editors_see_neither(sign_in: Callable[[Any], Client]) -> None:
    editor = sign_in(people.bob())
    assert (editor.get(SHIPPING).status_code, editor.get(CODES).status_code) == (302, 302)
