"""Messages of visitors to the owners of listings, whose addresses are not shown."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from cms_api.auth.selectors import owns_address
from cms_api.auth.services import visitors
from cms_api.auth.services.visitors import Limits, Visit
from cms_api.core.errors import ErrorCollector, required_message
from cms_api.core.not_found import found_or_404
from commerce.common.services.checks import check_line, check_text
from commerce.common.types import MAX_NAME, read_email

from ..models import Listing
from ..selectors.listings import live
from ..types.listings import MAX_MESSAGE
from . import notices

#: The visitors' budget that messages are charged to: one for all listings, so that nobody can write to each of them in turn.
PURPOSE = "directory.messages"
LIMITS = Limits(a_minute=3, an_hour=10, flood=100)
#: The address of a listing that an account has entered may be anybody's, until that account has confirmed it.
MESSAGE_WITH_ADDRESS = "Write the message without web or email addresses."


@transaction.atomic
def send_message(*, listing: Listing, values: Mapping[str, Any], visit: Visit) -> bool:
    """Send a visitor's message (`name`, `email`, `message`) to the address of a live listing; return False if it is spam.

    The recipient is always the listing's, and nothing of the message is in the email's header but the address to answer to.
    Raises Invalid by these names, NotFound if the listing has no address or is not shown, and whatever `visitors.judge` raises.
    """
    found = found_or_404(Listing.objects.filter(live(timezone.now()), pk=listing.pk).exclude(email="").first())
    name, email, message = _read(values, may_link=found.owner is None or owns_address(found.owner, found.email))
    if visitors.judge(purpose=PURPOSE, visit=visit, texts=[name, message], limits=LIMITS):
        return False
    notices.forward_message(found, name=name, email=email, message=message)
    return True


def _read(values: Mapping[str, Any], *, may_link: bool) -> tuple[str, str, str]:
    errors = ErrorCollector()
    name = " ".join(str(values.get("name") or "").split())
    message, email = str(values.get("message") or "").strip(), ""
    check_line(errors, "name", name, 2 * MAX_NAME, needed=True)
    visitors.check_name(errors, "name", name)
    with errors.under():
        email = read_email(str(values.get("email") or ""))
    if not message:
        errors.add("message", required_message("message"))
    else:
        check_text(errors, "message", message, MAX_MESSAGE)
        if not may_link:
            visitors.check_name(errors, "message", message, MESSAGE_WITH_ADDRESS)
    errors.raise_if_any()
    return name, email, message
