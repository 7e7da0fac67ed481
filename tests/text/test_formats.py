"""Dates, times, numbers and amounts as in a country."""

import datetime as dt
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from cms_api.text.formats import formats_for

EVENING = dt.datetime(2026, 11, 22, 19, 5, 31)


@pytest.mark.parametrize(
    ("country", "short", "long", "weekday", "day", "time"),
    [
        ("GB", "22 Nov 2026", "22 November 2026", "Sunday, 22 November 2026", "22 November", "19:05"),
        ("US", "Nov 22, 2026", "November 22, 2026", "Sunday, November 22, 2026", "November 22", "7:05\xa0PM"),
        # The CLDR has no English of its own for it.
        ("JP", "22 Nov 2026", "22 November 2026", "Sunday, 22 November 2026", "22 November", "7:05\xa0pm"),
    ],
)
def test_it_works(country: str, short: str, long: str, weekday: str, day: str, time: str) -> None:
    formats = formats_for("en", country)
    assert (formats.short_date(EVENING), formats.date(EVENING), formats.weekday_date(EVENING)) == (short, long, weekday)
    assert (formats.month(EVENING), formats.day(EVENING), formats.time(EVENING)) == ("November 2026", day, time)
    assert formats.datetime(EVENING) == f"{short}, {time}"


def test_seconds() -> None:
    formats = formats_for("en", "GB")
    assert formats.time(EVENING, with_seconds=True) == "19:05:31"
    assert formats.datetime(EVENING, with_seconds=True) == "22 Nov 2026, 19:05:31"
    assert formats.time(dt.time(9, tzinfo=dt.UTC)) == "09:00"


def test_the_hour_that_comes_twice() -> None:
    """The clock of Berlin is put back from 03:00 to 02:00 on that day; in March, 02:30 does not come at all."""
    formats, berlin = formats_for("en", "GB"), ZoneInfo("Europe/Berlin")
    before = dt.datetime(2026, 10, 24, 23, 59, tzinfo=dt.UTC)
    shown = [formats.time((before + dt.timedelta(minutes=each)).astimezone(berlin)) for each in (0, 1, 61, 121)]
    assert shown == ["01:59", "02:00 CEST", "02:00 CET", "03:00"]
    assert formats.datetime(dt.datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=berlin)) == "25 Oct 2026, 02:30 CET"
    assert formats.time(dt.datetime(2026, 10, 25, 2, 30)) == "02:30"
    assert formats.time(dt.datetime(2026, 3, 29, 2, 30, tzinfo=berlin)) == "02:30"


@pytest.mark.parametrize(("country", "expected"), [("GB", "12,345.678"), ("DE", "12.345,678"), ("CH", "12’345.678")])
def test_numbers(country: str, expected: str) -> None:
    assert formats_for("en", country).number(12345.678) == expected
    assert formats_for("en", country).number(2026, grouped=False) == "2026"


@pytest.mark.parametrize(
    ("amount", "currency", "country", "expected"),
    [
        ("1000.00", "gbp", "GB", "£1,000.00"),
        ("1000.00", "usd", "US", "$1,000.00"),
        ("1000.00", "usd", "GB", "US$1,000.00"),
        ("1000.00", "eur", "DE", "1.000,00\xa0€"),
        ("-5.00", "gbp", "GB", "-£5.00"),
        ("1300", "jpy", "US", "¥1,300"),
        ("1.234", "kwd", "US", "KWD1.234"),
        # The CLDR writes it without decimals, but ISO 4217 has them.
        ("12.50", "rsd", "US", "RSD12.50"),
    ],
)
def test_amounts(amount: str, currency: str, country: str, expected: str) -> None:
    assert formats_for("en", country).money(Decimal(amount), currency) == expected
