"""Queued mails: the stored text, and the mails that are refused."""

from typing import Any

import pytest
from django.core import mail as django_mail

from cms_api.core.errors import Invalid
from cms_api.core.module import Block
from cms_api.flags.services import set_setting
from cms_api.mail.models import MailAttachment
from cms_api.mail.services import queue
from cms_api.mail.services.log import resend
from cms_api.mail.services.sending import send_due
from cms_api.mail.services.templates import change_words
from cms_api.mail.types import MAX_ATTACHED_BYTES, NOT_MAILABLE, Attachment, Words, particulars, read_address

from .conftest import CONTEXT, Write

pytestmark = pytest.mark.django_db


@pytest.mark.both_databases
def test_it_works(write: Write) -> None:
    mail = write(" Ann@Example.COM ", context={"note": "So long"})
    assert (mail.recipient, mail.recipient_name, mail.state, mail.attempts) == ("ann@example.com", "", "waiting", 0)
    assert (mail.template, mail.subject, mail.sender) == ("greeting", "My site: hello Ann", '"My site" <webmaster@example.com>')
    assert mail.text.startswith("Hello Ann!\n\nSo long\n\n")
    assert mail.text.endswith("\n-- \nMy site\nhttp://testserver\n")
    assert mail.next_attempt_at == mail.created_at
    assert django_mail.outbox == []


def test_the_content_is_frozen(write: Write) -> None:
    mail = write()
    set_setting(key="site.name", value="Another site")
    change_words(name="greeting", words=Words("Other", "Other", "<p>Other</p>"))
    send_due()
    (sent,) = django_mail.outbox
    assert (sent.subject, sent.body) == ("My site: hello Ann", mail.text)
    assert sent.alternatives[0].content == mail.html


def test_each_recipient_gets_a_mail_of_their_own_and_only_one() -> None:
    to = [
        "ann@example.com",
        "Bob <bob@bücher.example>",
        "ANN@example.com",
        "bob@xn--bcher-kva.example",
        '"Ann" <ann@example.com>',
    ]
    made = queue(template="greeting", to=to, context=CONTEXT, attachments=[Attachment("a.txt", b"a", "text/plain")])
    assert [mail.to for mail in made] == ["ann@example.com", '"Bob" <bob@bücher.example>']
    assert len({mail.message_id for mail in made}) == MailAttachment.objects.count() == 2
    send_due()
    assert [sent.to for sent in django_mail.outbox] == [[mail.to] for mail in made]


def test_nobody_to_tell_is_no_mistake() -> None:
    assert queue(template="greeting", to=[], context=CONTEXT) == []


@pytest.mark.parametrize(
    ("given", "address", "name"),
    [
        ("jane@example.com", "jane@example.com", ""),
        ("<jane@example.com>", "jane@example.com", ""),
        ("Doe, Jane <Jane@Example.com>", "jane@example.com", "Doe, Jane"),
        ('"Doe, \\"J\\" \\\\ Jane" <jane@example.com>', "jane@example.com", 'Doe, "J" \\ Jane'),
        ("Jörg <x@BÜCHER.example>", "x@bücher.example", "Jörg"),
        ("山田 <taro@例え.jp>", "taro@例え.jp", "山田"),
        ('"' * 400 + " <quotes@example.com>", "quotes@example.com", '"' * 150),
        ("o'hara+news@example.com", "o'hara+news@example.com", ""),
    ],
)
def test_addresses(write: Write, given: str, address: str, name: str) -> None:
    mail = write(given)
    assert (mail.recipient, mail.recipient_name) == (address, name)
    again = read_address(mail.to)
    assert (again.address, again.name) == (address, name)
    send_due()
    (sent,) = django_mail.outbox
    assert sent.message()["To"]


