"""Members in the admin."""

from datetime import timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest
from wagtail.admin.panels import FieldPanel
from wagtail.admin.ui.tables import Column

from cms_api.accounts.types import MAX_NAME
from cms_api.adminkit import filters
from cms_api.adminkit.columns import MomentColumn, RecordColumn, StatusColumn
from cms_api.adminkit.forms import RecordForm
from cms_api.adminkit.transitions import Review, ReviewedForm, Transition, calling
from cms_api.adminkit.viewset import RecordViewSet
from cms_api.flags.selectors import site_formats
from cms_api.text.search import matching
from commerce.common.types import MAX_EMAIL
from commerce.payments.selectors import is_being_paid, payments_of, refundable_payments, refunds_of
from commerce.sales.admin import ON_ITS_WAY, SaleRefundForm, refund_button

from ..models import Member, Plan
from ..selectors import (
    awaiting_payment,
    can_renew,
    carried_days,
    has_paid_days,
    has_paid_time,
    members,
    offered_plans,
    today,
)
from ..services import (
    PLANS,
    add_member,
    cancel,
    change_plan,
    confirm_payment,
    decline_plan,
    delete_member,
    end_plan,
    record_renewal,
    rejoin,
)
from ..types import PAYABLE, MemberStatus


class MemberForm(RecordForm):
    name = forms.CharField(required=False, max_length=MAX_NAME)
    email = forms.EmailField(
        max_length=MAX_EMAIL,
        help_text="If no account has this email yet, one is created, and an email invites the member to choose a password.",
    )


class PlanChoice(ReviewedForm):
    """The plans on offer, and the member's own if it is no longer offered. Asks before paid time is lost."""

    plan = forms.ModelChoiceField(Plan.objects.none(), to_field_name="slug", required=False, empty_label="No plan")

    def __init__(self, *args: Any, record: Member, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs | {"initial": {"plan": record.plan.slug if record.plan else ""}})
        self.record = record
        field: Any = self.fields["plan"]
        field.queryset = Plan.objects.all()
        offered = {plan.slug: plan.name for plan in offered_plans()}
        if record.plan and record.plan.slug not in offered:
            offered = {record.plan.slug: f"{record.plan.name} (not offered)", **offered}
        field.choices = [("", "No plan"), *offered.items()]

    def review(self) -> Review | None:
        member, plan = self.record, self.cleaned_data["plan"]
        if plan == member.plan or not has_paid_time(member):
            return None
        if plan is None or plan.is_free:
            # Days that have been paid are not lost: the plan runs to their end.
            return None if has_paid_days(member) else Review(f"End {member.plan}", loss_words(member))
        return Review(f"Change to {plan}", carry_words(member, plan))


class PlanRefundForm(SaleRefundForm):
    """Suggests the latest payment: those before it were for earlier periods and plans."""

    payable = PAYABLE

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        amount: Any = self.fields["amount_cents"]
        left = refundable_payments(PAYABLE, self.record.pk)
        amount.initial = left[0].refundable_cents if left else 0
        amount.help_text = "The latest payment is refunded first."

    def currency_of(self, record: Member) -> str:
        left = refundable_payments(PAYABLE, record.pk)
        return left[0].currency if left else settings.SITE_CURRENCY


def plan_words(plan: Plan | None) -> str:
    return f"{plan.name}, {plan.price_words}" if plan else "None"


def until_words(member: Member) -> str:
    return str(site_formats().date(member.paid_until)) if member.paid_until else ""


def way_words(member: Member) -> str:
    return ON_ITS_WAY if is_being_paid(PAYABLE, member.pk) else ""


def plan_said(member: Member) -> str:
    member = members().get(pk=member.pk)
    if member.is_ending:
        return f"{member.plan} of {member} is paid, and runs until {until_words(member)}."
    return f"Plan of {member} changed."


def loss_words(member: Member) -> str:
    """Return what a member loses whose paid plan ends now."""
    paid = f"until {until_words(member)} and loses this time" if member.paid_until else "once, without an end, and loses it"
    return f"{member} has paid {member.plan} {paid}. Nothing is refunded: use Refund plan for that."


def carry_words(member: Member, plan: Plan) -> str:
    """Return what a member gets for the time that is left of a paid plan if staff change it to another plan with a price."""
    days = carried_days(member, plan)
    if not days:
        return f"{loss_words(member)} They get {plan} without an end date."
    end = site_formats().date(today() + timedelta(days=days))
    left = f"{member} has paid {member.plan} until {until_words(member)}. For the days that are left"
    return f"{left}, they get {days} day{'s' if days > 1 else ''} of {plan}, until {end}. It can be renewed then."


def end_asked(member: Member) -> str:
    words = loss_words(member)
    return f"{words} To let the plan run to its end instead, change it to No plan." if member.paid_until else words


def cancel_asked(member: Member) -> str:
    ends = "The membership ends now, and the member gets an email."
    if not has_paid_time(member):
        return ends
    if not member.paid_until:
        return f"{ends} {member.plan} is paid once: nothing is refunded, and the plan comes back if they rejoin."
    return (
        f"{ends} {member.plan} is paid until {until_words(member)}: nothing is refunded, and the plan comes back if they rejoin "
        "until then."
    )


