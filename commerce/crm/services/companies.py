"""Companies: found by their names, made where there is none, and changed by people."""

from collections.abc import Collection
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid, required, taken
from commerce.common.services import find_or_create, in_lock_order

from ..models import Company, Contact
from ..types import company_key
from .index import index_contacts


def resolve_companies(names: Collection[str]) -> dict[str, Company]:
    """The company of each name, made where there is none. The spelling in which a company first comes stays its name."""
    keys = {name: company_key(name) for name in dict.fromkeys(names)}
    spelled: dict[str, str] = {}
    for name, key in keys.items():
        spelled.setdefault(key, name)
    now = timezone.now()
    found, made = find_or_create(
        Company,
        "key",
        [key for key in spelled if key],
        lambda keys: [Company(key=key, name=spelled[key], created_at=now, updated_at=now) for key in keys],
    )
    companies = found | made
    return {name: companies[key] for name, key in keys.items() if key}


@transaction.atomic
def save_company(*, values: dict[str, Any], company: Company | None = None, user: Any = None) -> Company:
    """Makes or changes a company (`name`, `website`, `notes`). Raises Invalid, also where the name is another company's."""
    now = timezone.now()
    saved = company or Company(created_at=now)
    before = saved.name
    for name, value in values.items():
        setattr(saved, name, value)
    saved.key, saved.updated_at = company_key(saved.name), now
    if not saved.key:
        raise Invalid({"name": required("name")})
    try:
        with transaction.atomic():
            saved.save()
    except IntegrityError:
        raise Invalid({"name": taken("name")}) from None
    if company and saved.name != before:
        index_contacts(_held(saved))
    log(instance=saved, action="wagtail.edit" if company else "wagtail.create", user=user)
    return saved


@transaction.atomic
def delete_company(*, company: Company, user: Any = None) -> None:
    """Deletes a company; its contacts stay, without one."""
    # In the order in which those who capture contacts lock them: the company first, and so that what refers to it can still
    # be checked, as PostgreSQL does when somebody who holds one of its contacts commits.
    list(Company.objects.select_for_update(no_key=True).filter(pk=company.pk))
    left = _held(company)
    log(instance=company, action="wagtail.delete", user=user, deleted=True)
    company.delete()
    for contact in left:
        contact.company = None
    index_contacts(left)


def _held(company: Company) -> list[Contact]:
    """The contacts of a company, locked, as nobody else then writes them or what the search knows of them."""
    rows = Contact.objects.select_for_update(of=("self",), no_key=True).select_related("company").filter(company=company)
    return list(in_lock_order(rows, "email"))
