"""Mail to the admins when an endpoint is disabled."""

import logging

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django_q.tasks import async_task

from cms_api.flags.selectors import get_setting

from ..models import Endpoint

logger = logging.getLogger(__name__)


def tell_admins(*, endpoint: Endpoint, reason: str) -> None:
    """Queues the mail with the transaction that disables the endpoint; a mail server that fails stops nothing."""
    async_task("cms_api.webhooks.services.notices.send_disabled_mail", endpoint.url, reason)


def send_disabled_mail(url: str, reason: str) -> None:
    admins = get_user_model().objects.filter(is_active=True, is_superuser=True).exclude(email="")
    recipients = sorted({*admins.values_list("email", flat=True), *filter(None, [settings.BUSINESS_EMAIL])})
    if not recipients:
        return
    context = {"url": url, "reason": reason, "site": get_setting("site.name"), "base_url": settings.BASE_URL}
    mail = EmailMultiAlternatives(
        subject=f"{context['site']}: a webhook was disabled",
        body=render_to_string("webhooks/disabled.txt", context),
        to=recipients,
    )
    mail.attach_alternative(render_to_string("webhooks/disabled.html", context), "text/html")
    mail.send()