def waits(member: Member) -> bool:
    return member.is_active and member.requested_plan_id is not None


def of_those_awaiting_payment(members: QuerySet[Member], name: str, value: str) -> QuerySet[Member]:
    return members.filter(pk__in=awaiting_payment().values("pk"))


class MemberViewSet(RecordViewSet):
    model = Member
    icon = "group"
    menu_label = "Members"
    menu_order = 10
    name = "members"
    inspect_template_name = "members_admin/member.html"
    pages = ("add", "inspect", "delete", "history")
    ordering = ("-joined_at", "-id")
    list_display = (
        RecordColumn("name", label="Name"),
        Column("email", label="Email"),
        Column("plan", label="Plan", accessor=lambda member: member.plan.name if member.plan else ""),
        StatusColumn("status", label="Status", primary=lambda member: member.is_active, sort_key="status"),
        MomentColumn("joined_at", label="Joined"),
    )
    filters = {
        "status": filters.choice(MemberStatus.choices),
        "plan": filters.record(Plan.objects.all(), null_label="No plan"),
        "awaiting_payment": filters.choice([("yes", "Yes")], label="Awaiting payment", method=of_those_awaiting_payment),
        "joined_at": filters.date_range("Joined"),
    }
    search = matching
    search_order = 160
    csv = {
        "Name": "name",
        "Email": "email",
        "Status": "status",
        "Plan": lambda member: member.plan.name if member.plan else "",
        "Paid until": lambda member: member.paid_until.isoformat() if member.paid_until else "",
        "Joined": "joined_at",
        "Cancelled": "cancelled_at",
    }
    form = MemberForm
    panels = (FieldPanel("name"), FieldPanel("email"))
    delete_consequence = (
        "The plan and points are deleted too, and an active member gets an email. The account stays and can join again; "
        "administrators delete accounts under Settings → Site accounts."
    )
    transitions = (
        Transition(
            "change_plan",
            "Change plan",
            calling(change_plan, "member", "plan"),
            plan_said,
            "They already have this plan.",
            offered=lambda member: member.is_active,
            form=PlanChoice,
            on_page=True,
            in_rows=False,
        ),
        Transition(
            "confirm_payment",
            "Confirm payment",
            calling(confirm_payment, "member"),
            lambda member: f"{member} has the plan now.",
            "No plan of this member waits for its payment any more.",
            offered=waits,
        ),
        Transition(
            "record_renewal",
            "Record renewal",
            calling(record_renewal, "member"),
            lambda member: f"The plan of {member} is renewed.",
            "This plan cannot be renewed yet.",
            offered=can_renew,
        ),
        refund_button(
            PLANS,
            label="Refund plan",
            confirm="If all of a payment goes back, the member loses the time that was paid for with it, unless that is over.",
            form=PlanRefundForm,
        ),
        Transition(
            "decline_plan",
            "Decline plan",
            calling(decline_plan, "member"),
            "{record} has not been given the plan.",
            "No plan of this member waits for its payment any more.",
            offered=waits,
            serious=True,
        ),
        Transition(
            "end_plan",
            "End plan now",
            calling(end_plan, "member"),
            "The plan of {record} has ended.",
            "They have no plan any more.",
            offered=lambda member: member.is_active and has_paid_time(member),
            confirm=end_asked,
            serious=True,
            in_rows=False,
        ),
        Transition(
            "cancel",
            "Cancel membership",
            calling(cancel, "member"),
            "Membership of {record} cancelled. They have been emailed.",
            "This membership was already cancelled.",
            offered=lambda member: member.is_active,
            confirm=cancel_asked,
            serious=True,
        ),
        Transition(
            "reinstate",
            "Reinstate membership",
            calling(rejoin, "member"),
            "{record} is a member again and has been emailed.",
            "This membership was already reinstated.",
            offered=lambda member: not member.is_active,
        ),
    )

    def records(self) -> Any:
        return members()

    def create(self, values: dict[str, Any], user: Any) -> Member:
        return add_member(email=values["email"], name=values["name"], user=user)

    def delete(self, record: Member, user: Any) -> None:
        delete_member(member=record, user=user)

    def facts(self, record: Member) -> dict[str, Any]:
        return {
            "Name": record.name,
            "Email": record.email,
            "Status": record.get_status_display(),
            "Plan": plan_words(record.plan),
            "Paid until": site_formats().date(record.paid_until) if record.paid_until else None,
            "Then": (str(record.next_plan or "No plan")) if record.is_ending else None,
            "Awaiting payment": " · ".join(filter(None, (plan_words(record.requested_plan), way_words(record)))),
            "Joined": record.joined_at,
            "Cancelled": record.cancelled_at,
        }

    def inspect_context(self, record: Member, request: HttpRequest) -> dict[str, Any]:
        return {"payments": payments_of(PAYABLE, record.pk), "refunds": refunds_of(PAYABLE, record.pk)}
