"""What may be the address and the name of a member: rules that need no database."""

from datetime import timedelta

from cms_api.core.errors import Invalid
from cms_api.mail.types import is_address

#: As the column of the user's name has it, which is the address and makes it unique.
MAX_ADDRESS = 150
MAX_NAME = 150
#: How long an account is kept that nobody confirms.
UNCONFIRMED_KEPT = timedelta(days=30)


def read_member_address(value: str) -> str:
    """The one spelling of an address. Raises Invalid."""
    address = value.strip().lower()
    if len(address) > MAX_ADDRESS or not address.isprintable() or not is_address(address) or address[-1:] == ">":
        raise Invalid({"email": "Enter a valid email address."})
    return address


def read_member_name(value: str) -> str:
    """Raises Invalid for what is no line of text of reasonable length."""
    name = " ".join(value.split(" ")).strip()
    if len(name) > MAX_NAME or not name.isprintable():
        raise Invalid({"name": f"Enter a single line of at most {MAX_NAME} characters."})
    return name
