"""The API's lists of contacts, for the law on the number of statements."""

from collections.abc import Callable

from cms_api.flags.services import switch_feature
from commerce.crm.models import Contact
from commerce.crm.services.contacts import upsert_contacts
from tests import people


def contacts(number: int) -> None:
    """Contacts who are looked after, of companies."""
    switch_feature(name="crm", on=True)
    person, first = people.alice() if not Contact.objects.exists() else None, Contact.objects.count()
    values = {"first_name": "Dana", "company": "Reyes Ceramics", "tags": ["one"]}
    upsert_contacts(rows=[{**values, "email": f"{first + index}@example.com"} for index in range(number)], source="api")
    if person:
        Contact.objects.update(assigned_to=person)


#: How to make rows for each list, and how many statements it may take.
LISTS: dict[str, tuple[Callable[[int], None], int]] = {
    # The versions, the total, and the rows with their companies and staff.
    "/crm/contacts?per_page=100": (contacts, 3),
    "/crm/contacts?per_page=100&search=dan&lifecycle=lead&sort=email": (contacts, 3),
    # The versions, and the rows.
    "/crm/contacts?per_page=100&cursor=": (contacts, 2),
    # The versions, how far is looked, and those that hold the word.
    "/crm/contacts?per_page=100&cursor=&search=dan": (contacts, 3),
}
