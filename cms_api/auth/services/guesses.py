"""The guard of every secret that can be guessed: discount and access codes, passwords of pages and accounts, codes of claims.

Wrong guesses are counted, by network and by what is guessed; a right one is given back. Each guess is charged before the secret
is compared, so that guesses at the same moment are counted too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from django.utils.crypto import salted_hmac

from cms_api.core.errors import TooManyAttempts

from .budgets import Spent, give_back, spend
from .visitors import network_of

T = TypeVar("T")

HOUR = 3600


@dataclass(frozen=True, slots=True)
class Secret:
    """A kind of secret, and the wrong guesses that are allowed in a window of so many seconds."""

    kind: str
    #: Of all secrets of the kind, from one network.
    per_network: int = 10
    #: Of one secret, or set of secrets, from all networks. Once it is spent, a network has one guess: customers enter codes that
    #: work, so somebody else's guesses from other networks do not lock them out.
    per_target: int = 300
    window: int = HOUR


@dataclass(frozen=True, slots=True)
class Allowance:
    """A budget of wrong guesses: its name, limit, and window in seconds."""

    name: str
    limit: int
    window: int = HOUR


def guess(secret: Secret, *, address: str, target: object = "", check: Callable[[], T]) -> T:
    """Return what `check` returns, a true value if the guess was right. Raises TooManyAttempts, without calling it.

    `address` is the visitor's. Must not be called in a transaction, which would roll the count back with what was refused.
    """
    network = Allowance(_key(secret.kind, "network", network_of(address)), secret.per_network, secret.window)
    whole = Allowance(_key(secret.kind, "target", target), secret.per_target, secret.window)
    first = _charge(network)
    if not _charge_anyway(whole).allowed and first.used > 1:
        raise too_many(first)
    return _settle((network, whole), check)


def attempt(allowances: Sequence[Allowance], check: Callable[[], T]) -> T:
    """Return what `check` returns, a true value if the guess was right. Raises TooManyAttempts if one of the budgets is spent.

    The names of the allowances may hold addresses of people. Must not be called in a transaction.
    """
    hidden = [Allowance(_key("attempt", "", each.name), each.limit, each.window) for each in allowances]
    for each in hidden:
        _charge(each)
    return _settle(hidden, check)


def _settle(charged: Sequence[Allowance], check: Callable[[], T]) -> T:
    found = check()
    if found:
        for each in charged:
            give_back(each.name)
    return found


def _charge(allowance: Allowance) -> Spent:
    spent = _charge_anyway(allowance)
    if not spent.allowed:
        raise too_many(spent)
    return spent


def _charge_anyway(allowance: Allowance) -> Spent:
    return spend(allowance.name, allowance.limit, window=allowance.window)


def too_many(spent: Spent) -> TooManyAttempts:
    """Return the error of a spent budget, which says when the next guess is allowed."""
    return TooManyAttempts(headers={"Retry-After": str(spent.seconds_left)})


def _key(kind: str, scope: str, what: object) -> str:
    """Return the key of a budget, which reveals neither addresses nor names."""
    digest = salted_hmac("guesses", f"{scope}:{what}", algorithm="sha256").hexdigest()[:32]
    return f"guess:{kind}:{scope}:{digest}"
