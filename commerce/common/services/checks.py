"""Checks of values that people and imports send, with the sentences of the refusals."""

from typing import Any

from cms_api.core.errors import ErrorCollector, attribute, required
from commerce.common.types.money import LARGEST


def is_whole(value: Any, lowest: int, highest: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= highest


def check_line(errors: ErrorCollector, path: str, value: Any, longest: int, *, needed: bool = False) -> None:
    """Check one line of text."""
    name = attribute(path)
    if not isinstance(value, str) or not value.isprintable():
        errors.add(path, f"The {name} must be one line of text.")
    elif needed and not value.strip():
        errors.add(path, required(path))
    elif len(value) > longest:
        errors.add(path, f"The {name} may not be greater than {longest} characters.")


def check_whole(errors: ErrorCollector, path: str, value: Any, highest: int) -> None:
    if not is_whole(value, 0, highest):
        errors.add(path, f"The {attribute(path)} must be a whole number between 0 and {highest}.")


def check_price(errors: ErrorCollector, path: str, value: Any) -> None:
    if not is_whole(value, 0, LARGEST):
        errors.add(path, "The price must be an amount of nothing or more.")
