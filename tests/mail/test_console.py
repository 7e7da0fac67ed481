"""Emails on the console: at most five lines each, with what somebody who tries the site out needs."""

import io

import pytest
from django.core.mail import EmailMultiAlternatives

from cms_api.mail.services.console_backend import ConsoleBackend

TEXT = """Hello Ada,

Set a new password:
https://example.org/reset/abc/

If you didn't ask for it, ignore this email. https://example.org/reset/abc/

-- 
Millrace Arts
https://example.org
"""


def shown(message: EmailMultiAlternatives) -> str:
    stream = io.StringIO()
    assert ConsoleBackend(stream=stream).send_messages([message]) == 1
    return stream.getvalue()


def test_it_works() -> None:
    message = EmailMultiAlternatives("Your\u00a0password", TEXT, "a@example.org", ["ada@example.org"], cc=["kim@example.org"])
    message.attach_alternative("<p>" + "x" * 1000, "text/html")
    message.attach("Invoice 7.pdf", b"%PDF" * 10_000, "application/pdf")
    message.attach("dates.ics", "BEGIN:VCALENDAR", "text/calendar; method=REQUEST")
    assert shown(message) == (
        "\nEmail to: ada@example.org, kim@example.org"
        "\nSubject:  Your password"
        "\nText:     Hello Ada, Set a new password: If you didn't ask for it, ignore this email."
        "\nLinks:    https://example.org/reset/abc/"
        "\nFiles:    Invoice 7.pdf, dates.ics\n"
    )


@pytest.mark.parametrize("text", ["", "word " * 1000, "a\r\nb\u2028c\x1b[2Jd\n" * 50])
def test_it_is_short(text: str) -> None:
    written = shown(EmailMultiAlternatives("A subject", text, "a@example.org", ["ada@example.org"]))
    assert len(written.splitlines()) <= 6
    assert len(written) < 350
    assert "\x1b" not in written
