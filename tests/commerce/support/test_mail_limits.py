"""Emails about tickets to an address that anyone may have entered: those nobody has written are limited, and none has links."""

from collections.abc import Callable
from typing import Any

import pytest

from cms_api.accounts.services import create_member
from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from cms_api.mail.types import NOT_QUOTED
from commerce.support.models import Ticket
from commerce.support.services import reply_as_customer, reply_as_staff, set_status
from commerce.support.services.housekeeping import nudge_requesters
from commerce.support.types.tickets import Channel
from tests import people

from .builders import make_ticket, sent

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

BAIT = "Claim your prize at https://evil.example/prize"


def limited() -> dict[str, bool]:
    return dict(OutgoingMail.objects.filter(recipient="dana@example.com").values_list("template", "is_limited"))


def handle(ticket: Ticket, clock: Callable[..., Any]) -> None:
    set_setting(key="support.csat", value=True)
    reply_as_staff(ticket=ticket, message="Which one?")
    clock(days=3)
    nudge_requesters()
    set_status(ticket=ticket, status="resolved")


@pytest.mark.both_databases
def test_it_works(clock: Callable[..., Any]) -> None:
    handle(make_ticket(), clock)
    assert limited() == {"support_received": True, "support_reply": False, "support_nudge": True, "support_csat": True}


def test_an_address_that_the_account_has_confirmed(clock: Callable[..., Any]) -> None:
    member = create_member(email="dana@example.com", password=people.PASSWORD)
    handle(make_ticket(user=member), clock)
    assert set(limited().values()) == {False}


@pytest.mark.both_databases
@pytest.mark.parametrize("channel", [Channel.WEBSITE, Channel.API])
def test_an_answer_quotes_no_links_of_a_stranger(channel: Channel) -> None:
    ticket = make_ticket(message=BAIT, channel=channel)
    reply_as_customer(ticket=ticket, message="It has no handle.")
    reply_as_staff(ticket=ticket, message="See https://help.example/mugs")
    reply_as_staff(ticket=ticket, message="Did it help?")
    mail = sent("support_reply")[-1]
    for part in (mail.text, mail.html):
        assert "evil.example" not in part
        for words in (NOT_QUOTED, "It has no handle.", "https://help.example/mugs"):
            assert words in part


def test_links_are_quoted_to_those_who_wrote_them() -> None:
    """The mail server, or the account, says whose address it is."""
    member = create_member(email="dana@example.com", password=people.PASSWORD)
    for ticket in (make_ticket(message=BAIT, channel=Channel.EMAIL), make_ticket(message=BAIT, user=member)):
        reply_as_staff(ticket=ticket, message="Thank you.")
        assert f"> {BAIT}" in sent("support_reply")[-1].text
