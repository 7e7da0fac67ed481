"""The report of a week by email: on Monday morning, once, and only if there is something to report."""

import threading
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.utils import timezone

from cms_api.analytics.models import WeeklyReport
from cms_api.analytics.services import weekly
from cms_api.analytics.services.storing import store
from cms_api.analytics.services.weekly import send_weekly_report
from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from tests.client import together

from .builders import DAY, MINUTE, NOON, goal, view

pytestmark = pytest.mark.django_db

#: The Monday after NOON.
MONDAY = "2026-01-19 07:00"


@pytest.fixture
def clock(analytics_on: None, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Stop the clock at a time in UTC, which is the site's zone; reports are on."""
    settings.BUSINESS_EMAIL = "office@example.org"
    set_setting(key="analytics.weekly_mail", value=True)
    set_setting(key="site.timezone", value="UTC")

    def stop(wanted: str) -> None:
        now = datetime.fromisoformat(wanted).replace(tzinfo=UTC)
        monkeypatch.setattr(timezone, "now", lambda: now)

    return stop


def visit() -> None:
    store(
        [
            view("/", NOON, 1, title="Home <&>", source="Google", medium="search"),
            view("/shop", NOON + MINUTE, 1),
            goal(NOON + 2 * MINUTE, 1),
            view("/", NOON - 7 * DAY, 2),
            view("/", NOON - 7 * DAY, 3),
        ]
    )


def mails() -> list[OutgoingMail]:
    return list(OutgoingMail.objects.filter(template="analytics_weekly"))


def test_it_works(clock: Callable[[str], None]) -> None:
    visit()
    clock(MONDAY)
    send_weekly_report()
    (mail,) = mails()
    assert mail.recipient == "office@example.org"
    assert mail.subject == "Visits of Jan 12, 2026 – Jan 18, 2026"
    text = mail.text
    assert "Visitors: 1 (down 50%, from 2)" in text
    assert "Page views: 2 (no change, from 2)" in text
    assert "Bounce rate: 0.0% (down 100.0 points, from 100.0%)" in text
    assert "Home <&> (/): 1 view\n/shop: 1 view" in text
    assert "Google / search: 1 visitor" in text
    assert "Order paid: 1, $12.50" in text
    assert "/admin/analytics/?from=2026-01-12&to=2026-01-18" in text
    assert "Home &lt;&amp;&gt; (/)" in mail.html


@pytest.mark.parametrize(
    ("moment", "count"),
    [("2026-01-19 06:59", 0), ("2026-01-19 23:59", 1), ("2026-01-18 12:00", 0), ("2026-01-20 08:00", 0)],
)
def test_on_monday_morning(clock: Callable[[str], None], moment: str, count: int) -> None:
    visit()
    clock(moment)
    send_weekly_report()
    assert len(mails()) == count


def test_on_the_monday_of_the_site(clock: Callable[[str], None]) -> None:
    visit()
    set_setting(key="site.timezone", value="Pacific/Auckland")
    clock("2026-01-18 18:30")
    send_weekly_report()
    assert len(mails()) == 1


def test_once_a_week(clock: Callable[[str], None]) -> None:
    visit()
    store([view("/", NOON + 7 * DAY, 5)])
    for moment in (MONDAY, "2026-01-19 07:15", "2026-01-26 09:00"):
        clock(moment)
        send_weekly_report()
    assert len(mails()) == 2
    assert list(WeeklyReport.objects.values_list("monday", flat=True)) == [date(2026, 1, 26)]


def test_goals_that_nobody_reached(clock: Callable[[str], None]) -> None:
    store([view("/", NOON, 1)])
    clock(MONDAY)
    send_weekly_report()
    assert "Goals\n\nNone\n" in mails()[0].text
    assert "Visitors: 1 (none before)" in mails()[0].text


def test_nothing_is_sent_without_visits(clock: Callable[[str], None]) -> None:
    store([view("/", NOON - 7 * DAY, 1)])
    clock(MONDAY)
    send_weekly_report()
    assert mails() == []


def test_nothing_is_sent_unless_it_is_wanted(clock: Callable[[str], None], settings: Any) -> None:
    visit()
    clock(MONDAY)
    settings.BUSINESS_EMAIL = ""
    send_weekly_report()
    settings.BUSINESS_EMAIL = "office@example.org"
    set_setting(key="analytics.weekly_mail", value=False)
    send_weekly_report()
    assert mails() == []
    assert not WeeklyReport.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_jobs_at_once_send_one_mail(clock: Callable[[str], None]) -> None:
    visit()
    clock(MONDAY)
    together(lambda number: send_weekly_report(), 8)
    assert len(mails()) == 1


@pytest.mark.django_db(transaction=True)
def test_control_reading_before_writing_would_send_several(clock: Callable[[str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    visit()
    clock(MONDAY)
    read = threading.Barrier(4)

    def claim(monday: date) -> bool:
        return not WeeklyReport.objects.filter(monday=monday).exists()

    def send() -> None:
        is_mine = claim(date(2026, 1, 19))
        read.wait(20)
        monkeypatch.setattr(weekly, "_claim", lambda monday: is_mine)
        send_weekly_report()

    together(lambda number: send(), 4)
    assert len(mails()) > 1
