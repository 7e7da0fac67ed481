"""Contacts and rules as the tests of the CRM need them."""

import itertools
from typing import Any

from django.contrib.auth.models import User
from django.db import connection

from cms_api.gateway.roles import create_editor
from commerce.crm.models import Activity, AssignmentRule, Company, Contact
from commerce.crm.services import upsert_contact
from commerce.crm.services.companies import save_company
from tests import people

_numbers = itertools.count(1)


def make_contact(email: str = "", **values: Any) -> Contact:
    return upsert_contact(values={"email": email or f"guest{next(_numbers)}@example.com", **values}, source="api").contact


def make_company(name: str = "", **values: Any) -> Company:
    return save_company(values={"name": name or f"Company {next(_numbers)}", **values})


def make_rule(*assignees: User, **values: Any) -> AssignmentRule:
    rule = AssignmentRule.objects.create(**{"name": f"Rule {next(_numbers)}", **values})
    rule.assignees.set(assignees)
    return rule


def team(size: int) -> list[User]:
    """Managers."""
    return [
        create_editor(email=f"staff{next(_numbers)}@example.com", role="manager", password=people.PASSWORD) for _ in range(size)
    ]


def be_patient() -> None:
    """This thread waits for the others for as long as it takes: on SQLite writers do not queue, and one may be unlucky."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA busy_timeout = 300000")


def lines(contact: Contact) -> list[str]:
    """The summaries in a contact's timeline, the latest first."""
    return list(Activity.objects.filter(contact=contact).values_list("summary", flat=True))
