"""Notifies the CRM and members of changes to memberships."""

from typing import Any

from django.conf import settings
from django.urls import reverse

from cms_api.flags.selectors import site_formats
from cms_api.mail.services import queue
from commerce.common.selectors import format_money
from commerce.common.types import email_key
from commerce.common.types.money import Money
from commerce.crm.services import record_activity, record_customer
from commerce.crm.types import ActivityKind, NewActivity
from commerce.payments.types import RefundStatus

from ..models import Member
from ..selectors import PAY_LINK

SOURCE = "member"


def capture(member: Member) -> None:
    """Create or fill in the member's contact, while the CRM is on."""
    name = {"first_name": member.first_name, "last_name": member.last_name}
    record_customer(email=email_key(member.email), source=SOURCE, activity=None, **name)


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


def record_refunded(member: Member, refund: Any) -> None:
    amount = format_money(refund.amount)
    outcome = f"{amount} refunded" if refund.status == RefundStatus.SUCCEEDED else f"refund of {amount} failed"
    record(member, f"{refund.payment}: {outcome}")


def send_paid(member: Member, amount: Money) -> None:
    """Confirm a payment for the member's plan."""
    until = f"It is paid until {_end(member)}." if member.paid_until else ""
    _send("member_plan_paid", member, plan=str(member.plan), amount=format_money(amount), until=until)


def send_ending(member: Member) -> None:
    """Remind a member of the end of what was paid for, with a link to pay."""
    pay = PAY_LINK.url(member)
    price = member.plan.price_words if member.plan else ""
    _send("member_plan_ending", member, plan=str(member.plan), until=_end(member), price=price, pay=pay)


def send_ended(member: Member, plan: str) -> None:
    _send("member_plan_ended", member, plan=plan)


def _end(member: Member) -> str:
    return site_formats().date(member.paid_until) if member.paid_until else ""


def _send(template: str, member: Member, **more: str) -> None:
    page = settings.BASE_URL + reverse("membership")
    context = {"name": member.name or member.email, "membership": page, **more}
    queue(template=template, to=[member.email], context=context)
