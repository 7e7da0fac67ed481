"""The form that opens a ticket: what it stores, refuses and keeps from robots, and where people find it."""

from html import unescape

import pytest
from django.test import Client

from cms_api.accounts.services import create_member
from cms_api.flags.services import switch_feature
from commerce.support.models import Attachment, Ticket
from commerce.support.views.ask import TICKETS_PER_HOUR
from tests.people import PASSWORD
from tests.refusals import is_refused_for
from tests.visitor import hidden

from .builders import make_category, make_ticket, sent, templates, thread
from .page_builders import FORM, THANKS, a_file, errors, page_of, send, typed

pytestmark = pytest.mark.usefixtures("support")


def test_it_works(client: Client) -> None:
    make_category("Orders", description="Delivery and returns")
    assert "Orders: Delivery and returns" in client.get(FORM).content.decode()
    answer = send(client, category="orders", attachments=[a_file("mug.txt"), a_file("box.txt")])
    assert (answer.status_code, answer.headers["Location"]) == (302, THANKS)
    ticket = Ticket.objects.get()
    assert (ticket.name, ticket.email, ticket.subject, ticket.channel) == (
        "Dana Reyes",
        "dana@example.com",
        "A broken mug",
        "website",
    )
    assert (str(ticket.category), ticket.is_spam, ticket.user, thread(ticket)) == ("Orders", False, None, ["It has no handle."])
    assert list(Attachment.objects.values_list("filename", "type")) == [("mug.txt", "text/plain"), ("box.txt", "text/plain")]
    assert templates() == ["received"]
    # The link goes to the address, not to the browser.
    assert page_of(ticket) not in client.get(THANKS).content.decode()


def test_what_is_wrong_is_said_at_its_field(client: Client) -> None:
    make_category("Orders")
    make_category("Returns", is_public=False)
    answer = send(client, name="", email="nobody", category="returns", subject="", message=" ")
    assert errors(answer) == [
        "Enter your name.",
        "Enter a valid email address.",
        "Choose a category.",
        "Enter a subject.",
        "Enter your message.",
    ]
    assert errors(send(client, attachments=[a_file(str(number)) for number in range(6)])) == ["Attach at most 5 files."]
    assert errors(send(client, attachments=[a_file("empty.txt", b"")])) == ["The submitted file is empty."]
    assert not Ticket.objects.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "Da\0na"},
        {"email": "d" * 300 + "@example.com"},
        {"subject": "x" * 201},
        {"message": "x" * 100_001},
        {"message": "nul\0"},
        {"category": "9" * 40},
        {"subject": "Two\u2028lines\x1b"},
    ],
)
def test_hostile_input(wrong: dict[str, str], client: Client) -> None:
    make_category()
    assert errors(send(client, **wrong))
    assert not Ticket.objects.exists()


def test_large_files_are_refused(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commerce.support.types.uploads.MAX_FILE_BYTES", 5)
    assert errors(send(client, attachments=a_file())) == ["A file may not be larger than 10 MB."]


def test_robots_get_the_same_thanks(client: Client) -> None:
    for answer in (send(client, hp_url="https://robot.example"), client.post(FORM, typed())):
        assert (answer.status_code, answer.headers["Location"]) == (302, THANKS)
    assert list(Ticket.objects.order_by("pk").values_list("is_spam", "spam_reason")) == [
        (True, "The honeypot field was filled in."),
        (True, "Not submitted from the form's page."),
    ]
    assert templates() == []


def test_a_flood(client: Client) -> None:
    form = hidden(client, FORM)
    answers = [client.post(FORM, {**form, **typed(subject=f"Mug {number}")}) for number in range(TICKETS_PER_HOUR + 1)]
    assert is_refused_for(answers[-1], 3600)
    assert Ticket.objects.count() == TICKETS_PER_HOUR


def test_accounts(client: Client) -> None:
    user = create_member(email="dana@example.com", password=PASSWORD, name="Dana Reyes")
    make_ticket(subject="Before the account")
    make_ticket(subject="Of somebody else", email="ruth@example.com")
    make_ticket(subject="An offer", spam_reason="No.")
    assert client.get("/accounts/support/").status_code == 302
    client.force_login(user)
    form = client.get(FORM).content.decode()
    assert 'value="dana@example.com"' in form
    send(client, subject="With the account", email="Dana@Example.com")
    assert Ticket.objects.get(subject="With the account").user == user
    page = client.get("/accounts/support/").content.decode()
    for words in ("Before the account", "With the account", "Waiting for our answer", page_of(Ticket.objects.latest("pk"))):
        assert words in page
    assert "Of somebody else" not in page
    assert "An offer" not in page
    assert "/accounts/support/" in client.get("/accounts/").content.decode()


@pytest.mark.both_databases
def test_what_an_account_asks_in_the_name_of_somebody_else_is_not_in_the_account(client: Client) -> None:
    """It would list the ticket, whose page shows what staff answer to the owner of the address."""
    user = create_member(email="eve@example.com", password=PASSWORD)
    client.force_login(user)
    send(client, subject="Which address do you have?", email="dana@example.com")
    ticket = Ticket.objects.get()
    assert (ticket.user, ticket.status_changes.get().user) == (None, user)
    assert "Which address do you have?" not in client.get("/accounts/support/").content.decode()
    assert [mail.recipient for mail in sent("support_received")] == ["dana@example.com"]


def test_the_sitemap_and_the_footer() -> None:
    def html(path: str) -> str:
        return unescape(Client().get(path).content.decode())

    assert "/support<" in html("/sitemap.xml")
    assert 'href="/support"' in html("/search")
    switch_feature(name="support", on=False)
    assert "/support" not in html("/sitemap.xml")
    assert "/support" not in html("/search")
    assert Client().get(f"{FORM}/").status_code == 404


def test_a_link_chooses_a_category(client: Client) -> None:
    make_category("Orders")
    assert '<option value="orders" selected>' in client.get(FORM, {"category": "orders"}).content.decode()
    assert client.get(FORM, {"category": "nothing"}).status_code == 200
