"""The admin home's card for mail."""

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from cms_api.adminkit.cards import RECENT_AGE, Card, count_up_to_max

from ..models import OutgoingMail
from ..types import MailState


def count_failed(request: HttpRequest) -> Card:
    mails = OutgoingMail.objects.filter(state=MailState.FAILED, is_limited=False, created_at__gte=timezone.now() - RECENT_AGE)
    return Card(
        "Emails not sent",
        reverse("mail_log:index") + f"?state={MailState.FAILED}",
        text="Sending failed in the last 7 days. Send them again once the cause is fixed.",
        icon="mail",
        count=count_up_to_max(mails),
        urgent=True,
    )
