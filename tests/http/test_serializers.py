"""Resources: shapes that are put together from pieces, and amounts."""

from rest_framework import serializers

from cms_api.http.serializers import CentsField, CurrencyField, Resource


class Frame(Resource):
    id = serializers.IntegerField()
    created_at = serializers.DateTimeField()


class Named(Resource):
    name = serializers.CharField()


class Thing(Frame, Named):
    data_ = serializers.DictField()
    rest = serializers.CharField()

    example = {"id": 1, "name": "A thing", "data": {}, "created_at": "2026-03-01T18:30:00+00:00"}


def test_it_works() -> None:
    assert list(Thing().fields) == ["id", "name", "data", "created_at", "rest"]


def test_without_an_example_keys_stand_as_they_are_declared() -> None:
    assert list(Frame().fields) == ["id", "created_at"]


def test_amounts_say_what_they_are() -> None:
    plain, special = CentsField(), CentsField(help_text="With the tax.", allow_null=True)
    assert (plain.help_text, plain.min_value) == ("In minor units.", 0)
    assert (special.help_text, special.allow_null) == ("With the tax.", True)
    assert CurrencyField().run_validation("usd") == "usd"
