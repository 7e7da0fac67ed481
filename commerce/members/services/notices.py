"""Notifies the CRM and members of changes to memberships."""

from django.conf import settings
from django.urls import reverse

from cms_api.flags.selectors import is_on
from cms_api.mail.services import queue
from commerce.common.types import email_key
from commerce.crm.services import record_activity, upsert_contact
from commerce.crm.types import ActivityKind, NewActivity

from ..models import Member

SOURCE = "member"


def capture(member: Member) -> None:
    """Create or fill in the member's contact, while the CRM is on."""
    if is_on("crm"):
        names = {"first_name": member.first_name, "last_name": member.last_name}
        upsert_contact(values={"email": email_key(member.email), **names}, source=SOURCE)


def record(member: Member, summary: str) -> None:
    """Record an activity in the timeline of the member's contact."""
    link = reverse("members:inspect", args=[member.pk])
    record_activity(email=member.email, activity=NewActivity(ActivityKind.MEMBERSHIP, summary, link=link))


def record_deletion(member: Member) -> None:
    """Record the deletion, without a link: the member's page is gone."""
    record_activity(email=member.email, activity=NewActivity(ActivityKind.MEMBERSHIP, "Membership deleted"))


def send_welcome(member: Member) -> None:
    _send("member_welcome", member)


def send_cancelled(member: Member) -> None:
    _send("member_cancelled", member)


def _send(template: str, member: Member) -> None:
    page = settings.BASE_URL + reverse("membership")
    queue(template=template, to=[member.email], context={"name": member.name or member.email, "membership": page})
