"""Statements of account: what a client was billed, and what was paid, in order and with the balance after each."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from operator import attrgetter


@dataclass(frozen=True, slots=True, order=True)
class Movement:
    """A document or payment. Positive amounts are owed by the client, negative ones to it; in minor units.

    Movements sort by currency and day; on a day, what is billed comes before what is paid (`rank`).
    """

    currency: str
    day: date
    rank: int
    number: int
    description: str
    cents: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A movement on a statement, with the balance after it."""

    day: date
    description: str
    cents: int
    balance_cents: int


@dataclass(frozen=True, slots=True)
class Account:
    """The movements of a period in one currency. A negative balance is owed to the client."""

    currency: str
    opening_cents: int
    entries: tuple[Entry, ...]
    closing_cents: int


def accounts(movements: Iterable[Movement], first: date, last: date) -> tuple[Account, ...]:
    """Return the account of each currency, in alphabetical order, that has a movement in the period or a balance before it."""
    ordered = sorted(each for each in movements if each.day <= last)
    found = [_account(currency, list(group), first) for currency, group in groupby(ordered, attrgetter("currency"))]
    return tuple(account for account in found if account.entries or account.opening_cents)


def _account(currency: str, movements: list[Movement], first: date) -> Account:
    opening = balance = sum(each.cents for each in movements if each.day < first)
    entries = []
    for each in movements:
        if each.day >= first:
            balance += each.cents
            entries.append(Entry(each.day, each.description, each.cents, balance))
    return Account(currency, opening, tuple(entries), balance)
