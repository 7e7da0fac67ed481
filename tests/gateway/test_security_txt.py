"""security.txt: the contact that the owner has named, and nothing while there is none."""

from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting

pytestmark = pytest.mark.django_db

PATH = "/.well-known/security.txt"


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    assert client.get(PATH).status_code == 404
    set_setting(key="security.contact", value="security@example.org, https://example.org/report")
    answer = client.get(PATH)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "text/plain; charset=utf-8")
    lines = answer.content.decode().splitlines()
    assert lines[:2] == ["Contact: mailto:security@example.org", "Contact: https://example.org/report"]
    fields = dict(line.split(": ", 1) for line in lines[2:])
    assert fields.keys() == {"Expires", "Preferred-Languages", "Canonical"}
    until = datetime.fromisoformat(fields["Expires"]) - timezone.now()
    assert timedelta(days=170) < until < timedelta(days=365)
    assert fields["Canonical"] == f"http://testserver{PATH}"
    assert client.post(PATH).status_code == 405
    set_setting(key="security.contact", value="")
    assert client.get(PATH).status_code == 404


@pytest.mark.parametrize("contact", ["nobody", "http://example.org", "javascript:alert(1)", "https://", "a@b\nContact: x"])
def test_other_contacts_are_refused(contact: str) -> None:
    with pytest.raises(Invalid):
        set_setting(key="security.contact", value=contact)
