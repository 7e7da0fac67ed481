"""Ends sales that nobody has paid in time."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import Model, Q, QuerySet
from django.utils import timezone

from cms_api.core import batches
from cms_api.core.batches import Run
from commerce.payments.services import close_payments

from .paying import SalePayable

SaleT = TypeVar("SaleT", bound=Model)

#: Sales that one run of a job works on; the next run continues.
SALES_PER_RUN = 500


def reserved_until_now(status: str) -> Q:
    """Return the condition of sales with a status whose `reserved_until` has passed, and whose money is not on its way."""
    return Q(reserved_until__lte=timezone.now(), status=status, is_processing=False)


def lapse_unpaid(
    kind: SalePayable[SaleT], unpaid: QuerySet[SaleT], lapse: Callable[[SaleT], object], *, run: Run | None = None
) -> int:
    """Call `lapse` with each of some unpaid sales, locked and in a transaction of its own; return how often it was called.

    The payment pages are closed at the provider first; a sale that was paid at the last moment is settled instead. `run` is that
    of a job that also works on other rows.
    """

    @transaction.atomic
    def end(pk: Any) -> bool:
        sale = kind.lock(pk)
        if sale is None or not unpaid.filter(pk=pk).exists():
            return False
        lapse(sale)
        return True

    def close(pk: Any) -> bool:
        return close_payments(payable=kind.payable, record_id=pk) and end(pk)

    each = run.each if run is not None else batches.each
    return each(unpaid.values_list("pk", flat=True), close, limit=SALES_PER_RUN)
