"""The common part of sales in the admin: their pages, columns, CSV files, and the buttons that take and give back money."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, ClassVar

from django.http import HttpRequest

from cms_api.adminkit.columns import BoundColumn, StatusColumn
from cms_api.adminkit.history import register_log_actions
from cms_api.adminkit.transitions import Transition
from cms_api.adminkit.viewset import RecordViewSet
from cms_api.http.signed_links import SignedLink
from commerce.common.admin.amounts import RecordedPaymentForm, RefundForm
from commerce.common.admin.cells import figure, logged_amount
from commerce.common.selectors import format_money
from commerce.common.types.money import Money
from commerce.payments.selectors import payments_of, refundable_cents, refunds_of
from commerce.payments.services import check_refund
from commerce.payments.types import RECORDED

from .resources import Row, refunded_row
from .services import RefundablePayable, SalePayable

ON_ITS_WAY = "Payment on its way"


def register_sale_actions(prefix: str) -> None:
    """Register the actions that `services.SalePayable` logs with a prefix."""
    register_log_actions(
        {
            f"{prefix}.payment_processing": ("Payment on its way", "A payment is on its way"),
            f"{prefix}.payment_failed": ("Payment failed", "The payment failed"),
            # Those of donations once had the amount as text.
            f"{prefix}.refund": (
                "Request refund",
                lambda data: f"Refund of {data.get('amount') or logged_amount(data)} requested",
            ),
            f"{prefix}.refunded": ("Refunded", lambda data: f"Refunded {logged_amount(data)}"),
            f"{prefix}.refund_failed": ("Refund failed", lambda data: f"A refund of {logged_amount(data)} failed"),
        }
    )


def price_words(sale: Any) -> str:
    """Return the total of a sale with its currency, or that it is free."""
    return format_money(sale.total) if sale.total_cents else "Free"


def money_note(sale: Any) -> str:
    """Return what the status of a sale doesn't say of its money: that it is on its way, or how much of it has gone back."""
    if sale.is_processing:
        return ON_ITS_WAY
    is_part = sale.refunded_cents > 0 and sale.status != "refunded"
    return f"{format_money(Money(sale.refunded_cents, sale.currency))} refunded" if is_part else ""


def amounts_for_csv(*names: str) -> dict[str, Callable[[Any], Decimal]]:
    """Return columns of a CSV file with the amounts that a sale has in columns such as `tax_cents`: "Tax"."""
    return {name.replace("_", " ").capitalize(): figure(f"{name}_cents") for name in names}


def currency(sale: Any) -> str:
    return str(sale.currency).upper()


def items(sale: Any) -> str:
    """Return the items of a sale in a line: "2 x Adult; 1 x Child"."""
    return "; ".join(map(str, sale.items.all()))


class SaleRefundForm(RefundForm):
    """Asks how much of the payments of a sale goes back."""

    payable: ClassVar[str]

    def most_of(self, record: Any) -> int:
        return refundable_cents(self.payable, record.pk)

    def check(self, amount_cents: int) -> int:
        return check_refund(payable=self.payable, record_id=self.record.pk, amount_cents=amount_cents)


class BalanceForm(RecordedPaymentForm):
    """Asks for money that has arrived for what is paid in parts."""

    methods = RECORDED

    def most_of(self, record: Any) -> int:
        cents: int = record.balance_due_cents
        return cents


class WholePaymentForm(RecordedPaymentForm):
    """Asks how the whole total has arrived."""

    methods = RECORDED

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        del self.fields["amount_cents"]

    def most_of(self, record: Any) -> int:
        cents: int = record.total_cents
        return cents


def payment_button(kind: SalePayable[Any], *, offered: Callable[[Any], bool] | None = None, **options: Any) -> Transition:
    """Return the button that records a payment; sales that wait for one have it, unless others are `offered` it."""

    def is_due(sale: Any) -> bool:
        return kind.is_awaiting(sale) and not sale.is_processing

    def run(sale: Any, user: Any, values: Mapping[str, Any]) -> Any:
        return kind.record_payment(sale, values, user=user)

    usual = {"done": "Payment of {record} recorded.", "form": WholePaymentForm, "on_page": True}
    return Transition("record_payment", "Record payment", run, offered=offered or is_due, **{**usual, **options})


def refund_button(
    kind: RefundablePayable[Any], *, offered: Callable[[Any], bool] = lambda sale: True, **options: Any
) -> Transition:
    """Return the button that refunds: for records that are `offered` it, as far as something is left to give back."""

    def is_offered(sale: Any) -> bool:
        return offered(sale) and refundable_cents(kind.payable, sale.pk) > 0

    def run(sale: Any, user: Any, values: Mapping[str, Any]) -> Any:
        return kind.refund(sale, amount_cents=values["amount_cents"], reason=values["reason"], user=user)

    usual = {
        "label": "Refund",
        "run": run,
        "done": "Refund of {record} started.",
        "form": type("RefundForm", (SaleRefundForm,), {"payable": kind.payable}),
    }
    return Transition("refund", offered=is_offered, on_page=True, serious=True, **{**usual, **options})


class SaleStatusColumn(BoundColumn, StatusColumn):
    """The status of a sale, with the colour and the note that its `SaleViewSet` gives it."""

    def __init__(self) -> None:
        super().__init__("status", label="Status")

    def get_cell_context_data(self, instance: Any, parent_context: Any) -> dict[str, Any]:
        viewset = self.view.viewset
        words = {"value": viewset.get_status(instance), "tone": viewset.get_tone(instance), "note": viewset.get_note(instance)}
        return super().get_cell_context_data(instance, parent_context) | words


class SaleViewSet(RecordViewSet):
    """The pages of a kind of sale. A kind declares its columns, filters and buttons, and says what is particular to it."""

    #: Its name in `Module.payables`.
    payable: ClassVar[str]
    #: The customer's page of a sale, and the words of the link that leads there.
    customer_link: ClassVar[SignedLink[Any] | None] = None
    customer_label: ClassVar[str] = "Customer's page"
    #: The colours of its statuses; grey where there is none.
    tones: ClassVar[Mapping[Any, str]] = {}

    icon = "clipboard-list"
    pages: ClassVar[Any] = ("inspect", "history")
    inspect_template_name = "sales_admin/sale.html"

    def get_status(self, sale: Any) -> str:
        """Return the status of a sale as people see it."""
        return str(sale.get_status_display())

    def get_tone(self, sale: Any) -> str:
        """Return the colour of its status; see `StatusColumn`."""
        return self.tones.get(sale.status, "")

    def get_note(self, sale: Any) -> str:
        """Return what its status doesn't say of a sale."""
        return money_note(sale)

    def get_links(self, sale: Any) -> list[tuple[str, str]]:
        """Return the URLs and labels of a sale's other pages."""
        return [(self.customer_link.path(sale), self.customer_label)] if self.customer_link else []

    def get_sums(self, sale: Any) -> Sequence[Row]:
        """Return the amounts of a sale, with their labels."""
        return [("Total", price_words(sale)), *refunded_row(sale)]

    def facts(self, record: Any) -> dict[str, Any]:
        return {"Status": " · ".join(filter(None, (self.get_status(record), self.get_note(record))))}

    def inspect_context(self, record: Any, request: HttpRequest) -> dict[str, Any]:
        return {
            "sums": self.get_sums(record),
            "payments": payments_of(self.payable, record.pk),
            "refunds": refunds_of(self.payable, record.pk),
            "links": self.get_links(record),
        }
