"""A system check: every kind of record that customers pay for fulfils the interface of payables."""

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from django.core.checks import CheckMessage, Error

from .. import selectors
from ..types import Payable

_MEMBERS = {name: found for name, found in vars(Payable).items() if inspect.isfunction(found) and not name.startswith("_")}


def check_payables() -> list[CheckMessage]:
    """Return what the declared payables lack, so that the process does not start."""
    return list(find_mistakes(selectors.payables()))


def find_mistakes(payables: Mapping[str, Any]) -> Iterator[CheckMessage]:
    """Return an error for each method that a payable lacks, or that takes other arguments than `Payable` says."""
    for name, payable in payables.items():
        for member, asked in _MEMBERS.items():
            # Without what `Payable` itself would answer for a class derived from it.
            found = getattr(type(payable), member, None)
            if found is None or found is asked or not callable(found):
                yield Error(f"The payable {name!r} has no method {member!r}.", id="payments.E001")
            elif _arguments(found) != _arguments(asked):
                yield Error(
                    f"{member!r} of the payable {name!r} takes other arguments than it is called with.", id="payments.E001"
                )


def _arguments(function: Any) -> list[tuple[str, Any]]:
    return [(each.name, each.kind) for each in inspect.signature(function).parameters.values()]
