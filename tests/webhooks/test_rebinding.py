"""DNS rebinding: whatever the order of a resolver's answers, only checked addresses are contacted."""

import itertools
import random
import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from ipaddress import ip_network
from typing import Any

import pytest
from django.utils import timezone

from cms_api.outbound.addresses import is_allowed
from cms_api.outbound.connection import PinnedConnection
from cms_api.outbound.lookup import resolve
from cms_api.webhooks.services import sending
from cms_api.webhooks.services.sending import Outcome

from .receiver import Authority, Receiver, receiving
from .test_sending import names

HOST = "receiver.example"
#: Stands for a public address: the one that may be contacted, at which something answers at once.
PUBLIC = "127.0.0.2"
#: Where the canary listens, and an address at which it would be found in disguise.
PRIVATE, PRIVATE6, DISGUISED = "127.0.0.1", "::1", "::ffff:127.0.0.1"
REFUSED = "The host resolves to a private or reserved address."
FLIPS = 500
#: Answers of a DNS look-up: addresses, several of them in either order.
INSIDE = [PRIVATE, PRIVATE6, DISGUISED]
MIXED = [f"{PUBLIC},{each}" for each in INSIDE] + [f"{each},{PUBLIC}" for each in INSIDE]
ANSWERS = [PUBLIC, *INSIDE, *MIXED, f"{PRIVATE},{PRIVATE6}", f"93.184.216.34,{PRIVATE}"]


def flips() -> list[list[str]]:
    """Successive answers of a resolver, the last of which repeats: all pairs that differ, then random ones of up to six.

    Of the random ones every other begins as one that may be called.
    """
    pairs = [list(pair) for pair in itertools.permutations(ANSWERS, 2)]
    chance = random.Random(20240229)
    mixed = [chance.choices(ANSWERS, k=chance.randint(2, 6)) for _ in range(FLIPS - len(pairs))]
    return pairs + [[PUBLIC, *answers] if number % 2 else answers for number, answers in enumerate(mixed)]


class Canary(list[Receiver]):
    """Listens at the private addresses, each time with a certificate that would be trusted."""


@pytest.fixture
def canary(trusting: None, authority: Authority) -> Iterator[Canary]:
    with ExitStack() as stack:
        found = Canary([stack.enter_context(receiving(authority.good, host=PRIVATE))])
        # Not every machine has IPv6.
        with suppress(OSError):
            found.append(stack.enter_context(receiving(authority.good, host=PRIVATE6, port=found[0].port)))
        yield found


@pytest.fixture
def honest(canary: Canary, authority: Authority, settings: Any) -> Iterator[Receiver]:
    """The receiver that may be contacted, and no other. It has the canary's port: the address is all that tells them apart."""
    settings.WEBHOOK_ALLOWED_NETWORKS = [ip_network(PUBLIC)]
    try:
        made = Receiver(authority.good, host=PUBLIC, port=canary[0].port, keeps_open=True)
    except OSError:
        pytest.skip("This machine has one loopback address only.")
    yield made
    made.close()


def post(url: str, connection: PinnedConnection | None = None) -> Outcome:
    return sending.post(url, b"{}", {}, timezone.now(), connection)


@contextmanager
def guard_down(settings: Any) -> Iterator[None]:
    before = settings.WEBHOOK_ALLOWED_NETWORKS
    settings.WEBHOOK_ALLOWED_NETWORKS = [ip_network("127.0.0.0/8"), ip_network("::1/128"), ip_network("::ffff:0:0/96")]
    yield
    settings.WEBHOOK_ALLOWED_NETWORKS = before


def contacts(canary: Canary, url: str, settings: Any, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How often each of the canary's addresses was contacted until now, and whether it would have noticed.

    It has to notice a call that is made with the guard down; as connections are taken in their order, all before are counted.
    """
    with guard_down(settings):
        for address in (PRIVATE, PRIVATE6)[: len(canary)]:
            names(monkeypatch, receiver_example=[address])
            assert post(url).succeeded
    return [each.contacts - 1 for each in canary]


def test_none_of_five_hundred_flips_reaches_it(
    canary: Canary, honest: Receiver, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A look-up that answers with the public address alone is followed by a call there; all others are refused."""
    url, may = honest.url(host=HOST), 0
    assert len(flips()) == FLIPS
    for answers in flips():
        names(monkeypatch, receiver_example=list(answers))
        outcome = post(url)
        may += answers[0] == PUBLIC
        assert (outcome.succeeded, outcome.error) == ((True, "") if answers[0] == PUBLIC else (False, REFUSED)), answers
    assert len(honest.requests) == may > 150
    assert not any(contacts(canary, url, settings, monkeypatch))


def test_nor_do_those_between_calls_over_one_connection(
    canary: Canary, honest: Receiver, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As during a lease: an open connection is used, and made anew, only where the look-up of that very call says so."""
    url, calls, may = honest.url(host=HOST), 0, 0
    for answers in flips()[::5]:
        names(monkeypatch, receiver_example=list(answers))
        with PinnedConnection() as connection:
            for answer in answers:
                calls, may = calls + 1, may + (answer == PUBLIC)
                assert post(url, connection).succeeded == (answer == PUBLIC), answers
    assert calls > 300
    assert len(honest.requests) == may > 20
    assert not any(contacts(canary, url, settings, monkeypatch))


def test_the_canary_would_notice_a_second_look_up(
    canary: Canary, honest: Receiver, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: who checks a name and then connects to it by name is led inside, by each flip that is made for it."""
    for address, _ in itertools.product((PRIVATE, PRIVATE6)[: len(canary)], range(20)):
        names(monkeypatch, receiver_example=[PUBLIC, address])
        assert all(is_allowed(found, settings.WEBHOOK_ALLOWED_NETWORKS) for found in resolve(HOST, honest.port, 5))
        socket.create_connection((HOST, honest.port), 5).close()
    assert contacts(canary, honest.url(host=HOST), settings, monkeypatch) == [20] * len(canary)


def test_the_canary_would_notice_flips_with_the_guard_down(
    canary: Canary, honest: Receiver, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: the call goes to the first address of the first answer."""
    url = honest.url(host=HOST)
    called: Counter[str] = Counter()
    with guard_down(settings):
        for answers in flips()[::10]:
            if "93." not in answers[0]:
                names(monkeypatch, receiver_example=list(answers))
                post(url)
                called[answers[0].split(",")[0]] += 1
    found = contacts(canary, url, settings, monkeypatch)
    assert found == [called[PRIVATE] + called[DISGUISED], called[PRIVATE6]][: len(found)]
    assert min(found) > 5
