"""The source of a visit, and the path of a page."""

import pytest

from cms_api.analytics.types.events import Kind, Message, clean_path, device_of, events_of
from cms_api.analytics.types.sources import Source, source_of

OWN = "www.example.com"


@pytest.mark.parametrize(
    ("query", "referrer", "expected"),
    [
        ({}, "", Source()),
        ({}, "https://www.google.co.uk/search?q=secret", Source("Google", "search", "", "google.co.uk")),
        ({}, "https://mail.google.com/", Source("Gmail", "email", "", "mail.google.com")),
        ({}, "https://notgoogle.com/", Source("notgoogle.com", "referral", "", "notgoogle.com")),
        ({}, "https://t.co/x", Source("X", "social", "", "t.co")),
        ({}, "https://example.com/about", Source()),
        ({}, "https://www.example.com:8000/about", Source()),
        ({}, "https://shop.example.com/", Source("shop.example.com", "referral", "", "shop.example.com")),
        ({}, "android-app://com.google.android.gm/", Source("Gmail", "email", "", "com.google.android.gm")),
        ({}, "android-app://org.example.reader/", Source("org.example.reader", "referral", "", "org.example.reader")),
        ({}, "https://docs.google.com/", Source("docs.google.com", "referral", "", "docs.google.com")),
        ({}, "https://mail.yahoo.com/", Source("Yahoo Mail", "email", "", "mail.yahoo.com")),
        ({}, "https://de.search.yahoo.com/", Source("Yahoo", "search", "", "de.search.yahoo.com")),
        ({}, "https://mill.github.io/", Source("mill.github.io", "referral", "", "mill.github.io")),
        ({}, "https://l.facebook.com/", Source("Facebook", "social", "", "l.facebook.com")),
        ({}, "https://facebook.com.example.org/", Source("facebook.com.example.org", "referral", "", "facebook.com.example.org")),
        *(({"utm_source": name}, "", Source("Facebook")) for name in ("Facebook", "facebook", "fb", "FACEBOOK.com", "ｆｂ")),
        ({"utm_source": "News", "utm_medium": "Email", "utm_campaign": "Open Day"}, "", Source("news", "email", "open day")),
        ({}, "http://[", Source()),
        ({}, "javascript:alert(1)", Source()),
        ({"ref": "partner"}, "https://blog.example.org/", Source("partner", "", "", "blog.example.org")),
        ({"ref": "partner", "utm_source": "paper"}, "", Source("paper")),
        (
            {"utm_source": " spring\t mail\x00", "utm_medium": "email", "utm_campaign": "a" * 300},
            "https://www.bing.com/",
            Source("spring mail", "email", "a" * 100, "bing.com"),
        ),
        ({"utm_medium": "cpc", "utm_campaign": "open"}, "https://google.com/", Source("Google", "cpc", "open", "google.com")),
        ({"utm_campaign": "open"}, "", Source("", "", "open")),
    ],
)
def test_a_campaign_comes_before_the_referring_site(query: dict[str, str], referrer: str, expected: Source) -> None:
    assert source_of(query, referrer, OWN) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", "/"),
        ("/", "/"),
        ("/events/", "/events"),
        ("/caf%C3%A9", "/café"),
        ("/a%00b%0Ac", "/abc"),
        ("/%ff", "/\N{REPLACEMENT CHARACTER}"),
        ("/" + "x" * 900, "/" + "x" * 499),
        ("/" + "€" * 900, "/" + "€" * 399),
    ],
)
def test_a_path_is_readable_and_fits_the_index(path: str, expected: str) -> None:
    assert clean_path(path, {}, frozenset()) == expected


def test_only_named_parameters_stay_in_paths() -> None:
    assert clean_path("/shop", {"view": "grid", "email": "dana@example.com"}, frozenset({"view", "page"})) == "/shop?view=grid"


def test_words_of_a_search_have_no_characters_that_a_database_refuses() -> None:
    message = Message(Kind.VIEW, 2, "http://example.com/search?q=%00Open%0A%20Day%ff")
    words = [event.words for event in events_of(message, at=0, own_host="example.com", visitor=1)]
    assert words == ["", "open day\N{REPLACEMENT CHARACTER}"]


@pytest.mark.parametrize(
    ("agent", "expected"),
    [
        ("Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) Mobile/15E148 Safari/604.1", "tablet"),
        ("Mozilla/5.0 (Linux; Android 15; SM-X910) Chrome/140.0 Safari/537.36", "tablet"),
        ("Mozilla/5.0 (Linux; Android 15; Pixel 9) Chrome/140.0 Mobile Safari/537.36", "phone"),
        ("Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0", "desktop"),
    ],
)
def test_devices(agent: str, expected: str) -> None:
    assert device_of(agent) == expected
