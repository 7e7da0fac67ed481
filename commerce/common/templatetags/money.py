"""Amounts on pages."""

from django import template

from commerce.common.selectors import format_cents

register = template.Library()


@register.filter
def money(cents: int, currency: str) -> str:
    """Return an amount in minor units as people write it: `{{ order.total_cents|money:order.currency }}`."""
    return format_cents(cents, currency)
