"""Members in the admin."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from wagtail.admin.panels import FieldPanel
from wagtail.admin.ui.tables import Column

from cms_api.accounts.types import MAX_NAME
from cms_api.adminkit import filters
from cms_api.adminkit.columns import MomentColumn, RecordColumn, StatusColumn
from cms_api.adminkit.forms import RecordForm
from cms_api.adminkit.transitions import Transition, calling
from cms_api.adminkit.viewset import RecordViewSet
from cms_api.flags.selectors import site_formats
from cms_api.text.search import matching
from commerce.common.types import MAX_EMAIL

from ..models import Member, Plan
from ..selectors import awaiting_payment, can_renew, members, offered_plans
from ..services import add_member, cancel, change_plan, confirm_payment, decline_plan, delete_member, record_renewal, rejoin
from ..types import MemberStatus


class MemberForm(RecordForm):
    name = forms.CharField(required=False, max_length=MAX_NAME)
    email = forms.EmailField(
        max_length=MAX_EMAIL,
        help_text="If no account has this email yet, one is created, and an email invites the member to choose a password.",
    )


class PlanChoice(forms.Form):
    """The plans on offer, and the member's own if it is no longer offered."""

    plan = forms.ModelChoiceField(Plan.objects.none(), to_field_name="slug", required=False, empty_label="No plan")

    def __init__(self, *args: Any, record: Member, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs | {"initial": {"plan": record.plan.slug if record.plan else ""}})
        field: Any = self.fields["plan"]
        field.queryset = Plan.objects.all()
        offered = {plan.slug: plan.name for plan in offered_plans()}
        if record.plan and record.plan.slug not in offered:
            offered = {record.plan.slug: f"{record.plan.name} (not offered)", **offered}
        field.choices = [("", "No plan"), *offered.items()]


def plan_words(plan: Plan | None) -> str:
    return f"{plan.name}, {plan.price_words}" if plan else "None"


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
            lambda member, user, values: change_plan(member=member, plan=values["plan"], by=user),
            lambda member: f"Plan of {member} changed.",
            "They already have this plan.",
            offered=lambda member: member.is_active,
            form=PlanChoice,
        ),
        Transition(
            "confirm_payment",
            "Confirm payment",
            calling(confirm_payment, "member", user="by"),
            lambda member: f"{member} has the plan now.",
            "No plan of this member waits for its payment any more.",
            offered=waits,
        ),
        Transition(
            "record_renewal",
            "Record renewal",
            calling(record_renewal, "member", user="by"),
            lambda member: f"The plan of {member} is renewed.",
            "This plan cannot be renewed yet.",
            offered=can_renew,
        ),
        Transition(
            "decline_plan",
            "Decline plan",
            calling(decline_plan, "member", user="by"),
            "{record} has not been given the plan.",
            "No plan of this member waits for its payment any more.",
            offered=waits,
            serious=True,
        ),
        Transition(
            "cancel",
            "Cancel membership",
            calling(cancel, "member", user="by"),
            "Membership of {record} cancelled. They have been emailed.",
            "This membership was already cancelled.",
            offered=lambda member: member.is_active,
            serious=True,
        ),
        Transition(
            "reinstate",
            "Reinstate membership",
            calling(rejoin, "member", user="by"),
            "{record} is a member again and has been emailed.",
            "This membership was already reinstated.",
            offered=lambda member: not member.is_active,
        ),
    )

    def records(self) -> Any:
        return members()

    def create(self, values: dict[str, Any], user: Any) -> Member:
        return add_member(email=values["email"], name=values["name"], by=user)

    def delete(self, record: Member, user: Any) -> None:
        delete_member(member=record, by=user)

    def facts(self, record: Member) -> dict[str, Any]:
        return {
            "Name": record.name,
            "Email": record.email,
            "Status": record.get_status_display(),
            "Plan": plan_words(record.plan),
            "Paid until": site_formats().date(record.paid_until) if record.paid_until else None,
            "Awaiting payment": plan_words(record.requested_plan),
            "Joined": record.joined_at,
            "Cancelled": record.cancelled_at,
        }
