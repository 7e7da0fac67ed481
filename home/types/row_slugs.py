"""The slugs that name rows in the API, and the kinds of rows that stand for something else."""

import secrets

BASE36 = "0123456789abcdefghijklmnopqrstuvwxyz"
SUFFIX = 6

#: The kinds that stand for a row that pages share, and for the record that a template surrounds.
SHARED = "shared"
RECORD = "record"


def new_row_slug(kind: str) -> str:
    """A random slug such as `hero-k3x0a9`; a row keeps it for life."""
    return f"{kind.replace('_', '-')}-{''.join(secrets.choice(BASE36) for _ in range(SUFFIX))}"
