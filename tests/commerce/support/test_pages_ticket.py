"""The page of a ticket and that of its rating, which the requester finds by signed links."""

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cms_api.accounts.services import create_member
from cms_api.http.renewing import renew_link
from commerce.support.models import Attachment, Message, Ticket
from commerce.support.services import mark_spam, merge_tickets, reply_as_customer, reply_as_staff, set_requester, set_status
from commerce.support.types.files import NewFile
from commerce.support.views.tickets import MESSAGES_PER_HOUR, UNSOLVED
from tests import people

from .builders import make_agent, make_ticket, thread
from .page_builders import a_file, errors, page_of, rating_page_of

pytestmark = pytest.mark.usefixtures("support")


def text(client: Client, path: str) -> str:
    answer: Any = client.get(path)
    assert answer.status_code == 200
    return str(answer.content.decode())


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    ticket = make_ticket()
    reply_as_staff(ticket=ticket, message="We're sorry, see https://example.org/returns", user=make_agent("Robin Vale"))
    reply_as_staff(ticket=ticket, message="The second one this month.", internal=True)
    answer = client.get(page_of(ticket))
    page = answer.content.decode()
    for words in (
        "A broken mug",
        "SUP-1001",
        "Waiting for your answer",
        "It has no handle.",
        "Robin Vale",
        "<strong>You</strong>",
    ):
        assert words in page
    assert '<a href="https://example.org/returns" rel="nofollow">' in page
    assert "second one" not in page
    for name, value in {"Cache-Control": "no-store", "X-Robots-Tag": "noindex", "Referrer-Policy": "same-origin"}.items():
        assert value in answer.headers[name]
    answer = client.post(page_of(ticket), {"message": "Thank you!", "attachments": a_file()})
    assert (answer.status_code, answer.headers["Location"]) == (302, page_of(ticket))
    ticket.refresh_from_db()
    message = Message.objects.latest("pk")
    assert (ticket.status, message.body, message.author_email, message.channel) == (
        "open",
        "Thank you!",
        "dana@example.com",
        "website",
    )
    page = text(client, page_of(ticket))
    assert "Waiting for our answer" in page
    assert "received your message" in page


def test_spam_is_not_opened(client: Client) -> None:
    ticket = make_ticket()
    token = page_of(ticket)
    mark_spam(ticket=ticket)
    assert client.get(token).status_code == 404
    assert client.post(token, {"message": "Hello?"}).status_code == 404


def test_messages_of_others_and_their_markup(client: Client) -> None:
    ticket = make_ticket(subject="<script>alert(1)</script>", message="<b>Bold</b> https://example.com")
    message = reply_as_customer(ticket=ticket, message="Let me in.", email="eve@example.com")
    page = text(client, page_of(ticket))
    assert "Let me in." in page
    Message.objects.filter(pk=message.pk).update(is_participant=False)
    page = text(client, page_of(ticket))
    assert "Let me in." not in page
    assert "<script>alert" not in page
    assert "&lt;b&gt;Bold&lt;/b&gt; https://example.com" in page


def test_files(client: Client) -> None:
    ticket, other = make_ticket(files=[NewFile("mug <1>.html", b"<script>", "text/html")]), make_ticket()
    reply_as_staff(ticket=ticket, message="A note", internal=True, files=[NewFile("secret.txt", b"x", "text/plain")])
    public, secret = Attachment.objects.order_by("pk")
    answer: Any = client.get(f"{page_of(ticket)}files/{public.pk}")
    assert b"".join(answer.streaming_content) == b"<script>"
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert "no-store" in answer.headers["Cache-Control"]
    for path in (f"{page_of(ticket)}files/{secret.pk}", f"{page_of(other)}files/{public.pk}", f"{page_of(ticket)}files/{10**30}"):
        assert client.get(path).status_code == 404
    assert "secret.txt" not in text(client, page_of(ticket))


