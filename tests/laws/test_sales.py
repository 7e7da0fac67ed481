"""Every kind of record that customers pay for is declared beside the tests of its module, and so tried by the tests of all."""

from collections.abc import Collection, Mapping

import pytest

from cms_api.core import registry
from tests.commerce.sales.declaring import Kind
from tests.commerce.sales.kinds import KINDS, SELLING, find_kinds


def undeclared(payables: Collection[str], kinds: Mapping[str, Kind]) -> set[str]:
    """The kinds that are only registered, or only declared in tests."""
    return set(payables) ^ kinds.keys()


def test_every_kind_of_sale_is_declared_once() -> None:
    assert not undeclared(registry.payables(), KINDS)
    assert sum(len(find_kinds(module.name)) for module in SELLING) == len(KINDS)


@pytest.mark.parametrize("module", SELLING, ids=lambda module: module.name)
def test_a_kind_is_declared_beside_its_own_module(module: registry.Module) -> None:
    assert not undeclared(module.records.payables, {kind.payable: kind for kind in find_kinds(module.name)})


def test_a_planted_kind_without_a_declaration_is_found() -> None:
    assert undeclared([*registry.payables(), "room"], KINDS) == {"room"}
    assert undeclared(registry.payables(), {name: kind for name, kind in KINDS.items() if name != "order"}) == {"order"}
