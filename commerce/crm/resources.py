"""Output and input shapes of contacts."""

from typing import Any

from rest_framework import serializers

from cms_api.http.serializers import IdInput, InputSerializer, RecordResource, Resource, TextInput
from cms_api.http.wire import instant, record
from commerce.common import resources as common
from commerce.common.resources import (
    AddressInput,
    AddressResource,
    EmailInput,
    LineInput,
    NamedResource,
    PersonInput,
    PersonResource,
    TagsInput,
)

from .models import Contact
from .selectors import refer_to_user
from .types import DETAILS, MAX_COMPANY, MAX_NOTES, MAX_SOURCE, Lifecycle, company_key

#: Bases with the lines of text that are declared as `DETAILS`.
DetailsResource: Any = type(
    "DetailsResource", (Resource,), {field.name: serializers.CharField(allow_null=True) for field in DETAILS}
)
DetailsInput: Any = type(
    "DetailsInput",
    (InputSerializer,),
    {"email": EmailInput(), **{field.name: LineInput(max_length=field.max_length) for field in DETAILS}},
)


class ContactResource(RecordResource, PersonResource, AddressResource, DetailsResource):
    """A person known to the business, identified by email."""

    email = serializers.EmailField(help_text="In lower case; cannot be changed.")
    company = NamedResource(allow_null=True)
    lifecycle = serializers.ChoiceField(tuple(Lifecycle.values))
    tags = serializers.ListField(child=serializers.CharField())
    notes = serializers.CharField(allow_null=True)
    source_ = serializers.CharField(allow_null=True, help_text="Where the contact came from.")
    assigned_to = NamedResource(allow_null=True, help_text="The contact's owner, a member of staff.")
    last_activity_at = serializers.DateTimeField(allow_null=True)

    example = {
        "id": 41,
        "email": "dana.reyes@example.com",
        "first_name": "Dana",
        "last_name": "Reyes",
        "name": "Dana Reyes",
        **{field.name: field.example for field in DETAILS},
        "company": {"id": 9, "name": "Reyes Ceramics"},
        "lifecycle": "lead",
        "street": "14 Canal Street",
        "street2": None,
        "city": "Brattleboro",
        "state": "VT",
        "postal_code": "05301",
        "country": "US",
        "tags": ["weddings"],
        "notes": None,
        "source": "form",
        "assigned_to": {"id": 3, "name": "Robin Vale"},
        "last_activity_at": "2026-03-01T18:30:00+00:00",
        "created_at": "2026-03-01T18:30:00+00:00",
        "updated_at": "2026-03-01T18:30:00+00:00",
    }


class CompanyInput(LineInput):
    """A company name."""

    def __init__(self, **options: Any) -> None:
        help_text = "The company's name, matched without case and legal form; created if new."
        super().__init__(**{"max_length": MAX_COMPANY, "help_text": help_text, **options})

    def to_internal_value(self, data: Any) -> str:
        name = super().to_internal_value(data)
        if not company_key(name[:MAX_COMPANY]):
            raise serializers.ValidationError("The company must have letters or digits.")
        return name


class ContactInput(PersonInput, AddressInput, DetailsInput):
    """Contact input from integrations, imports and people."""

    company = CompanyInput()
    lifecycle = serializers.ChoiceField(tuple(Lifecycle.values), required=False)
    tags = TagsInput()
    notes = TextInput(required=False, allow_null=True, max_length=MAX_NOTES)
    source = LineInput(max_length=MAX_SOURCE, help_text="Where the contact came from.")  # type: ignore[assignment]
    assigned_to = IdInput(required=False, allow_null=True, help_text="Id of the contact's owner, a member of staff.")

    example = {
        "email": "dana.reyes@example.com",
        "first_name": "Dana",
        "last_name": "Reyes",
        "company": "Reyes Ceramics, Inc.",
        "country": "US",
        "tags": ["weddings"],
    }


def contact(row: Contact) -> dict[str, Any]:
    return {
        **record(row),
        "email": row.email,
        **common.person(row),
        **{field.name: getattr(row, field.name) or None for field in DETAILS},
        "company": common.refer_to(row.company),
        "lifecycle": row.lifecycle,
        **common.address(row),
        "tags": row.tags,
        "notes": row.notes or None,
        "source": row.source or None,
        "assigned_to": refer_to_user(row.assigned_to),
        "last_activity_at": instant(row.last_activity_at),
    }
