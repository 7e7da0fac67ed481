"""Ticket orders and attendees' tickets: statuses, numbers and codes."""

import secrets

from django.db.models import TextChoices

from commerce.common.types.codes import typed_code

#: The name of ticket orders among what is paid for; payments store it.
PAYABLE = "ticket_order"
#: The series of their numbers.
NUMBERS = "TIX"
FIRST_NUMBER = 1001
#: Tickets of one order, over all types.
MAX_TICKETS = 100
MAX_QUESTIONS = 10
MAX_TITLE = 255

#: Without 0, O, 1 and I, which people confuse.
ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
CODE_LENGTH = 8
_CHARACTERS = frozenset(ALPHABET)
_MISREAD = str.maketrans("1I", "LL")


class OrderStatus(TextChoices):
    #: It waits for its payment, and its seats are reserved.
    PENDING = "pending"
    PAID = "paid"
    CANCELLED = "cancelled"
    REFUNDED = "refunded"


class TicketStatus(TextChoices):
    VALID = "valid"
    CHECKED_IN = "checked_in", "Checked in"
    VOID = "void"


#: The statuses of tickets that take a seat.
ADMITS = (TicketStatus.VALID, TicketStatus.CHECKED_IN)

#: Statuses in the words of buyers.
BUYER_STATUS = {
    OrderStatus.PENDING: "Awaiting payment",
    OrderStatus.PAID: "Paid",
    OrderStatus.CANCELLED: "Cancelled",
    OrderStatus.REFUNDED: "Refunded",
}


class ScanResult(TextChoices):
    """The answer to somebody who shows a code at the door."""

    ADMITTED = "admitted", "Checked in"
    ALREADY = "already", "Already checked in"
    VOID = "void", "Void"
    #: The code of a ticket that was transferred since, and has a new one.
    REVOKED = "revoked", "Replaced by another ticket"
    UNKNOWN = "unknown", "Unknown"
    #: A ticket for another event, or another date of it.
    ELSEWHERE = "elsewhere", "For another event or date"


def order_number(sequence: int) -> str:
    return f"{NUMBERS}-{sequence:04d}"


def new_code() -> str:
    """Return a random code with at least one letter, so that it is never read as an id."""
    while True:
        code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))
        if not code.isdigit():
            return code


def access_key(text: str) -> str:
    """Return the spelling in which access codes are stored and compared: as `typed_code`, without hyphens."""
    return typed_code(text).replace("-", "")


def code_key(text: str) -> str:
    """Return the code of a ticket that somebody typed or scanned; empty if it cannot be one.

    Of what people type, letters and digits count. 1 and I can only be a misread L: no code has them.
    """
    key = "".join(each for each in typed_code(text) if each.isalnum()).translate(_MISREAD)
    return key if len(key) == CODE_LENGTH and set(key) <= _CHARACTERS else ""
