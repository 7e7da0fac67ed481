"""The wire shapes of forms and submissions."""

from typing import Any

from rest_framework import serializers

from cms_api.http.serializers import Resource
from cms_api.http.wire import instant

from .models import Form, Submission
from .types import TYPES


class FormFieldResource(Resource):
    """A field of a form."""

    key = serializers.CharField(help_text="The key of the value in `data`.")
    label_ = serializers.CharField()
    type = serializers.ChoiceField(tuple(TYPES), help_text="`file` fields can only be filled in on the site.")
    required_ = serializers.BooleanField()
    help_text_ = serializers.CharField()
    options = serializers.ListField(
        child=serializers.CharField(), allow_null=True, help_text="The allowed values; null if any value is accepted."
    )

    example = {
        "key": "occasion",
        "label": "Occasion",
        "type": "select",
        "required": True,
        "help_text": "Such as a wedding or a concert.",
        "options": ["wedding", "concert", "meeting"],
    }


class FormResource(Resource):
    """A form with its fields."""

    id = serializers.IntegerField()
    slug = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField()
    store_submissions = serializers.BooleanField(help_text="Whether submissions are stored and can be read later.")
    fields_ = FormFieldResource(many=True)
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()

    example = {
        "id": 2,
        "slug": "hall",
        "name": "Ask for the hall",
        "description": "We reply within two days.",
        "store_submissions": True,
        "fields": [FormFieldResource.example],
        "created_at": "2026-02-14T09:00:00+00:00",
        "updated_at": "2026-02-20T16:45:00+00:00",
    }


class SubmissionResource(Resource):
    """A submission."""

    id = serializers.IntegerField()
    form_id = serializers.IntegerField()
    data_ = serializers.DictField(help_text="Values by field key, as described by the form's `fields`; for a file, its name.")
    is_spam = serializers.BooleanField(help_text="Whether the submission is in quarantine.")
    source_ = serializers.ChoiceField(("site", "api"))
    contact_id = serializers.IntegerField(allow_null=True, help_text="The CRM contact with the submitted email address.")
    created_at = serializers.DateTimeField()

    example = {
        "id": 318,
        "form_id": 2,
        "data": {
            "name": "Dana Reyes",
            "email": "dana.reyes@example.com",
            "occasion": "wedding",
            "guests": 80,
            "extras": ["catering", "piano"],
            "message": "Is the great hall free on the second Saturday of June?",
        },
        "is_spam": False,
        "source": "site",
        "contact_id": 41,
        "created_at": "2026-03-01T18:30:00+00:00",
    }


class SubmittedFormResource(SubmissionResource):
    """A submission as the form answers it, stored or not."""

    id = serializers.IntegerField(allow_null=True, help_text="Null if the form does not store submissions.")


class NotStoredResource(Resource):
    """The answer of a form that stores no submissions: its recipients were notified, and the submission cannot be read again."""

    form_id = serializers.IntegerField()
    stored = serializers.BooleanField(help_text="Always false.")

    example = {"form_id": 3, "stored": False}


def form(record: Form) -> dict[str, Any]:
    return {
        "id": record.pk,
        "slug": record.slug,
        "name": record.name,
        "description": record.description,
        "store_submissions": record.store_submissions,
        "fields": [field.as_dict() for field in record.schema],
        "created_at": instant(record.created_at),
        "updated_at": instant(record.updated_at),
    }


def submission(record: Submission) -> dict[str, Any]:
    """Return the record of a submission; one that is not stored has no id."""
    return {
        "id": record.pk,
        "form_id": record.form_id,
        "data": record.data,
        "is_spam": record.is_spam,
        "source": record.source,
        "contact_id": record.contact_id,
        "created_at": instant(record.created_at),
    }


def not_stored(record: Form) -> dict[str, Any]:
    return {"form_id": record.pk, "stored": False}