@pytest.mark.parametrize(
    "given",
    [
        *(
            "",
            " ",
            "ann",
            "@example.com",
            "ann@",
            "a b@example.com",
            "a@example.com, b@example.com",
            "a@b@c.com",
            "a@exa mple.com",
        ),
        *("ann@example.com\nBcc: all@example.com", "old@localhost", "Old <old@localhost>", '"ann"@example.com'),
        *(
            "ann\u2028@example.com",
            "ann@" + "ü" * 63 + ".de",
            "a" * 400 + "@example.com",
            "ä@example.com",
        ),
        *("Ann <ann@example.com> <x@example.com", "<>", "ann@example..com", "ann@-x.com", '"a\nb"@example.com'),
    ],
)
def test_a_mail_to_what_is_no_address_is_in_the_log_as_failed(write: Write, given: str) -> None:
    """Rows that an earlier release has stored may have such addresses: neither a job nor a payment ends there."""
    mail = write(given, about="booking:7")
    assert (mail.state, mail.error, mail.next_attempt_at) == ("failed", NOT_MAILABLE, None)
    assert mail.finished_at is not None
    assert not mail.is_limited
    assert mail.recipient.isprintable()
    assert len(mail.recipient) <= 320
    send_due()
    mail.refresh_from_db()
    assert (mail.attempts, mail.state, django_mail.outbox) == (0, "failed", [])
    assert write(reply_to=given).reply_to == ""


@pytest.mark.both_databases
def test_a_mail_to_no_address_fails_again_when_staff_send_it_again(write: Write) -> None:
    mail = write("old@localhost")
    assert resend(mail=mail)
    send_due()
    mail.refresh_from_db()
    assert (mail.state, mail.error, mail.attempts, django_mail.outbox) == ("failed", NOT_MAILABLE, 1, [])


def test_the_others_get_their_mail() -> None:
    made = queue(template="greeting", to=["old@localhost", "ann@example.com", "OLD@localhost"], context=CONTEXT)
    assert [(mail.recipient, mail.state) for mail in made] == [("old@localhost", "failed"), ("ann@example.com", "waiting")]


@pytest.mark.parametrize(
    "given", ["ann@example.com\r", "Ann\n <ann@example.com>", "ann@example.com\x00", "Ann \ud800 <ann@example.com>"]
)
def test_what_no_header_can_have_is_left_out_of_an_address(write: Write, given: str) -> None:
    mail = write(given)
    assert (mail.state, mail.recipient) == ("waiting", "ann@example.com")
    assert mail.recipient_name.isprintable()


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029", "\x00", "\ud800"])
def test_no_value_begins_another_header(write: Write, end: str) -> None:
    """A stranger's name stands in the subject, and a title in the name of a file."""
    mail = write(
        context={"name": f"Ann{end}Bcc: all@example.com"},
        headers={"X-Campaign": f"1{end}Bcc: all@example.com"},
        attachments=[Attachment(f"a{end}.txt", b"")],
    )
    assert mail.subject == "My site: hello Ann Bcc: all@example.com"
    assert mail.headers == {"X-Campaign": "1 Bcc: all@example.com"}
    assert mail.attachments.get().name == "a .txt"
    send_due()
    (sent,) = django_mail.outbox
    assert sent.message()["Bcc"] is None


@pytest.mark.both_databases
@pytest.mark.parametrize("title", ["Caf\x9d \x01 evening", "A\x7fB\x80", "\x00", "x" * 255, "\x9d" * 255])
def test_a_title_that_was_read_in_another_encoding_stops_no_mail(write: Write, title: str) -> None:
    mail = write(f"{title} <ann@example.com>", context={"name": title}, attachments=[Attachment(f"{title}.pdf", b"x")])
    assert mail.subject.isprintable()
    assert mail.attachments.get().name.endswith("pdf")
    send_due()
    mail.refresh_from_db()
    assert mail.state == "sent"


def test_a_header_of_unreasonable_length_is_left_out(write: Write) -> None:
    assert write(headers={"X-Campaign": "x" * 901, "X-Other": "1"}).headers == {"X-Other": "1"}


