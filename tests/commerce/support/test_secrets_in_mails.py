"""Emails of the site that come back to the help desk: whoever reads tickets does not find the secrets of accounts in them."""

import re
from collections.abc import Callable
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any, cast

import pytest
from django.test import Client

from cms_api.accounts.services import create_member
from cms_api.http.secret_urls import SecretRoutes
from cms_api.mail.models import OutgoingMail
from cms_api.mail.services.messages import message as outgoing
from commerce.support.models import Attachment, Message, ReceivedMail
from commerce.support.services.reading import MAX_SEARCHED_BYTES
from tests import people

from .builders import make_mail, receive

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("support"), pytest.mark.both_databases]


@pytest.fixture(params=["account", "admin"])
def mail(request: pytest.FixtureRequest) -> EmailMessage:
    """The email with a link that lets its reader choose a password, as it is sent."""
    if request.param == "account":
        create_member(email="dana@example.com", password=people.PASSWORD)
        Client().post("/accounts/password/reset/", {"email": "dana@example.com"})
    else:
        Client().post("/admin/password_reset/", {"email": people.alice().email})
    sent = outgoing(OutgoingMail.objects.get(has_secrets=True)).message()
    return message_from_bytes(sent.as_bytes(), _class=EmailMessage, policy=policy.default)


def text_of(mail: EmailMessage) -> str:
    return next(str(part.get_content()) for part in mail.walk() if part.get_content_type() == "text/plain")


def secret_of(mail: EmailMessage) -> str:
    (link,) = re.findall(r"http://testserver/(?:accounts/password/reset/key|admin/password_reset/confirm)/\S+", text_of(mail))
    secret = str(link).rstrip("/").rpartition("/")[2]
    assert len(secret) > 30
    return secret


def stored() -> str:
    """All that is stored of received emails, with the files."""
    rows = [*Message.objects.values_list("body", "full_text"), *ReceivedMail.objects.values_list("subject", "reason")]
    return repr((rows, files()))


def files() -> list[bytes]:
    found = []
    for each in Attachment.objects.all():
        with each.file.open() as file:
            found.append(file.read())
    return found


def test_an_answer_that_quotes_it(mail: EmailMessage) -> None:
    quoted = "".join(f"> {line}\n" for line in text_of(mail).splitlines())
    for text in (f"I did not ask for this.\n\nOn Monday you wrote:\n{quoted}", text_of(mail)):
        received = receive(make_mail(text, in_reply_to=str(mail["Message-ID"])))
        assert received.outcome in {"opened", "replied"}
    assert "I did not ask for this." in stored()
    assert secret_of(mail) not in stored()


@pytest.mark.parametrize("name", ["forwarded.eml", None])
def test_one_that_is_attached(mail: EmailMessage, name: str | None, sign_in: Callable[[Any], Client]) -> None:
    """It may be inside another one, or have another id by now: only those who may change users open attached emails."""
    forward = make_mail("I did not ask for this.")
    if name:
        forward.add_attachment(mail.as_bytes(), maintype="application", subtype="octet-stream", filename=name)
    else:
        forward.add_attachment(mail)
    forward.add_attachment(b"x", maintype="application", subtype="octet-stream", filename="form.pdf")
    ticket = receive(forward).ticket
    attached, other = Attachment.objects.all()
    manager, admin = sign_in(people.mallory_manager()), sign_in(people.alice())
    page = manager.get(f"/admin/support/tickets/inspect/{ticket.pk}/").content.decode()  # type: ignore[union-attr]
    assert f"{attached.filename} (an email, which administrators can open)" in page
    address = "/admin/support/tickets/files/{}/"
    assert manager.get(address.format(attached.pk)).headers["Location"] == "/admin/"
    assert b"".join(cast(Any, manager.get(address.format(other.pk))).streaming_content) == b"x"
    assert secret_of(mail).encode() in b"".join(cast(Any, admin.get(address.format(attached.pk))).streaming_content)


def test_a_part_that_is_attached(mail: EmailMessage) -> None:
    forward = make_mail("I did not ask for this.")
    html = next(str(part.get_content()) for part in mail.walk() if part.get_content_type() == "text/html")
    assert secret_of(mail) in html
    for charset, kind in (("utf-8", ("text", "html")), ("iso-8859-1", ("application", "octet-stream"))):
        forward.add_attachment(f"<p>Café</p>{html}".encode(charset), *kind, filename="ATT00001.htm")
    receive(forward)
    assert [content[:11] for content in files()] == ["<p>Café</p>".encode(charset)[:11] for charset in ("utf-8", "iso-8859-1")]
    assert secret_of(mail) not in stored()


def test_a_long_file_of_text_is_kept_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of a large email would take the job that reads the mailbox half a minute."""
    searched: list[int] = []
    hide = SecretRoutes.hide_in
    monkeypatch.setattr(SecretRoutes, "hide_in", lambda routes, text: searched.append(len(text)) or hide(routes, text))
    long = make_mail("See the file.")
    for size in (MAX_SEARCHED_BYTES, MAX_SEARCHED_BYTES + 1):
        long.add_attachment(b"/a " * (size // 3) + b"x" * (size % 3), maintype="text", subtype="plain", filename="log.txt")
    receive(long)
    assert [len(content) for content in files()] == [MAX_SEARCHED_BYTES, MAX_SEARCHED_BYTES + 1]
    assert max(searched) == MAX_SEARCHED_BYTES


def test_one_that_could_not_be_delivered(mail: EmailMessage) -> None:
    bounce = EmailMessage()
    bounce["From"], bounce["To"], bounce["Subject"] = "MAILER-DAEMON@mx.example.com", "support@help.example", "Undelivered"
    bounce["Auto-Submitted"] = "auto-replied"
    bounce.set_content("It could not be delivered.")
    bounce.add_attachment(mail)
    bounce.replace_header("Content-Type", 'multipart/report; report-type=delivery-status; boundary="b"')
    received = receive(bounce)
    assert secret_of(mail) not in stored()
    assert received.outcome in {"ignored", "bounced"}
    assert not received.original


def test_one_that_arrives_in_the_mailbox_of_the_help_desk(mail: EmailMessage) -> None:
    received = receive(mail)
    assert (received.outcome, received.original.name) == ("looped", "")
