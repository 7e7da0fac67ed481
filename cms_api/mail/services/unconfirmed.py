"""Limits mail to addresses that a visitor has entered without having shown that they are theirs.

Anyone may enter anyone's address into a public form. Only a visitor who is signed in, with an account that has confirmed the
address, has shown that it is theirs. A subscriber's or member's address that someone else enters is limited like any other.
"""

from django.utils.crypto import salted_hmac

from cms_api.auth.services.budgets import Spent, spend

from ..types import read_address

HOUR, DAY = 3600, 24 * 3600
#: Mails per day and mailbox, by default.
A_DAY = 6


def charge(*, purpose: str, address: str, about: object = "", a_day: int = A_DAY) -> Spent:
    """Charge a mail to an unconfirmed address; it may be sent only if the result is allowed, or else when its window ends.

    There is one mail an hour for a purpose, such as `events:rsvp`, and for what it is `about`, such as an event; all spellings
    of the address share it. There are `a_day` mails a day for a purpose and a mailbox, whatever follows a `+` in the address.
    """
    key = read_address(address).key
    hour = spend(f"{purpose}:{about}:{_digest(key)}:hour", 1, window=HOUR)
    if not hour.allowed:
        return hour
    local, _, domain = key.rpartition("@")
    return spend(f"{purpose}:{_digest(local.partition('+')[0] + '@' + domain)}:day", a_day, window=DAY)


def _digest(text: str) -> str:
    """Return a keyed hash that does not reveal the address."""
    return salted_hmac("mail.unconfirmed", text, algorithm="sha256").hexdigest()[:32]
