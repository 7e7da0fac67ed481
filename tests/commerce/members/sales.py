"""The plan that a member has asked for: how the tests of all sales make, pay, refund and end it."""

from typing import Any

from django.urls import reverse

from commerce.members.models import Member
from commerce.members.services import choose_plan, decline_plan
from commerce.members.services.payments import PLANS
from tests.commerce.sales.declaring import (
    LAPSED,
    ON_ITS_WAY,
    PAID,
    PAID_LATE,
    PENDING,
    PROCESSING,
    REFUNDED,
    UNAPPLIED,
    Kind,
    set_values,
)

from .conftest import make_member, make_plan


def _member() -> Member:
    member = make_member("mia@example.com", "Mia Chen")
    choose_plan(member=member, plan=make_plan("Studio", price_cents=5000, interval="year"))
    member.refresh_from_db()
    return member


def _plan(member: Member) -> Any:
    return Member.objects.select_related("requested_plan", "plan").get(pk=member.pk).requested_plan


KINDS = (
    Kind(
        "plan",
        make=_member,
        is_paid=lambda record: record.plan is not None,
        set_amount=lambda record, cents: set_values(_plan(record), {"price_cents": cents}),
        set_currency=lambda record, code: set_values(_plan(record), {"currency": code}),
        set_ended=lambda record: set_values(record, {"requested_plan": None}),
        at_asked_price=True,
        page=lambda member: reverse("membership"),
        pays_at=lambda member: reverse("pay_membership"),
        admin="members",
        shown={
            PENDING: ("active", "Awaiting payment Studio"),
            PROCESSING: ("active", ON_ITS_WAY),
            PAID: ("active", "Paid until"),
            REFUNDED: ("active", "Plan None"),
            UNAPPLIED: ("active", "Plan None"),
        },
        refund=lambda member, cents: PLANS.refund(member, amount_cents=cents),
        end=lambda member: decline_plan(member=member, user=None),
        impossible={
            LAPSED: "A plan waits for its payment until it is declined, or another one is chosen.",
            PAID_LATE: "A plan that waits can be paid at any time.",
        },
        visitor=lambda member: member.user,
        names_amount=False,
        # It shows the plan, which a refund ends.
        shows_refunds=False,
    ),
)
