"""Mail to the admins when an endpoint is disabled."""

from django.conf import settings
from django.contrib.auth import get_user_model

from cms_api.mail.services import queue
from cms_api.mail.types import is_address

from ..models import Endpoint


def notify_admins(*, endpoint: Endpoint, reason: str) -> None:
    """Queue the mail in the transaction that disables the endpoint; accounts without an address are skipped."""
    admins = get_user_model().objects.filter(is_active=True, is_superuser=True).values_list("email", flat=True)
    queue(
        template="webhook_disabled",
        to=[address for address in sorted({*admins, settings.BUSINESS_EMAIL}) if is_address(address)],
        context={"url": endpoint.url, "reason": reason, "webhooks_url": f"{settings.BASE_URL}/admin/webhooks/"},
    )
