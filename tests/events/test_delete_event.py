"""Deleting an event notifies the guests of its coming dates, and takes these out of their calendars."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from icalendar import Calendar

from cms_api.content.models import ContentItem
from cms_api.content.services.items import delete_item, unpublish_item, update_item
from cms_api.core.errors import Invalid
from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from events.models import Rsvp
from events.services import attendance
from events.services.dates import change_date
from events.services.mails import send_postponed_mails
from events.types.plans import DateStatus
from tests.client import Api

from .guests import WEEKLY, mails, make_event, make_reply, soon, starts

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _events_on(settings: Any) -> None:
    settings.BUSINESS_EMAIL = "office@example.org"
    switch_feature(name="events", on=True)


def calendar_of(mail: OutgoingMail) -> tuple[str, Any]:
    calendar = Calendar.from_ical(bytes(mail.attachments.get().content))
    (vevent,) = calendar.walk("VEVENT")
    return str(calendar["METHOD"]), vevent


def addresses() -> list[str]:
    return sorted(mail.recipient for mail in mails("event_cancelled"))


def delete_by_api(api: Api, client: Client, event: ContentItem) -> None:
    assert api.delete(f"/content-items/{event.pk}").status_code == 200


def delete_in_admin(api: Api, client: Client, event: ContentItem) -> None:
    client.post(f"/admin/content/items/delete/{event.pk}/")


@pytest.mark.parametrize("delete", [delete_by_api, delete_in_admin])
@pytest.mark.both_databases
def test_it_works(delete: Callable[..., None], api: Api, admin_client: Client) -> None:
    event = make_event(repeat=WEEKLY)
    first, second, *_ = starts(event)
    make_reply(event, first, email="ada@example.org")
    make_reply(event, second, email="ben@example.org")
    (invited,) = [mail for mail in mails() if mail.recipient == "ben@example.org"]
    delete(api, admin_client, event)
    assert not ContentItem.objects.filter(pk=event.pk).exists()
    assert addresses() == ["ada@example.org", "ben@example.org"]
    (notice,) = [mail for mail in mails("event_cancelled") if mail.recipient == "ben@example.org"]
    (_, before), (method, after) = calendar_of(invited), calendar_of(notice)
    assert (method, after["STATUS"], after["UID"]) == ("CANCEL", "CANCELLED", before["UID"])
    assert int(after["SEQUENCE"]) > int(before["SEQUENCE"])
    assert "/open-rehearsal" not in notice.text


@pytest.mark.both_databases
def test_the_admin_says_how_many_guests_are_notified(admin_client: Client) -> None:
    event = make_event(repeat=WEEKLY)
    first, second, *_ = starts(event)
    path = f"/admin/content/items/delete/{event.pk}/"
    assert "notified" not in admin_client.get(path).content.decode()
    make_reply(event, first, email="ada@example.org")
    make_reply(event, second, email="ben@example.org", party_size=3)
    assert "delete this content item? 5 guests of coming dates are notified." in admin_client.get(path).content.decode()
    change_date(item=event, start=second, status=DateStatus.CANCELLED)
    assert "2 guests of coming dates are notified." in admin_client.get(path).content.decode()


def test_only_guests_who_still_expect_it_are_notified() -> None:
    event = make_event(repeat=WEEKLY)
    first, second, third, _ = starts(event)
    make_reply(event, first, email="ada@example.org")
    make_reply(event, second, email="ben@example.org")
    make_reply(event, third, email="cy@example.org")
    gone = make_reply(event, third, email="dee@example.org")
    Rsvp.objects.filter(pk=gone.pk).update(status="cancelled")
    # Ada has been notified, Ben is about to be.
    change_date(item=event, start=first, status=DateStatus.CANCELLED)
    send_postponed_mails()
    change_date(item=event, start=second, status=DateStatus.CANCELLED)
    assert addresses() == ["ada@example.org"]
    delete_item(item=event)
    assert addresses() == ["ada@example.org", "ben@example.org", "cy@example.org"]


def test_nobody_is_notified_of_past_dates() -> None:
    event = make_event()
    make_reply(event)
    update_item(item=event, values={"data": {"event_date": {"start": soon(-7), "tz": "Europe/Paris"}}})
    OutgoingMail.objects.all().delete()
    delete_item(item=event)
    assert not OutgoingMail.objects.exists()


def test_guests_of_an_event_that_was_unpublished_are_notified() -> None:
    event = make_event()
    make_reply(event)
    unpublish_item(item=event)
    delete_item(item=event)
    assert addresses() == ["dana@example.org"]


@pytest.mark.both_databases
def test_too_many_guests_are_notified_by_cancelling_first(
    monkeypatch: pytest.MonkeyPatch, api: Api, admin_client: Client
) -> None:
    monkeypatch.setattr(attendance, "MAX_GUESTS_TO_NOTIFY", 1)
    event = make_event()
    for name in ("ada", "ben"):
        make_reply(event, email=f"{name}@example.org")
    with pytest.raises(Invalid) as refused:
        delete_item(item=event)
    assert set(refused.value.errors) == {"item"}
    answer = api.delete(f"/content-items/{event.pk}")
    assert (answer.status_code, set(answer.json()["errors"])) == (422, {"item"})
    page = admin_client.post(f"/admin/content/items/delete/{event.pk}/", follow=True)
    assert (page.status_code, page.redirect_chain) == (200, [(f"/admin/content/items/edit/{event.pk}/", 302)])
    assert "Cancel its dates first" in page.content.decode()
    change_date(item=event, start=starts(event)[0], status=DateStatus.CANCELLED)
    send_postponed_mails()
    delete_item(item=event)
    assert addresses() == ["ada@example.org", "ben@example.org"]
