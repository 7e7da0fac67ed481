"""Numbers and dates that people type are read as `formats` writes them, or refused."""

import datetime as dt
from decimal import Decimal

import pytest
from babel import Locale
from babel.core import get_global
from hypothesis import given
from hypothesis import strategies as st

from cms_api.text.currencies import exponent
from cms_api.text.formats import Formats, formats_for

LOCALES = (
    *("ar_EG", "bg_BG", "bn_BD", "cs_CZ", "da_DK", "de_AT", "de_CH", "de_DE", "el_GR", "en_CA", "en_CH", "en_DE", "en_GB"),
    *("en_IN", "en_US", "en_ZA", "es_ES", "es_MX", "fa_IR", "fi_FI", "fr_CA", "fr_CH", "fr_FR", "he_IL", "hi_IN", "hu_HU"),
    *("it_IT", "ja_JP", "ko_KR", "mr_IN", "nb_NO", "nl_NL", "pl_PL", "pt_BR", "pt_PT", "ru_RU", "sv_SE", "tr_TR", "uk_UA"),
)
NO_ENGLISH = ("BR", "TR", "AR", "GR", "HR", "RU", "UA", "CO", "MA", "LT", "LV", "EE", "LU", "TN", "PY", "SN", "RS", "VN")
CURRENCIES = ("eur", "usd", "gbp", "jpy", "kwd", "inr", "chf")
FORMATS = {name: Formats(Locale.parse(name)) for name in LOCALES}
#: Formats of English in all countries, of which most have no English in the CLDR.
FORMATS |= {f"en in {country}": formats_for("en", country) for country in get_global("territory_languages")}


@given(st.sampled_from(sorted(FORMATS)), st.sampled_from(CURRENCIES), st.integers(-99_999_999_999, 99_999_999_999))
def test_it_works(name: str, currency: str, cents: int) -> None:
    """Amounts are read back as they were written, with their currency and without."""
    formats, decimals = FORMATS[name], exponent(currency)
    amount = Decimal(cents).scaleb(-decimals)
    assert formats.read_amount(formats.money(amount, currency), currency, decimals=decimals) == amount
    assert formats.read_amount(formats.typed_number(amount, decimals=decimals), currency, decimals=decimals) == amount
    assert formats.read_number(formats.number(amount), decimals=decimals) == amount


@given(st.sampled_from(sorted(FORMATS)), st.dates(dt.date(1000, 1, 1)))
def test_a_date_is_read_back(name: str, day: dt.date) -> None:
    assert FORMATS[name].read_day(FORMATS[name].typed_day(day)) == day
    assert FORMATS[name].read_day(day.isoformat()) == day


@pytest.mark.parametrize(
    ("country", "currency", "text", "amount"),
    [
        ("DE", "eur", "1.500", "1500"),
        ("DE", "eur", "1.500,50", "1500.50"),
        ("DE", "eur", "12,50", "12.50"),
        ("DE", "eur", "1234567,8", "1234567.8"),
        ("DE", "eur", " € 1.500,00 ", "1500"),
        ("DE", "eur", "1.500,00 eur", "1500"),
        ("DE", "kwd", "1,500", "1.5"),
        ("AT", "eur", "1.500,00", "1500"),
        ("FR", "eur", "1\u202f500,50", "1500.50"),
        ("FR", "eur", "1\xa0500,50", "1500.50"),
        ("FR", "eur", "1 500,50 €", "1500.50"),
        ("CH", "chf", "1'500.50", "1500.50"),
        ("CH", "chf", "CHF 1’500.50", "1500.50"),
        ("PL", "pln", "1.500,00 zł", "1500"),
        ("IN", "inr", "1,00,000", "100000"),
        ("IN", "inr", "₹1,00,00,000.50", "10000000.50"),
        ("IN", "inr", "100,000", "100000"),
        ("IN", "inr", "१,००,०००.५०", "100000.50"),
        ("EG", "egp", "١٬٥٠٠٫٥٠", "1500.50"),
        ("GB", "gbp", "£1,500.00", "1500"),
        ("GB", "gbp", ".50", "0.50"),
        ("GB", "gbp", "\u22125", "-5"),
        ("GB", "gbp", "£-5.00", "-5"),
        ("US", "jpy", "1,500", "1500"),
        ("US", "kwd", "1.234", "1.234"),
        ("US", "usd", "0012", "12"),
        # Countries without an English of their own in the CLDR have the numbers of their own language.
        ("TN", "tnd", "1,500", "1.5"),
        ("TN", "tnd", "1.500", "1500"),
        ("TN", "tnd", "DT 1.500,250", "1500.25"),
        *((country, "eur", "12,50", "12.5") for country in NO_ENGLISH),
        *((country, "eur", "1.500", "1500") for country in ("BR", "TR", "AR", "GR", "HR", "CO", "MA", "LU", "PY")),
        ("RU", "rub", "1 500,00 ₽", "1500"),
        ("BR", "brl", "R$ 1.500,00", "1500"),
        ("BD", "bdt", "1,00,000.50", "100000.50"),
        ("MX", "mxn", "1,500.00", "1500"),
        ("JP", "jpy", "1,500", "1500"),
    ],
)
def test_amounts_are_read_as_their_country_writes_them(country: str, currency: str, text: str, amount: str) -> None:
    assert formats_for("en", country).read_amount(text, currency, decimals=exponent(currency)) == Decimal(amount)


