"""Many at once: one email for each actual change, no lost message, one ticket for each email; each with its control."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import pytest

from cms_api.flags.services import set_setting
from commerce.support.models import Message, ReceivedMail, Ticket
from commerce.support.services import (
    assign_ticket,
    assigning,
    merge_tickets,
    receive_mail,
    receiving,
    release_ticket,
    reply_as_customer,
    reply_as_staff,
    replying,
    set_status,
    set_tags,
    statuses,
)
from commerce.support.services.housekeeping import nudge_requesters
from tests.client import together
from tests.commerce.shop.outcomes import kinds, outcome
from tests.unprotected import meet_before, without_transactions

from .builders import log_of, make_agent, make_mail, make_rule, make_ticket, sent

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("support")]

THREADS, EACH = 8, 2


def all_at_once(works: Sequence[Callable[[], Any]]) -> Counter[str]:
    """Run all of them in some threads; return how often what came of it."""
    threads = min(THREADS, len(works))
    return sum(together(lambda number: Counter(map(outcome, works[number::threads])), threads), Counter())


def test_one_assignment_is_one_email() -> None:
    ticket, agent = make_ticket(), make_agent()
    assert all_at_once([partial(assign_ticket, ticket=ticket, user_id=agent.pk)] * THREADS * EACH) == {"done": 16}
    assert [mail.recipient for mail in sent("support_assigned")] == [agent.email]


def test_control_without_the_lock_several_emails_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    ticket, agent = make_ticket(), make_agent()
    without_transactions(monkeypatch)
    meet_before(monkeypatch, assigning, "save_ticket", threads=6)
    assert all_at_once([partial(assign_ticket, ticket=ticket, user_id=agent.pk)] * 6) == {"done": 6}
    assert len(sent("support_assigned")) == 6


def test_each_change_of_hands_is_one_email() -> None:
    """However they follow one another, an email is sent for each log entry that assigns somebody."""
    ticket, agents = make_ticket(), [make_agent() for _ in range(4)]
    works = [partial(assign_ticket, ticket=ticket, user_id=agent.pk) for agent in agents for _ in range(4)]
    assert all_at_once(works) == {"done": 16}
    mails = [mail.recipient for mail in sent("support_assigned")]
    last = Ticket.objects.get().assignee
    assert last is not None
    assert mails[-1] == last.email
    assert all(one != other for one, other in pairwise(mails))


def test_closing_fires_once_and_resolving_asks_once() -> None:
    set_setting(key="support.csat", value=True)
    ticket = make_ticket()
    assert all_at_once([partial(set_status, ticket=ticket, status="resolved")] * 12) == {"done": 12}
    assert all_at_once([partial(set_status, ticket=ticket, status="closed")] * 12) == {"done": 12}
    assert (len(sent("support_csat")), kinds("ticket.").count("ticket.closed"), log_of(ticket)) == (
        1,
        1,
        ["open", "resolved", "closed"],
    )


def test_control_without_the_lock_it_fires_several_times(monkeypatch: pytest.MonkeyPatch) -> None:
    ticket = make_ticket()
    without_transactions(monkeypatch)
    meet_before(monkeypatch, statuses, "become", threads=6)
    assert all_at_once([partial(set_status, ticket=ticket, status="closed")] * 6) == {"done": 6}
    assert kinds("ticket.").count("ticket.closed") == 6


def test_answers_and_messages_are_all_counted() -> None:
    ticket = make_ticket()
    works: list[Callable[[], Any]] = []
    for number in range(4):
        works += [
            partial(reply_as_staff, ticket=ticket, message=f"Answer {number}."),
            partial(reply_as_staff, ticket=ticket, message=f"Note {number}.", internal=True),
            partial(reply_as_customer, ticket=ticket, message=f"Message {number}."),
            partial(set_tags, ticket=ticket, tags=[f"Tag {number}", "VIP"]),
        ]
    assert all_at_once(works) == {"done": 16}
    assert Ticket.objects.get().message_count == Message.objects.count() == 13
    assert len(sent("support_reply")) == 4


def test_control_without_the_lock_messages_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    ticket = make_ticket()
    without_transactions(monkeypatch)
    meet_before(monkeypatch, replying, "save_ticket", threads=6)
    assert all_at_once([partial(reply_as_staff, ticket=ticket, message="Note.", internal=True)] * 6) == {"done": 6}
    assert Ticket.objects.get().message_count < Message.objects.count() == 7


def test_a_reply_never_reaches_a_closed_ticket() -> None:
    """Each round, a ticket is closed while somebody answers: the answer is before the closing, or refused."""
    for _ in range(5):
        ticket = make_ticket()
        works = [partial(set_status, ticket=ticket, status="closed")]
        works += [partial(reply_as_staff, ticket=ticket, message="Hello.")] * 3
        found = all_at_once(works)
        ticket.refresh_from_db()
        assert (ticket.status, found["done"] - 1 + found["status"]) == ("closed", 3)
        assert ticket.messages.count() == found["done"]


def test_one_email_that_arrives_many_times_is_one_ticket() -> None:
    raw = make_mail("Hello.").as_bytes()
    assert all_at_once([partial(receive_mail, raw=raw)] * 16) == {"done": 16}
    assert (Ticket.objects.count(), Message.objects.count(), ReceivedMail.objects.count()) == (1, 1, 1)
    assert (len(sent("support_received")), kinds("ticket.")) == (1, ["ticket.created"])


def test_control_without_the_digest_it_is_several(monkeypatch: pytest.MonkeyPatch) -> None:
    read = receiving.read_incoming
    numbers = iter(range(100))

    def without_digest(raw: bytes) -> Any:
        mail = read(raw)
        object.__setattr__(mail, "digest", str(next(numbers)))
        return mail

    monkeypatch.setattr(receiving, "read_incoming", without_digest)
    raw = make_mail("Hello.").as_bytes()
    assert all_at_once([partial(receive_mail, raw=raw)] * 6) == {"done": 6}
    assert Ticket.objects.count() == 6


def test_numbers_and_turns_are_taken_once() -> None:
    agents = [make_agent() for _ in range(4)]
    make_rule(*agents)
    works = [partial(make_ticket, email=f"person{number}@example.com") for number in range(16)]
    assert all_at_once(works) == {"done": 16}
    numbers = sorted(int(each.partition("-")[2]) for each in Ticket.objects.values_list("number", flat=True))
    assert numbers == list(range(1001, 1017))
    assert set(Counter(Ticket.objects.values_list("assignee", flat=True)).values()) == {4}


def test_a_ticket_is_released_and_a_requester_reminded_once() -> None:
    ticket = make_ticket(spam_reason="Offers.")
    assert all_at_once([partial(release_ticket, ticket=ticket)] * 16) == {"done": 16}
    assert (kinds("ticket."), len(sent("support_received"))) == (["ticket.created"], 1)
    reply_as_staff(ticket=ticket, message="Which one?")
    Ticket.objects.update(waiting_since="2026-01-01T00:00:00Z")
    assert all_at_once([nudge_requesters] * 16) == {"done": 16}
    assert len(sent("support_nudge")) == 1


def test_merging_in_both_directions_does_not_deadlock() -> None:
    one, other = make_ticket(), make_ticket()
    works = [partial(merge_tickets, ticket=one, into=other), partial(merge_tickets, ticket=other, into=one)] * 4
    assert all_at_once(works) == {"done": 1, "into": 7}
    assert Message.objects.count() == 4
    assert Ticket.objects.exclude(merged_into=None).count() == 1
