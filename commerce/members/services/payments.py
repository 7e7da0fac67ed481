"""Plans as records that members pay for, and what follows from their payments."""

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Sum
from django.urls import reverse
from wagtail.log_actions import log

from cms_api.core.errors import Invalid
from commerce.common.types.money import Money
from commerce.payments.services import close_payments_later
from commerce.payments.types import Due, RefundStatus
from commerce.sales.services import RefundablePayable

from ..models import Member, Plan
from ..selectors import SHOWN, can_renew, today
from ..types import PAYABLE, Rate, next_end
from . import notices
from .periods import PERIOD, add_period, carry, give_again, set_plan, take_back

#: The beginnings of `Due.purpose`.
NEW, RENEWAL = "plan", "renewal"


class PlanPayments(RefundablePayable[Member]):
    """The plan that a member has asked for, else the renewal of the member's own. The record is the member."""

    model, payable, log_prefix = Member, PAYABLE, "members"

    def lock(self, pk: int) -> Member | None:
        rows = Member.objects.select_for_update(of=("self",), no_key=True).select_related(*SHOWN)
        return rows.filter(pk=pk).first()

    def due(self, record: Member) -> Due:
        if not record.is_active:
            raise Invalid({"status": "The membership has been cancelled."})
        wanted = record.requested_plan
        if wanted is not None and not wanted.enabled:
            raise Invalid({"status": "This plan is no longer offered. Choose another one."})
        if wanted is not None and wanted.is_free:
            raise Invalid({"status": "This plan is free now. Choose it again to get it."})
        if wanted is None and not can_renew(record):
            raise Invalid({"status": "There's nothing to pay at the moment."})
        plan: Any = wanted or record.plan
        path = reverse("membership")
        return Due(plan.price, f"Membership: {plan.name}", record.email, path, purpose=f"{_purpose(record)}:{terms(plan)}")

    def amount_due(self, record: Member) -> Money | None:
        plan = record.requested_plan or record.plan
        return plan.price if record.is_active and plan is not None else None

    def apply_payment(self, record: Member, payment: Any) -> bool:
        plan = record.requested_plan or record.plan
        rate = _paid_rate(record, plan, payment) if record.is_active and plan is not None else None
        if plan is None or rate is None:
            return False
        if record.requested_plan is not None:
            start_plan(record, plan, rate, payment=payment)
        else:
            _renew(record, plan, rate, payment=payment)
        notices.send_paid(record, payment.amount)
        return True

    def record_processing(self, record: Member, payment: Any) -> None:
        notices.record(record, f"{payment}: payment on its way")

    def record_failure(self, record: Member, payment: Any) -> None:
        """The plan still waits for its payment."""

    def record_refund(self, record: Member, refund: Any) -> None:
        """Note the refund; a payment of which everything went back takes what it had paid for with it, until a refund fails."""
        notices.record_refunded(record, refund)
        payment = refund.payment
        gone = payment.refunds.filter(status=RefundStatus.SUCCEEDED).aggregate(sum=Sum("amount_cents"))["sum"] or 0
        is_whole = gone >= payment.amount_cents
        if refund.status == RefundStatus.SUCCEEDED and is_whole:
            take_back(record, payment)
        elif refund.status == RefundStatus.FAILED and not is_whole:
            give_again(record, payment)

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


def terms(plan: Plan) -> str:
    """Return the end of `Due.purpose`: the price that is asked for, and the interval."""
    return f"{plan.price_cents}:{plan.interval}"


def _paid_rate(member: Member, plan: Plan, payment: Any) -> Rate | None:
    """Return the rate at which a payment pays what the member pays for next: as was asked for, or else as it is now.

    None if it is for anything else, or too little. Payments that began before terms were a part of their purpose have none.
    """
    purpose, rates = _purpose(member), [plan.rate]
    if payment.purpose.startswith(f"{purpose}:"):
        cents, interval = payment.purpose.removeprefix(f"{purpose}:").split(":")
        rates.insert(0, Rate(int(cents), payment.currency, interval))
    elif payment.purpose != purpose:
        return None
    return next((rate for rate in rates if (rate.cents, rate.currency) == (payment.amount_cents, payment.currency)), None)


def start_plan(member: Member, plan: Plan, rate: Rate, *, payment: Any = None, user: Any = None) -> None:
    """Give a locked member a plan that has been paid, from today on."""
    carried, start = carry(member, plan, rate), today()
    end = next_end(start, rate.interval, start.day)
    add_period(member, plan, rate, start=start, until=end, payment=payment)
    if end is not None:
        end += timedelta(days=carried)
    member.requested_plan = None
    set_plan(member, plan, paid_until=end, billing_day=end.day if end and carried else start.day)
    member.save(update_fields=[*PERIOD, "requested_plan"])
    log(instance=member, action="members.change_plan", user=user or member.user, data={"plan": plan.name})
    more = f", with {carried} days for what was left of the former one" if carried else ""
    notices.record(member, f"Changed to the plan {plan.name}{more}")


def _renew(member: Member, plan: Plan, rate: Rate, *, payment: Any = None) -> None:
    """Extend what was paid for from its end, also if that has passed."""
    start = member.paid_until or today()
    day = member.billing_day or start.day
    end = next_end(start, rate.interval, day)
    add_period(member, plan, rate, start=start, until=end, payment=payment)
    set_plan(member, plan, paid_until=end, billing_day=day)
    member.save(update_fields=PERIOD)
    log(instance=member, action="members.renew_plan", user=member.user, data={"plan": plan.name, "until": str(end or "")})
    notices.record(member, f"Renewed the plan {plan.name}")


@transaction.atomic
def record_renewal(*, member: Member, user: Any) -> bool:
    """Extend the plan of a member who has paid otherwise; return False if it cannot be renewed yet. Closes the payment page."""
    locked = PLANS.lock(member.pk)
    if locked is None or locked.plan is None or not can_renew(locked):
        return False
    _renew(locked, locked.plan, locked.plan.rate)
    close_later(locked)
    return True


def close_later(member: Member) -> None:
    """Close the member's payment page after the transaction; money that arrives anyway is not applied."""
    close_payments_later(payable=PAYABLE, record_id=member.pk)
