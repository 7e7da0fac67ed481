"""The form of a token, and the rules that need no database."""

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

_FORM = re.compile(rf"{PREFIX}[0-9A-Za-z]{{{SECRET_LENGTH + CHECKSUM_LENGTH}}}", re.ASCII)

#: The choices of the create dialog; None lives until it is revoked.
LIFETIMES: dict[str, timedelta | None] = {
    "30d": timedelta(days=30),
    "90d": timedelta(days=90),
    "1y": timedelta(days=365),
    "never": None,
}


def new_token() -> str:
    """`swt_`, 34 random base62 characters, and 6 of checksum by which a mistyped or leaked token is recognised."""
    secret = "".join(secrets.choice(ALPHABET) for _ in range(SECRET_LENGTH))
    return PREFIX + secret + checksum(secret)


def checksum(secret: str) -> str:
    """CRC32 of the ASCII text in base62, padded with zeros to six characters."""
    number = zlib.crc32(secret.encode("ascii"))
    digits = ""
    while number:
        number, digit = divmod(number, len(ALPHABET))
        digits = ALPHABET[digit] + digits
    return digits.rjust(CHECKSUM_LENGTH, "0")


def is_well_formed(plaintext: str) -> bool:
    """Whether a text can be a token at all; what cannot is refused without a query."""
    if not _FORM.fullmatch(plaintext):
        return False
    secret = plaintext[len(PREFIX) : -CHECKSUM_LENGTH]
    return secrets.compare_digest(checksum(secret), plaintext[-CHECKSUM_LENGTH:])


def digest(plaintext: str) -> str:
    """What is stored of a token: SHA-256, in hex."""
    return hashlib.sha256(plaintext.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Grant:
    """A token as a request sees it."""

    id: int
    digest: str
    abilities: frozenset[str]
    expires_at: datetime | None
