"""Date overrides, time off and discount codes in the admin."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.test import Client

from cms_api.flags.services import set_setting
from commerce.booking.models import BookingCode, DateOverride, TimeOff
from commerce.booking.services import save_override, save_time_off
from tests import people

from .builders import at, make_staff

pytestmark = pytest.mark.usefixtures("booking")

OVERRIDES, TIME_OFF, CODES = (f"/admin/booking/{name}/" for name in ("overrides", "time-off", "discounts"))


@pytest.mark.both_databases
def test_overrides(admin_client: Client) -> None:
    staff = make_staff(name="Robin")
    values = {"staff": str(staff.pk), "date": "2030-05-01", "periods": "17:00-20:00, 11:00 - 14:00"}
    assert admin_client.post(f"{OVERRIDES}new/", values).status_code == 302
    override = DateOverride.objects.get()
    assert (override.date, override.periods) == (date(2030, 5, 1), [["11:00", "14:00"], ["17:00", "20:00"]])
    edit = f"{OVERRIDES}edit/{override.pk}/"
    assert 'value="11:00-14:00, 17:00-20:00"' in admin_client.get(edit).content.decode()
    admin_client.post(edit, {**values, "periods": ""})
    assert "Day off" in admin_client.get(OVERRIDES).content.decode()
    admin_client.post(f"{OVERRIDES}delete/{override.pk}/")
    assert not DateOverride.objects.exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("staff", "99999"),
        ("date", "2030-02-30"),
        ("date", "2030-05-02"),
        ("periods", "11:00-14:00, 13:00-15:00"),
        ("periods", "\0"),
    ],
)
def test_an_override_that_makes_no_sense_is_refused(field: str, value: str, admin_client: Client) -> None:
    staff = make_staff()
    save_override(values={"staff": staff, "date": date(2030, 5, 2), "periods": []})
    values = {"staff": str(staff.pk), "date": "2030-05-01", "periods": "", field: value}
    answer = admin_client.post(f"{OVERRIDES}new/", values)
    assert answer.status_code == 200
    assert set(answer.context["form"].errors) == {field}
    assert DateOverride.objects.count() == 1


def test_time_off_is_on_the_clock_of_the_site(admin_client: Client) -> None:
    set_setting(key="site.timezone", value="Asia/Tokyo")
    values = {"staff": "", "starts_at": "2030-05-01 09:00", "ends_at": "2030-05-02 18:00", "note": "Inventory"}
    assert admin_client.post(f"{TIME_OFF}new/", values).status_code == 302
    off = TimeOff.objects.get()
    assert (off.staff, off.starts_at, off.ends_at) == (
        None,
        datetime(2030, 5, 1, tzinfo=UTC),
        datetime(2030, 5, 2, 9, tzinfo=UTC),
    )
    edit = f"{TIME_OFF}edit/{off.pk}/"
    page = admin_client.get(edit).content.decode()
    for words in ('value="2030-05-01 09:00', "Time zone: Asia/Tokyo", "Everyone"):
        assert words in page
    staff = make_staff(name="Robin")
    admin_client.post(edit, {**values, "staff": str(staff.pk)})
    off.refresh_from_db()
    assert (off.staff, off.starts_at) == (staff, datetime(2030, 5, 1, tzinfo=UTC))
    shown = admin_client.get(TIME_OFF).content.decode()
    assert "Inventory" in shown
    assert "9:00" in shown
    admin_client.post(f"{TIME_OFF}delete/{off.pk}/")
    assert not TimeOff.objects.exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("staff", "99999"),
        ("starts_at", "0001-01-01 00:00"),
        ("ends_at", "2030-05-01 08:00"),
        ("note", "a\0b"),
    ],
)
def test_a_time_off_that_makes_no_sense_is_refused(field: str, value: str, admin_client: Client) -> None:
    values = {"staff": "", "starts_at": "2030-05-01 09:00", "ends_at": "2030-05-02 18:00", "note": "", field: value}
    answer = admin_client.post(f"{TIME_OFF}new/", values)
    assert answer.status_code == 200
    assert set(answer.context["form"].errors) == {field}
    assert not TimeOff.objects.exists()


def test_codes(admin_client: Client) -> None:
    values = {"code": "spring10", "kind": "percentage", "percent": "10", "enabled": "on", "note": "", "amount": "", "minimum": ""}
    more = {"max_uses": "5", "max_uses_per_customer": "1", "starts_at": "", "ends_at": ""}
    assert admin_client.post(f"{CODES}new/", {**values, **more}).status_code == 302
    code = BookingCode.objects.get()
    assert (code.code, code.percent, code.max_uses) == ("SPRING10", 10, 5)
    page = admin_client.get(f"{CODES}new/").content.decode()
    assert "Minimum booking value" in page
    assert "Free shipping" not in page
    assert admin_client.post(f"{CODES}new/", {**values, **more, "code": "B", "kind": "free_shipping"}).status_code == 200
    admin_client.post(f"{CODES}disable/{code.pk}/")
    code.refresh_from_db()
    assert code.enabled is False


def test_editors_are_kept_out(sign_in: Callable[[Any], Client]) -> None:
    staff = make_staff()
    override = save_override(values={"staff": staff, "date": date(2030, 5, 2), "periods": []})
    off = save_time_off(values={"staff": None, "starts_at": at(), "ends_at": at(days=2)})
    editor, manager = sign_in(people.bob()), sign_in(people.mallory_manager())
    for path in (OVERRIDES, f"{OVERRIDES}edit/{override.pk}/", TIME_OFF, f"{TIME_OFF}edit/{off.pk}/", CODES, f"{CODES}new/"):
        assert editor.get(path).status_code in {302, 403}
        assert manager.get(path).status_code == 200
    editor.post(f"{OVERRIDES}delete/{override.pk}/")
    editor.post(f"{TIME_OFF}delete/{off.pk}/")
    assert DateOverride.objects.exists()
    assert TimeOff.objects.exists()
