"""The limit of messages from one address. An ordinary visitor's are counted in the memory of a process alone."""

from django.conf import settings

from cms_api.auth.services.budgets import Memory, Spent, spend
from cms_api.auth.services.visitors import network_of, sender_of
from cms_api.core.errors import TooManyAttempts

#: An address has one in so many of the limit in each process before the shared budget is charged, which costs a write.
FREE_DIVISOR = 10

_own = Memory()


def charge(address: str) -> None:
    """Charge a message to the budget of its address. Raises TooManyAttempts."""
    limit = settings.ANALYTICS_RATE_PER_MINUTE
    free = limit // FREE_DIVISOR
    used, _ = _own.spend(network_of(address))
    if used > free:
        shared = spend(f"analytics:{sender_of(address)}:minute", limit - free)
        spent = Spent(limit, free + shared.used, shared.resets_at)
        if not spent.allowed:
            raise TooManyAttempts(headers=spent.headers())


def forget() -> None:
    """Forget what this process has counted."""
    global _own
    _own = Memory()
