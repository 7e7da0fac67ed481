"""Texts and amounts for the cells, facts and CSV files of records with money."""

from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from django.template.defaultfilters import linebreaksbr
from django.utils.html import format_html

from cms_api.flags.selectors import site_formats

from ..selectors import format_money
from ..types.money import Money


def amount(name: str) -> Callable[[Any], str]:
    """Return what formats an amount of a record in its currency, by its column."""
    return lambda record: format_money(Money(getattr(record, name), record.currency))


def figure(name: str) -> Callable[[Any], Decimal]:
    """Return what reads an amount of a record in major units, by its column."""
    return lambda record: Money(getattr(record, name), record.currency).amount


def logged_amount(data: Mapping[str, Any]) -> str:
    """Return the amount of money in a log entry's data: its `cents` in its `currency`."""
    return format_money(Money(data["cents"], data["currency"]))


def day(value: date | None) -> str:
    return site_formats().short_date(value) if value else ""


def link(record: Any, url: str) -> str:
    return format_html('<a href="{}">{}</a>', url, record)


def paragraphs(text: str) -> str | None:
    """Return text with its line breaks; None if it is empty."""
    return linebreaksbr(text, autoescape=True) if text else None
