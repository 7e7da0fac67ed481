"""Dates, times, numbers and amounts as people write them in a language and country, from the Unicode CLDR through Babel."""

import datetime as dt
from copy import copy
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from babel import Locale, dates, localedata, numbers

#: English as written in most of the world; for countries for which the CLDR has no English of their own.
INTERNATIONAL = "001"


@dataclass(frozen=True)
class Formats:
    """The conventions of one locale. Moments are formatted in the time zone that they are in."""

    locale: Locale

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
        """ "19:05"."""
        wall = moment if isinstance(moment, dt.time) else moment.time()
        text = dates.format_time(wall.replace(tzinfo=None), "medium" if with_seconds else "short", locale=self.locale)
        # Fewer fonts have the narrow no-break space before "PM".
        return text.replace("\u202f", "\xa0")

    def datetime(self, moment: dt.datetime, *, with_seconds: bool = False) -> str:
        """ "22 Nov 2026, 19:05"."""
        pattern = str(dates.get_datetime_format("medium", self.locale))
        time = self.time(moment, with_seconds=with_seconds)
        return pattern.replace("{1}", self.short_date(moment)).replace("{0}", time)

    def number(self, value: Decimal | float, *, grouped: bool = True, decimals: int | None = None) -> str:
        """ "12,345.678", whatever the number of decimals, unless it is given: "4.0"."""
        if decimals:
            pattern = "#,##0." + "0" * decimals
            return numbers.format_decimal(value, format=pattern, locale=self.locale, group_separator=grouped)
        return numbers.format_decimal(value, locale=self.locale, decimal_quantization=False, group_separator=grouped)

    def money(self, amount: Decimal, currency: str) -> str:
        """ "£1,000.00": an amount in major units with as many decimals as it has, and its ISO 4217 currency."""
        decimals = max(0, -int(amount.as_tuple().exponent))
        pattern = copy(self.locale.currency_formats["standard"])
        # The CLDR has no minor units for some currencies that have them.
        pattern.frac_prec = (decimals, decimals)
        return pattern.apply(amount, self.locale, currency=currency.upper(), currency_digits=False)


@cache
def formats_for(language: str, country: str) -> Formats:
    """Return the formats of a language (`en`) in a country (`GB`), else those of the language in most of the world."""
    names = (f"{language}_{country}", f"{language}_{INTERNATIONAL}", language)
    return Formats(Locale.parse(next(name for name in names if localedata.exists(name))))
