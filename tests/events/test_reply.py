"""RSVPs: one for each email and date, for upcoming dates only, and confirmed by mail."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cms_api.auth.services.visitors import Visit
from cms_api.content.models import ContentItem
from cms_api.content.services.items import unpublish_item, update_item
from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from cms_api.http import page_cache
from cms_api.mail.models import MailAttachment, OutgoingMail
from events.models import Rsvp
from events.services import rsvps
from events.services.rsvps import cancel, reply
from tests.builders import field, make_item, make_term, make_type
from tests.refusals import is_refused_for

from .guests import GOOD, WEEKLY, mails, make_event, make_reply, soon, starts

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("events_on", "own_budgets")]


def send(client: Client, event: ContentItem, **changes: Any) -> Any:
    sent = {**GOOD, **changes}
    return client.post(f"/events/{event.slug}/rsvp", {name: value for name, value in sent.items() if value is not None})


def refusal(event: ContentItem, start: str = "", **changes: Any) -> dict[str, list[str]]:
    with pytest.raises(Invalid) as refused:
        make_reply(event, start, **changes)
    return refused.value.errors


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    event = make_event()
    answer = send(client, event)
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/events/{event.slug}?replied=1#rsvp")
    found = Rsvp.objects.get()
    assert (found.event, found.occurrence, found.occurrence_start) == (event, event, f"{soon()}:00")
    assert (found.name, found.email, found.party_size, found.status) == ("Dana Reyes", "dana@example.org", 2, "going")
    page = client.get(answer.headers["Location"]).content.decode()
    assert re.search(r'role="status".*Thank you', page, re.DOTALL)
    (mail,) = mails()
    assert (mail.recipient, mail.recipient_name, mail.subject) == (found.email, "", "You're signed up for Open rehearsal")
    for said in ("Open rehearsal", "The mill", "2 people", "6:30\xa0PM", f"/events/{event.slug}"):
        assert said in mail.text
        assert said in mail.html
    assert re.search(r"/events/rsvp/[\w:-]+/cancel", mail.text)
    (invite,) = MailAttachment.objects.filter(mail=mail)
    assert invite.type.startswith("text/calendar; method=REQUEST")
    assert b"METHOD:REQUEST\r\n" in bytes(invite.content)
    assert b"mailto:dana@example.org" in bytes(invite.content).replace(b"\r\n ", b"")


def test_the_mail_that_is_sent_has_an_invitation() -> None:
    from cms_api.mail.services.messages import message

    make_reply(make_event())
    text = message(mails()[0]).message().as_string()
    assert re.search(r'Content-Type: text/calendar;\s+method="?REQUEST"?', text)


@pytest.mark.parametrize("email", ["dana@example.org", " Dana@Example.ORG ", "DANA@EXAMPLE.ORG"])
def test_the_same_address_again_changes_the_reply(client: Client, email: str) -> None:
    event = make_event()
    first = make_reply(event)
    shown = send(client, event, email=email, party_size="5", name="Dana R.")
    assert shown.status_code == 303
    again = Rsvp.objects.get()
    assert (again.pk, again.created_at) == (first.pk, first.created_at)
    assert (again.party_size, again.name, again.email) == (5, "Dana R.", "dana@example.org")
    assert "5 people" in mails()[-1].text


@pytest.mark.both_databases
def test_an_address_is_the_same_in_both_its_spellings() -> None:
    event = make_event()
    make_reply(event, email="dana@bücher.example")
    make_reply(event, email="dana@xn--bcher-kva.example", party_size=3)
    assert Rsvp.objects.get().party_size == 3


def test_the_page_says_the_same_to_whoever_replies_again(client: Client) -> None:
    event = make_event()
    answers = [client.get(send(client, event, party_size=size).headers["Location"]).content for size in "25"]
    assert answers[0] == answers[1]
    assert "replaces any earlier RSVP" in mails()[0].text


def test_a_reply_that_was_called_off_comes_back() -> None:
    event = make_event()
    found = make_reply(event)
    assert cancel(rsvp=found)
    make_reply(event, party_size=4)
    found.refresh_from_db()
    assert (found.status, found.cancelled_at, found.party_size) == ("going", None, 4)


def test_each_date_has_its_own_replies(client: Client) -> None:
    event = make_event(repeat=WEEKLY)
    first, second, *_ = starts(event)
    for start in (first, second, second[:16]):
        assert send(client, event, occurrence=start).status_code == 303
    kept = list(Rsvp.objects.order_by("pk"))
    assert [each.occurrence_start for each in kept] == [first, second]
    assert kept[0].occurrence == event
    assert kept[1].occurrence == ContentItem.objects.get(owner=event, data__event_date__start=second)
    assert send(client, event, occurrence=str(kept[1].occurrence_id), party_size="9").status_code == 303
    kept[1].refresh_from_db()
    assert kept[1].party_size == 9


def test_a_repeating_event_needs_a_date(client: Client) -> None:
    event = make_event(repeat=WEEKLY)
    assert list(refusal(event)) == ["occurrence"]
    for start in ("x", "2020-01-01T10:00", "9" * 30, "99", "٣", "\0", "\ud800"):
        assert refusal(event, start) == {"occurrence": ["Choose one of the dates."]}
    assert send(client, event, occurrence=None).status_code == 422
    assert not Rsvp.objects.exists()


def test_a_date_of_another_event_is_none() -> None:
    event, other = make_event(repeat=WEEKLY), make_event(repeat=WEEKLY)
    row = ContentItem.objects.filter(owner=other).first()
    assert row
    assert list(refusal(event, str(row.pk))) == ["occurrence"]


def test_dates_that_are_over_or_cancelled_are_refused() -> None:
    over = make_event(soon(-7))
    assert refusal(over) == {"occurrence": ["This date has passed."]}
    event = make_event(repeat=WEEKLY)
    gone = starts(event)[2]
    make_reply(event, gone)
    update_item(item=event, values={"data": {"event_date": {"start": soon(), "tz": "Europe/Paris", "repeat": None}}})
    assert refusal(event, gone) == {"occurrence": ["This date has been cancelled."]}


def test_what_is_wrong_is_refused() -> None:
    event = make_event()
    wrong: list[tuple[str, Any]] = [
        *(("name", value) for value in ("", "  ", "x" * 101, "a\0b", "a\nb", "\ud800", "\x07", "Win http://x.example", None, 7)),
        *(
            ("email", value)
            for value in ("", "dana", "Dana <dana@example.org>", "a@b.example\nBcc: c@d.example", "x" * 260, None)
        ),
        *(("email", value) for value in ("a\0@b.example", "a@\ud800.example", "@", "a@b@c.example", ["a"])),
        *(("party_size", value) for value in ("0", "21", "-1", "", "2.5", "x", "9" * 5000, "٣", None, True, 1.5, "\0")),
    ]
    for key, value in wrong:
        assert list(refusal(event, **{key: value})) == [key], value
    assert not Rsvp.objects.exists()
    assert not OutgoingMail.objects.exists()


@pytest.mark.parametrize("size", ["1", "20", " 3 ", 20])
def test_party_sizes(size: Any) -> None:
    assert make_reply(make_event(), party_size=size).party_size == int(size)


def test_everything_that_is_wrong_is_told_at_once_and_kept(client: Client) -> None:
    event = make_event(repeat=WEEKLY)
    chosen = starts(event)[1]
    answer = send(client, event, name="", email="dana@", party_size="40", occurrence=chosen)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert 'role="alert"' in page
    assert "Please fix 3 fields" in page
    for key in ("name", "email", "party_size"):
        assert f'<a href="#rsvp-{key}">' in page
        assert re.search(rf'id="rsvp-{key}"[^>]*aria-invalid="true"[^>]*aria-describedby="rsvp-{key}-error', page)
        assert f'id="rsvp-{key}-error"' in page
    assert 'value="dana@"' in page
    assert 'value="40"' in page
    assert f'<option value="{chosen}" selected>' in page
    assert not page_cache._pages


@pytest.mark.parametrize("repeat", [None, WEEKLY])
def test_a_refused_reply_keeps_the_rest_of_the_page(client: Client, repeat: Any) -> None:
    event = make_event(repeat=repeat, data={"details": "<p>Bring a friend.</p>"})
    chosen = starts(event)[-1]

    def around(html: str) -> str:
        body = re.sub(r'<section class="rsvp".*?</section>', "", html[html.index("<main") :], flags=re.DOTALL)
        return re.sub(r'value="[^"]{60,}"', "", body)

    page = client.get(f"/events/{event.slug}", {"occurrence": chosen}).content.decode()
    refused = send(client, event, name="", occurrence=chosen).content.decode()
    assert ("Upcoming dates" in page) == bool(repeat)
    assert around(refused) == around(page)


def test_the_form_is_on_the_page_of_an_event(client: Client) -> None:
    event = make_event()
    page = client.get(f"/events/{event.slug}").content.decode()
    assert f'action="/events/{event.slug}/rsvp"' in page
    assert 'name="csrfmiddlewaretoken"' in page
    assert 'name="hp_url"' in page
    assert 'name="occurrence"' not in page
    # On phones the description comes first.
    assert page.index("event__body") < page.index('id="rsvp"')
    assert re.search(r'name="party_size" value="1"', page)


def test_the_form_offers_the_next_dates(client: Client) -> None:
    event = make_event(soon(-10), repeat={"frequency": "weekly", "count": 90})
    path = f"/events/{event.slug}"
    coming = starts(event)[2:]
    offered = re.findall(r'<option value="([^"]+)"', client.get(path).content.decode())
    assert offered == coming[:60]
    for asked, shown in ((coming[3], 60), (coming[80], 61), ("nonsense", 60), (starts(event)[0], 60)):
        page = client.get(path, {"occurrence": asked}).content.decode()
        assert len(re.findall("<option", page)) == shown
        assert re.findall(r'<option value="([^"]+)" selected', page) == ([asked] if asked in coming else [])


def test_cancelled_dates_are_not_offered(client: Client) -> None:
    event = make_event(repeat=WEEKLY)
    make_reply(event, starts(event)[2])
    new = {"start": soon(), "tz": "Europe/Paris", "repeat": {"frequency": "daily", "count": 2}}
    update_item(item=event, values={"data": {"event_date": new}})
    offered = re.findall(r'<option value="([^"]+)"', client.get(f"/events/{event.slug}").content.decode())
    assert offered == [f"{soon()}:00", f"{soon(8)}:00"]


def test_the_form_takes_a_constant_number_of_statements(client: Client) -> None:
    found = []
    for count in (2, 20):
        event = make_event(repeat={"frequency": "daily", "count": count})
        client.get(f"/events/{event.slug}")
        with CaptureQueriesContext(connection) as captured:
            client.get(f"/events/{event.slug}")
        found.append(len(captured))
    assert found[0] == found[1]


def test_events_that_take_no_replies_have_no_form(client: Client) -> None:
    past, event = make_event(soon(-3)), make_event()
    kind = make_type(field("at", "datetime"), slug="concerts", detail_layout="event-detail")
    other = make_item(kind, data={"at": {"start": soon(), "tz": "Europe/Paris"}})
    for path in (f"/events/{past.slug}", f"/concerts/{other.slug}"):
        page = client.get(path)
        assert page.status_code == 200
        assert 'id="rsvp"' not in page.content.decode()
    assert refusal(other) == {"event": ["This event doesn't accept RSVPs."]}
    set_setting(key="events.rsvp", value=False)
    assert 'id="rsvp"' not in client.get(f"/events/{event.slug}").content.decode()
    assert send(client, event).status_code == 404
    assert refusal(event) == {"event": ["This event doesn't accept RSVPs."]}


def test_a_past_event_says_so_to_whoever_posts(client: Client) -> None:
    answer = send(client, make_event(soon(-3)))
    assert answer.status_code == 422
    assert "This date has passed." in answer.content.decode()


def test_what_is_not_public_is_not_there(client: Client) -> None:
    event = make_event(repeat=WEEKLY)
    row = ContentItem.objects.filter(owner=event).first()
    assert row
    assert client.post(f"/events/{row.slug}/rsvp", GOOD).status_code == 404
    assert client.post("/events/nothing/rsvp", GOOD).status_code == 404
    assert client.get(f"/events/{event.slug}/rsvp").headers["Location"] == f"/events/{event.slug}#rsvp"
    unpublish_item(item=event)
    assert send(client, event).status_code == 404
    event.refresh_from_db()
    assert list(refusal(event, starts(event)[1])) == ["event"]


def test_a_term_may_have_the_same_address(client: Client) -> None:
    event = make_event()
    make_term(event.type, "category", "RSVP")
    assert client.get("/events/category/rsvp").status_code == 200
    assert client.get("/events/category/nothing").status_code == 404
    assert client.post("/events/category/rsvp", GOOD).status_code == 404


def test_an_event_that_is_unpublished_meanwhile_is_refused() -> None:
    event = make_event()
    unpublish_item(item=event)
    # As the page had it before.
    event.status = "published"
    assert refusal(event) == {"event": ["This event doesn't accept RSVPs."]}


def test_a_token_is_needed() -> None:
    event, client = make_event(), Client(enforce_csrf_checks=True)
    assert send(client, event).status_code == 403
    page = client.get(f"/events/{event.slug}").content.decode()
    found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert found
    assert send(client, event, csrfmiddlewaretoken=found[1]).status_code == 303
    # A program may be quick, and knows nothing of what a browser sends beside the fields.
    assert Rsvp.objects.count() == 1


def test_the_trap_leaves_nothing_behind(client: Client) -> None:
    event = make_event()
    good, bad = send(client, event), send(client, event, email="robot@example.org", hp_url="x")
    assert (bad.status_code, bad.headers["Location"]) == (good.status_code, good.headers["Location"])
    assert Rsvp.objects.get().email == "dana@example.org"
    assert len(mails()) == 1


def test_a_flood_is_refused(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rsvps, "LIMITS", rsvps.Limits(flood=2))
    event = make_event()
    answers = [send(client, event, email=f"{number}@example.org") for number in range(3)]
    assert [answer.status_code for answer in answers] == [303, 303, 429]
    assert is_refused_for(answers[2], 3600)
    assert "Too many requests. Try again in an hour." in answers[2].content.decode()
    assert Rsvp.objects.count() == 2


def test_nobody_is_buried_in_mail() -> None:
    event = make_event()
    for number in range(50):
        visit = Visit(f"192.0.2.{number}", honeypot="", stamp="")
        assert reply(event=event, start="", **GOOD, visit=visit)
    assert len(mails()) == 1


def test_times_that_the_clocks_skip(client: Client) -> None:
    """A reply to the first date stays with it when the event is saved again."""
    event = make_event("2027-03-28T02:30", repeat=WEEKLY)
    assert send(client, event, occurrence="2027-03-28T03:30:00").status_code == 303
    update_item(item=event, values={"data": {"venue": "Elsewhere"}})
    found = Rsvp.objects.get()
    assert (found.occurrence, found.occurrence_start) == (event, "2027-03-28T03:30:00")


def test_whole_days(client: Client) -> None:
    day = soon()[:10]
    event = make_event()
    update_item(item=event, values={"data": {"event_date": {"start": day, "all_day": True, "repeat": WEEKLY}}})
    assert send(client, event, occurrence=day).status_code == 303
    assert Rsvp.objects.get().occurrence_start == day
