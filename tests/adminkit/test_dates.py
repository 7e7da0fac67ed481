"""Dates in forms are read in the order of the site's country; pickers write YYYY-MM-DD."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
from django import forms
from django.utils import timezone
from wagtail.admin.forms.models import formfield_for_dbfield

from cms_api.adminkit.blocks import SiteDateTimeBlock
from cms_api.adminkit.forms import SiteDateField, SiteDateTimeField
from cms_api.flags.services import set_setting
from commerce.booking.admin.hours import TimeOffForm
from commerce.common.admin.discounts import DiscountCodeForm
from commerce.directory.admin.forms import ListingForm
from commerce.projects.models import Project
from commerce.ticketing.admin.sales_form import type_block

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_menu")]


def test_it_works() -> None:
    set_setting(key="site.country", value="GB")
    for typed in ("03/04/2026", "3.4.2026", "2026-04-03"):
        assert SiteDateField().clean(typed) == date(2026, 4, 3)
    set_setting(key="site.country", value="US")
    assert SiteDateField().clean("03/04/2026") == date(2026, 3, 4)
    assert SiteDateField(required=False).clean("") is None


@pytest.mark.parametrize("typed", ["12/31/2026", "3/4/26", "31 December", "1e3", "9" * 5000])
def test_a_date_that_is_ambiguous_is_refused(typed: str) -> None:
    set_setting(key="site.country", value="DE")
    with pytest.raises(forms.ValidationError, match="Enter a date such as 31/12/2026 or 2026-12-31"):
        SiteDateField().clean(typed)


def test_a_date_may_have_a_time() -> None:
    set_setting(key="site.country", value="DE")
    set_setting(key="site.timezone", value="Europe/Berlin")
    for typed in ("31.12.2026 14:30", "2026-12-31 14:30", "2026-12-31T14:30"):
        assert SiteDateTimeField().clean(typed).isoformat() == "2026-12-31T14:30:00+01:00"
    with pytest.raises(forms.ValidationError):
        SiteDateTimeField().clean("12/31/2026 14:30")


def test_a_date_alone_ends_with_its_day() -> None:
    set_setting(key="site.country", value="DE")
    set_setting(key="site.timezone", value="Europe/Berlin")
    for typed in ("31.12.2026", "2026-12-31"):
        assert SiteDateTimeField().clean(typed).isoformat() == "2026-12-31T00:00:00+01:00"
        for field in (SiteDateTimeField(is_end=True), SiteDateTimeBlock(is_end=True).field):
            assert field.clean(typed).isoformat() == "2026-12-31T23:59:59+01:00"
    assert SiteDateTimeField(is_end=True).clean("31.12.2026 00:00").isoformat() == "2026-12-31T00:00:00+01:00"


def test_fields_about_an_end_take_the_whole_day() -> None:
    ticket: Any = type_block([]).child_blocks
    fields: dict[str, Any] = {
        "code": DiscountCodeForm.base_fields["ends_at"],
        "time off": TimeOffForm.base_fields["ends_at"],
        "featured": ListingForm.base_fields["featured_until"],
        "listing": ListingForm.base_fields["expires_at"],
        "sales": ticket["sales_end"].field,
    }
    assert {name for name, field in fields.items() if field.is_end} == fields.keys()
    assert not TimeOffForm.base_fields["starts_at"].is_end


def test_other_fields_do_not_read_american_dates() -> None:
    assert isinstance(formfield_for_dbfield(Project._meta.get_field("due_at")), SiteDateField)
    for field, typed in ((forms.DateField(), "03/04/2026"), (forms.DateTimeField(), "03/04/2026 10:00")):
        with pytest.raises(forms.ValidationError):
            field.clean(typed)
    assert forms.DateTimeField().clean("2026-04-03 10:00").replace(tzinfo=None) == datetime(2026, 4, 3, 10)


@pytest.fixture
def paris() -> None:
    set_setting(key="site.country", value="FR")
    set_setting(key="site.timezone", value="Europe/Paris")


class MomentForm(forms.Form):
    at = SiteDateTimeField()


def saved_unchanged(stored: datetime) -> datetime:
    """Return the moment after a form that shows it has been sent as it is, while the person is in another time zone."""
    with timezone.override("America/New_York"):
        shown = MomentForm(initial={"at": stored})["at"].value()
        form = MomentForm({"at": shown}, initial={"at": stored})
        assert form.is_valid(), form.errors
        assert not form.has_changed()
    moment: datetime = form.cleaned_data["at"]
    return moment


@pytest.mark.usefixtures("paris")
@pytest.mark.parametrize(
    "stored",
    [
        datetime(2026, 10, 25, 0, 30, tzinfo=UTC),
        datetime(2026, 10, 25, 1, 30, tzinfo=UTC),
        datetime(2026, 10, 25, 1, 30, 12, 345678, tzinfo=UTC),
        datetime(2026, 7, 1, 21, 59, 59, 999999, tzinfo=UTC),
    ],
)
def test_a_form_that_is_sent_unchanged_keeps_the_moment(stored: datetime) -> None:
    assert saved_unchanged(stored) == stored


@pytest.mark.usefixtures("paris")
def test_a_time_that_comes_twice_has_its_zone() -> None:
    field = SiteDateTimeField()
    first, second = (datetime(2026, 10, 25, hour, 30, tzinfo=UTC) for hour in (0, 1))
    assert field.prepare_value(first) == "2026-10-25 02:30 CEST"
    assert field.prepare_value(second) == "2026-10-25 02:30 CET"
    assert field.prepare_value(datetime(2026, 10, 25, 2, 30, 5, tzinfo=UTC)) == "2026-10-25 03:30:05"
    for typed in ("2026-10-25 02:30 CEST", "25/10/2026 02:30 cest", "2026-10-25T02:30+02:00", "25/10/2026 2:30 am +0200"):
        assert field.clean(typed) == first
    for typed in ("2026-10-25 02:30 CET", "25/10/2026 2:30 AM CET", "2026-10-25 02:30 +01", "2026-10-25T01:30Z"):
        assert field.clean(typed) == second


@pytest.mark.usefixtures("paris")
@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        (
            "25/10/2026 02:30",
            "The clocks show 02:30 twice on that day. Enter 2026-10-25 02:30 CEST or 2026-10-25 02:30 CET.",
        ),
        ("2026-03-29 02:30", "The clocks skip 02:30 on that day. Enter another time, such as 2026-03-29 03:30."),
        ("2026-07-01 14:30 CET", "The clock is not on CET at that time. Enter 2026-07-01 14:30."),
        ("2026-07-01 14:30 +99:00", "Enter a valid date/time."),
        ("9999-12-31 23:59 CET", "Enter a valid date."),
    ],
)
def test_a_time_that_no_single_moment_has_is_refused(typed: str, sentence: str) -> None:
    with pytest.raises(forms.ValidationError) as refused:
        SiteDateTimeField().clean(typed)
    assert refused.value.messages == [sentence]


@pytest.mark.usefixtures("paris")
def test_without_a_zone_it_is_the_stored_one_of_two() -> None:
    """Pickers of browsers and of Wagtail write no zone."""
    for hour in (0, 1):
        stored = datetime(2026, 10, 25, hour, 30, tzinfo=UTC)
        form = MomentForm({"at": "2026-10-25T02:30"}, initial={"at": stored})
        assert form.is_valid()
        assert form.cleaned_data["at"] == stored


def test_two_times_of_the_same_zone_have_offsets() -> None:
    set_setting(key="site.timezone", value="Europe/Moscow")
    field = SiteDateTimeField()
    second = datetime(2014, 10, 25, 22, 30, tzinfo=UTC)
    assert field.prepare_value(second) == "2014-10-26 01:30 +03:00"
    assert field.clean("2014-10-26 01:30 +03:00") == second
    with pytest.raises(forms.ValidationError, match=r"01:30 \+04:00 or 2014-10-26 01:30 \+03:00"):
        field.clean("2014-10-26 01:30 MSK")


@pytest.mark.usefixtures("paris")
def test_blocks_keep_the_moment_too() -> None:
    block = SiteDateTimeBlock()
    block.set_name("sales_end")
    for stored in (datetime(2026, 10, 25, 1, 30, tzinfo=UTC), datetime(2026, 12, 31, 22, 59, 59, tzinfo=UTC)):
        assert block.clean(block.get_form_state(stored)) == stored
