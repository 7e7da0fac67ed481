"""Limits mail to addresses that a visitor has entered without having shown that they are theirs.

Anyone may enter anyone's address into a public form. Only a visitor who is signed in, with an account that has confirmed the
address, has shown that it is theirs. A subscriber's or member's address that someone else enters is limited like any other.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.utils.crypto import salted_hmac

from cms_api.auth.selectors import owns_address
from cms_api.auth.services.budgets import Spent, spend
from cms_api.auth.services.visitors import acting_visitor

from ..types import Visitor, address_key

HOUR, DAY = 3600, 24 * 3600
#: Mails per day and mailbox for one purpose, by default.
MAILS_PER_DAY = 6
#: Mails per mailbox that visitors can cause, whatever they do.
MAILBOX_MAILS_PER_HOUR, MAILBOX_MAILS_PER_DAY = 10, 20
#: Mails per address about one record, such as an appointment. The next one waits, and reports the state of then.
RECORD_MAILS_PER_HOUR = 3

_is_paid: ContextVar[bool] = ContextVar("is_paid", default=False)


@contextmanager
def declare_paid() -> Iterator[None]:
    """Declare that the mails queued in this context answer a payment, for which nobody needs to show an address."""
    token = _is_paid.set(True)
    try:
        yield
    finally:
        _is_paid.reset(token)


def is_unconfirmed(address: str, entered_by: Visitor | None = None) -> bool:
    """Return whether a visitor who has not shown that the address is theirs causes a mail now, or entered it earlier."""
    if entered_by is not None:
        return not owns_address(entered_by.user, address)
    visitor = None if _is_paid.get() else acting_visitor()
    return visitor is not None and not owns_address(getattr(visitor, "user", None), address)


def charge_mailbox(*, address: str, about: str = "", to_staff: bool = False) -> Spent:
    """Charge a mail to the budgets of its recipient; it may be sent only if the result is allowed, or else when its window ends.

    Mails to staff are limited by the record that they are `about` alone.
    """
    key = address_key(address)
    budgets = [(f"about:{about}:{_digest(key)}", RECORD_MAILS_PER_HOUR, HOUR)] if about else []
    if not to_staff:
        mailbox = _digest(_mailbox(key))
        budgets += [(f"{mailbox}:hour", MAILBOX_MAILS_PER_HOUR, HOUR), (f"{mailbox}:day", MAILBOX_MAILS_PER_DAY, DAY)]
    spent = Spent(1, 0, 0.0)
    for name, limit, window in budgets:
        spent = spend(f"mail:{name}", limit, window=window)
        if not spent.allowed:
            break
    return spent


#: Domains of Gmail's addresses.
_GMAIL = frozenset({"gmail.com", "googlemail.com"})


def charge(*, purpose: str, address: str, about: object = "", a_day: int = MAILS_PER_DAY) -> Spent:
    """Charge a mail to the budget of a purpose; it may be queued only if the result is allowed, or else when its window ends.

    There is one mail an hour for a purpose, such as `events:rsvp`, and for what it is `about`, such as an event; all spellings
    of the address share it. There are `a_day` mails a day for a purpose and a mailbox, however its address is spelled.
    The budget of the mailbox (`charge_mailbox`) applies besides.
    """
    key = address_key(address)
    hour = spend(f"{purpose}:{about}:{_digest(key)}:hour", 1, window=HOUR)
    if not hour.allowed:
        return hour
    return spend(f"{purpose}:{_digest(_mailbox(key))}:day", a_day, window=DAY)


def _mailbox(key: str) -> str:
    """Return the key of an address without what follows a `+`, which many mail servers deliver to the same mailbox.

    Gmail also ignores dots, and has two domains: https://support.google.com/mail/answer/7436150
    """
    local, _, domain = key.rpartition("@")
    local = local.partition("+")[0]
    return f"{local.replace('.', '')}@gmail.com" if domain in _GMAIL else f"{local}@{domain}"


def _digest(text: str) -> str:
    """Return a keyed hash that does not reveal the address."""
    return salted_hmac("mail.unconfirmed", text, algorithm="sha256").hexdigest()[:32]
