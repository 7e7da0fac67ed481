"""Discount codes and what they take off."""

import re
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal

from django.db.models import TextChoices

from .codes import typed_code

MAX_CODE = 40
MAX_NOTE = 200
MAX_USES = 2**31 - 1
#: Letters of every script, digits, hyphens and underscores.
CODE = re.compile(r"[\w-]+")

# Sentences for customers.
NOT_VALID = "This discount code isn't valid."
USED_UP = "This discount code has been used up."


class DiscountKind(TextChoices):
    PERCENTAGE = "percentage", "Percentage"
    AMOUNT = "amount", "Amount"
    FREE_SHIPPING = "free_shipping", "Free shipping"


class CodeState(TextChoices):
    """Whether a code can be used."""

    ACTIVE = "active", "Active"
    SCHEDULED = "scheduled", "Scheduled"
    EXPIRED = "expired", "Expired"
    USED_UP = "used_up", "Used up"
    DISABLED = "disabled", "Disabled"


def code_state(
    now: datetime, *, enabled: bool, starts_at: datetime | None, ends_at: datetime | None, max_uses: int | None, used: int
) -> CodeState:
    """Return the state of a code. It is valid from `starts_at` until just before `ends_at`."""
    if not enabled:
        return CodeState.DISABLED
    if ends_at is not None and ends_at <= now:
        return CodeState.EXPIRED
    if max_uses is not None and used >= max_uses:
        return CodeState.USED_UP
    return CodeState.SCHEDULED if starts_at is not None and starts_at > now else CodeState.ACTIVE


@dataclass(frozen=True, slots=True)
class Discount:
    """The effect of a code: it takes a percentage or an amount off the prices of all items, or makes shipping free."""

    kind: DiscountKind
    percent: Decimal = Decimal(0)
    amount_cents: int = 0

    def of_items(self, cents: int) -> int:
        """Return what is taken off the items, in minor units and never more than they cost."""
        if self.kind == DiscountKind.PERCENTAGE:
            return min(cents, int((cents * self.percent / 100).quantize(Decimal(1), ROUND_HALF_UP)))
        return min(cents, self.amount_cents) if self.kind == DiscountKind.AMOUNT else 0

    @property
    def is_free_shipping(self) -> bool:
        return self.kind == DiscountKind.FREE_SHIPPING


def code_key(text: str) -> str:
    """Return the spelling in which codes are stored and compared; see `typed_code`. Does not validate."""
    return typed_code(text)
