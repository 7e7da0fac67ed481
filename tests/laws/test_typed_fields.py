"""Dates, times and numbers that people type are read as they are written in the site's country (ADR 56), in every form."""

import ast
from itertools import chain
from pathlib import Path

import django_filters
import pytest
from django import forms
from wagtail import blocks
from wagtail.admin.filters import DateRangePickerWidget

from cms_api.adminkit.forms import SiteDateField, TypedDateTimeField
from commerce.directory.views.forms import CoordinateField

from . import fields

#: Fields that read text by the conventions of the site's country; degrees are read with a point or a comma.
READERS = (SiteDateField, TypedDateTimeField, CoordinateField)
#: Fields that are not read so, and why.
EXCEPTIONS = {
    "UserChangeForm.last_login": "A form of Django's own admin, which is not installed.",
    "UserChangeForm.date_joined": "A form of Django's own admin, which is not installed.",
}


#: Modules that use plain fields or blocks of Django and Wagtail, and why. Forms that functions make are not walked.
USERS = {
    "cms_api/adminkit/blocks.py": "The kit.",
    "cms_api/adminkit/forms.py": "The kit.",
    "commerce/booking/admin/parameters.py": "The browser's own input for dates.",
    "commerce/common/admin/hours.py": "The browser's own input for times.",
    "commerce/directory/views/forms.py": "Degrees.",
    "commerce/donations/admin/documents.py": "A hidden input.",
}
ROOT = Path(__file__).parents[2]


def plain_fields() -> set[str]:
    fields.load_everything()
    found = chain(fields.fields_of_forms(), fields.fields_of_pages(), fields.fields_of_filters(), fields.fields_of_blocks())
    return {name for name, field in found if fields.is_plain(field, READERS)}


@pytest.mark.django_db
def test_it_works() -> None:
    assert plain_fields() - EXCEPTIONS.keys() == set()


@pytest.mark.django_db
def test_the_walk_finds_fields_of_every_kind() -> None:
    """Positive control."""
    fields.load_everything()
    walked = {
        "ProjectForm.due_at": fields.fields_of_forms(),
        "ProjectForm.milestone_rows.milestone.due_at": fields.fields_of_forms(),
        "MilestoneBlock.due_at": fields.fields_of_blocks(),
        "StandardPage.go_live_at": fields.fields_of_pages(),
    }
    for name, found in walked.items():
        assert name in {each for each, _ in found}, name
    assert any(isinstance(field, SiteDateField) for _, field in fields.fields_of_filters())


def test_only_the_kit_uses_plain_fields() -> None:
    found = {
        str(path.relative_to(ROOT))
        for package in fields.PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if "migrations" not in path.parts
        and fields.MENTION.search(text := path.read_text())
        and any(fields.uses(ast.parse(text)))
    }
    assert found == USERS.keys()


def test_a_planted_use_is_found() -> None:
    planted = (
        "from wagtail import blocks\nclass Row(blocks.StructBlock):\n    day = blocks.DateBlock()\n    n = blocks.IntegerBlock()"
    )
    assert list(fields.uses(ast.parse(planted))) == ["blocks.DateBlock"]


def test_a_planted_field_is_found() -> None:
    row = blocks.StreamBlock([("row", blocks.StructBlock([("day", blocks.DateBlock()), ("size", blocks.FloatBlock())]))])
    ranged = django_filters.DateFromToRangeFilter(widget=DateRangePickerWidget).field
    planted = {
        "day": forms.DateField(),
        "moment": forms.DateTimeField(),
        "time": forms.TimeField(),
        "price": forms.DecimalField(widget=forms.TextInput),
        "localized": forms.FloatField(localize=True),
        "ranged": ranged,
        "rows": blocks.BlockField(row),
        "both": forms.SplitDateTimeField(),
    }
    fine = {
        "browser": forms.DateField(widget=forms.DateInput(attrs={"type": "date"})),
        "number": forms.DecimalField(),
        "read": SiteDateField(),
        "text": forms.CharField(),
    }
    found = {
        name
        for key, field in (planted | fine).items()
        for name, part in fields.parts(key, field)
        if fields.is_plain(part, READERS)
    }
    assert found == {"day", "moment", "time", "price", "localized", "ranged", "rows.row.day", "both"}
