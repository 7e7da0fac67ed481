"""One reader of names of hosts for addresses of email, URLs, webhooks and the guard of outgoing requests."""

import idna
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cms_api.analytics.types.exclusions import as_host
from cms_api.fields.texts import is_email
from cms_api.mail.types import Recipient, for_mail_server
from cms_api.outbound.addresses import check_url, host_of, is_localhost
from cms_api.text.hosts import ascii_host, unicode_host
from commerce.common.types import email_key

HOSTS = {
    "straße.example": "xn--strae-oqa.example",
    "STRASSE.example": "strasse.example",
    "Faß。Example": "xn--fa-hia.example",
    "MÜNCHEN.de": "xn--mnchen-3ya.de",
    "mu\u0308nchen.de.": "xn--mnchen-3ya.de.",
    "βόλος.com": "xn--nxasmm1c.com",
    "１２７.0.0.1": "127.0.0.1",
    "my_host.example": "my_host.example",
    "例え.テスト": "xn--r8jz45g.xn--zckzah",
    "::1": "::1",
}


@pytest.mark.parametrize(("host", "expected"), HOSTS.items())
def test_it_works(host: str, expected: str) -> None:
    assert ascii_host(host) == ascii_host(expected) == expected
    assert ascii_host(unicode_host(host)) == expected


@pytest.mark.parametrize(
    "host", ["", ".", "a..b", ".a", "ü" * 70 + ".de", "a" * 64, "xn--0.de", "xn--ü.de", "a" * 2000, "\u200c.de", "i❤.ws"]
)
def test_names_that_are_none(host: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        ascii_host(host)
    assert not is_email(f"dana@{host}")


@given(host=st.text(st.characters(categories=("Ll", "Lo", "Nd")), min_size=1, max_size=20))
def test_every_part_reads_a_host_alike(host: str) -> None:
    try:
        expected = ascii_host(f"{host}.example")
    except ValueError:
        assert not is_email(f"dana@{host}.example")
        return
    assert expected == idna.encode(f"{host}.example", uts46=True).decode()
    assert unicode_host(expected) == unicode_host(f"{host}.example")
    assert email_key(f"dana@{host}.example") == email_key(f"dana@{expected}") == f"dana@{unicode_host(expected)}"
    assert Recipient(f"dana@{host}.example").key == f"dana@{expected}"
    assert for_mail_server(f'"D, a" <dana@{host}.example>') == f'"D, a" <dana@{expected}>'
    assert host_of(check_url(f"https://{host}.example:8443/a")) == expected
    assert as_host(f"www.{host}.example") == expected


def test_hosts_of_this_machine() -> None:
    assert is_localhost("LOCALHOST")
    assert is_localhost("ｌocalhost.")
    assert is_localhost("a.localhost")
    assert not is_localhost("localhoſt.example")
