"""Empty text and null for a key that may be left out: empty where it may be, else as if it was left out."""

from typing import Any

import pytest
from rest_framework import serializers

from cms_api.core.errors import Invalid
from cms_api.http.serializers import FlagInput, IdInput, InputSerializer, InstantInput, PositiveInput, TextInput
from tests.builders import make_item
from tests.client import Api


class ThingInput(InputSerializer):
    name = TextInput()
    note = TextInput(required=False, allow_null=True)
    title = TextInput(required=False)
    kind = serializers.ChoiceField(["a", "b"], required=False)
    enabled = FlagInput(required=False)
    count = PositiveInput(required=False)
    owner_id = IdInput(required=False, allow_null=True)
    since = InstantInput(required=False, allow_null=True)
    words = serializers.ListField(child=TextInput(), required=False)
    some = serializers.ListField(child=TextInput(), required=False, allow_empty=False)


OPTIONAL = set(ThingInput().fields) - {"name"}


@pytest.mark.parametrize("blank", ["", "  ", None])
def test_it_works(blank: Any) -> None:
    read = ThingInput.read({"name": "x", **dict.fromkeys(OPTIONAL, blank)})
    assert read == {"name": "x", "note": None, "owner_id": None, "since": None, "words": []}


@pytest.mark.parametrize("blank", ["", "  ", None])
def test_required_keys_may_not_be_blank_unless_they_may_be_left_out(blank: Any) -> None:
    with pytest.raises(Invalid) as refused:
        ThingInput.read({"name": blank})
    assert refused.value.errors == {"name": ["The name field is required."]}
    assert ThingInput.read({"name": blank, "kind": "a"}, partial=True) == {"kind": "a"}


def test_other_values_are_still_refused() -> None:
    with pytest.raises(Invalid) as refused:
        ThingInput.read({"name": "x", "kind": "c", "enabled": "maybe", "count": "1", "words": "w"})
    assert set(refused.value.errors) == {"kind", "enabled", "count", "words"}


@pytest.mark.django_db
@pytest.mark.parametrize("blank", ["", None])
def test_a_blank_never_unpublishes(api: Api, blank: Any) -> None:
    item = make_item()
    changed = api.patch(f"/content-items/{item.pk}", {"status": blank, "data": blank, "excerpt": blank})
    assert (changed.status_code, changed.json()["data"]["status"]) == (200, "published")
