"""Mail to the admins when an endpoint is disabled."""

from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth import get_user_model

from cms_api.mail.services import queue
from cms_api.mail.types import is_address

from ..models import Endpoint


def notify_admins(*, endpoint: Endpoint, reason: str) -> None:
    """Queue the mail in the transaction that disables the endpoint; accounts without an address are skipped.

    It names only the receiver's host: the rest of a URL may be a secret, and managers read *Sent mail*.
    """
    url = urlsplit(endpoint.url)
    host = f"{url.scheme}://{url.hostname}"
    admins = get_user_model().objects.filter(is_active=True, is_superuser=True).values_list("email", flat=True)
    queue(
        template="webhook_disabled",
        to=[address for address in sorted({*admins, settings.BUSINESS_EMAIL}) if is_address(address)],
        context={"url": host, "reason": reason, "webhooks_url": f"{settings.BASE_URL}/admin/webhooks/"},
    )
