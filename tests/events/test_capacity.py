"""Places: dates never have more guests than places, and the waiting list gets those that become free, in order."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cms_api.content.models import ContentItem
from cms_api.content.services.items import unpublish_item, update_item
from cms_api.core.errors import Invalid
from cms_api.http import page_cache
from cms_api.mail.models import MailAttachment
from events.models import Capacity, Rsvp
from events.services.capacity import set_capacity
from events.services.mails import send_postponed_mails
from events.services.rsvps import cancel, reinstate

from .guests import GOOD, WEEKLY, mails, make_event, make_reply, soon, starts

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("events_on", "own_budgets")]


def limited(places: int, **values: Any) -> ContentItem:
    event = make_event(**values)
    assert set_capacity(event=event, places=places)
    return event


def guest(event: ContentItem, name: str, party: int = 1, start: str = "") -> Rsvp:
    return make_reply(event, start, name=name, email=f"{name}@example.org", party_size=party)


def standing(event: ContentItem) -> dict[str, tuple[str, int]]:
    return {name: (status, party) for name, status, party in event.rsvps.values_list("name", "status", "party_size")}


def panel(client: Client, event: ContentItem, query: str = "") -> str:
    html = client.get(f"/events/{event.slug}{query}").content.decode()
    return " ".join(re.sub("<[^>]+>", " ", html[html.index('<section class="rsvp"') :].partition("</section>")[0]).split())


def post(client: Client, event: ContentItem, **changes: Any) -> str:
    answer = client.post(f"/events/{event.slug}/rsvp", {**GOOD, **changes})
    assert answer.status_code == 303
    return str(answer.headers["Location"])


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    event = limited(3)
    assert "3 places left" in panel(client, event)
    post(client, event)
    assert "1 place left" in panel(client, event)
    path = post(client, event, email="ruth@example.org", name="Ruth")
    assert path == f"/events/{event.slug}?replied=waiting#rsvp"
    assert "on the waiting list" in panel(client, event, "?replied=waiting")
    assert standing(event) == {"Dana Reyes": ("going", 2), "Ruth": ("waiting", 2)}
    (mail,) = mails("event_rsvp_waiting")
    assert (mail.recipient, mail.subject) == ("ruth@example.org", "You're on the waiting list for Open rehearsal")
    assert re.search(r"/events/rsvp/[\w:-]+/cancel", mail.text)
    assert not MailAttachment.objects.filter(mail=mail).exists()

    assert cancel(rsvp=Rsvp.objects.get(name="Dana Reyes"))
    assert standing(event)["Ruth"] == ("going", 2)
    send_postponed_mails()
    send_postponed_mails()
    confirmed = mails()[-1]
    assert [mail.recipient for mail in mails()] == ["dana@example.org", "ruth@example.org"]
    assert MailAttachment.objects.get(mail=confirmed).type.startswith("text/calendar; method=REQUEST")


def test_a_full_date_says_so(client: Client) -> None:
    event = limited(1)
    guest(event, "ada")
    shown = panel(client, event)
    assert "This date is full. Leave your reply to join the waiting list." in shown
    assert "Join the waiting list" in shown
    set_capacity(event=event, places="")
    assert "left" not in panel(client, event)


def test_a_date_has_its_own_places_or_those_of_its_event(client: Client) -> None:
    event = limited(5, repeat=WEEKLY)
    first, second, third, _ = starts(event)
    set_capacity(event=event, start=second[:16], places=1)
    for start in (first, second):
        guest(event, "ada", start=start)
    html = client.get(f"/events/{event.slug}").content.decode()
    options = re.findall(r"<option[^>]*>(?:.*?\((.*) left\)|(Full): .*?)</option>", html)
    assert options == [("4 places", ""), ("", "Full"), ("5 places", ""), ("5 places", "")]
    assert re.findall('dates__places">([^<]*)<', html) == ["4 places left", "Full", "5 places left", "5 places left"]
    assert "If a date is full, leave your reply to join the waiting list." in panel(client, event)
    assert guest(event, "bea", start=second).status == "waiting"
    assert guest(event, "bea", start=third).status == "going"


def test_kept_pages_show_the_places_of_now(client: Client) -> None:
    """The thanks have no form, so that page is kept."""
    event = limited(5, repeat=WEEKLY)
    other = limited(5, repeat=WEEKLY, title="Other")
    start = starts(event)[1]

    def shown(which: ContentItem) -> str:
        html = client.get(f"/events/{which.slug}?replied=1").content.decode()
        return re.findall('dates__places">([^<]*)<', html)[1]

    assert (shown(event), shown(other)) == ("5 places left", "5 places left")
    kept = dict(page_cache._pages)
    assert len(kept) == 2
    rsvp = guest(event, "ada", 2, start)
    assert (shown(event), shown(other)) == ("3 places left", "5 places left")
    assert len(kept.keys() & page_cache._pages.keys()) == 2
    assert sum(kept[key] is page_cache._pages[key] for key in kept) == 1
    cancel(rsvp=rsvp)
    assert shown(event) == "5 places left"
    reinstate(rsvp=rsvp)
    assert shown(event) == "3 places left"
    set_capacity(event=event, start=start, places=2)
    assert shown(event) == "Full"


def test_places_go_to_the_first_who_fit() -> None:
    event = limited(4)
    ada = guest(event, "ada", 4)
    for name, party in (("bea", 3), ("cleo", 2), ("dot", 1)):
        guest(event, name, party)
    guest(event, "ada", 2)
    assert standing(event) == {"ada": ("going", 2), "bea": ("waiting", 3), "cleo": ("going", 2), "dot": ("waiting", 1)}
    cancel(rsvp=ada)
    assert standing(event)["dot"] == ("going", 1)
    set_capacity(event=event, places=6)
    assert standing(event)["bea"] == ("going", 3)
    assert not Rsvp.objects.exclude(waiting_since=None).exists()


def test_a_bigger_party_that_does_not_fit_keeps_its_places(client: Client) -> None:
    event = limited(3)
    guest(event, "ada", 2)
    assert post(client, event, email="ada@example.org", party_size="4").endswith("?replied=waiting#rsvp")
    assert standing(event) == {"ada": ("going", 2)}
    guest(event, "ada", 4)
    assert "There aren't enough places for 4 people, so your party size is unchanged." in mails()[-1].text
    guest(event, "ada", 3)
    assert standing(event) == {"ada": ("going", 3)}


def test_the_page_does_not_say_who_has_places(client: Client) -> None:
    event = limited(2)
    guest(event, "ada", 2)
    said = {post(client, event, email=email, party_size="2") for email in ("ada@example.org", "bea@example.org")}
    assert len(said) == 1


def test_a_reply_that_waits_keeps_its_place_in_the_line() -> None:
    event = limited(2)
    ada = guest(event, "ada", 2)
    bea, cleo = guest(event, "bea", 2), guest(event, "cleo", 2)
    guest(event, "bea", 1)
    cancel(rsvp=cleo)
    guest(event, "cleo", 1)
    set_capacity(event=event, places=3)
    assert (standing(event)["bea"], standing(event)["cleo"]) == (("going", 1), ("waiting", 1))
    assert mails("event_rsvp_cancelled")
    assert not MailAttachment.objects.filter(mail=mails("event_rsvp_cancelled")[0]).exists()
    assert cancel(rsvp=ada)
    assert standing(event)["cleo"] == ("going", 1)
    assert bea.pk == Rsvp.objects.get(name="bea").pk


def test_one_that_is_reinstated_waits_where_there_is_no_place() -> None:
    event = limited(1)
    ada = guest(event, "ada")
    cancel(rsvp=ada)
    guest(event, "bea")
    assert reinstate(rsvp=ada)
    assert (ada.status, standing(event)["ada"]) == ("waiting", ("waiting", 1))
    assert len(mails("event_rsvp_waiting")) == 1


def test_nobody_is_confirmed_for_what_is_not_public() -> None:
    event = limited(1)
    ada, _ = guest(event, "ada"), guest(event, "bea")
    unpublish_item(item=event)
    cancel(rsvp=ada)
    assert standing(event)["bea"] == ("waiting", 1)
    update_item(item=event, values={"status": "published"})
    assert standing(event)["bea"] == ("going", 1)


def test_places_move_with_the_only_date(client: Client) -> None:
    event = make_event()
    set_capacity(event=event, start=starts(event)[0], places=1)
    update_item(item=event, values={"data": {"event_date": {"start": soon(9), "tz": "Europe/Paris"}}})
    assert "1 place left" in panel(client, event)


@pytest.mark.parametrize("places", ["-1", "x", "1.5", "100001", "٣", 1.5, True, "\0", "9" * 5000])
def test_wrong_numbers_are_refused(places: Any) -> None:
    with pytest.raises(Invalid) as refused:
        set_capacity(event=make_event(), places=places)
    assert list(refused.value.errors) == ["places"]


@pytest.mark.both_databases
def test_what_changes_nothing_says_so() -> None:
    event = limited(3)
    assert not set_capacity(event=event, places="3")
    assert set_capacity(event=event, places=0)
    assert set_capacity(event=event, places=None)
    assert not set_capacity(event=event, places="")
    assert not Capacity.objects.exists()
    with pytest.raises(Invalid, match="Choose one of the dates"):
        set_capacity(event=event, start="2020-01-01T10:00", places=1)


@pytest.mark.both_databases
def test_waiting_lists_of_any_length_take_the_same_statements() -> None:
    found = []
    for count in (2, 12):
        event = limited(0)
        now = timezone.now()
        row = {"event": event, "occurrence": event, "occurrence_start": starts(event)[0], "status": "waiting"}
        names = [f"{number}@example.org" for number in range(count)]
        Rsvp.objects.bulk_create(Rsvp(**row, name=name, email=name, email_key=name, waiting_since=now) for name in names)
        with CaptureQueriesContext(connection) as captured:
            set_capacity(event=event, places=count)
        assert event.rsvps.filter(status="going").count() == count
        found.append(len(captured))
    assert found[0] == found[1]
