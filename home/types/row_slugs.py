"""The slugs that identify rows in the API, and the placeholder kinds of rows."""

import secrets

BASE36 = "0123456789abcdefghijklmnopqrstuvwxyz"
SUFFIX_CHARACTERS = 6

#: The placeholders for a shared row, and for the record that a template surrounds.
SHARED = "shared"
RECORD = "record"


def new_row_slug(kind: str) -> str:
    """Return a random slug such as `hero-k3x0a9`; a row never changes its slug."""
    return f"{kind.replace('_', '-')}-{''.join(secrets.choice(BASE36) for _ in range(SUFFIX_CHARACTERS))}"
