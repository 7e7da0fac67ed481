"""Pieces that records of several modules send in the same shape."""

from rest_framework import serializers

from cms_api.core.serializers import Resource


class RecordResource(Resource):
    """What every record has."""

    id = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class PersonResource(Resource):
    """The names of a person."""

    first_name = serializers.CharField(allow_null=True)
    last_name = serializers.CharField(allow_null=True)
    name = serializers.CharField(allow_null=True, help_text="First and last name; read only.")


class AddressResource(Resource):
    """A postal address."""

    street = serializers.CharField(allow_null=True)
    street2 = serializers.CharField(allow_null=True)
    city = serializers.CharField(allow_null=True)
    state = serializers.CharField(allow_null=True)
    postal_code = serializers.CharField(allow_null=True)
    country = serializers.CharField(allow_null=True)


class NamedResource(Resource):
    """Another record, by id and name."""

    id = serializers.IntegerField()
    name = serializers.CharField()


class SluggedResource(NamedResource):
    """Another record, by id, name and slug."""

    slug = serializers.CharField()
