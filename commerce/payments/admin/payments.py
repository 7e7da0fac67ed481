"""Payments in the admin: what arrived, what it was for, and what has to be settled."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest
from wagtail.admin.ui.tables import Column

from cms_api.adminkit import filters
from cms_api.adminkit.columns import MomentColumn, RecordColumn, StatusColumn, local_date, person
from cms_api.adminkit.links import existing_path
from cms_api.adminkit.transitions import Transition, calling
from cms_api.adminkit.viewset import RecordViewSet
from cms_api.text.search import matching
from commerce.common.admin.amounts import RecordActionForm
from commerce.common.selectors import format_money
from commerce.common.types.money import Money

from .. import selectors
from ..models import Payment, Refund
from ..selectors import refunds_to_make_otherwise
from ..services import apply_unapplied, move_payment, record_refund, refund_unapplied
from ..types import MAX_REASON, DisputeStatus, PaymentStatus, ProviderName, RefundStatus

YES = [("yes", "Yes")]


def amount_words(payment: Payment) -> str:
    return format_money(payment.amount)


def method_words(payment: Payment) -> str:
    return ProviderName(payment.provider).label if payment.provider else payment.get_method_display()


def refunded_words(payment: Payment) -> str:
    """Return how much has been refunded, and how much of that is not known to be on its way."""
    if not payment.refunded_cents:
        return ""
    words = f"{format_money(Money(payment.refunded_cents, payment.currency))} refunded"
    pending = payment.pending_cents if hasattr(payment, "pending_cents") else payment.pending_refund_cents
    return f"{words}, {format_money(Money(pending, payment.currency))} of it pending" if pending else words


def applied_words(payment: Payment) -> str:
    """Return what is said of a payment that has been applied, and how much of it was not needed."""
    parts = (
        selectors.payments_with(payment.charge, payment.provider).exclude(pk=payment.pk)
        if payment.charge
        else Payment.objects.none()
    )
    rest = sum(part.refundable_cents for part in parts if part.is_to_settle)
    more = f" {format_money(Money(rest, payment.currency))} of it was not needed, and is left to settle." if rest else ""
    return f"The payment has been applied.{more}"


def left_words(payment: Payment) -> str:
    return format_money(Money(payment.refundable_cents, payment.currency))


def note(payment: Payment) -> str:
    """Return what somebody should know, or do, about a payment."""
    if payment.is_to_settle:
        return payment.unapplied
    if payment.dispute == DisputeStatus.OPEN:
        return "Disputed by the customer"
    return refunded_words(payment) or payment.error


def of_those_to_settle(payments: QuerySet[Payment], name: str, value: str) -> QuerySet[Payment]:
    return payments.filter(pk__in=selectors.payments_to_settle().values("pk"))


def of_those_with_failed_refunds(payments: QuerySet[Payment], name: str, value: str) -> QuerySet[Payment]:
    return payments.filter(pk__in=selectors.failed_refunds().values("payment"))


class MoveForm(forms.Form):
    """Asks for the record that unapplied money is moved to."""

    record_id = forms.TypedChoiceField(label="For", coerce=int)

    def __init__(self, *args: Any, record: Payment, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["record_id"].choices = selectors.alternatives(record)  # type: ignore[attr-defined]


class RecordRefundForm(RecordActionForm):
    note = forms.CharField(max_length=MAX_REASON, required=False, help_text="Such as the number of the transfer.")


def otherwise_words(payment: Payment) -> str:
    return format_money(Money(sum(each.amount_cents for each in refunds_to_make_otherwise(payment)), payment.currency))


class PaymentViewSet(RecordViewSet):
    model = Payment
    icon = "doc-full"
    menu_label = "Payments"
    menu_order = 80
    name = "payments"
    pages = ("inspect", "history")
    list_display = (
        RecordColumn("description", label="For"),
        Column("amount", label="Amount", accessor=amount_words),
        StatusColumn(
            "status",
            label="Status",
            accessor=lambda payment: "To settle" if payment.is_to_settle else payment.get_status_display(),
            tone=lambda payment: (
                "critical" if payment.is_to_settle else "positive" if payment.status == PaymentStatus.SUCCEEDED else ""
            ),
            note=note,
            sort_key="status",
        ),
        Column("method", label="Method", accessor=method_words),
        Column("email", label="Email"),
        MomentColumn("created_at", label="Created"),
    )
    filters = {
        "status": filters.choice(PaymentStatus.choices),
        "provider": filters.choice(ProviderName.choices),
        "to_settle": filters.choice(YES, label="To settle", method=of_those_to_settle),
        "failed_refund": filters.choice(YES, label="Failed refund", method=of_those_with_failed_refunds),
        "dispute": filters.choice(DisputeStatus.choices),
        "created_at": filters.date_range("Created"),
    }
    search = matching
    search_order = 170
    csv = {
        "For": "description",
        "Email": "email",
        "Amount": lambda payment: payment.amount.amount,
        "Currency": "currency",
        "Refunded": lambda payment: Money(payment.refunded_cents, payment.currency).amount,
        "Status": "status",
        "Method": method_words,
        "Reference": lambda payment: payment.charge or payment.reference or payment.typed_reference,
        "To settle": "unapplied",
        "Paid": "paid_at",
        "Created": "created_at",
    }
    transitions = (
        Transition(
            "apply",
            "Apply payment",
            calling(apply_unapplied, "payment"),
            applied_words,
            offered=lambda payment: bool(payment.payable) and payment.is_to_settle and not payment.refunded_cents,
        ),
        Transition(
            "move",
            "Use for something else",
            lambda payment, user, values: move_payment(payment=payment, user=user, **values),
            "The payment has been moved.",
            offered=lambda payment: bool(selectors.alternatives(payment)),
            form=MoveForm,
            on_page=True,
        ),
        Transition(
            "refund",
            "Refund",
            lambda payment, user, values: refund_unapplied(payment=payment, user=user) is not None,
            "The refund has been requested.",
            offered=lambda payment: payment.is_to_settle,
            confirm=lambda payment: f"{left_words(payment)} goes back to the customer.",
            confirm_label=lambda payment: f"Refund {left_words(payment)}",
            serious=True,
        ),
        Transition(
            "record-refund",
            "Record refund",
            lambda payment, user, values: record_refund(payment=payment, user=user, **values),
            "The refund has been recorded.",
            offered=lambda payment: bool(payment.provider and refunds_to_make_otherwise(payment)),
            form=RecordRefundForm,
            on_page=True,
            in_rows=False,
            confirm=lambda payment: (
                f"The payment provider could not give back {otherwise_words(payment)}. Record here that you have given it back "
                "in another way, such as by bank transfer. Check at the provider first that it didn't go back after all."
            ),
            confirm_label=lambda payment: f"Record refund of {otherwise_words(payment)}",
        ),
    )
    inspect_template_name = "payments_admin/payment.html"

    def records(self) -> Any:
        return selectors.payments()

    def facts(self, record: Payment) -> dict[str, Any]:
        return {
            "For": record.description,
            "Amount": amount_words(record),
            "Refunds": refunded_words(record) or None,
            "Status": record.get_status_display(),
            "To settle": record.unapplied if record.is_to_settle else None,
            "Dispute": record.get_dispute_display() or None,
            "Error": record.error or None,
            "Method": method_words(record),
            "Email": record.email or None,
            "Saved card": str(record.saved_method) if record.saved_method else None,
            "Reference at the provider": record.charge or record.reference,
            "Reference": record.typed_reference or None,
            "Note": record.note or None,
            "Recorded by": person(record.recorded_by) or None,
            "Created": record.created_at,
            "Expires": record.expires_at if record.is_live else None,
            "Paid": record.paid_at,
        }

    def inspect_context(self, record: Payment, request: HttpRequest) -> dict[str, Any]:
        return {
            "record_url": existing_path(selectors.record_url(record)),
            "refunds": [_refund(refund) for refund in record.refunds.select_related("payment", "requested_by")],
            "events": record.events.order_by("-pk")[:50],
        }


def _refund(refund: Refund) -> dict[str, Any]:
    return {
        "amount": format_money(refund.amount),
        "status": "Made in another way" if refund.is_by_hand else refund.get_status_display(),
        "is_done": refund.status == RefundStatus.SUCCEEDED,
        "why": refund.reason if refund.is_by_hand else refund.error or refund.reason,
        "by": person(refund.requested_by),
        "at": local_date(refund.created_at),
    }
