"""Longer emails are read in a process of their own, and one that takes too long blocks nothing."""

from email.message import EmailMessage

import pytest

from cms_api.core.apart import Limits
from commerce.support.services import reading
from commerce.support.services.reading import read_incoming
from commerce.support.types.mail import NOBODY, read_mail
from tests.core import apart_functions

from .builders import make_mail


def long_mail(**headers: str) -> EmailMessage:
    mail = make_mail("Hello.\n" * 5000, **headers)
    mail.add_attachment(b"\x89PNG\0\xff", maintype="image", subtype="png", filename="Löffel.png")
    return mail


def test_it_works() -> None:
    raw = long_mail(references="<a@x> <b@x>").as_bytes()
    found, expected = read_incoming(raw), read_mail(raw)
    assert (found.files, found.text, found.digest) == (expected.files, expected.text, expected.digest)
    assert list(found.refers_to) == list(expected.refers_to) == ["b@x", "a@x"]


def test_one_that_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LIMITS", Limits(seconds=0.3))
    monkeypatch.setattr(reading, "mail_as_json", apart_functions.spin)
    found = read_incoming(long_mail().as_bytes())
    assert (found.sender, found.subject) == (NOBODY, "(Unreadable email)")
    assert found.text.startswith("(This email couldn't be read.")
