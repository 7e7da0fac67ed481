"""Failed mails on the admin's home."""

from datetime import timedelta

import pytest
from django.utils import timezone

from cms_api.mail.admin.cards import count_failed
from cms_api.mail.models import OutgoingMail
from cms_api.mail.types import MailState
from tests import people

from .conftest import Write

pytestmark = pytest.mark.django_db


def test_it_works(write: Write) -> None:
    mails = [write() for _ in range(3)]
    OutgoingMail.objects.filter(pk__in=[mails[0].pk, mails[1].pk]).update(state=MailState.FAILED)
    OutgoingMail.objects.filter(pk=mails[1].pk).update(created_at=timezone.now() - timedelta(days=8))
    card = count_failed(people.request_by(people.mallory_manager()))
    assert (card.count, card.urgent, card.url) == (1, True, "/admin/mail/log/?state=failed")
