"""The stages of sales, and the table of how one leads to another."""

import re
from pathlib import Path

import pytest

from cms_api.core import registry
from commerce.sales.services import SalePayable
from commerce.sales.types import TRANSITIONS, Stage
from commerce.shop.models import Order

from .kinds import KINDS, open_business
from .stages import observed

PAYABLES = {name: kind for name, kind in registry.payables().items() if isinstance(kind, SalePayable)}
ADR = Path(__file__).resolve().parents[3] / "docs/adr/0062-one-sale.md"


@pytest.mark.parametrize("payable", PAYABLES)
def test_every_status_has_a_stage(payable: str) -> None:
    field = PAYABLES[payable].model._meta.get_field("status")
    assert set(PAYABLES[payable].stages) == {value for value, _ in field.choices or ()}


def test_the_table_of_the_decision_is_that_of_the_code() -> None:
    rows = re.findall(r"^\| (\w+) \| (\w+)\S* .*?\|", ADR.read_text(), re.MULTILINE)
    written = {(start, end) for start, end in rows if start in set(Stage) and start != end}
    more = {(start, end) for kind in PAYABLES.values() for start, ends in kind.more_transitions.items() for end in ends}
    assert written == {(start, end) for start, ends in TRANSITIONS.items() for end in ends} | more


@pytest.mark.django_db
@pytest.mark.both_databases
def test_a_planted_change_is_observed() -> None:
    open_business()
    order = KINDS["order"].make()
    with observed() as refused:
        for status in ("paid", "fulfilled", "refunded", "pending"):
            order = Order.objects.get(pk=order.pk)
            order.status = status
            order.save()
    assert refused == [f"{order!r}: refunded to pending"]
