"""The format of tokens: rules that need no database."""

import hashlib
import re
import secrets
import zlib
from dataclasses import dataclass
from datetime import datetime, timedelta

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
PREFIX = "swt_"
SECRET_LENGTH = 34
CHECKSUM_LENGTH = 6
#: Characters of a keyed hash of a visitor's network; see `visitors.network_key`.
NETWORK_KEY_LENGTH = 32

_FORM = re.compile(rf"{PREFIX}[0-9A-Za-z]{{{SECRET_LENGTH + CHECKSUM_LENGTH}}}", re.ASCII)

#: The choices of the create dialog; a token with None is valid until it is revoked.
LIFETIMES: dict[str, timedelta | None] = {
    "30d": timedelta(days=30),
    "90d": timedelta(days=90),
    "1y": timedelta(days=365),
    "never": None,
}


def new_token() -> str:
    """Return `swt_`, 34 random base62 characters, and a 6-character checksum to recognise mistyped or leaked tokens."""
    secret = "".join(secrets.choice(ALPHABET) for _ in range(SECRET_LENGTH))
    return PREFIX + secret + checksum(secret)


def checksum(secret: str) -> str:
    """Return the CRC32 of the ASCII text in base62, padded with zeros to six characters."""
    number = zlib.crc32(secret.encode("ascii"))
    digits = ""
    while number:
        number, digit = divmod(number, len(ALPHABET))
        digits = ALPHABET[digit] + digits
    return digits.rjust(CHECKSUM_LENGTH, "0")


def is_well_formed(plaintext: str) -> bool:
    """Return whether a text has the form of a token; others are refused without a query."""
    if not _FORM.fullmatch(plaintext):
        return False
    secret = plaintext[len(PREFIX) : -CHECKSUM_LENGTH]
    return secrets.compare_digest(checksum(secret), plaintext[-CHECKSUM_LENGTH:])


def digest(plaintext: str) -> str:
    """Return the stored form of a token: SHA-256, in hex."""
    return hashlib.sha256(plaintext.encode()).hexdigest()


def restriction_key(name: str, scope_id: int | None = None) -> str:
    """Return a restriction as one text, as forms and commands write it: `ticket_scanner`, or `ticket_scanner:12`."""
    return name if scope_id is None else f"{name}:{scope_id}"


@dataclass(frozen=True, slots=True)
class Grant:
    """A token's properties as a request sees them."""

    id: int
    digest: str
    abilities: frozenset[str]
    expires_at: datetime | None
    #: The name of its restriction, and the id of the record that it is limited to.
    restriction: str = ""
    scope_id: int | None = None
