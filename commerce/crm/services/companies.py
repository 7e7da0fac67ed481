"""Companies: found by their names, made where there is none, and changed by people."""

from collections.abc import Collection
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid, required, taken
from commerce.common.services import find_or_create

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
        index_contacts(Contact.objects.filter(company=saved))
    log(instance=saved, action="wagtail.edit" if company else "wagtail.create", user=user)
    return saved


@transaction.atomic
def delete_company(*, company: Company, user: Any = None) -> None:
    """Deletes a company; its contacts stay, without one."""
    left = list(Contact.objects.filter(company=company).values_list("pk", flat=True))
    log(instance=company, action="wagtail.delete", user=user, deleted=True)
    company.delete()
    index_contacts(Contact.objects.filter(pk__in=left))
