import pytest

from cms_api.fields.texts import is_email

from .ask import SURROGATE, clean, refusal, search_text


def test_it_works() -> None:
    assert clean("text", "  Hello  ") == "Hello"
    assert clean("textarea", " one\r\ntwo\rthree ") == "one\ntwo\nthree"
    assert clean("phone", "+49 (30) 123-45.6/7 ext. 12") == "+49 (30) 123-45.6/7 ext. 12"
    assert clean("phone", "０３－１２３４ー５６７８") == "03-1234-5678"
    assert clean("phone", "+49\N{NO-BREAK SPACE}30\N{NARROW NO-BREAK SPACE}123\N{NON-BREAKING HYPHEN}45") == "+49 30 123-45"
    assert clean("color", "#AaBB01") == "#aabb01"
    assert clean("email", "alice@example.com") == "alice@example.com"
    assert clean("url", "HTTPS://example.com/a?b=c#d") == "https://example.com/a?b=c#d"
    assert search_text("text", "Hello") == "Hello"


@pytest.mark.parametrize("kind", ["text", "textarea", "phone", "color", "email", "url"])
def test_empty_is_null(kind: str) -> None:
    assert clean(kind, "") is clean(kind, " \t ") is clean(kind, None) is None


@pytest.mark.parametrize("kind", ["text", "textarea", "phone", "email", "url"])
@pytest.mark.parametrize("value", [1, True, [], {}, ["a"], {"a": 1}])
def test_only_strings(kind: str, value: object) -> None:
    assert refusal(kind, value) == {"": ["The my field field must be a string."]}


@pytest.mark.parametrize(
    "kind", ["text", "textarea", "phone", "color", "email", "url", "richtext_tiptap", "select", "date", "image"]
)
@pytest.mark.parametrize("value", ["a\0b", SURROGATE])
def test_characters_that_cannot_be_stored(kind: str, value: str) -> None:
    assert refusal(kind, value) == {"": ["The my field field contains characters that are not allowed."]}


def test_text_is_one_short_line() -> None:
    assert clean("text", "x" * 255) == "x" * 255
    assert refusal("text", "x" * 256) == {"": ["The my field field must not be greater than 255 characters."]}
    assert refusal("text", "a\nb") == refusal("text", "a\u2028b") == {"": ["The my field field must be a single line."]}
    assert refusal("textarea", "x" * 1_000_001) == {"": ["The my field field must not be greater than 1000000 characters."]}


@pytest.mark.parametrize("value", ["call me", "+", "12a", "١٢٣", "x12", "1" * 51, "1 ext", "1\n2"])
def test_bad_phones(value: str) -> None:
    refusal("phone", value)


@pytest.mark.parametrize("value", ["red", "#abc", "#gggggg", "aabbcc", "#aabbccdd", 5])
def test_bad_colors(value: object) -> None:
    refusal("color", value)


@pytest.mark.parametrize(
    "value", ["alice", "a@b", "a@b c.de", "a@@example.com", "a@example.com\nBcc: b@example.com", "a" * 250 + "@x.de"]
)
def test_bad_emails(value: str) -> None:
    refusal("email", value)


@pytest.mark.parametrize(
    "value",
    [
        "http://localhost:8000/x",
        "http://127.0.0.1/",
        "https://[2001:db8::1]/",
        "https://bücher.example/straße",
        "mailto:a@example.com",
        "MAILTO:a%2Bb@example.com,c@example.com?subject=Hi",
    ],
)
def test_good_urls(value: str) -> None:
    assert clean("url", value).lower() == value.lower()


@pytest.mark.parametrize(
    "value",
    [
        "example.com",
        "//example.com",
        "/path",
        "http://",
        "https:example.com",
        "javascript:alert(1)",
        "JaVaScRiPt://example.com/%0aalert(1)",
        "data:text/html,x",
        "ftp://example.com",
        "file:///etc/passwd",
        "https://user:password@example.com",
        "https://good.example\\@evil.example",
        "https://exa mple.com",
        "https://example.com/\x01",
        "https://[::1",
        "mailto:",
        "mailto:nobody",
        "mailto:a@example.com,,b@example.com",
        "https://example.com/" + "a" * 2048,
    ],
)
def test_bad_urls(value: str) -> None:
    refusal("url", value)


@pytest.mark.parametrize(
    "address",
    ['"dana"@example.com', '"\\dana"@example.com', "root@localhost", "a@b.localhost", "a@[127.0.0.1]", "a@localhost.localdomain"],
)
def test_an_address_is_that_of_a_mailbox_elsewhere(address: str) -> None:
    """Quotation marks would give one mailbox any number of spellings, each with limits of its own."""
    assert not is_email(address)


@pytest.mark.parametrize("domain", ["xn--ü.example", "é.xn--é.example", "a\u0644b.example", "ß" * 70 + ".de"])
def test_a_domain_that_mail_servers_cannot_look_up(domain: str) -> None:
    assert not is_email(f"dana@{domain}")


@pytest.mark.parametrize(
    "address", ["dana+news@example.com", "o'neill@mail.example.co.uk", "dana@münchen.example", "d@localhost.example"]
)
def test_usual_addresses(address: str) -> None:
    assert is_email(address)
