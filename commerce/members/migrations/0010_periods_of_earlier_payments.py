"""Stores what earlier payments of plans gave: at the amount that was paid, and with the interval that the plan has now."""

from django.db import migrations
from django.db.models import Sum

BATCH = 500
#: The most days that one payment can be for.
LONGEST_DAYS = {"none": None, "month": 31, "year": 366}


def fill(apps, schema_editor):
    """Go through the payments in the order in which they arrived; it can be repeated."""
    alias = schema_editor.connection.alias
    payments = apps.get_model("payments", "Payment").objects.using(alias)
    paid = payments.filter(payable="plan", status="succeeded", unapplied="")
    last = 0
    while rows := list(paid.filter(pk__gt=last).order_by("pk")[:BATCH]):
        last = rows[-1].pk
        fill_batch(apps, alias, rows)


def fill_batch(apps, alias, payments):
    def table(name):
        return apps.get_model("members", name).objects.using(alias)

    ids = [payment.pk for payment in payments]
    plans = {str(plan.pk): plan for plan in table("Plan").all()}
    members = set(table("Member").filter(pk__in=[payment.record_id for payment in payments]).values_list("pk", flat=True))
    carried = {row.payment_id: row for row in table("CarriedDays").filter(payment_id__in=ids)}
    taken = {row.payment_id: row for row in table("TakenPeriod").filter(payment_id__in=ids)}
    refunds = apps.get_model("payments", "Refund").objects.using(alias).filter(payment__in=ids, status="succeeded")
    refunded = dict(refunds.order_by().values_list("payment").annotate(Sum("amount_cents")))
    periods = []
    for payment in payments:
        note = carried.get(payment.pk) or taken.get(payment.pk)
        is_taken = payment.pk in taken
        plan = plans.get(str(note.plan_id) if note else (payment.purpose.split(":") + [""])[1])
        is_gone = refunded.get(payment.pk, 0) >= payment.amount_cents
        if plan is None or payment.record_id not in members or (is_gone and not is_taken):
            continue
        days = note.days if note else None
        price = (payment.amount_cents, payment.currency) if days is None else (plan.price_cents, plan.currency)
        period = {
            "member_id": payment.record_id,
            "plan_id": plan.pk,
            "payment_id": payment.pk,
            "price_cents": price[0],
            "currency": price[1],
            "interval": plan.interval,
            "days": LONGEST_DAYS[plan.interval] if days is None else days,
            "is_carried": days is not None,
            "is_taken": is_taken,
            "former_until": note.paid_until if is_taken else None,
            "former_billing_day": note.billing_day if is_taken else None,
        }
        periods.append(table("PaidPeriod").model(**period))
    table("PaidPeriod").bulk_create(periods, ignore_conflicts=True)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("members", "0009_paid_periods"), ("payments", "0006_refunds_by_hand")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop, elidable=True)]
