"""Amounts on pages."""

from django import template

from ..selectors import format_money
from ..types.money import Money

register = template.Library()


@register.filter
def money(cents: int, currency: str) -> str:
    """Return an amount in minor units as people write it: `{{ order.total_cents|money:order.currency }}`."""
    return format_money(Money(cents, currency))