def test_a_body_may_hold_any_text(write: Write) -> None:
    mail = write(context={"note": "\x00a\r\nb\rc\ud800 {{ name }} {% now %} <script>alert(1)</script>"})
    assert "a\nb\nc {{ name }} {% now %} <script>alert(1)</script>" in mail.text
    assert "a<br>b<br>c {{ name }} {% now %} &lt;script&gt;alert(1)&lt;/script&gt;" in mail.html
    send_due()
    assert len(django_mail.outbox) == 1


def test_no_link_leads_where_a_stranger_says(write: Write) -> None:
    mail = write(context={"link": "javascript:alert(1)", "answers": Block("", '<p onclick="x()">a<img src=x onerror=y></p>')})
    for words in ("javascript:", "onclick", "onerror"):
        assert words not in mail.html
    mail = write(context={"link": 'https://example.org/"><script>alert(1)</script>'})
    assert "<script" not in mail.html


def test_what_has_nothing_to_say_leaves_no_gap(write: Write) -> None:
    mail = write(context={"note": "", "answers": Block("", "")})
    assert mail.text.startswith("Hello Ann!\n\nGo on:")
    assert "<p></p>" not in mail.html


def test_a_long_subject_is_cut(write: Write) -> None:
    mail = write(context={"name": "x" * 500})
    assert len(mail.subject) == 200
    assert mail.subject.endswith("x…")


def test_a_subject_has_no_spaces_that_nobody_sees(write: Write) -> None:
    assert write(context={"name": " Ann\t  Smith "}).subject == "My site: hello Ann Smith"


def test_particulars() -> None:
    block = particulars([("Name", "Ann <b>"), ("Message", "One\r\ntwo"), ("Empty", "")])
    assert block.text == "Name: Ann <b>\nMessage:\n  One\n  two\nEmpty: "
    assert '<tr><th scope="row">Message</th><td>One<br>two</td></tr>' in block.html
    assert "Ann &lt;b&gt;" in block.html


def test_particulars_survive_the_cleaning(write: Write) -> None:
    block = particulars([("Name", "Ann")])
    assert '<tr><th scope="row">Name</th><td>Ann</td></tr>' in write(context={"answers": block}).html


@pytest.mark.parametrize("changes", [{"name": "x"}, {**CONTEXT, "more": "x"}, {}])
def test_a_context_must_have_the_declared_placeholders(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="placeholders"):
        queue(template="greeting", to=["a@example.com"], context=changes)


def test_a_mail_must_be_declared() -> None:
    with pytest.raises(ValueError, match="No module declares"):
        queue(template="nothing", to=["a@example.com"], context={})


@pytest.mark.parametrize("name", ["Bcc", "to", "Content-Type", "Message-ID", "X Y", "X:Y", "", "Resent-To", "X\n"])
def test_some_headers_are_nobodys(write: Write, name: str) -> None:
    with pytest.raises(ValueError, match="no header"):
        write(headers={name: "x"})


@pytest.mark.parametrize(
    "attachment",
    [
        Attachment("a.txt", b"", "text"),
        Attachment("a.txt", b"", "text/" + "x" * 200),
        Attachment("a.txt", b"", "text/plain\nX: y"),
        Attachment("a.txt", b"", "text/html; a=b\nX: y"),
        Attachment("a.bin", bytes(MAX_ATTACHED_BYTES + 1)),
    ],
)
def test_attachments_that_are_refused(write: Write, attachment: Attachment) -> None:
    with pytest.raises(Invalid) as refusal:
        write(attachments=[attachment])
    assert list(refusal.value.errors) == ["attachments"]


def test_the_site_may_have_a_name_of_its_own_as_a_sender(write: Write, settings: Any) -> None:
    settings.DEFAULT_FROM_EMAIL = "The Office <office@example.org>"
    assert write().sender == '"The Office" <office@example.org>'


def test_a_strange_name_of_the_site_stops_no_mail(write: Write) -> None:
    set_setting(key="site.name", value="The\n \x01" + '"Site" ' * 100)
    mail = write(reply_to='"' * 400 + " <office@example.org>")
    assert mail.subject.startswith('The "Site" "Site"')
    send_due()
    (sent,) = django_mail.outbox
    assert sent.message()["From"].endswith(" <webmaster@example.com>")
