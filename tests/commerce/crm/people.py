"""Contacts, companies and staff for the tests of the CRM."""

import itertools
from typing import Any

from commerce.crm.models import Company, Contact
from commerce.crm.resources import ContactInput
from commerce.crm.services.companies import save_company
from commerce.crm.services.contacts import upsert_contact

_numbers = itertools.count(1)


def make_contact(email: str = "", **values: Any) -> Contact:
    """Somebody who was captured over the API."""
    sent = {"email": email or f"person{next(_numbers)}@example.com", **values}
    return upsert_contact(values=ContactInput.read(sent), source="api").contact


def make_company(name: str = "", **values: Any) -> Company:
    return save_company(values={"name": name or f"Company {next(_numbers)}", **values})
