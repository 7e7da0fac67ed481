"""The ways in, as the tests use them: signing in and up, and the links in mails."""

import re
from typing import Any

from allauth.account.models import EmailAddress, EmailConfirmation
from django.test import Client
from django.utils import timezone

from cms_api.mail.models import OutgoingMail
from tests.people import PASSWORD

LOGIN, SIGNUP, RESET = "/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"


def log_in(
    client: Client, email: str = "mia@example.com", password: str = PASSWORD, *, sent: dict[str, Any] | None = None
) -> Any:
    """Posts the sign-in form; `sent` are more fields, and headers as `HTTP_...`."""
    more = sent or {}
    headers = {name: value for name, value in more.items() if name.isupper()}
    fields = {name: value for name, value in more.items() if not name.isupper()}
    return client.post(LOGIN, {"login": email, "password": password, **fields}, **headers)


def sign_up(client: Client, email: str = "nina@example.com", **changes: Any) -> Any:
    return client.post(SIGNUP, {"name": "Nina", "email": email, "password1": PASSWORD, "hp_url": "", **changes})


def is_logged_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def mails(template: str = "") -> list[OutgoingMail]:
    found = OutgoingMail.objects.order_by("pk")
    return list(found.filter(template=template) if template else found)


def link(mail: OutgoingMail) -> str:
    """The path of the first link under /accounts/ in a mail."""
    found = re.search(r"http://testserver(/\S+)", mail.words.text)
    assert found, mail.text
    return found[1]


def confirmation_path(address: EmailAddress) -> str:
    """The path of a link, as it is mailed, that confirms an address."""
    sent = EmailConfirmation.create(address)
    EmailConfirmation.objects.filter(pk=sent.pk).update(sent=timezone.now())
    return f"/accounts/confirm-email/{sent.key}/"
