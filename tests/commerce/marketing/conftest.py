"""Every test of marketing has it switched on."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from commerce.marketing.models import MailingList, Subscriber
from commerce.marketing.services import upsert_subscriber
from commerce.marketing.types import Status
from tests.builders import make_token
from tests.client import Api

Made = Callable[..., Subscriber]


@pytest.fixture(autouse=True)
def marketing(db: None) -> None:
    switch_feature(name="marketing", on=True)


@pytest.fixture
def marketing_api(api_on: None) -> Api:
    return Api(make_token("marketing:read", "marketing:write"))


def make_subscriber(email: str = "dana@example.com", *, status: Status = Status.ACTIVE, **values: Any) -> Subscriber:
    return upsert_subscriber(values={"email": email, **values}, source="test", status=status).subscriber


def make_list(name: str = "Workshops", **changes: Any) -> MailingList:
    slug = name.lower().replace(" ", "-")
    return MailingList.objects.create(**{"slug": slug, "name": name, "tag": slug, **changes})


def mails(template: str = "") -> list[OutgoingMail]:
    """The queued mails, in their order."""
    found = OutgoingMail.objects.order_by("pk")
    return list(found.filter(template=template) if template else found)


def path_in(mail: OutgoingMail, beginning: str) -> str:
    """The path of the link in a mail that begins like this."""
    found = re.search(rf"{re.escape(beginning)}[^\s\"<>]+", mail.words.text)
    assert found, mail.text
    return found[0]