def test_hostile_messages(client: Client) -> None:
    ticket = make_ticket()
    for wrong in (
        {"message": ""},
        {"message": "\0"},
        {"message": "x" * 100_001},
        {"message": "x", "attachments": a_file("x", b"")},
    ):
        assert errors(client.post(page_of(ticket), wrong))
    assert thread(ticket) == ["It has no handle."]


def test_a_flood_of_messages(client: Client) -> None:
    ticket = make_ticket()
    answers = [client.post(page_of(ticket), {"message": "Hello?"}).status_code for _ in range(MESSAGES_PER_HOUR + 1)]
    assert answers[-2:] == [302, 429]


def test_a_solved_ticket_is_opened_again_by_a_message(client: Client) -> None:
    ticket = make_ticket()
    assert client.get(f"{page_of(ticket)}solved").status_code == 405
    for _ in range(2):
        assert client.post(f"{page_of(ticket)}solved").status_code == 302
    ticket.refresh_from_db()
    assert ticket.status == "resolved"
    page = text(client, page_of(ticket))
    assert "Your message opens this request again." in page
    assert "This solved my problem" not in page
    assert rating_page_of(ticket) in page
    client.post(page_of(ticket), {"message": "It is broken again."})
    ticket.refresh_from_db()
    assert ticket.status == "open"


def test_a_ticket_that_staff_close_at_the_same_moment_stays_closed() -> None:
    seen = make_ticket()
    set_status(ticket=seen, status="closed")
    assert set_status(ticket=seen, status="resolved", only_from=UNSOLVED).status == "closed"
    assert set_status(ticket=seen, status="resolved").status == "resolved"


def test_a_closed_ticket_is_continued_by_a_new_one(client: Client) -> None:
    ticket = make_ticket(status="closed")
    assert client.post(f"{page_of(ticket)}solved").status_code == 302
    answer = client.post(page_of(ticket), {"message": "Another one is broken."})
    following = Ticket.objects.latest("pk")
    ticket.refresh_from_db()
    assert (following.follows, following.email, ticket.status) == (ticket, ticket.email, "closed")
    assert answer.headers["Location"] == page_of(following)
    assert f"It continues in a new request, {following.number}." in text(client, page_of(following))


def test_a_merged_ticket_leads_to_the_other_one(client: Client) -> None:
    ticket, into = make_ticket(), make_ticket(subject="Two broken mugs")
    merge_tickets(ticket=ticket, into=into)
    assert client.get(page_of(ticket)).headers["Location"] == page_of(into)
    assert client.post(page_of(ticket), {"message": "More?"}).headers["Location"] == page_of(into)
    assert thread(into)[-1] == "More?"


def test_a_ticket_merged_into_that_of_somebody_else_shows_nothing_of_it(client: Client) -> None:
    ticket, into = make_ticket(), make_ticket(email="ruth@example.com", name="Ruth", message="My card number")
    merge_tickets(ticket=ticket, into=into)
    page = text(client, page_of(ticket))
    assert "merged into another one" in page
    assert "My card number" not in page
    answer = client.post(page_of(ticket), {"message": "More?"})
    assert answer.headers["Location"] == page_of(ticket)
    assert Message.objects.latest("pk").author_email == "dana@example.com"


@pytest.mark.both_databases
def test_answers_to_a_merged_ticket_are_hidden_from_another_requester(client: Client) -> None:
    ticket, into = make_ticket(), make_ticket()
    merge_tickets(ticket=ticket, into=into)
    given = set_requester(ticket=into, email="ruth@example.com", name="Ruth")
    assert client.post(page_of(ticket), {"message": "You owe me money."}).headers["Location"] == page_of(ticket)
    assert thread(given)[-1] == "You owe me money."
    assert "You owe me money." not in text(client, page_of(given))
    reply_as_customer(ticket=ticket, message="By the API.")
    assert Message.objects.latest("pk").author_email == "dana@example.com"
    assert "By the API." not in text(client, page_of(given))


