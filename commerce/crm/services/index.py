"""Search entries of contacts, updated in the transaction of each change."""

from collections.abc import Iterable, Sequence

from django.db.models import QuerySet
from wagtail.search.backends import get_search_backend

from commerce.common.services import BATCH

from ..models import Contact


def index_contacts(contacts: QuerySet[Contact] | Sequence[Contact]) -> None:
    """Update the search entries of contacts."""
    rows: Iterable[Contact] = contacts
    if isinstance(contacts, QuerySet):
        rows = contacts.select_related("company").iterator(chunk_size=BATCH)
    part: list[Contact] = []
    for contact in rows:
        part.append(contact)
        if len(part) == BATCH:
            get_search_backend().add_bulk(Contact, part)
            part = []
    if part:
        get_search_backend().add_bulk(Contact, part)


def forget_contact(contact: Contact) -> None:
    """Remove a contact that is about to be deleted from the search index."""
    get_search_backend().delete(contact)
