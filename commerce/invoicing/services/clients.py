"""Creates, changes and deletes clients."""

from typing import Any

from django.db import transaction
from django.db.models import ProtectedError
from django.utils import timezone
from wagtail.log_actions import log
from wagtail.search.backends import get_search_backend

from cms_api.core.errors import ErrorCollector, Invalid, required_message
from cms_api.core.locks import lock_to_delete
from cms_api.core.records import lock_or_build, store_record
from cms_api.fields.base import FieldPath, read_line, read_text
from cms_api.flags.selectors import is_on
from cms_api.flags.services import notify
from commerce.common.types import MAX_LINE, MAX_NAME, MAX_PHONE, read_email, split_name
from commerce.crm.services import upsert_contact

from ..models import Client
from ..types.invoices import MAX_CLIENT, MAX_TAX_ID, MAX_TEXT
from .writing import readdress_drafts

#: The longest value of each column of one line.
LINES = {
    "name": MAX_CLIENT,
    "contact_name": 2 * MAX_NAME,
    "phone": MAX_PHONE,
    "tax_id": MAX_TAX_ID,
    "street": MAX_LINE,
    "street2": MAX_LINE,
    "city": MAX_NAME,
    "state": MAX_NAME,
    "postal_code": 30,
    "country": MAX_NAME,
}
SOURCE = "invoicing"


@transaction.atomic
def save_client(*, values: dict[str, Any], client: Client | None = None, user: Any = None) -> Client:
    """Create or change a client; values not given are unchanged. Issued invoices keep the former ones.

    Drafts follow its email address, unless another was typed for them.

    While the CRM is on, the contact with the email address is created or filled in, and linked. Raises Invalid by attribute.
    """
    now = timezone.now()
    saved = lock_or_build(Client, client, blocks_references=True, created_at=now)
    former = saved.email
    _read(saved, values)
    saved.updated_at = now
    if is_on("crm"):
        saved.contact_id = _contact(saved)
    store_record(saved, user=user)
    get_search_backend().add(saved)
    if client and saved.email != former:
        readdress_drafts(saved, former=former, user=user)
        notify("invoicing.client_address_ended", saved)
    return saved


def _read(client: Client, values: dict[str, Any]) -> None:
    errors = ErrorCollector()
    for name in values.keys() & LINES.keys():
        with errors.under():
            setattr(client, name, read_line(values[name], FieldPath(name, name), LINES[name]) or "")
    if "notes" in values:
        with errors.under():
            client.notes = read_text(values["notes"], FieldPath("notes", "notes"), MAX_TEXT) or ""
    if "email" in values or not client.email:
        with errors.under():
            client.email = read_email(values.get("email") or "")
    if not client.name:
        errors.add("name", required_message("name"))
    errors.raise_if_any()


def _contact(client: Client) -> int:
    first, last = split_name(client.contact_name)
    values = {"email": client.email, "first_name": first, "last_name": last, "phone": client.phone, "company": client.name}
    return upsert_contact(values={key: value for key, value in values.items() if value}, source=SOURCE).contact.pk


@transaction.atomic
def delete_client(*, client: Client, user: Any = None) -> None:
    """Delete a client without invoices. Raises Invalid (`client`) if there are any."""
    lock_to_delete(client)
    log(instance=client, action="wagtail.delete", user=user, deleted=True)
    notify("invoicing.client_address_ended", client)
    try:
        client.delete()
    except ProtectedError:
        raise Invalid({"client": "A client with invoices or estimates can't be deleted."}) from None