@pytest.mark.both_databases
def test_renewing_ends_the_links_of_tickets_that_lead_there(client: Client) -> None:
    merged, closed, other = make_ticket(), make_ticket(), make_ticket()
    merge_tickets(ticket=merged, into=closed)
    set_status(ticket=closed, status="closed")
    former = [page_of(Ticket.objects.get(pk=each.pk)) for each in (merged, closed)]
    client.post(former[1], {"message": "It broke again."})
    following = Ticket.objects.latest("pk")
    assert client.post(former[0], {"message": "More?"}).headers["Location"] == page_of(following)
    renewed = renew_link(record=following)
    assert [client.post(each, {"message": "And now?"}).status_code for each in former] == [404, 404]
    assert [client.get(page_of(each)).status_code for each in (renewed, other)] == [200, 200]


@pytest.mark.both_databases
@pytest.mark.parametrize("is_first", [True, False])
def test_an_account_that_has_given_the_address_up_sees_nothing(client: Client, is_first: bool) -> None:
    eve = create_member(email="dana@example.com", password=people.PASSWORD)
    false = make_ticket(user=eve)
    EmailAddress.objects.filter(user=eve).update(email="eve@example.com")
    own = make_ticket(message="My card number")
    reply_as_staff(ticket=own, message="The door code", user=make_agent("Robin Vale"))
    source, target = (own, false) if is_first else (false, own)
    merge_tickets(ticket=source, into=target)
    seen = text(client, page_of(false))
    assert ("My card number" in seen, "The door code" in seen) == (False, False)
    assert client.post(page_of(false), {"message": "More?"}).headers["Location"] == page_of(false)


def test_an_account_with_the_confirmed_address_sees_both(client: Client) -> None:
    dana = create_member(email="dana@example.com", password=people.PASSWORD)
    ticket, into = make_ticket(), make_ticket(user=dana)
    merge_tickets(ticket=ticket, into=into)
    assert client.get(page_of(ticket)).headers["Location"] == page_of(into)


@pytest.mark.both_databases
def test_statements_do_not_grow_with_the_thread(client: Client) -> None:
    def statements(number: int) -> int:
        ticket = make_ticket(files=[NewFile("a.txt", b"a", "text/plain")])
        for _ in range(number):
            reply_as_customer(ticket=ticket, message="Hello?", files=[NewFile("a.txt", b"a", "text/plain")])
        with CaptureQueriesContext(connection) as captured:
            client.get(page_of(ticket))
        return len(captured)

    statements(0)
    assert statements(1) == statements(5)


def test_a_rating(client: Client) -> None:
    ticket = make_ticket(status="resolved")
    path = rating_page_of(ticket)
    for label in ("Very good", "Good", "Okay", "Poor", "Very poor"):
        assert label in text(client, path)
    ticket.refresh_from_db()
    assert ticket.csat_rating is None
    answer = client.post(path, {"rating": "2", "comment": "Slow."})
    assert (answer.status_code, answer.headers["Location"]) == (302, path)
    assert "Thank you for your rating!" in text(client, path)
    client.post(path, {"rating": "4", "comment": ""})
    ticket.refresh_from_db()
    assert (ticket.csat_rating, ticket.csat_comment) == (4, "")
    assert 'value="4" checked' in text(client, path)
    assert "no-store" in client.get(path).headers["Cache-Control"]


@pytest.mark.parametrize("wrong", [{}, {"rating": "0"}, {"rating": "6"}, {"rating": "٣"}, {"rating": "5", "comment": "x" * 2001}])
def test_wrong_ratings(wrong: dict[str, str], client: Client) -> None:
    ticket = make_ticket(status="resolved")
    assert errors(client.post(rating_page_of(ticket), wrong))
    ticket.refresh_from_db()
    assert ticket.csat_rating is None


def test_an_unsolved_ticket_cannot_be_rated(client: Client) -> None:
    ticket = make_ticket()
    path = rating_page_of(ticket)
    assert "once it is solved" in text(client, path)
    assert errors(client.post(path, {"rating": "5"})) == ["This ticket can be rated once it is resolved."]
    set_status(ticket=ticket, status="closed")
    assert client.post(path, {"rating": "5"}).status_code == 302
