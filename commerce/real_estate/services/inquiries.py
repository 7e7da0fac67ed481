"""Stores inquiries about listings, and sends them to the business."""

from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.auth.services import visitors
from cms_api.auth.services.visitors import Limits, Visit
from cms_api.core.errors import ErrorCollector, required_message
from cms_api.core.not_found import NotFound
from cms_api.flags.selectors import get_setting
from cms_api.mail.services import queue_to_business
from cms_api.mail.types import particulars
from commerce.common.services.checks import check_line, check_text
from commerce.common.types import MAX_NAME, MAX_PHONE, read_email
from commerce.crm.services import record_customer
from commerce.crm.types import ActivityKind, NewActivity

from ..models import Inquiry, Property
from ..types.listings import MAX_MESSAGE, MAX_TITLE, property_path

#: The visitors' budget that inquiries are charged to: one for all listings.
PURPOSE = "real_estate"
LIMITS = Limits(a_minute=5, an_hour=20, flood=200)
SOURCE = "real_estate"


def send_inquiry(*, listing: Property, name: str, email: str, phone: str = "", message: str, visit: Visit) -> Inquiry:
    """Store a visitor's inquiry, and send it to the business unless it is spam.

    Raises Invalid by name, NotFound if the listing is not shown any more, and whatever `visitors.judge` raises.
    """
    values = _read(name, email, phone, message)
    spam = visitors.judge(purpose=PURPOSE, visit=visit, texts=[values["name"], values["message"]], limits=LIMITS)
    return _store(listing, values, spam)


def _read(name: Any, email: Any, phone: Any, message: Any) -> dict[str, str]:
    errors = ErrorCollector()
    found = {
        "name": " ".join(name.split()) if isinstance(name, str) else "",
        "phone": " ".join(phone.split()) if isinstance(phone, str) else "",
        "message": message.replace("\r\n", "\n").strip() if isinstance(message, str) else "",
        "email": "",
    }
    check_line(errors, "name", found["name"], 2 * MAX_NAME, needed=True)
    visitors.check_name(errors, "name", found["name"])
    check_line(errors, "phone", found["phone"], MAX_PHONE)
    if not found["message"]:
        errors.add("message", required_message("message"))
    else:
        check_text(errors, "message", found["message"], MAX_MESSAGE)
    if any("\ud800" <= character <= "\udfff" for character in found["message"]):
        errors.add("message", "The message contains characters that are not allowed.")
    with errors.under():
        found["email"] = read_email(email if isinstance(email, str) else "")
    errors.raise_if_any()
    return found


@transaction.atomic
def _store(listing: Property, values: dict[str, str], spam: str) -> Inquiry:
    if not Property.objects.filter(pk=listing.pk, is_shown=True).exists():
        raise NotFound
    inquiry = Inquiry.objects.create(
        **values,
        listing=listing,
        title=listing.title[:MAX_TITLE],
        listing_key=listing.listing_key,
        agent_name=listing.agent_name,
        is_spam=bool(spam),
        spam_reason=spam[:200],
        created_at=timezone.now(),
    )
    if not spam:
        _record(inquiry, listing)
        _notify(inquiry, listing)
    return inquiry


def _record(inquiry: Inquiry, listing: Property) -> None:
    """Create or fill in the visitor's contact while the CRM is on, and record the inquiry in its timeline."""
    activity = NewActivity(ActivityKind.FORM, f"Inquired about {inquiry.title}"[:200], f"property_inquiry:{inquiry.pk}")
    record_customer(email=inquiry.email, name=inquiry.name, phone=inquiry.phone, source=SOURCE, activity=activity)


def _notify(inquiry: Inquiry, listing: Property) -> None:
    said = (
        ("Listing", f"{inquiry.title} ({inquiry.listing_key})"),
        ("Agent", inquiry.agent_name),
        ("Name", inquiry.name),
        ("Email", inquiry.email),
        ("Phone", inquiry.phone),
        ("Message", inquiry.message),
    )
    queue_to_business(
        template="property_inquiry",
        to=[str(get_setting("real_estate.inquiries_to")).strip()],
        context={
            "name": inquiry.name,
            "listing": inquiry.title,
            "inquiry": particulars([(name, text) for name, text in said if text]),
            "url": settings.BASE_URL + property_path(listing.slug),
        },
        reply_to=inquiry.email,
    )


@transaction.atomic
def release_inquiry(*, inquiry: Inquiry, user: Any = None) -> bool:
    """Send an inquiry that was held as spam; return False if it was not."""
    if not Inquiry.objects.filter(pk=inquiry.pk, is_spam=True).update(is_spam=False, spam_reason=""):
        return False
    inquiry.refresh_from_db()
    log(instance=inquiry, action="real_estate.release_inquiry", user=user)
    if inquiry.listing is not None:
        _record(inquiry, inquiry.listing)
        _notify(inquiry, inquiry.listing)
    return True
