"""Creates, changes and deletes companies."""

from collections.abc import Collection
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid, required_message, taken_message
from cms_api.core.locks import get_row
from cms_api.core.records import lock_or_build, store_record
from commerce.common.services import bulk_get_or_create, in_lock_order

from ..models import Company, Contact
from ..types import company_key
from .index import index_contacts
from .locking import lock_contacts_for_share


def resolve_companies(names: Collection[str]) -> dict[str, Company]:
    """Return the company of each name, creating missing ones. A new company keeps the first spelling of its name."""
    keys = {name: company_key(name) for name in dict.fromkeys(names)}
    spelled: dict[str, str] = {}
    for name, key in keys.items():
        spelled.setdefault(key, name)
    now = timezone.now()
    found, made = bulk_get_or_create(
        Company,
        "key",
        [key for key in spelled if key],
        lambda keys: [Company(key=key, name=spelled[key], created_at=now, updated_at=now) for key in keys],
    )
    companies = found | made
    return {name: companies[key] for name, key in keys.items() if key}


@transaction.atomic
def save_company(*, values: dict[str, Any], company: Company | None = None, user: Any = None) -> Company:
    """Create or change a company (`name`, `website`, `notes`). Raises Invalid, also if the name is taken."""
    lock_contacts_for_share()
    now = timezone.now()
    saved = lock_or_build(Company, company, created_at=now)
    before = saved.name
    for name, value in values.items():
        setattr(saved, name, value)
    saved.key, saved.updated_at = company_key(saved.name), now
    if not saved.key:
        raise Invalid({"name": required_message("name")})
    store_record(saved, user=user, refusal={"name": taken_message("name")})
    if company and saved.name != before:
        index_contacts(_locked_contacts(saved))
    return saved


@transaction.atomic
def delete_company(*, company: Company, user: Any = None) -> None:
    """Delete a company; its contacts stay, without a company."""
    lock_contacts_for_share()
    # Lock the company before its contacts, as everywhere. Transactions that have locked a contact can still commit: PostgreSQL
    # then checks that the company exists, which this lock allows.
    get_row(Company.objects.select_for_update(no_key=True), company.pk)
    left = _locked_contacts(company)
    log(instance=company, action="wagtail.delete", user=user, deleted=True)
    company.delete()
    for contact in left:
        contact.company = None
    index_contacts(left)


def _locked_contacts(company: Company) -> list[Contact]:
    """Return the company's contacts, locked against changes to them and their search entries."""
    rows = Contact.objects.select_for_update(of=("self",), no_key=True).select_related("company").filter(company=company)
    return list(in_lock_order(rows, "email"))
