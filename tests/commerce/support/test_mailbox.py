"""The support mailbox, read by IMAP over TLS from a small server; and `receive_mail`, which a mail server pipes emails to."""

import errno
import imaplib
import io
import ssl
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command

from cms_api.core.registry import jobs
from cms_api.flags.services import switch_feature
from commerce.support.management.commands import receive_mail as command
from commerce.support.models import ReceivedMail, Ticket
from commerce.support.selectors.addresses import reply_address
from commerce.support.services import mailbox, receiving
from commerce.support.services.mailbox import read_mailbox
from commerce.support.types.mail import MAX_MAIL_BYTES, NOBODY
from config.settings import environment
from tests.webhooks.receiver import Authority, make_authority

from .builders import make_mail, make_ticket, receive, thread
from .imap import FOLDER, PASSWORD, USER, Mailbox, imap_server

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("support")]

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return make_authority(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def serve(authority: Authority, settings: Any) -> Open:
    """Start the server that the settings name."""

    @contextmanager
    def start(*, starttls: bool = False, certificate: Path | None = None, **changes: Any) -> Iterator[Mailbox]:
        with imap_server(certificate or authority.good, starttls=starttls) as (box, port):
            given = {
                "host": "127.0.0.1",
                "port": port,
                "starttls": starttls,
                "user": USER,
                "password": PASSWORD,
                "folder": FOLDER,
            }
            settings.SUPPORT_IMAP, settings.SUPPORT_IMAP_CA_BUNDLE = {**given, **changes}, str(authority.trusted)
            yield box

    return start


@pytest.mark.parametrize("starttls", [False, True])
@pytest.mark.both_databases
def test_it_works(serve: Open, starttls: bool) -> None:
    with serve(starttls=starttls) as box:
        uids = [box.add(make_mail(f"Mail {number}.").as_bytes()) for number in range(3)]
        box.flags[uids[1]].add("\\Seen")
        assert read_mailbox() == 2
        assert [box.flags[uid] for uid in uids] == [{"\\Seen"}] * 3
        assert read_mailbox() == 0
    assert Ticket.objects.count() == 2
    assert any(each.startswith("LOGIN") for each in box.commands)
    assert not starttls or box.commands.index("STARTTLS") < min(
        number for number, each in enumerate(box.commands) if each.startswith("LOGIN")
    )


def test_a_connection_that_ends_early_loses_nothing(serve: Open) -> None:
    with serve() as box:
        box.add(make_mail("Hello.").as_bytes())
        box.breaks_before = "UID STORE"
        with pytest.raises((imaplib.IMAP4.abort, OSError)):
            read_mailbox()
        assert Ticket.objects.count() == 1
        box.breaks_before = ""
        assert read_mailbox() == 1
    assert (Ticket.objects.count(), ReceivedMail.objects.count()) == (1, 1)


@pytest.mark.parametrize("certificate", ["wrong_name", "unknown"])
def test_other_certificates_are_refused(serve: Open, authority: Authority, certificate: str) -> None:
    with serve(certificate=getattr(authority, certificate)) as box, pytest.raises(ssl.SSLCertVerificationError):
        read_mailbox()
    assert box.commands == []


@pytest.mark.parametrize("changes", [{"password": "wrong"}, {"folder": "Elsewhere"}])
def test_a_wrong_password_or_folder_is_an_error(serve: Open, changes: dict[str, str]) -> None:
    with serve(**changes), pytest.raises(imaplib.IMAP4.error):
        read_mailbox()


def test_an_email_that_is_too_large_is_flagged(serve: Open) -> None:
    with serve() as box:
        large, other = box.add(make_mail("Large.").as_bytes()), box.add(make_mail("Small.").as_bytes())
        box.sizes[large] = MAX_MAIL_BYTES + 1
        assert read_mailbox() == 1
        assert (box.flags[large], box.flags[other]) == ({"\\Seen", "\\Flagged"}, {"\\Seen"})


def test_one_that_fails_stays_unread_and_stops_no_other(serve: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    receive, failed = mailbox.receive_mail, [True]

    def fail_once(*, raw: bytes) -> Any:
        if failed.pop() if failed else False:
            raise OSError(errno.ENOSPC, "No space left on device")
        return receive(raw=raw)

    monkeypatch.setattr(mailbox, "receive_mail", fail_once)
    with serve() as box:
        first, second = box.add(make_mail("One.").as_bytes()), box.add(make_mail("Two.").as_bytes())
        assert read_mailbox() == 1
        assert (box.flags[first], box.flags[second]) == (set(), {"\\Seen"})
        assert read_mailbox() == 1
    assert Ticket.objects.count() == 2


@pytest.mark.both_databases
def test_those_that_always_fail_are_set_aside(serve: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    receive = mailbox.receive_mail

    def fail(*, raw: bytes) -> Any:
        if b"Broken." in raw:
            raise RuntimeError
        return receive(raw=raw)

    monkeypatch.setattr(mailbox, "receive_mail", fail)
    with serve() as box:
        broken = [box.add(make_mail("Broken.").as_bytes()) for _ in range(4)]
        good = box.add(make_mail("Good.").as_bytes())
        assert read_mailbox() == 1
        assert [box.flags[uid] for uid in (*broken, good)] == [{"\\Seen", "\\Flagged"}] * 4 + [{"\\Seen"}]
        assert read_mailbox() == 0


@pytest.mark.both_databases
def test_those_that_always_fail_like_an_outage_keep_none_waiting(serve: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    receive, is_away = mailbox.receive_mail, [False]

    def fail(*, raw: bytes) -> Any:
        if b"Broken." in raw:
            raise OSError(errno.EIO, "Input/output error")
        return receive(raw=raw)

    def keep(*, raw: bytes) -> Any:
        if is_away[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        return receiving.keep_unread(raw=raw)

    monkeypatch.setattr(mailbox, "receive_mail", fail)
    monkeypatch.setattr(mailbox, "keep_unread", keep)
    with serve() as box:
        broken = [box.add(make_mail("Broken.").as_bytes()) for _ in range(4)]
        good = box.add(make_mail("Good.").as_bytes())
        assert read_mailbox() == 1
        assert [box.flags[uid] for uid in (*broken, good)] == [set()] * 4 + [{"\\Seen"}]
        # While nothing can be stored, none is set aside.
        is_away[0] = True
        for _ in range(3):
            read_mailbox()
        assert [box.flags[uid] for uid in broken] == [set()] * 4
        is_away[0] = False
        read_mailbox()
        assert [box.flags[uid] for uid in broken] == [{"\\Seen", "\\Flagged"}] * 4
    kept = ReceivedMail.objects.filter(outcome="quarantined")
    assert [b"Broken." in original_of(each) for each in kept] == [True] * 4
    assert all(each.ticket and each.ticket.is_spam for each in kept)


def test_one_that_is_not_handed_out_is_set_aside(serve: Open) -> None:
    with serve() as box:
        broken, good = box.add(make_mail("Broken.").as_bytes()), box.add(make_mail("Good.").as_bytes())
        box.breaks_before = f"UID FETCH {broken} (BODY"
        for _ in range(3):
            with pytest.raises((imaplib.IMAP4.abort, OSError)):
                read_mailbox()
        assert box.flags[broken] == {"\\Seen", "\\Flagged"}
        assert read_mailbox() == 1
        assert box.flags[good] == {"\\Seen"}
    assert f"The email {broken} of" in original_of(ReceivedMail.objects.get(outcome="quarantined")).decode()


@pytest.mark.both_databases
def test_what_cannot_be_received_is_kept_as_it_arrived(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(mail: Any) -> Any:
        raise RuntimeError(mail.subject)

    monkeypatch.setattr(receiving, "answer_of", lambda mail: fail(mail) if mail.sender == "dana@example.com" else ("x", ""))
    raw = make_mail("Broken.").as_bytes()
    received = receive(raw)
    assert (received.outcome, received.sender, received.ticket.is_spam) == ("quarantined", NOBODY, True)  # type: ignore[union-attr]
    assert original_of(received) == raw
    assert receive(raw) == received


@pytest.mark.parametrize(
    "domain", [b"xn--\xff.example", "xn--ü.example".encode(), b"b" * 64 + b".example", b"xn--0.example", b"b..example"]
)
def test_senders_whose_domain_is_none(domain: bytes) -> None:
    received = receive(b"From: a@" + domain + b"\r\nTo: support@help.example\r\n\r\nHello?")
    assert thread(received.ticket) == ["Hello?"]  # type: ignore[arg-type]


def test_without_a_mailbox_nothing_is_done(settings: Any) -> None:
    settings.SUPPORT_IMAP = {}
    assert read_mailbox() == 0
    assert "read_support_mailbox" in {job.name for job in jobs()}


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("", {}),
        (
            "imaps://a%40b.example:p%2Fw@imap.example/Help%20desk",
            {
                "host": "imap.example",
                "port": 993,
                "starttls": False,
                "user": "a@b.example",
                "password": "p/w",
                "folder": "Help desk",
            },
        ),
        (
            "imap+tls://a:b@imap.example:1143",
            {"host": "imap.example", "port": 1143, "starttls": True, "user": "a", "password": "b", "folder": "INBOX"},
        ),
    ],
)
def test_the_address_of_the_mailbox(monkeypatch: pytest.MonkeyPatch, url: str, expected: dict[str, Any]) -> None:
    monkeypatch.setenv("SUPPORT_IMAP_URL", url)
    assert environment.mailbox("SUPPORT_IMAP_URL") == expected


@pytest.mark.parametrize(
    "url", ["imap://a:secret@imap.example", "imaps://imap.example", "imaps://a@imap.example", "https://a:secret@x"]
)
def test_a_mailbox_without_tls_or_password_stops_the_start(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("SUPPORT_IMAP_URL", url)
    with pytest.raises(ImproperlyConfigured) as refusal:
        environment.mailbox("SUPPORT_IMAP_URL")
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize("pattern", ["support@x.example", "{token}", "{token}{token}@x.example", "a {token}@x.example"])
def test_a_reply_address_without_its_token_stops_the_start(monkeypatch: pytest.MonkeyPatch, pattern: str) -> None:
    monkeypatch.setenv("SUPPORT_REPLY_ADDRESS", pattern)
    with pytest.raises(ImproperlyConfigured):
        environment.reply_address("SUPPORT_REPLY_ADDRESS")
    monkeypatch.setenv("SUPPORT_REPLY_ADDRESS", "support+{token}@x.example")
    assert environment.reply_address("SUPPORT_REPLY_ADDRESS") == "support+{token}@x.example"


def original_of(received: ReceivedMail) -> bytes:
    with received.original.open() as original:
        return bytes(original.read())


def piped(monkeypatch: pytest.MonkeyPatch, raw: bytes, *arguments: str) -> tuple[int, str]:
    """The exit code of the command for an email on standard input, and what it says."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    said = io.StringIO()
    try:
        call_command("receive_mail", *arguments, stderr=said)
    except SystemExit as end:
        return int(str(end.code)), said.getvalue()
    return 0, said.getvalue()


def test_a_mail_server_pipes_an_email(monkeypatch: pytest.MonkeyPatch) -> None:
    assert piped(monkeypatch, make_mail("Hello.").as_bytes()) == (0, "")
    ticket = Ticket.objects.get()
    answer = make_mail("Answer.", from_="eve@example.net").as_bytes()
    assert piped(monkeypatch, answer, "--recipient", "x@help.example", "--recipient", reply_address(ticket))[0] == 0
    assert thread(ticket) == ["Hello.", "Answer."]


def test_it_refuses_what_is_no_email(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "MAX_MAIL_BYTES", 1000)
    for raw in (b"", b" \n", b"x" * 1001):
        code, said = piped(monkeypatch, raw)
        assert (code, bool(said)) == (65, True)
    assert not ReceivedMail.objects.exists()


def test_a_temporary_failure_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = make_mail("Hello.").as_bytes()
    switch_feature(name="support", on=False)
    assert piped(monkeypatch, raw)[0] == 75
    switch_feature(name="support", on=True)

    def fail(**_: Any) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(command, "receive_mail", fail)
    assert piped(monkeypatch, raw)[0] == 75
    monkeypatch.undo()
    assert piped(monkeypatch, raw)[0] == 0


def test_tickets_are_named_in_the_subject(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    settings.SUPPORT_AUTHENTICATION_HOST = "mx.help.example"
    ticket = make_ticket()
    proof = {"Authentication-Results": "mx.help.example; dmarc=pass header.from=example.com"}
    piped(monkeypatch, make_mail("Answer.", subject=f"Re: [{ticket.number}]", **proof).as_bytes())
    assert thread(ticket)[-1] == "Answer."
