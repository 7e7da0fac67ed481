"""Whole numbers that people type with a point between groups of digits are refused: Django alone reads "1.000" as 1."""

from typing import Any

import pytest
from django import forms
from wagtail.blocks import IntegerBlock

from cms_api.content.admin.inputs.base import INPUTS
from tests.builders import field, make_type

pytestmark = pytest.mark.django_db


def of_content() -> Any:
    item_type = make_type(field("stock", "integer"))
    return INPUTS["integer"].formfield(item_type.schema[-1], item_type)


@pytest.mark.parametrize("make", [forms.IntegerField, lambda: IntegerBlock().field, of_content], ids=["form", "block", "content"])
def test_it_works(make: Any) -> None:
    made = make()
    for typed in ("1.000", "10.000", "-1.000", "1.0", "5."):
        with pytest.raises(forms.ValidationError, match="Enter a whole number"):
            made.clean(typed)
        assert made.has_changed(1, typed)
    assert [made.clean(typed) for typed in ("1000", "-20", " 7 ", "0")] == [1000, -20, 7, 0]
    assert not made.has_changed(1000, "1000")
