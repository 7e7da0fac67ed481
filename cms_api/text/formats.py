"""Dates, times, numbers and amounts as people write them in a language and country, from the Unicode CLDR through Babel."""

import datetime as dt
from collections.abc import Iterable
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from babel import Locale, UnknownLocaleError, dates, localedata, numbers
from babel.languages import get_official_languages

from . import moments, reading

#: English as written in most of the world; for countries for which the CLDR has no English of their own.
INTERNATIONAL = "001"


@dataclass(frozen=True)
class Formats:
    """The conventions of one locale, with the numbers of another where these are its country's.

    Moments are formatted in the time zone that they are in.
    """

    locale: Locale
    country_numbers: Locale | None = None

    @property
    def number_locale(self) -> Locale:
        """Return the locale whose separators and groups numbers and amounts have."""
        return self.country_numbers or self.locale

    @property
    def separators(self) -> dict[str, str]:
        """Return the separators before decimals and between groups of digits, for scripts that write and read amounts."""
        locale = self.number_locale
        return {"decimal": numbers.get_decimal_symbol(locale), "group": numbers.get_group_symbol(locale)}

    def short_date(self, day: dt.date) -> str:
        """ "22 Nov 2026"."""
        return dates.format_date(day, "medium", self.locale)

    def date(self, day: dt.date) -> str:
        """ "22 November 2026"."""
        return dates.format_date(day, "long", self.locale)

    def weekday_date(self, day: dt.date) -> str:
        """ "Sunday, 22 November 2026"."""
        return dates.format_date(day, "full", self.locale)

    def month(self, day: dt.date) -> str:
        """ "November 2026"."""
        return dates.format_skeleton("yMMMM", day, locale=self.locale)

    def short_month(self, day: dt.date) -> str:
        """ "Nov 2026"."""
        return dates.format_skeleton("yMMM", day, locale=self.locale)

    def day(self, day: dt.date) -> str:
        """ "22 November"."""
        return dates.format_skeleton("MMMMd", day, locale=self.locale)

    def short_day(self, day: dt.date) -> str:
        """ "Sun 22 Nov"."""
        return dates.format_skeleton("MMMEd", day, locale=self.locale)

    def time(self, moment: dt.time | dt.datetime, *, with_seconds: bool = False) -> str:
        """ "19:05"; "02:30 CEST" in an hour that a change of the clock repeats."""
        wall = moment if isinstance(moment, dt.time) else moment.time()
        text = dates.format_time(wall.replace(tzinfo=None), "medium" if with_seconds else "short", locale=self.locale)
        # Fewer fonts have the narrow no-break space before "PM".
        text = text.replace("\u202f", "\xa0")
        return f"{text} {moments.zone_mark(moment)}" if isinstance(moment, dt.datetime) and moments.is_repeated(moment) else text

    def datetime(self, moment: dt.datetime, *, with_seconds: bool = False) -> str:
        """ "22 Nov 2026, 19:05"."""
        pattern = str(dates.get_datetime_format("medium", self.locale))
        time = self.time(moment, with_seconds=with_seconds)
        return pattern.replace("{1}", self.short_date(moment)).replace("{0}", time)

    def number(self, value: Decimal | float, *, grouped: bool = True, decimals: int | None = None) -> str:
        """ "12,345.678", whatever the number of decimals, unless it is given: "4.0"."""
        if decimals:
            pattern = "#,##0." + "0" * decimals
            return numbers.format_decimal(value, format=pattern, locale=self.number_locale, group_separator=grouped)
        return numbers.format_decimal(value, locale=self.number_locale, decimal_quantization=False, group_separator=grouped)

    def money(self, amount: Decimal, currency: str) -> str:
        """ "£1,000.00": an amount in major units with as many decimals as it has, and its ISO 4217 currency."""
        decimals = max(0, -int(amount.as_tuple().exponent))
        pattern = copy(self.locale.currency_formats["standard"])
        # The CLDR has no minor units for some currencies that have them.
        pattern.frac_prec = (decimals, decimals)
        pattern.grouping = self.number_locale.decimal_formats[None].grouping
        text = pattern.apply(amount, self.number_locale)
        return text.replace("¤", numbers.get_currency_symbol(currency.upper(), self.locale))

    def typed_number(self, value: Decimal | float, *, decimals: int | None = None) -> str:
        """ "1234.50": a number as the value of an input, without groups. `read_number` returns the same value."""
        return self.number(value, grouped=False, decimals=decimals)

    def read_number(self, text: str, *, decimals: int, units: Iterable[str] = ()) -> Decimal:
        """Read a number as people type it; see `reading.read_number`. Raises ValueError."""
        return reading.read_number(text, self.number_locale, decimals=decimals, units=units)

    def read_amount(self, text: str, currency: str, *, decimals: int) -> Decimal:
        """Read an amount in major units, with or without its currency. Raises ValueError."""
        units = reading.currency_units(currency, self.locale) | reading.currency_units(currency, self.number_locale)
        return self.read_number(text, decimals=decimals, units=units)

    def typed_day(self, day: dt.date) -> str:
        """ "31/12/2026": a date in digits, as people type it and `read_day` reads it."""
        return reading.typed_day(day, self.locale)

    def read_day(self, text: str) -> dt.date:
        """Read a date as people type it, or YYYY-MM-DD; see `reading.read_day`. Raises ValueError."""
        return reading.read_day(text, self.locale)

    def read_wall_time(self, text: str, *, is_end: bool = False) -> dt.datetime:
        """Read a date, and a time if there is one, as people type them; see `reading.read_wall_time`. Raises ValueError."""
        return reading.read_wall_time(text, self.locale, is_end=is_end)


@cache
def formats_for(language: str, country: str) -> Formats:
    """Return the formats of a language (`en`) in a country (`GB`).

    Without such a locale, they are those of the language in most of the world, with the numbers of the country's own language.
    """
    if localedata.exists(f"{language}_{country}"):
        return Formats(Locale.parse(f"{language}_{country}"))
    names = (f"{language}_{INTERNATIONAL}", language)
    return Formats(Locale.parse(next(name for name in names if localedata.exists(name))), _numbers_of(country))


def _numbers_of(country: str) -> Locale | None:
    """Return the locale of the country's official language with most speakers; None if the CLDR has none."""
    found = []
    # The CLDR names no official language of some countries, such as Mexico, but the most likely one of all.
    for language in (*get_official_languages(country), "und"):
        with suppress(UnknownLocaleError):
            found.append(Locale.parse(f"{language}_{country}"))
    # Languages whose numbers the CLDR lacks, such as Guarani, have points by default: another official one comes before them.
    return next((each for each in found if numbers.get_decimal_symbol(each) != "."), found[0] if found else None)
