"""Who is told of members: the CRM, and the members themselves by mail."""

from django.conf import settings
from django.urls import reverse

from cms_api.flags.selectors import is_on
from cms_api.mail.services import queue
from commerce.common.types import email_key
from commerce.crm.services import tell, upsert_contact
from commerce.crm.types import ActivityKind, Happening

from ..models import Member

SOURCE = "member"


def capture(member: Member) -> None:
    """A member is a contact, while the CRM is on."""
    if is_on("crm"):
        names = {"first_name": member.first_name, "last_name": member.last_name}
        upsert_contact(values={"email": email_key(member.email), **names}, source=SOURCE)


def tell_timeline(member: Member, summary: str) -> None:
    tell(
        email=member.email,
        happening=Happening(ActivityKind.MEMBERSHIP, summary, link=reverse("members:inspect", args=[member.pk])),
    )


def tell_timeline_of_deletion(member: Member) -> None:
    """Without a link, as there is no page any more to which it would lead."""
    tell(email=member.email, happening=Happening(ActivityKind.MEMBERSHIP, "Membership deleted"))


def send_welcome(member: Member) -> None:
    _send("member_welcome", member)


def send_cancelled(member: Member) -> None:
    _send("member_cancelled", member)


def _send(template: str, member: Member) -> None:
    page = settings.BASE_URL + reverse("membership")
    queue(template=template, to=[member.email], context={"name": member.name or member.email, "membership": page})
