"""Mail in the admin: the log, sending failed mails again, and the words that editors give to mails."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from wagtail.models import ModelLogEntry

from cms_api.core.errors import Invalid
from cms_api.core.module import Block
from cms_api.flags.services import switch_feature
from cms_api.mail.demo import load as load_demo
from cms_api.mail.models import MailAttachment, MailTemplate, OutgoingMail
from cms_api.mail.services.log import drop_old
from cms_api.mail.services.templates import check_words
from cms_api.mail.types import Attachment, Words
from tests import people

from .conftest import Write

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_menu")]

LOG, TEMPLATES = "mail_log:index", "mail_templates:index"
EDIT = ("mail_templates:edit", "greeting")
WORDS = {"subject": "Hi {{ name }}", "text": "Hi {{ name }},\nsee {{ link }}", "html": "<h1>Hi {{ name }}</h1>"}


def address(name: str, *args: Any) -> str:
    return reverse(name, args=args)


def text(response: Any) -> str:
    assert response.status_code == 200
    found: str = response.content.decode()
    return found


def fail(mail: OutgoingMail) -> OutgoingMail:
    OutgoingMail.objects.filter(pk=mail.pk).update(state="failed", error="550 No such user", next_attempt_at=None)
    return mail


def listed(client: Client, **query: str) -> set[str]:
    return {mail.recipient for mail in client.get(address(LOG), query).context["object_list"]}


def test_it_works(admin_client: Client, write: Write) -> None:
    """The log leads to a mail, and that shows both of its versions."""
    mail = write(
        '"Smith, Ann" <ann@example.com>', attachments=[Attachment("a.txt", b"x", "text/plain")], reply_to="b@example.com"
    )
    page = text(admin_client.get(address(LOG)))
    for words in (address("mail_log:inspect", mail.pk), "ann@example.com", "Greeting", "Waiting", mail.subject):
        assert words in page
    page = text(admin_client.get(address("mail_log:inspect", mail.pk)))
    for words in ("&quot;Smith, Ann&quot; &lt;ann@example.com&gt;", "a.txt (text/plain)", "b@example.com", "Hello Ann!"):
        assert words in page
    assert 'sandbox srcdoc="&lt;!DOCTYPE html&gt;' in page
    assert "Send again" not in page


def test_no_script_of_a_mail_runs_in_the_admin(admin_client: Client, write: Write) -> None:
    mail = write(context={"answers": Block("</pre><script>a()</script>", "")})
    OutgoingMail.objects.update(html='"></iframe><script>b()</script>')
    page = text(admin_client.get(address("mail_log:inspect", mail.pk)))
    assert "<script>a()" not in page
    assert "<script>b()" not in page


@pytest.mark.both_databases
def test_filters_and_search(admin_client: Client, write: Write) -> None:
    fail(write("ann@example.com"))
    other = write("Bob Smith <bob@example.com>")
    OutgoingMail.objects.filter(pk=other.pk).update(template="webhook_disabled")
    assert listed(admin_client) == {"ann@example.com", "bob@example.com"}
    assert listed(admin_client, state="failed") == {"ann@example.com"}
    assert listed(admin_client, template="greeting") == {"ann@example.com"}
    assert listed(admin_client, q="BOB@") == {"bob@example.com"}
    assert listed(admin_client, q="smith") == {"bob@example.com"}
    assert admin_client.get(address(LOG), {"template": "nothing", "state": "x"}).status_code == 200


def test_mails_of_a_disabled_feature_stay_but_their_kind_is_not_offered(admin_client: Client, write: Write) -> None:
    mail = write("ann@example.com")
    OutgoingMail.objects.filter(pk=mail.pk).update(template="member_welcome")
    assert listed(admin_client) == {"ann@example.com"}
    assert 'value="member_welcome"' not in text(admin_client.get(address(LOG)))
    switch_feature(name="members", on=True)
    assert 'value="member_welcome"' in text(admin_client.get(address(LOG)))


@pytest.mark.both_databases
def test_the_log_takes_as_many_statements_for_many(
    admin_client: Client, write: Write, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    for number in range(30):
        fail(write(f"p{number}@example.com"))
    admin_client.get(address(LOG))
    with django_assert_max_num_queries(20):
        admin_client.get(address(LOG))


def test_a_failed_mail_is_sent_again(admin_client: Client, write: Write) -> None:
    mail = fail(write())
    page = text(admin_client.get(address("mail_log:inspect", mail.pk)))
    assert "550 No such user" in page
    assert "Send again" in page
    assert admin_client.get(address("mail_log:resend", mail.pk)).headers["Location"] == address("mail_log:inspect", mail.pk)
    mail.refresh_from_db()
    assert mail.state == "failed"
    answer = admin_client.post(address("mail_log:resend", mail.pk), follow=True)
    assert "The email will be sent again shortly." in text(answer)
    mail.refresh_from_db()
    assert (mail.state, mail.failures) == ("waiting", 0)
    assert "Only emails that failed" in text(admin_client.post(address("mail_log:resend", mail.pk), follow=True))
    (entry,) = ModelLogEntry.objects.all()
    assert (entry.action, entry.label) == ("mail.resend", f"greeting {mail.pk}")


def test_all_failed_mails_are_sent_again(admin_client: Client, write: Write) -> None:
    for number in range(3):
        fail(write(f"p{number}@example.com"))
    assert "Resend all 3 failed emails" in text(admin_client.get(address(LOG)))
    assert "3 emails will be sent again shortly." in text(admin_client.post(address("mail_log:resend_failed"), follow=True))
    assert set(OutgoingMail.objects.values_list("state", flat=True)) == {"waiting"}


def pages(mail: OutgoingMail) -> list[str]:
    log = [address(LOG), address("mail_log:index_results"), address("mail_log:inspect", mail.pk)]
    return [*log, address(TEMPLATES), address(*EDIT), address("mail_templates:reset", "greeting")]


def test_managers_may_and_editors_may_not(sign_in: Callable[[Any], Client], write: Write) -> None:
    mail = fail(write())
    manager, editor, stranger = sign_in(people.mallory_manager()), sign_in(people.bob()), sign_in(people.charlie())
    for page in pages(mail):
        assert manager.get(page).status_code == 200
        assert editor.get(page).status_code == 302
        assert stranger.get(page).status_code == 302
    home = reverse("wagtailadmin_home")
    for words in (address(LOG), address(TEMPLATES)):
        assert words in text(manager.get(home))
        assert words not in text(editor.get(home))
    for client in (editor, stranger):
        for page in (address("mail_log:resend", mail.pk), address("mail_log:resend_failed"), pages(mail)[-1]):
            assert client.post(page).status_code == 302
        client.post(address(*EDIT), WORDS)
    assert not MailTemplate.objects.exists()
    mail.refresh_from_db()
    assert mail.state == "failed"
    assert manager.post(address("mail_log:resend", mail.pk)).status_code == 302
    mail.refresh_from_db()
    assert mail.state == "waiting"


def test_an_editor_changes_what_a_mail_says(admin_client: Client, write: Write) -> None:
    page = text(admin_client.get(address(*EDIT)))
    for words in (
        "Hello {{ name }}!",
        "Name of the recipient",
        "<code>{{ site_url }}</code>",
        "(not in the subject)",
        "hello Ann",
    ):
        assert words in page
    assert "Saved." in text(admin_client.post(address(*EDIT), WORDS, follow=True))
    mail = write(context={"name": "Ann <i>"})
    assert mail.subject == "Hi Ann <i>"
    assert mail.text.startswith("Hi Ann <i>,\nsee https://example.org/go?a=1&b=2\n")
    assert "<h1>Hi Ann &lt;i&gt;</h1>" in mail.html
    assert "Changed" in text(admin_client.get(address(TEMPLATES)))
    assert MailTemplate.objects.get().changed_by.email == "alice@example.com"  # type: ignore[union-attr]
    assert "to its default text" in text(admin_client.get(address("mail_templates:reset", "greeting")))
    admin_client.post(address("mail_templates:reset", "greeting"))
    assert write().subject == "My site: hello Ann"
    assert [entry.action for entry in ModelLogEntry.objects.order_by("pk")] == ["mail.change_words", "mail.reset_words"]
    assert admin_client.get(address("mail_templates:edit", "nothing")).status_code == 404


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"subject": ""}, "The subject field is required."),
        ({"html": "<script>a()</script>", "preview": "1"}, "The html field is required."),
        ({"subject": "{{ nobody }}"}, "Unknown placeholder: {{ nobody }}."),
        ({"text": "{{ name.password }}", "preview": "1"}, "Double braces may only contain the name of a placeholder."),
        ({"html": "{% load static %}"}, "Double braces may only contain the name of a placeholder."),
        ({"html": "<p>{{ name</p>", "preview": "1"}, "Double braces may only contain the name of a placeholder."),
        ({"html": "<div>" * 200}, "The HTML is nested too deeply."),
        ({"subject": "x" * 201, "preview": "1"}, "at most 200 characters"),
    ],
)
def test_words_that_are_refused(admin_client: Client, changes: dict[str, str], said: str) -> None:
    """By saving, and by the preview, in turn."""
    page = text(admin_client.post(address(*EDIT), {**WORDS, **changes}))
    assert said in page
    assert not MailTemplate.objects.exists()


def test_html_is_kept_clean(admin_client: Client) -> None:
    given = '<p onclick="a()">Hi <a href="javascript:b()">x</a> <a href="{{ link }}">y</a><iframe src="//evil"></iframe></p>'
    admin_client.post(address(*EDIT), {**WORDS, "html": given})
    assert MailTemplate.objects.get().html == '<p>Hi <a>x</a> <a href="{{ link }}">y</a></p>'


def test_a_preview_saves_nothing(admin_client: Client) -> None:
    page = text(admin_client.post(address(*EDIT), {**WORDS, "html": "<h1>Well, {{ name }}</h1>", "preview": "1"}))
    assert "&lt;h1&gt;Well, Ann&lt;/h1&gt;" in page
    assert "Hi {{ name }}" in page
    page = text(admin_client.post(address(*EDIT), {**WORDS, "text": "</pre><script>a()</script>", "preview": "1"}))
    assert "<script>a()" not in page
    assert not MailTemplate.objects.exists()


def test_old_mails_are_forgotten(write: Write) -> None:
    old, young, waiting = write(attachments=[Attachment("a", b"")]), write(), write()
    long_ago = timezone.now() - timedelta(days=91)
    OutgoingMail.objects.filter(pk=old.pk).update(state="sent", created_at=long_ago)
    OutgoingMail.objects.filter(pk=young.pk).update(state="sent", created_at=timezone.now() - timedelta(days=89))
    OutgoingMail.objects.filter(pk=waiting.pk).update(created_at=long_ago)
    drop_old()
    assert set(OutgoingMail.objects.values_list("pk", flat=True)) == {young.pk, waiting.pk}
    assert not MailAttachment.objects.exists()


def test_demo_mails_are_in_the_log_and_none_is_on_its_way() -> None:
    for _ in range(2):
        load_demo(1, lambda more: None)
    states = list(OutgoingMail.objects.values_list("state", flat=True))
    assert (states.count("failed"), states.count("waiting")) == (1, 0)
    assert states.count("sent") >= 3


def test_a_mail_to_subscribers_keeps_its_link_to_unsubscribe() -> None:
    words = Words(subject="{{ subject }}", text="{{ body }}", html="<p>{{ body }}</p>")
    with pytest.raises(Invalid) as refused:
        check_words(name="sequence_step", words=words)
    missing = ["The text must contain {{ unsubscribe_url }}."]
    assert refused.value.errors == {"text": missing, "html": missing}
