"""Receivers that send a call on to somewhere inside: nobody goes there, and the answer is a failure."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Any

import pytest
import requests
from django.utils import timezone

from cms_api.outbound.connection import PinnedConnection
from cms_api.webhooks.models import Endpoint
from cms_api.webhooks.services import sending
from cms_api.webhooks.services.deliveries import deliver_due
from tests.builders import make_item

from .conftest import Subscribe
from .receiver import Answer, Authority, Receiver, receiving

CODES = [301, 302, 303, 307, 308]
#: How a chain ends at the canary. `{port}` is its TLS port, `{plain}` that of its like without TLS.
ENDS = [
    *("https://127.0.0.1:{port}/", "https://localhost:{port}/", "https://[::1]:{port}/", "//127.0.0.1:{port}/"),
    *("http://127.0.0.1:{plain}/", "http://localhost:{plain}/", "https://2130706433:{port}/", "https://0x7f.1:{port}/"),
    *("https://receiver.example@127.0.0.1:{port}/", "https://a:b@127.0.0.1:{port}/"),
    *("HTTPS://127.0.0.1:{port}/", "https://127.0.0.1:{port}/?next=https://localhost:{port}/#fragment", "//localhost:{port}"),
    *("https://[::ffff:127.0.0.1]:{port}/", "http://[::1]:{plain}/"),
]
#: Locations that no client should follow.
ODD = [
    *("file:///etc/passwd", "gopher://127.0.0.1:{plain}/_GET", "ftp://127.0.0.1:{plain}/", "dict://127.0.0.1:{plain}/info"),
    *("javascript:location='https://127.0.0.1:{port}/'", "data:text/html,https://127.0.0.1:{port}/", ""),
    *("https:127.0.0.1:{port}", "https:///127.0.0.1:{port}/", " https://127.0.0.1:{port}/", "/\\127.0.0.1:{port}/"),
    *("https://127.0.0.1:{port}\\@receiver.example/", "\\\\127.0.0.1:{port}\\"),
]


@dataclass(frozen=True)
class Chain:
    """Answers of the honest receiver, one after the other, of which the last one leads to the canary."""

    codes: list[int]
    end: str
    #: Names of headers, or `meta`, by which the last one says where to go.
    by: str = "Location"
    #: Whether a client that follows redirects comes to the canary.
    leads_there: bool = True


def chains() -> list[Chain]:
    """Of each length, begun with each code; then each way to name where it ends; then what is no redirect proper."""
    made = [Chain((CODES * 2)[first : first + length], ENDS[first % 2]) for first in range(5) for length in range(1, 6)]
    made += [Chain([CODES[number % 5]] * (number % 3 + 1), end) for number, end in enumerate(ENDS)]
    made += [Chain([CODES[number % 5]], end, leads_there=False) for number, end in enumerate(ODD)]
    made += [Chain([code], "0; url=" + ENDS[0], by="Refresh", leads_there=False) for code in (300, 302)]
    made += [Chain([code], ENDS[0], by=by, leads_there=False) for code, by in ((304, "Content-Location"), (305, "Location"))]
    return [*made, Chain([307], ENDS[0], by="meta", leads_there=False)]


@pytest.fixture
def canaries(trusting: None, authority: Authority, settings: Any) -> Iterator[list[Receiver]]:
    """On both loopback addresses, with TLS and without; all may be contacted, for nothing but the redirect is to stop a call."""
    settings.WEBHOOK_ALLOWED_NETWORKS = [ip_network("127.0.0.0/8"), ip_network("::1/128")]
    settings.WEBHOOK_RETRY_DELAYS = []
    with ExitStack() as stack:
        found = [stack.enter_context(receiving(certificate)) for certificate in (authority.good, None)]
        with suppress(OSError):
            for certificate, same in zip((authority.good, None), tuple(found), strict=True):
                found.append(stack.enter_context(receiving(certificate, host="::1", port=same.port)))
        yield found


def lay(receiver: Receiver, canaries: list[Receiver], number: int, chain: Chain) -> str:
    """Makes the receiver answer so; the path at which the chain begins."""
    end = chain.end.format(port=canaries[0].port, plain=canaries[1].port)
    for step, code in enumerate(chain.codes, start=1):
        following = f"/{number}/{step + 1}"
        where = following if step % 2 else receiver.url(following)
        headers, body = {"Location": where}, b""
        if step == len(chain.codes):
            headers = {} if chain.by == "meta" else {chain.by: end}
            body = f'<meta http-equiv="refresh" content="0; url={end}">'.encode() if chain.by == "meta" else b""
        receiver.set_answers(f"/{number}/{step}", Answer(code, headers, body))
    return f"/{number}/1"


def contacts(canaries: list[Receiver]) -> list[int]:
    """How often each was contacted until now. Connections are taken in their order: one more, and those before are counted."""
    for canary in canaries:
        host = "127.0.0.1" if canary in canaries[:2] else "::1"
        with socket.create_connection((host, canary.port), 5) as probe, suppress(ConnectionResetError):
            probe.sendall(b"Is anybody there?\r\n\r\n")
            probe.recv(1)
    return [canary.contacts - 1 for canary in canaries]


@pytest.mark.django_db
@pytest.mark.both_databases
def test_no_chain_reaches_it(subscribe: Subscribe, receiver: Receiver, canaries: list[Receiver]) -> None:
    """Each ends at its first answer, which is logged and counted as a failure with its code."""
    laid = chains()
    assert len([chain for chain in laid if chain.leads_there]) >= 40
    endpoints = [subscribe(lay(receiver, canaries, number, chain)) for number, chain in enumerate(laid)]
    make_item()
    assert deliver_due() == len(laid)
    assert not any(contacts(canaries))
    assert len(receiver.requests) == len(laid)
    for endpoint, chain in zip(endpoints, laid, strict=True):
        delivery = endpoint.deliveries.get()
        assert (delivery.status, delivery.response_code, delivery.failures) == ("failed", chain.codes[0], 1), chain
        assert delivery.error == f"The receiver answered {chain.codes[0]}."
    assert set(Endpoint.objects.values_list("failure_count", flat=True)) == {1}


def test_a_refresh_of_a_success_is_not_heeded(receiver: Receiver, canaries: list[Receiver]) -> None:
    """It has been received, wherever it says to go next."""
    end = canaries[0].url()
    page = f'<meta http-equiv="refresh" content="0; url={end}">'.encode()
    with PinnedConnection() as connection:
        for headers in (
            {"Refresh": f"0; url={end}"},
            {"Location": end},
            {"Content-Location": end},
            {"Link": f"<{end}>; rel=next"},
        ):
            receiver.set_answers("/hook", Answer(201, headers, page))
            assert sending.post(receiver.url(), b"{}", {}, timezone.now(), connection).succeeded
    assert not any(contacts(canaries))


def test_who_follows_them_comes_there(receiver: Receiver, canaries: list[Receiver], authority: Authority) -> None:
    """The control: each of the forty leads a client that follows redirects to the canary."""
    with requests.Session() as session:
        session.trust_env, session.verify = False, str(authority.trusted)
        for number, chain in enumerate(chains()):
            if not chain.leads_there or ("[::1]" in chain.end and len(canaries) < 3):
                continue
            before = sum(canary.contacts for canary in canaries)
            with suppress(requests.RequestException):
                session.post(receiver.url(lay(receiver, canaries, number, chain)), data=b"{}", timeout=5).close()
            assert sum(canary.contacts for canary in canaries) > before, chain
