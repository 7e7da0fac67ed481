"""Names of people: no web addresses, and no real name refused."""

import pytest

from cms_api.core.errors import Invalid
from cms_api.fields.base import FieldPath
from cms_api.fields.names import WEB_ADDRESS, has_web_address, read_name

NAMES = (
    *("J.P. Morgan", "J.P.Morgan", "J.R.R. Tolkien", "St. John", "St.John", "Dr. Who", "Dr.Who", "dr.med. Ute Sand", "D’Angelo"),
    *(
        "Anne-Marie O'Neil",
        "M. Sc. Ute Sand",
        "Ute Sand, M.Sc.",
        "Ph.D. Jane Doe",
        "Jane Doe Jr.",
        "Müller, Änne",
        "王小明",
        "A. B",
    ),
    *("Ольга Петрова", "Joan of Arc 3rd", "Mr.Smith", "Nguyễn Văn A.", "...", "Jean-Luc /Picard/", "Smith & Sons", "A. B"),
    *("J.Smith", "O'Neil", "van der Berg", "Dr.Müller", "Mary-Ann", "Prof.Dr.Sand", "Dr.rer.nat.Sand", "M.Sc. Ute Sand"),
    # The joiners of Persian and Indic scripts, an emoji with a variation selector, and a family that joiners make one.
    *("نرگس\N{ZERO WIDTH NON-JOINER}ها محمدی", "ක්\N{ZERO WIDTH JOINER}රිස්ටිනා", "র\N{ZERO WIDTH JOINER}্যান", "M. നിഖിൽ"),
    *(
        "Ann ❤\N{VARIATION SELECTOR-16}",
        "Dr.❤\N{VARIATION SELECTOR-16} Ann",
        "Ann 👩\N{ZERO WIDTH JOINER}👩\N{ZERO WIDTH JOINER}👧",
    ),
    *("J.\N{SOFT HYPHEN}Smith", "葛\N{VARIATION SELECTOR-17}城"),
    *("ANN O'NEIL", "DR.MÜLLER", "Ann 💐 Smith", "“Bob” Smith", "Smith…", "Ann Smith 💐."),
)
ADDRESSES = (
    *(
        "Prize https://evil.example",
        "HTTP://EVIL",
        "hxxp://evil",
        "hxxps evil",
        "www.evil",
        "evil.example/x",
        "Win at evil.example",
    ),
    *("EVIL.COM", "Evil.Com", "t.co/x", "x.com", "evil.example.", "ann@evil.example", "mailto:ann", "ftp://evil", "пример.рф"),
    *(
        "evil\N{IDEOGRAPHIC FULL STOP}com",
        "evil\N{FULLWIDTH FULL STOP}example",
        "ｅｖｉｌ.com",
        "evil.\N{ZERO WIDTH SPACE}example",
    ),
    *("evil.xn--p1ai", "Dr.evil.example", "192.0.2.1", "(evil.example)", "St.John/x", "//evil.example", "a-b.example:80"),
    *("CLAIM AT EVIL.WIN", "EVIL.ZIP", "Evil.Tk", "Prize.Click", "Пример.Рф", "win 💩.la", "win 💩.La", "Evil.X.Zip", "J.WIN"),
    *("“Evil.Win”", "evil.win💐", "Evil.Win💐", "Evil.J.Smith", "Evil.Dr.Win", "Evil.Ph", "-Evil.Tk-", "ev·il.Win", "X.Com"),
    *(
        "Prize,evil.example",
        "..evil.com..",
        "evil.com.Smith",
        "javascript://x",
        "Win at evil.example",
        "evil.\N{ZERO WIDTH SPACE}example",
    ),
)

#: Some of each range of Unicode's Default_Ignorable_Code_Point.
INVISIBLE = (
    *"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b\u180e\u180f\u200b\u200c\u200d\u200e\u202e\u2060\u2064\u2065\u2066\u206f\u3164",
    *"\ufe00\ufe0f\ufeff\uffa0\ufff0\U0001bca0\U0001d173\U000e0001\U000e0020\U000e0100\U000e01ef\U000e0fff",
)


@pytest.mark.parametrize("hidden", INVISIBLE, ids=ascii)
def test_invisible_characters_do_not_hide_an_address(hidden: str) -> None:
    for address in (
        "evil.{}example",
        "evil{}.example",
        "evil.ex{}ample",
        "h{}ttps evil",
        "ww{}w.evil",
        "a{}@evil.example",
        "192.{}0.2.1",
    ):
        assert has_web_address(address.format(hidden)), address
    assert not has_web_address(f"Ann{hidden} {hidden}Smith{hidden}")


@pytest.mark.parametrize("name", NAMES)
def test_names_are_taken(name: str) -> None:
    assert read_name(name, FieldPath("name", "name")) == name


@pytest.mark.parametrize("name", ADDRESSES)
def test_web_addresses_are_refused(name: str) -> None:
    assert has_web_address(name)
    with pytest.raises(Invalid) as refusal:
        read_name(name, FieldPath("name", "name"))
    assert refusal.value.errors == {"name": [WEB_ADDRESS]}


def test_no_name_is_an_empty_text() -> None:
    assert read_name(None, FieldPath("name", "name")) == ""


def test_a_long_text_is_read_in_linear_time() -> None:
    assert not has_web_address("a." * 100_000 + "-" * 100_000)
    assert not has_web_address(".-💐" * 100_000)
