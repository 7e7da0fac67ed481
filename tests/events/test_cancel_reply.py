"""Cancelling an RSVP by the link in the mail, and restoring it: confirmed first, done once, and mailed."""

import re
from typing import Any

import pytest
from django.core import signing
from django.test import Client

from cms_api.content.services.items import delete_item, unpublish_item, update_item
from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from cms_api.mail.models import MailAttachment
from events.models import Rsvp
from events.selectors.rsvps import CANCEL
from events.services.rsvps import cancel, reinstate

from .guests import WEEKLY, mails, make_event, make_reply, soon, starts

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("events_on")]


def link(rsvp: Rsvp) -> str:
    return CANCEL.path(rsvp)


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    rsvp = make_reply(make_event())
    found = re.search(r"http://[^/]+(/events/rsvp/\S+)", mails()[0].text)
    assert found
    assert found[1] == link(rsvp)
    page = client.get(found[1])
    shown = page.content.decode()
    for said in ("Open rehearsal", "6:30\xa0PM", "Dana Reyes", "Cancel RSVP", 'name="csrfmiddlewaretoken"'):
        assert said in shown
    rsvp.refresh_from_db()
    assert rsvp.status == "going"
    done = client.post(found[1])
    assert done.status_code == 200
    assert "Your RSVP is cancelled" in done.content.decode()
    rsvp.refresh_from_db()
    assert rsvp.status == "cancelled"
    assert rsvp.cancelled_at
    (mail,) = mails("event_rsvp_cancelled")
    assert (mail.recipient, mail.subject) == ("dana@example.org", "Your RSVP for Open rehearsal is cancelled")
    (invite,) = MailAttachment.objects.filter(mail=mail)
    assert invite.type.startswith("text/calendar; method=CANCEL")
    assert b"METHOD:CANCEL\r\n" in bytes(invite.content)


def uid(template: str) -> Any:
    content = bytes(MailAttachment.objects.get(mail=mails(template)[-1]).content).replace(b"\r\n ", b"")
    return re.findall(rb"UID:(.+)\r\n", content)


@pytest.mark.both_databases
def test_the_entry_that_is_taken_back_is_the_one_that_was_sent() -> None:
    event = make_event(repeat=WEEKLY)
    rsvp = make_reply(event, starts(event)[2])
    cancel(rsvp=rsvp)
    assert uid("event_rsvp") == uid("event_rsvp_cancelled") != []


@pytest.mark.both_databases
def test_a_second_time_says_so(client: Client) -> None:
    rsvp = make_reply(make_event())
    client.post(link(rsvp))
    for again in (client.post(link(rsvp)), client.get(link(rsvp))):
        assert again.status_code == 200
        assert "was already cancelled" in again.content.decode()
        assert "<button" not in again.content.decode().partition("<main")[2].partition("</main>")[0]
    assert len(mails("event_rsvp_cancelled")) == 1
    assert cancel(rsvp=rsvp) is False


def test_nobody_looks_for_it_or_keeps_it(client: Client) -> None:
    page = client.get(link(make_reply(make_event())))
    assert "noindex" in page.headers["X-Robots-Tag"]
    assert "no-store" in page.headers["Cache-Control"]
    assert page.headers["Referrer-Policy"] == "same-origin"
    assert re.search(r'<meta name="robots" content="noindex', page.content.decode())


def test_a_token_of_the_form_is_needed() -> None:
    rsvp, client = make_reply(make_event()), Client(enforce_csrf_checks=True)
    assert client.post(link(rsvp)).status_code == 403
    rsvp.refresh_from_db()
    assert rsvp.status == "going"


def test_a_link_that_was_made_up_leads_nowhere(client: Client) -> None:
    rsvp = make_reply(make_event())
    token = CANCEL.token(rsvp)
    other = signing.Signer(salt="events.other").sign(rsvp.link_key.hex)
    signed = signing.Signer(salt="events.rsvps.cancel").sign
    _, _, signature = token.partition(":")
    for wrong in (
        other,
        signed("0" * 32),
        signed(str(rsvp.pk)),
        str(rsvp.pk),
        token[:-1],
        f"{'0' * 32}:{signature}",
        "x",
        "%00",
        "x" * 5000,
    ):
        for method in (client.get, client.post):
            assert method(f"/events/rsvp/{wrong}/cancel").status_code == 404, wrong
    rsvp.refresh_from_db()
    assert rsvp.status == "going"


def test_it_works_also_where_nobody_may_reply_any_more(client: Client) -> None:
    event = make_event()
    rsvp = make_reply(event)
    set_setting(key="events.rsvp", value=False)
    unpublish_item(item=event)
    assert client.get(link(rsvp)).status_code == 200
    assert "Your RSVP is cancelled" in client.post(link(rsvp)).content.decode()


@pytest.mark.both_databases
def test_nothing_is_there_once_the_event_is_gone(client: Client) -> None:
    event = make_event()
    rsvp = make_reply(event)
    delete_item(item=event)
    assert client.get(link(rsvp)).status_code == 404


def test_back_again() -> None:
    rsvp = make_reply(make_event())
    assert reinstate(rsvp=rsvp) is False
    cancel(rsvp=rsvp)
    assert reinstate(rsvp=rsvp) is True
    rsvp.refresh_from_db()
    assert (rsvp.status, rsvp.cancelled_at) == ("going", None)
    assert [len(mails(template)) for template in ("event_rsvp", "event_rsvp_cancelled")] == [2, 1]


def test_nobody_comes_back_to_a_date_that_is_cancelled_or_over() -> None:
    event = make_event(repeat=WEEKLY)
    rsvp = make_reply(event, starts(event)[2])
    cancel(rsvp=rsvp)
    update_item(item=event, values={"data": {"event_date": {"start": soon(), "tz": "Europe/Paris", "repeat": None}}})
    with pytest.raises(Invalid, match="cancelled"):
        reinstate(rsvp=rsvp)
    other = make_event()
    rsvp = make_reply(other)
    cancel(rsvp=rsvp)
    update_item(item=other, values={"data": {"event_date": {"start": soon(-9), "tz": "Europe/Paris"}}})
    with pytest.raises(Invalid, match="passed"):
        reinstate(rsvp=rsvp)
    rsvp.refresh_from_db()
    assert rsvp.status == "cancelled"
