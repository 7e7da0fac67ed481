"""An editor announces a monthly evening; a visitor finds it in the calendar, says twice that she comes, and calls off."""

import datetime as dt
import re
from typing import Any

import pytest
from dateutil.relativedelta import FR, relativedelta
from django.utils import timezone
from playwright.sync_api import Page, expect

from cms_api.content.models import ContentItem
from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from events.models import Rsvp
from events.services.builtin import create
from tests import people
from tests.browser.conftest import SignIn
from tests.browser.test_item_form import publish

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def last_friday(months: int) -> dt.date:
    """Of a month so many months from now."""
    return timezone.localdate() + relativedelta(months=months, day=31, weekday=FR(-1))


def create_event(page: Page) -> None:
    page.goto("/admin/content/items/add/?type=events")
    page.locator("[name=data__title]").fill("Open rehearsal")
    page.get_by_label("Starts").fill(last_friday(1).isoformat())
    page.locator("[name=data__event_date-start_time]").fill("18:30")
    page.get_by_label("Repeats").select_option("Monthly")
    page.get_by_label("Repeat on").select_option("On the same weekday of the month")
    preview = page.locator(".events-preview")
    expect(preview).to_contain_text("Every month on the last Friday")
    expect(preview.locator("li")).to_have_count(12)
    publish(page)
    expect(page.get_by_text("'Open rehearsal' published.")).to_be_visible()


def say_yes(page: Page, *, party: int) -> None:
    page.get_by_label("Your name").fill("Dana Reyes")
    page.get_by_label("Your email address").fill("Dana@example.org")
    page.get_by_label("Number of people").fill(str(party))
    page.get_by_role("button", name="I'm coming").click()
    expect(page.get_by_role("status")).to_contain_text("Thank you")


def test_it_works(page: Page, visitor_page: Page, sign_in_page: SignIn, live_server: Any, settings: Any) -> None:
    settings.BASE_URL = live_server.url
    create()
    switch_feature(name="events", on=True)
    sign_in_page(page.context, people.bob())
    create_event(page)
    event, day = ContentItem.objects.get(owner=None), last_friday(3)

    guest = visitor_page
    guest.goto(f"/events?view=calendar&month={day:%Y-%m}")
    guest.locator(f"td[data-date='{day}']").get_by_role("link", name=re.compile("Open rehearsal")).click()
    expect(guest.get_by_role("heading", name="Open rehearsal")).to_be_visible()
    expect(guest.get_by_label("Date", exact=True)).to_have_value(f"{day}T18:30:00")
    say_yes(guest, party=2)
    guest.goto(f"/events/{event.slug}?occurrence={day}T18:30:00")
    say_yes(guest, party=4)
    reply = Rsvp.objects.get()
    assert (reply.party_size, reply.status, reply.occurrence_start) == (4, "going", f"{day}T18:30:00")
    assert reply.occurrence.owner_id == event.pk

    mail = OutgoingMail.objects.order_by("pk").last()
    assert mail
    link = re.search(r"https?://\S+/events/rsvp/\S+/cancel", mail.text)
    assert link
    guest.goto(link[0])
    assert Rsvp.objects.get().status == "going"
    guest.get_by_role("main").get_by_role("button").click()
    expect(guest.get_by_role("main")).to_contain_text("Your RSVP is cancelled")
    assert Rsvp.objects.get().status == "cancelled"
