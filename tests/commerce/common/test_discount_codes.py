"""Discount codes as a module has them that offers fewer kinds, and uses another noun than orders."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.conf import LazySettings
from django.test.utils import isolate_apps
from django.utils import timezone

from cms_api.core.errors import Invalid
from commerce.common.admin.discounts import DiscountCodeViewSet
from commerce.common.models import DiscountCodeBase, discount_constraints
from commerce.common.selectors import check_code, get_discount_code
from commerce.common.services.discounts import give_back_use, save_discount_code, take_use
from commerce.common.types.discounts import DiscountKind
from commerce.shop.models import DiscountCode
from tests.commerce.shop.builders import make_code

pytestmark = pytest.mark.django_db

with isolate_apps("commerce.common"):

    class Voucher(DiscountCodeBase):
        """A table that is never made."""

        kinds = (DiscountKind.PERCENTAGE, DiscountKind.AMOUNT)
        noun = "booking"

        class Meta(DiscountCodeBase.Meta):
            app_label = "common"
            constraints = discount_constraints("voucher")


class VoucherViewSet(DiscountCodeViewSet):
    model = Voucher
    name = "vouchers"
    url_prefix = "vouchers"
    menu_order = 1


HOUR = timedelta(hours=1)


def voucher(**values: Any) -> Voucher:
    return Voucher(**{"code": "TEN", "percent": Decimal(10), "currency": "usd", **values})


def sentence(code: Voucher, subtotal_cents: int = 1000, **options: Any) -> str:
    """The refusal of a code, or nothing."""
    try:
        check_code(code, subtotal_cents, **{"uses_of_customer": None, **options})
    except Invalid as refusal:
        return " ".join(refusal.errors["discount_code"])
    return ""


@pytest.mark.both_databases
def test_it_works() -> None:
    names = {constraint.name for constraint in Voucher._meta.constraints}
    assert names == {"voucher_percent", "voucher_not_negative", "voucher_limit"}
    assert sentence(voucher()) == ""


def test_the_form_and_the_filter_have_the_kinds_that_are_offered() -> None:
    form = VoucherViewSet().get_edit_handler().get_form_class()(instance=voucher(), for_user=None)
    offered = [("percentage", "Percentage"), ("amount", "Amount")]
    assert form.fields["kind"].choices == offered == VoucherViewSet.filters["kind"].extra["choices"]
    assert form.fields["minimum"].label == "Minimum booking value (USD)"
    assert VoucherViewSet().get_delete_consequence(voucher()).endswith("Bookings keep it and their discount.")


def test_a_kind_that_is_not_offered_is_refused() -> None:
    with pytest.raises(Invalid) as refused:
        save_discount_code(model=Voucher, values={"code": "FREE", "kind": DiscountKind.FREE_SHIPPING})
    assert set(refused.value.errors) == {"kind"}
    assert "free_shipping" not in refused.value.message


@pytest.mark.parametrize(
    ("values", "refusal"),
    [
        ({"enabled": False}, "This discount code isn't valid."),
        ({"currency": "eur"}, "This discount code isn't valid."),
        ({"starts_at": HOUR}, "This discount code isn't valid yet."),
        ({"ends_at": -HOUR}, "This discount code has expired."),
        ({"minimum_cents": 1000}, ""),
        ({"minimum_cents": 1001}, "This discount code is for bookings of $10.01 or more."),
        ({"max_uses": 2, "used": 1}, ""),
        ({"max_uses": 2, "used": 2}, "This discount code has been used up."),
    ],
)
def test_a_code_that_does_not_apply_says_why(values: dict[str, Any], refusal: str) -> None:
    now = timezone.now()
    at = {name: now + value if isinstance(value, timedelta) else value for name, value in values.items()}
    assert sentence(voucher(**at)) == refusal


@pytest.mark.both_databases
def test_a_use_of_the_record_itself_does_not_count() -> None:
    code = voucher(max_uses=1, used=1)
    assert sentence(code, is_own=True) == ""
    assert sentence(code) != ""


@pytest.mark.both_databases
def test_the_uses_of_a_customer_are_counted_only_where_they_matter() -> None:
    def uses() -> int:
        counted.append(1)
        return 2

    counted: list[int] = []
    assert sentence(voucher(), uses_of_customer=uses) == ""
    assert counted == []
    assert sentence(voucher(max_uses_per_customer=3), uses_of_customer=uses) == ""
    assert sentence(voucher(max_uses_per_customer=2), uses_of_customer=uses) == "You've already used this discount code."
    assert sentence(voucher(max_uses_per_customer=2)) == ""


@pytest.mark.both_databases
def test_uses_are_taken_up_to_the_limit_and_given_back_down_to_nothing() -> None:
    code, other = make_code(max_uses=2), make_code("OTHER")
    take_use(code)
    take_use(code)
    with pytest.raises(Invalid, match="has been used up"):
        take_use(code)
    code.refresh_from_db()
    assert code.used == 2
    for _ in range(3):
        give_back_use(DiscountCode, code.pk)
    give_back_use(DiscountCode, None)
    for each in (code, other):
        each.refresh_from_db()
        assert each.used == 0


@pytest.mark.both_databases
def test_what_is_no_code_is_refused(settings: LazySettings) -> None:
    code = make_code(minimum_cents=1000)
    assert get_discount_code(DiscountCode, " save 10") == code
    settings.SITE_CURRENCY = "eur"
    for text in ("", "SAVE\0", "NONE", "SAVE10"):
        with pytest.raises(Invalid, match="isn't valid"):
            get_discount_code(DiscountCode, text)
