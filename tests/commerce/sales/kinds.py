"""Every kind of record that customers pay for, as `sales.py` beside the tests of its module declares it."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from cms_api.core import registry
from cms_api.flags.services import set_setting, switch_feature

from .declaring import Kind

SELLING = [module for module in registry.modules() if module.records.payables]


def find_kinds(module: str) -> list[Kind]:
    """The kinds of a module; none if its tests declare none."""
    name = f"tests.commerce.{module}.sales"
    return list(import_module(name).KINDS) if find_spec(name) else []


KINDS: dict[str, Kind] = {kind.payable: kind for module in SELLING for kind in find_kinds(module.name)}


def make(payable: str) -> Any:
    """A record that waits for its payment."""
    return reloaded(KINDS[payable].make())


def reloaded(record: Any) -> Any:
    return type(record)._default_manager.get(pk=record.pk)


def open_business() -> None:
    """Switch on all that sells, and let test payments be made."""
    for module in SELLING:
        if module.feature:
            switch_feature(name=module.feature, on=True)
    set_setting(key="payments.allow_test_payments", value=True)
