"""Plans as records that members pay for, and what follows from their payments."""

from typing import Any

from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid
from commerce.payments.services import close_payments
from commerce.payments.types import Due, Payable

from ..models import Member, Plan
from ..selectors import SHOWN, can_renew, today
from ..types import PAYABLE, Notice, next_end
from . import notices

#: The beginnings of `Due.purpose`.
NEW, RENEWAL = "plan", "renewal"


class PlanPayments(Payable):
    """The plan that a member has asked for, else the renewal of the member's own. The record is the member."""

    def lock(self, pk: int) -> Member | None:
        rows = Member.objects.select_for_update(of=("self",), no_key=True).select_related(*SHOWN)
        return rows.filter(pk=pk).first()

    def due(self, record: Member) -> Due:
        if not record.is_active:
            raise Invalid({"status": "The membership has been cancelled."})
        wanted = record.requested_plan
        if wanted is not None and not wanted.enabled:
            raise Invalid({"status": "This plan is no longer offered. Choose another one."})
        if wanted is None and not can_renew(record):
            raise Invalid({"status": "There's nothing to pay at the moment."})
        plan: Any = wanted or record.plan
        path = reverse("membership")
        return Due(plan.price, f"Membership: {plan.name}", record.email, path, purpose=_purpose(record))

    def paid(self, record: Member, payment: Any) -> bool:
        if not record.is_active or payment.purpose != _purpose(record):
            return False
        if record.requested_plan is not None:
            start_plan(record, record.requested_plan, by=None)
        elif record.plan is not None:
            _renew(record, record.plan)
        notices.send_paid(record, payment.amount)
        return True

    def processing(self, record: Member, payment: Any) -> None:
        notices.record(record, f"{payment}: payment on its way")

    def failed(self, record: Member, payment: Any) -> None:
        """The plan still waits for its payment."""

    def refunded(self, record: Member, refund: Any) -> None:
        notices.record_refunded(record, refund)

    def alternatives(self, payment: Any) -> list[tuple[int, str]]:
        """Return none: a member has one plan."""
        return []

    def url(self, pk: int) -> str:
        return reverse("members:inspect", args=[pk])

    def name(self, pk: int) -> str:
        return str(Member.objects.select_related("user").get(pk=pk))


PLANS = PlanPayments()


def _purpose(member: Member) -> str:
    """Return what the member pays for next; a payment for anything else is not applied."""
    if member.requested_plan_id:
        return f"{NEW}:{member.requested_plan_id}"
    return f"{RENEWAL}:{member.plan_id}:{member.paid_until}"


def start_plan(member: Member, plan: Plan, *, by: Any) -> None:
    """Give a locked member a plan that has been paid, from today on."""
    start = today()
    member.plan, member.requested_plan, member.updated_at = plan, None, timezone.now()
    member.billing_day, member.notice = start.day, Notice.NONE
    member.paid_until = next_end(start, plan.interval, start.day)
    member.save(update_fields=["plan", "requested_plan", "billing_day", "notice", "paid_until", "updated_at"])
    log(instance=member, action="members.change_plan", user=by or member.user, data={"plan": plan.name})
    notices.record(member, f"Changed to the plan {plan.name}")


def _renew(member: Member, plan: Plan) -> None:
    """Extend what was paid for from its end, also if that has passed."""
    end = member.paid_until or today()
    member.paid_until = next_end(end, plan.interval, member.billing_day or end.day)
    member.notice, member.updated_at = Notice.NONE, timezone.now()
    member.save(update_fields=["paid_until", "notice", "updated_at"])
    log(instance=member, action="members.renew_plan", user=member.user, data={"plan": plan.name, "until": str(member.paid_until)})
    notices.record(member, f"Renewed the plan {plan.name}")


@transaction.atomic
def record_renewal(*, member: Member, by: Any) -> bool:
    """Extend the plan of a member who has paid otherwise; return False if it cannot be renewed yet. Closes the payment page."""
    locked = PLANS.lock(member.pk)
    if locked is None or locked.plan is None or not can_renew(locked):
        return False
    _renew(locked, locked.plan)
    close_later(locked)
    return True


def close_later(member: Member) -> None:
    """Close the member's payment page after the transaction; money that arrives anyway is not applied."""
    pk = member.pk

    def close() -> None:
        close_payments(payable=PAYABLE, record_id=pk)

    transaction.on_commit(close, robust=True)
