"""Emails that people send to a mailing list or group, which forwards them to the help desk."""

from typing import Any

import pytest

from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from commerce.support.models import Ticket
from commerce.support.selectors.addresses import reply_address
from commerce.support.types.mail import NOBODY, read_mail
from commerce.support.types.quotes import MAX_TEXT

from .builders import make_mail, receive, templates, thread

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("support")]

GOOGLE = {
    "precedence": "list",
    "mailing_list": "list team@groups.example; contact team+owners@groups.example",
    "list_id": "<team.groups.example>",
    "list_post": "<https://groups.example/post>, <mailto:team@groups.example>",
    "to": "team@groups.example",
}
MAILMAN = {"precedence": "list", "list_id": "Our team <team.groups.example>", "x_beenthere": "team@groups.example"}
OLD = {"precedence": "bulk", "x_mailing_list": "<team@groups.example>"}
BARE = {"precedence": "list", "delivered_to": "support@help.example", "to": "Team <Team@Groups.example>"}
LISTS = {"google": GOOGLE, "mailman": MAILMAN, "old": OLD, "bare": BARE}


@pytest.mark.parametrize("headers", LISTS.values(), ids=LISTS)
@pytest.mark.parametrize("named", ["team@groups.example", "<team.groups.example>", "x.example TEAM.groups.example"])
@pytest.mark.both_databases
def test_it_works(headers: dict[str, Any], named: str) -> None:
    before = receive(make_mail("Before.", **headers))
    assert (before.outcome, templates()) == ("quarantined", [])
    set_setting(key="support.mailing_lists", value=named)
    received = receive(make_mail("It has no handle.", **headers))
    assert (received.outcome, received.sender, templates()) == ("opened", "dana@example.com", ["received"])
    answer = receive(make_mail("Left.", **{**headers, "cc": reply_address(received.ticket)}))  # type: ignore[arg-type]
    assert (answer.outcome, thread(received.ticket)) == ("replied", ["It has no handle.", "Left."])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "author",
    [
        {"x_original_from": "Dana Reyes <dana@example.com>", "reply_to": "team@groups.example"},
        {"x_original_sender": "dana@example.com"},
        {"reply_to": "Dana Reyes <dana@example.com>"},
    ],
)
def test_a_list_that_puts_itself_into_from(author: dict[str, str]) -> None:
    """The author is found, also if it is the address of the help desk itself; any other list's Reply-To is no identity."""
    for address in ("team@groups.example", "support@help.example"):
        headers = {**GOOGLE, "list_id": f"<{address.replace('@', '.')}>", "from_": f"'Dana Reyes' via Team <{address}>", **author}
        assert receive(make_mail("Hello.", **headers)).outcome in {"quarantined", "looped"}
        set_setting(key="support.mailing_lists", value=address)
        received = receive(make_mail("Hello.", **headers))
        assert (received.outcome, received.sender) == ("opened", "dana@example.com")
        assert Ticket.objects.latest("pk").name == "Dana Reyes"


@pytest.mark.parametrize(
    "headers",
    [
        {"precedence": "list", "list_id": "<news.example.com>", "list_post": "<mailto:news@example.com>"},
        {**GOOGLE, "auto_submitted": "auto-replied"},
        {**GOOGLE, "x_autoreply": "yes"},
        {**GOOGLE, "return_path": "<>"},
        {**GOOGLE, "precedence": "junk"},
    ],
)
def test_machines_and_other_lists_stay_automatic(headers: dict[str, str]) -> None:
    headers = {
        **headers,
        **({"list_post": "<mailto:news@example.com>", "mailing_list": ""} if "news" in headers["list_id"] else {}),
    }
    trusted = ("team@groups.example",)
    assert read_mail(make_mail(**headers).as_bytes(), trusted).automatic
    twice = b"List-Id: <news.example.com>\n" + make_mail(**GOOGLE).as_bytes()
    assert read_mail(twice, trusted).automatic


def test_a_list_without_an_author_is_the_sender() -> None:
    mail = make_mail(**{**GOOGLE, "from_": "team@groups.example", "reply_to": "team@groups.example"})
    assert read_mail(mail.as_bytes(), ("team@groups.example",)).sender == "team@groups.example"
    assert read_mail(b"List-Id: <\n\n.", ("", ".", "@")).sender == NOBODY


def test_long_emails_through_a_list() -> None:
    set_setting(key="support.mailing_lists", value="team@groups.example")
    assert receive(make_mail("word " * MAX_TEXT, **GOOGLE)).outcome == "opened"


@pytest.mark.parametrize("word", ["team", "<>", "@"])
def test_what_is_no_list_is_refused(word: str) -> None:
    with pytest.raises(Invalid):
        set_setting(key="support.mailing_lists", value=word)
