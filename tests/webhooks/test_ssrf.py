"""Addresses that lead inside, in every disguise: refused when subscribed to where that can be known, and never contacted."""

import itertools
from collections.abc import Iterator
from ipaddress import ip_address, ip_network
from typing import Any

import pytest
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.outbound import lookup
from cms_api.webhooks.models import Delivery, Endpoint
from cms_api.webhooks.services import endpoints, sending
from cms_api.webhooks.services.deliveries import deliver_due
from tests.builders import make_item
from tests.client import Api

from .receiver import Authority, Receiver, receiving
from .test_sending import names

IPV4 = {
    "loopback": ["127.0.0.1", "127.0.0.2", "127.1.2.3", "127.255.255.254"],
    "this host": ["0.0.0.0", "0.1.2.3", "0.255.255.255"],
    "private": ["10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.254", "192.168.0.1", "192.168.255.255"],
    "link-local and metadata": ["169.254.169.254", "169.254.170.2", "169.254.0.1", "168.63.129.16", "100.100.100.200"],
    "carrier-grade NAT": ["100.64.0.1", "100.127.255.254"],
    "reserved": ["192.0.0.1", "192.0.0.192", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.19.255.255", "198.51.100.1"],
    "documentation and future": ["203.0.113.1", "240.0.0.1", "255.255.255.255"],
    "multicast": ["224.0.0.1", "239.255.255.250"],
}
#: Other spellings of 127.0.0.1, 169.254.169.254 and 10.0.0.1 that resolvers take.
SPELLINGS = [
    *("2130706433", "0x7f000001", "0x7f.1", "0x7F.0x0.0x0.0x1", "017700000001", "0177.0.0.1", "0177.1", "127.1", "127.0.1", "0"),
    *("0x0", "00000177.0.0.1", "127.0.0.0x1", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.43518", "169.16689662"),
    *("0xA9.0xFE.0xA9.0xFE", "167772161", "0xa000001", "012.1", "10.1", "10.0.1", "3232235521", "0xc0a80001"),
    # Full-width, circled and other digits, ideographic full stops, and other letters that mean the same.
    *(
        "１２７.0.0.1",
        "127。0。0。1",
        "127．0．0．1",
        "127｡0｡0｡1",
        "①②⑦.⓪.⓪.①",
        "𝟏𝟐𝟕.𝟎.𝟎.𝟏",
        "ｌｏｃａｌｈｏｓｔ",
        "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
        "LOCALHOST",
    ),
    *("localhost", "１６９。２５４。１６９。２５４"),
]
IPV6 = [
    *("::1", "::", "0:0:0:0:0:0:0:1", "0000:0000:0000:0000:0000:0000:0000:0001", "::0001", "fe80::1", "febf::1", "fec0::1"),
    *("fc00::1", "fd00::1", "fd00:ec2::254", "fdff:ffff::1", "ff02::1", "ff0e::1", "100::1", "2001:db8::1", "3fff::1", "5f00::1"),
    *("2001::1", "2001:2::1", "2001:10::1", "2001:20::1"),
    # An IPv4 address inside: mapped, compatible, translated, NAT64, 6to4, Teredo.
    *(
        "::ffff:127.0.0.1",
        "::ffff:7f00:1",
        "::FFFF:7F00:0001",
        "0:0:0:0:0:ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:169.254.169.254",
    ),
    *(
        "::ffff:0.0.0.0",
        "::ffff:8.8.8.8",
        "::127.0.0.1",
        "::7f00:1",
        "::a9fe:a9fe",
        "::8.8.8.8",
        "::ffff:0:127.0.0.1",
        "::ffff:0:7f00:1",
    ),
    *("64:ff9b::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b::808:808", "64:ff9b:1::7f00:1", "2002:7f00:1::"),
    *("2002:a9fe:a9fe::1", "2002:808:808::1", "2001:0:7f00:1::1", "2001:0:4136:e378:8000:63bf:80ff:fffe"),
]
#: 254 characters, in labels that are short enough.
LONG_NAME = ".".join(["a" * 60] * 4 + ["b" * 10])
#: Addresses whose text alone is no good.
MALFORMED = [
    *(
        "http://{}/",
        "ftp://{}/",
        "HTTP://{}/",
        "//{}/",
        "{}",
        "https:{}",
        "https:///{}",
        "https:\\\\{}/",
        "https://{}\\@example.com/",
    ),
    *("https://user@{}/", "https://user:secret@{}/", "https://:@{}/", "https://@{}/", "https://example.com@{}/"),
    *("https://example.com:443@{}/", "https://{}:99999/", "https://{}:-1/", "https://{}:abc/", "https://{}:٤٤٣/", "https://{} /"),
    *(
        "https://{}\u200b/",
        "https://{}\u2028/",
        "https://{}%00/",
        "https://{}%2f/",
        "https://{}%23.example.com/",
        "https://%31{}/",
    ),
    *("https://%6c%6fcalhost/", "https://[{}]/", "https://[::1%25lo]/", "https://[::1%lo]/", "https://[fe80::1%25eth0]/"),
    *(
        "https://[::1/",
        "https://::1]/",
        "https://a..b/",
        "https://.{}/",
        "https://{}../",
        "https://",
        "https://:443/",
        "file:///etc/passwd",
    ),
    *("gopher://{}/", "javascript:alert(1)", "https://{}\u0000/", "https://93.184.216.34:0/", "https://93.184.216.34:00/"),
    *(f"https://{LONG_NAME}/", f"https://{LONG_NAME}./", "https://" + "a" * 64 + ".example/"),
]
#: Names that always mean this machine, whatever a resolver answers.
LOCAL_NAMES = ["localhost", "LocalHost", "foo.localhost", "a.b.LOCALHOST", "ｆｏｏ。ｌｏｃａｌｈｏｓｔ", "foo。localhost"]
#: Names that lead inside, as a resolver would answer.
NAMES = {
    "inside_example": "127.0.0.1",
    "meta_example": "169.254.169.254",
    "six_example": "::ffff:127.0.0.1",
    "ten_example": "10.0.0.1",
}


def hosts() -> list[str]:
    return [*itertools.chain(*IPV4.values()), *SPELLINGS, *(f"[{address}]" for address in IPV6), *lead_inside()]


def lead_inside() -> list[str]:
    return [name.replace("_", ".") for name in NAMES]


@pytest.fixture
def canary(trusting: None, authority: Authority, settings: Any) -> Iterator[Receiver]:
    """Listens on every IPv4 address of this machine, with a certificate that would be trusted; nothing may be private."""
    with receiving(authority.good, host="0.0.0.0") as listening:
        settings.WEBHOOK_ALLOWED_NETWORKS = []
        settings.WEBHOOK_TIMEOUT = 0.3
        yield listening


@pytest.fixture(autouse=True)
def _names(monkeypatch: pytest.MonkeyPatch) -> None:
    names(monkeypatch, **{name: [address] for name, address in NAMES.items()})


@pytest.mark.django_db
@pytest.mark.both_databases
def test_it_works_and_the_canary_would_sing(canary: Receiver, settings: Any) -> None:
    """The control: with the guard down, calls do arrive; there are enough forms to mean something."""
    assert len({*hosts(), *MALFORMED}) >= 120
    settings.WEBHOOK_ALLOWED_NETWORKS = [ip_network("127.0.0.0/8")]
    settings.WEBHOOK_TIMEOUT = 10
    assert call(canary.url()).code == 200
    for host in ("2130706433", "0x7f.1", "inside.example"):
        call(canary.url(host=host))
    assert canary.contacts == 4


def call(url: str) -> sending.Outcome:
    return sending.post(url, b"{}", {}, timezone.now())


@pytest.mark.parametrize("host", hosts(), ids=ascii)
def test_is_not_contacted(canary: Receiver, host: str) -> None:
    """Neither where it stands alone, nor with a trailing dot."""
    outcome = call(canary.url(host=host))
    assert outcome.error == "The host resolves to a private or reserved address."
    if not host.startswith("["):
        dotted = call(canary.url(host=host + "."))
        assert not dotted.succeeded
    assert (outcome.code, canary.contacts) == (None, 0)


@pytest.mark.parametrize("template", MALFORMED, ids=ascii)
def test_malformed_is_not_contacted(canary: Receiver, template: str) -> None:
    for host in ("127.0.0.1", f"127.0.0.1:{canary.port}"):
        outcome = call(template.format(host))
        assert (outcome.code, outcome.succeeded, canary.contacts) == (None, False, 0)


@pytest.mark.django_db
@pytest.mark.parametrize("host", hosts(), ids=ascii)
def test_cannot_be_subscribed(manager: Api, host: str) -> None:
    """With one port or another, or none, in turn."""
    port = ("", ":443", ":8443")[hosts().index(host) % 3]
    refused = manager.post("/webhooks", {"url": f"https://{host}{port}/hook", "events": ["*"]})
    assert (refused.status_code, list(refused.json()["errors"])) == (422, ["url"]), refused.content
    assert not Endpoint.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("template", MALFORMED, ids=ascii)
def test_malformed_cannot_be_subscribed(manager: Api, template: str) -> None:
    refused = manager.post("/webhooks", {"url": template.format("127.0.0.1"), "events": ["*"]})
    assert refused.status_code == 422, refused.content
    assert set(refused.json()["errors"]) == {"url"}


@pytest.fixture
def resolving_to_the_public(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every name has a public address."""
    monkeypatch.setattr(endpoints, "resolve", lambda *_: [ip_address("93.184.216.34")])


@pytest.mark.django_db
@pytest.mark.usefixtures("resolving_to_the_public")
def test_a_name_of_this_machine_is_refused_whatever_the_resolver_answers(
    manager: Api, canary: Receiver, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = manager.post("/webhooks", {"url": "https://public.example/", "events": ["*"]})
    assert kept.status_code == 201, kept.content
    endpoint = Endpoint.objects.get()
    settings.WEBHOOK_ALLOWED_NETWORKS = [ip_network("127.0.0.0/8"), ip_network("::1/128")]
    for name in [each + dot for each in LOCAL_NAMES for dot in ("", ".")]:
        refused = manager.post("/webhooks", {"url": f"https://{name}:8443/hook", "events": ["*"]})
        assert (refused.status_code, list(refused.json()["errors"])) == (422, ["url"]), name
        with pytest.raises(Invalid):
            endpoints.update_endpoint(endpoint=endpoint, url=f"https://{name}/", events=["*"], description="")
        monkeypatch.setattr(lookup, "resolve", lambda *_: [ip_address("127.0.0.1")])
        outcome = call(canary.url(host=name))
        assert (outcome.error, canary.contacts) == ("The host resolves to a private or reserved address.", 0), name
    assert Endpoint.objects.get().url == "https://public.example/"


@pytest.mark.django_db
@pytest.mark.usefixtures("resolving_to_the_public")
@pytest.mark.parametrize("host", [LONG_NAME[1:], LONG_NAME[1:] + ".", "localhost.example", "mylocalhost", "a" * 63 + ".example"])
def test_names_that_only_look_like_them_may_be_subscribed(manager: Api, host: str) -> None:
    made = manager.post("/webhooks", {"url": f"https://{host}/hook", "events": ["*"]})
    assert made.status_code == 201, made.content


@pytest.mark.django_db
def test_what_was_public_when_it_was_subscribed(
    manager: Api, canary: Receiver, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.WEBHOOK_RETRY_DELAYS = [0]
    names(monkeypatch, turncoat_example=["93.184.216.34", "127.0.0.1"])
    made = manager.post("/webhooks", {"url": canary.url(host="turncoat.example"), "events": ["*"]})
    assert made.status_code == 201
    make_item()
    deliver_due()
    delivery = Delivery.objects.get()
    assert (delivery.status, delivery.error) == ("failed", "The host resolves to a private or reserved address.")
    assert canary.contacts == 0


@pytest.mark.django_db
@pytest.mark.parametrize(
    "host",
    ["93.184.216.34", "[2606:2800:220:1::1]", "8.8.8.8", "public.example", "public.example.", "bücher.example", "a_b.example"],
)
def test_public_addresses_may_be_subscribed(manager: Api, host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"public_example": ["93.184.216.34"], "public_example_": ["93.184.216.34"], "bücher_example": ["8.8.8.8"]}
    names(monkeypatch, **known, a_b_example=["8.8.8.8"])
    made = manager.post("/webhooks", {"url": f"https://{host}:8443/hook?a=b", "events": ["*"]})
    assert made.status_code == 201, made.content
