"""Opening hours, special days and delivery zones in the admin: forms, hostile values, and people who are kept out."""

from collections.abc import Callable
from datetime import date, time
from typing import Any

import pytest
from django.test import Client

from commerce.restaurant.models import DeliveryZone, OpeningPeriod, SpecialDay
from commerce.restaurant.services.hours import MAX_PERIODS
from tests import people

from .builders import make_zone

pytestmark = pytest.mark.django_db

HOURS, DAYS, ZONES = "/admin/restaurant/hours/", "/admin/restaurant/special-days/", "/admin/restaurant/zones/"

OPENING = {"weekday": "4", "opens": "18:00", "closes": "01:00"}
DAY = {"date": "2026-12-24", "is_closed": "", "periods": "11:00-14:00, 17:00 - 22:00", "note": "Christmas Eve"}
ZONE = {
    "name": "Town",
    "postal_codes": "hx7*, 05301",
    "fee": "3.50",
    "minimum": "",
    "free_from": "",
    "extra_minutes": "10",
    "position": "1",
}


@pytest.mark.both_databases
def test_opening_hours(admin_client: Client) -> None:
    assert admin_client.post(f"{HOURS}new/", OPENING).status_code == 302
    opening = OpeningPeriod.objects.get()
    assert (opening.weekday, opening.opens, opening.closes) == (4, time(18), time(1))
    assert "Friday" in admin_client.get(HOURS).content.decode()
    assert "has already been taken" in admin_client.post(f"{HOURS}new/", OPENING).content.decode()
    admin_client.post(f"{HOURS}edit/{opening.pk}/", {**OPENING, "closes": "23:30"})
    opening.refresh_from_db()
    assert opening.closes == time(23, 30)
    assert "Friday" in Client().get("/menu").content.decode()
    admin_client.post(f"{HOURS}delete/{opening.pk}/")
    assert not OpeningPeriod.objects.exists()
    assert "Friday" not in Client().get("/menu").content.decode()


def test_special_days(admin_client: Client) -> None:
    assert admin_client.post(f"{DAYS}new/", DAY).status_code == 302
    day = SpecialDay.objects.get()
    assert (day.date, day.is_closed, day.periods) == (date(2026, 12, 24), False, [["11:00", "14:00"], ["17:00", "22:00"]])
    edit = f"{DAYS}edit/{day.pk}/"
    assert 'value="11:00-14:00, 17:00-22:00"' in admin_client.get(edit).content.decode()
    assert "has already been taken" in admin_client.post(f"{DAYS}new/", DAY).content.decode()
    admin_client.post(edit, {**DAY, "is_closed": "on"})
    day.refresh_from_db()
    assert (day.is_closed, day.periods) == (True, [])
    assert "Closed" in admin_client.get(DAYS).content.decode()
    admin_client.post(f"{DAYS}delete/{day.pk}/")
    assert not SpecialDay.objects.exists()


def test_zones(admin_client: Client) -> None:
    assert admin_client.post(f"{ZONES}new/", ZONE).status_code == 302
    zone = DeliveryZone.objects.get()
    assert (zone.postal_codes, zone.fee_cents, zone.minimum_cents, zone.free_from_cents) == ("HX7*, 05301", 350, 0, None)
    edit = f"{ZONES}edit/{zone.pk}/"
    assert 'value="3.50"' in admin_client.get(edit).content.decode()
    admin_client.post(edit, {**ZONE, "fee": "", "minimum": "15", "free_from": "0"})
    zone.refresh_from_db()
    assert (zone.fee_cents, zone.minimum_cents, zone.free_from_cents) == (0, 1500, 0)
    assert "Free" in admin_client.get(ZONES).content.decode()
    admin_client.post(f"{ZONES}delete/{zone.pk}/")
    assert not DeliveryZone.objects.exists()


REFUSED: list[tuple[str, dict[str, str], str, str]] = [
    *((HOURS, OPENING, "weekday", value) for value in ("", "7", "9" * 30)),
    *((HOURS, OPENING, name, value) for name in ("opens", "closes") for value in ("25:00", "\0")),
    *((DAYS, DAY, "date", value) for value in ("2026-02-30", "\0")),
    *((DAYS, DAY, "periods", value) for value in ("", "11:00", "14:00-25:00", "a\0b", "x" * 201)),
    (DAYS, DAY, "periods", ",".join(f"{hour}:00-{hour}:30" for hour in range(10, 11 + MAX_PERIODS))),
    *((DAYS, DAY, "note", value) for value in ("x" * 121,)),
    *((ZONES, ZONE, "name", value) for value in ("a\0b",)),
    *((ZONES, ZONE, "postal_codes", value) for value in (" , ", "0*5", "1" * 10_000)),
    *((ZONES, ZONE, name, value) for name in ("fee", "minimum", "free_from") for value in ("-1", "three")),
    (ZONES, ZONE, "position", "9" * 30),
    (ZONES, ZONE, "extra_minutes", "601"),
]


@pytest.mark.parametrize("path", [HOURS, DAYS, ZONES])
def test_values_that_make_no_sense_are_refused(path: str, admin_client: Client) -> None:
    for values, field, value in (refused[1:] for refused in REFUSED if refused[0] == path):
        answer = admin_client.post(f"{path}new/", {**values, field: value})
        assert answer.status_code == 200, (field, value)
        assert set(answer.context["form"].errors) == {field}, value
    assert not any(model.objects.exists() for model in (OpeningPeriod, SpecialDay, DeliveryZone))


def test_editors_are_kept_out(sign_in: Callable[[Any], Client]) -> None:
    zone = make_zone()
    editor = sign_in(people.bob())
    for path, values in ((HOURS, OPENING), (DAYS, DAY), (ZONES, ZONE)):
        assert editor.get(path).status_code in {302, 403}
        editor.post(f"{path}new/", values)
    editor.post(f"{ZONES}edit/{zone.pk}/", {**ZONE, "name": "Mine"})
    editor.post(f"{ZONES}delete/{zone.pk}/")
    assert not OpeningPeriod.objects.exists()
    assert not SpecialDay.objects.exists()
    assert list(DeliveryZone.objects.values_list("name", flat=True)) == ["Town"]
    assert sign_in(people.mallory_manager()).get(HOURS).status_code == 200
