"""Validation of members' addresses and names: rules that need no database."""

from datetime import timedelta

from cms_api.core.errors import Invalid
from cms_api.mail.types import is_address

#: The length of the username column, which stores the address and makes it unique.
MAX_ADDRESS = 150
MAX_NAME = 150
#: How long an unconfirmed account is kept.
UNCONFIRMED_RETENTION = timedelta(days=30)
#: How long sign-ins are kept.
SIGN_INS_RETENTION = timedelta(days=90)
#: Characters of a browser's description of itself.
MAX_BROWSER = 200


def read_member_address(value: str) -> str:
    """Return the canonical spelling of an address. Raises Invalid."""
    address = value.strip().lower()
    if len(address) > MAX_ADDRESS or not address.isprintable() or not is_address(address) or address[-1:] == ">":
        raise Invalid({"email": "Enter a valid email address."})
    return address


def read_member_name(value: str) -> str:
    """Return a name. Raises Invalid unless it is one line of reasonable length."""
    name = " ".join(value.split(" ")).strip()
    if len(name) > MAX_NAME or not name.isprintable():
        raise Invalid({"name": f"Enter a single line of at most {MAX_NAME} characters."})
    return name
