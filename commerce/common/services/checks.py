"""Checks of values that people and imports send, with the sentences of the refusals."""

import re
from collections.abc import Iterable
from typing import Any

from django.db.models import QuerySet

from cms_api.core.errors import ErrorCollector, attribute, invalid_choice, required_message
from cms_api.core.identifiers import MAX_ID
from cms_api.media.services.library import lock_images
from commerce.common.selectors import format_money
from commerce.common.types.money import MAX_AMOUNT_CENTS, Money, is_payable, payable_step

#: Characters that PostgreSQL or UTF-8 cannot store: NUL and lone surrogates.
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def is_whole(value: Any, lowest: int, highest: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= highest


def is_amount(value: Any) -> bool:
    """Return whether a value is an amount that may be entered: of nothing or more, in minor units."""
    return is_whole(value, 0, MAX_AMOUNT_CENTS)


def check_line(errors: ErrorCollector, path: str, value: Any, longest: int, *, needed: bool = False) -> None:
    """Check one line of text."""
    name = attribute(path)
    if not isinstance(value, str) or not value.isprintable():
        errors.add(path, f"The {name} must be one line of text.")
    elif needed and not value.strip():
        errors.add(path, required_message(path))
    elif len(value) > longest:
        errors.add(path, f"The {name} may not be greater than {longest} characters.")


def check_text(errors: ErrorCollector, path: str, value: Any, longest: int) -> None:
    """Check text of several lines."""
    if not isinstance(value, str) or len(value) > longest or _UNSTORABLE.search(value):
        errors.add(path, f"The {attribute(path)} may not be greater than {longest} characters.")


def check_image(errors: ErrorCollector, path: str, value: Any) -> int | None:
    """Check the id of an image of the library, or None, and lock the image so that it is not deleted meanwhile.

    Call it before the record that shows the image is locked, as the deletion of an image locks them in this order.
    """
    if value is None:
        return None
    if not is_whole(value, 1, MAX_ID) or not lock_images([value]):
        errors.add(path, invalid_choice(path))
        return None
    return int(value)


def check_people(errors: ErrorCollector, path: str, ids: Iterable[int], known: QuerySet[Any]) -> set[int]:
    """Check the ids of people, who are some of the known ones; return each once."""
    wanted = set(ids)
    if not wanted:
        errors.add(path, required_message(path))
    elif set(known.filter(pk__in=wanted).values_list("pk", flat=True)) != wanted:
        errors.add(path, invalid_choice(path))
    return wanted


def check_whole(errors: ErrorCollector, path: str, value: Any, highest: int) -> None:
    if not is_whole(value, 0, highest):
        errors.add(path, f"The {attribute(path)} must be a whole number between 0 and {highest}.")


def check_price(errors: ErrorCollector, path: str, value: Any) -> None:
    if not is_amount(value):
        errors.add(path, amount_refusal(value, "price"))


def check_payable(errors: ErrorCollector, path: str, value: int, currency: str) -> None:
    """Check that a price, which is paid as it is, can be paid online."""
    if not is_payable(value, currency):
        errors.add(path, steps_refusal(currency))


def steps_refusal(currency: str) -> str:
    step = Money(payable_step(currency), currency)
    return f"Amounts are paid online in steps of {format_money(step)}."


def amount_refusal(value: Any, words: str) -> str:
    """Return why a value is no amount that may be entered."""
    if is_whole(value, MAX_AMOUNT_CENTS, value):
        return f"The {words} is too large."
    return f"The {words} must be an amount of nothing or more."
