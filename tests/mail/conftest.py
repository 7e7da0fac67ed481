"""Fixtures of the mail tests: declared mails to try things with, and a mail server that is really spoken to."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.conf import settings as django_settings

from cms_api.core import registry
from cms_api.core.module import Block, Mail, Placeholder
from cms_api.mail.models import OutgoingMail
from cms_api.mail.services import queue
from tests.modules import install

from .postoffice import PostOffice, post_office

Write = Callable[..., OutgoingMail]

GREETING = Mail(
    "greeting",
    "Greets a person.",
    subject="{{ site }}: hello {{ name }}",
    placeholders={
        "name": Placeholder("Name of the recipient", "Ann"),
        "note": Placeholder("Their message", "One line\nand another"),
        "link": Placeholder("Where to go on", "https://example.org/"),
        "answers": Placeholder("Their choices", Block("a: b", "<p>a: b</p>")),
    },
)
CONTEXT = {"name": "Ann", "note": "", "link": "https://example.org/go?a=1&b=2", "answers": Block("", "")}


@pytest.fixture(autouse=True)
def greeting(monkeypatch: pytest.MonkeyPatch, tmp_path: Any, settings: Any) -> Mail:
    """A mail that the mail module declares for the time of a test."""
    folder = tmp_path / "templates" / "mail"
    folder.mkdir(parents=True)
    (folder / "greeting.txt").write_text("Hello {{ name }}!\n\n{{ note }}\n\n{{ answers }}\n\nGo on: {{ link }}\n")
    (folder / "greeting.html").write_text(
        '<p>Hello <strong>{{ name }}</strong>!</p>\n<p>{{ note }}</p>\n{{ answers }}\n<p><a href="{{ link }}">Go on</a></p>\n'
    )
    (chosen,) = django_settings.TEMPLATES
    settings.TEMPLATES = [{**chosen, "DIRS": [*chosen["DIRS"], folder.parent]}]
    installed = tuple(replace(module, mails=(GREETING,)) if module.name == "mail" else module for module in registry.modules())
    install(monkeypatch, *installed)
    return GREETING


@pytest.fixture
def write(db: None) -> Write:
    """Queues the greeting for one person."""

    def make(to: str = "ann@example.com", *, context: dict[str, Any] | None = None, **changes: Any) -> OutgoingMail:
        (mail,) = queue(template="greeting", to=[to], context={**CONTEXT, **(context or {})}, **changes)
        return mail

    return make


@pytest.fixture
def office(settings: Any) -> Iterator[PostOffice]:
    """The mail server that the site is set up with."""
    with post_office() as started:
        settings.EMAIL_BACKEND = "cms_api.mail.services.smtp_backend.SmtpBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = "127.0.0.1", started.port, 20
        yield started