def test_pages_write_numbers_as_they_are_read() -> None:
    amount = Decimal("1234567.50")
    written = {country: formats_for("en", country).money(amount, "eur") for country in ("BR", "TN", "RU", "BD", "MX")}
    assert written == {
        "BR": "€1.234.567,50",
        "TN": "€1.234.567,50",
        "RU": "€1\xa0234\xa0567,50",
        "BD": "€12,34,567.50",
        "MX": "€1,234,567.50",
    }
    assert formats_for("en", "TN").typed_number(Decimal("1.5"), decimals=3) == "1,500"


@pytest.mark.parametrize(
    ("country", "text"),
    [
        *(("TN", text) for text in ("1.5", "12.50", "1,500.00", "1 500", "1500.000")),
        *(("LT", text) for text in ("1.500", "12.50", "1,500.00")),
        *(("DE", text) for text in ("1.5", "12.50", "1.50", "0.500", "1500.000", "1,500.00", "1,500", "1 500", "1..500")),
        *(("US", text) for text in ("1,5", "12,50", "1.500", "0,500", "1,50,000", "1,500,00", "1 500", "1,", "1.", ",")),
        *(("CH", text) for text in ("1'5", "1,5", "1.500")),
        *(("FR", text) for text in ("1 5", "1.500", "1\u202f50")),
        *(("US", text) for text in ("", " ", ".", "-", "$", "ten", "1e3", "1_000", "nan", "inf", "0x10", "+5", "5-", "--5")),
        *(("US", text) for text in ("€5", "5 EUR", "$5$", "1\0", "١2", "½", "²", "1/2", "9" * 10_000, "1" + ",000" * 10_000)),
    ],
)
def test_what_is_ambiguous_or_no_number_is_refused(country: str, text: str) -> None:
    with pytest.raises(ValueError, match=r"number|digits"):
        formats_for("en", country).read_amount(text, "usd", decimals=2)


@pytest.mark.parametrize("text", ["19", "19,0", "19,0 %", "19 %", "19%"])
def test_a_unit_may_stand_beside_a_number(text: str) -> None:
    assert formats_for("en", "DE").read_number(text, decimals=4, units=["%"]) == 19


@pytest.mark.parametrize(
    ("country", "text"),
    [
        *(("DE", text) for text in ("31.12.2026", "31/12/2026", "2026-12-31", "2026/12/31")),
        *(("US", text) for text in ("12/31/2026", "12-31-2026", "2026-12-31")),
        *(("GB", text) for text in ("31/12/2026", "31.12.2026", "31-12-2026")),
        *(("CA", text) for text in ("2026-12-31", "2026/12/31")),
        ("JP", "2026/12/31"),
    ],
)
def test_dates_are_read_as_their_country_writes_them(country: str, text: str) -> None:
    assert formats_for("en", country).read_day(text) == dt.date(2026, 12, 31)


@pytest.mark.parametrize(
    ("country", "text"),
    [
        *(("US", text) for text in ("31/12/2026", "05.04.2026", "12/31/26", "12/31-2026", "today", "", "0000-01-01", "20261231")),
        *(("GB", text) for text in ("12/31/2026", "31/12/26", "1/2/3", "2026-31-12", "9" * 10_000)),
        ("CA", "05/04/2026"),
    ],
)
def test_a_date_that_is_ambiguous_or_none_is_refused(country: str, text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        formats_for("en", country).read_day(text)


def test_a_date_may_have_a_time() -> None:
    german, american = formats_for("en", "DE"), formats_for("en", "US")
    assert german.read_wall_time("31.12.2026 14:30") == dt.datetime(2026, 12, 31, 14, 30)
    assert german.read_wall_time("31.12.2026") == dt.datetime(2026, 12, 31)
    for space in " ", "\u00a0", "\u202f", "":
        assert american.read_wall_time(f"12/31/2026, 2:30{space}PM") == dt.datetime(2026, 12, 31, 14, 30)
    for text in ("31.12.2026 25:00", "31.12.2026 13:00 pm", "31.12.2026 0:10 am", "31.12.2026 soon", " "):
        with pytest.raises(ValueError):  # noqa: PT011
            german.read_wall_time(text)
