"""The details of a contact go every way in and out of the CRM by their entry in the table of fields alone."""

from typing import Any

import pytest
from django.test import Client

from cms_api.core import registry
from cms_api.forms.types import FormField, Received
from commerce.crm.models import Contact
from commerce.crm.resources import ContactInput, ContactResource, contact
from commerce.crm.services.capture import capture
from commerce.crm.services.importing import read
from commerce.crm.services.merging import merge_contacts
from commerce.crm.types import DETAILS, FIELDS, ContactField
from tests.client import Api

from .records import make_contact
from .test_admin_contacts import LIST, fields

pytestmark = pytest.mark.django_db

EACH = pytest.mark.parametrize("field", DETAILS, ids=lambda field: field.name)


def value(record: Contact, field: ContactField) -> str:
    record.refresh_from_db()
    return str(getattr(record, field.name))


@EACH
@pytest.mark.both_databases
def test_it_works(field: ContactField, crm_api: Api) -> None:
    created = crm_api.post("/crm/contacts", {"email": "dana@example.com", field.name: f" {field.example} "}).json()["data"]
    assert created[field.name] == field.example
    changed = crm_api.patch(f"/crm/contacts/{created['id']}", {field.name: "Another"}).json()["data"]
    assert changed[field.name] == crm_api.get(f"/crm/contacts/{created['id']}").json()["data"][field.name] == "Another"
    refused = crm_api.patch(f"/crm/contacts/{created['id']}", {field.name: "x" * (field.max_length + 1)})
    assert list(refused.json()["errors"]) == [field.name]
    assert crm_api.patch(f"/crm/contacts/{created['id']}", {field.name: None}).json()["data"][field.name] is None


@EACH
def test_upserts_and_merges_fill_it_in(field: ContactField) -> None:
    dana, other = make_contact("dana@example.com"), make_contact("d@example.com", **{field.name: "Another"})
    merge_contacts(kept=dana, others=[other])
    assert value(dana, field) == "Another"
    make_contact("dana@example.com", **{field.name: field.example})
    assert value(dana, field) == "Another"


@EACH
@pytest.mark.both_databases
def test_people_write_read_compare_and_export_it(field: ContactField, admin_client: Client) -> None:
    admin_client.post(f"{LIST}new/", fields(email="dana@example.com", **{field.name: field.example}))
    dana = Contact.objects.get()
    assert value(dana, field) == field.example
    pages = [f"{LIST}inspect/{dana.pk}/", f"{LIST}merge/?id={dana.pk}&id={make_contact('d@example.com').pk}"]
    for page in (admin_client.get(path).content.decode() for path in pages):
        assert field.label in page
        assert field.example in page
    table = b"".join(admin_client.get(f"{LIST}?export=csv")).decode()  # type: ignore[arg-type]
    assert field.name in table.splitlines()[0].split(",")
    assert field.example in table


@EACH
@pytest.mark.both_databases
def test_it_is_imported(field: ContactField) -> None:
    _, kind = registry.imports()["contacts"]
    assert (field.name, field.label) in {(column.name, column.title) for column in kind.columns}
    assert read({"email": "dana@example.com", field.name: field.example}, {})[field.name] == field.example


@pytest.mark.parametrize("field", [field for field in DETAILS if field.captured_from], ids=lambda field: field.name)
def test_it_is_captured(field: ContactField) -> None:
    for number, key in enumerate(field.captured_from):
        data = {"email": f"guest{number}@example.com", key: field.example}
        capture(Received(1, "Contact", None, "api", (FormField("email", "Email", "email"),), data))
        assert getattr(Contact.objects.get(email=data["email"]), field.name) == field.example


def test_every_field_is_a_column_and_a_key_of_the_api() -> None:
    columns = {column.name: column for column in Contact._meta.get_fields()}
    answer: dict[str, Any] = contact(make_contact())
    for field in FIELDS:
        assert field.name in ContactInput().fields
        assert field.name in ContactResource().fields
        assert field.name in answer
        column: Any = columns[field.name]
        assert not field.max_length or column.max_length in {None, field.max_length}
