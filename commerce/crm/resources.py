"""The wire shape of contacts."""

from rest_framework import serializers

from commerce.common.resources import AddressResource, NamedResource, PersonResource, RecordResource


class ContactResource(RecordResource, PersonResource, AddressResource):
    """Somebody the business knows, recognised by the email address."""

    email = serializers.EmailField(help_text="Lower-case; cannot be changed.")
    phone = serializers.CharField(allow_null=True)
    job_title = serializers.CharField(allow_null=True)
    company = NamedResource(allow_null=True)
    lifecycle = serializers.ChoiceField(("lead", "prospect", "customer", "partner", "inactive"))
    tags = serializers.ListField(child=serializers.CharField())
    notes = serializers.CharField(allow_null=True)
    source_ = serializers.CharField(allow_null=True, help_text="Where the contact came from.")
    assigned_to = NamedResource(allow_null=True, help_text="The member of staff who looks after the contact.")
    last_activity_at = serializers.DateTimeField(allow_null=True)

    example = {
        "id": 41,
        "email": "dana.reyes@example.com",
        "first_name": "Dana",
        "last_name": "Reyes",
        "name": "Dana Reyes",
        "phone": "+1 802 555 0142",
        "job_title": "Owner",
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
