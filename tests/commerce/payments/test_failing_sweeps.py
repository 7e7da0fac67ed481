"""An outage of the disk or the database ends the sweep, which would log it for each row."""

import errno
from collections.abc import Callable

import pytest

from commerce.members.models import Plan
from commerce.payments.models import Payment
from commerce.payments.services import sweeping
from commerce.payments.services.sweeping import sweep_payments

from .bills import make_bill
from .conftest import start
from .stripe_stub import StripeStub

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def asked(stub: StripeStub, bill: Plan, wait: Callable[..., None]) -> tuple[list[int], list[int]]:
    """Two attempts that are due to be checked, and those of which somebody has asked."""
    payments = [start(bill), start(make_bill())]
    wait(minutes=10)
    return [payment.pk for payment in payments], []


def test_it_works(asked: tuple[list[int], list[int]], monkeypatch: pytest.MonkeyPatch) -> None:
    wanted, done = asked

    def check(payment: Payment) -> None:
        done.append(payment.pk)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(sweeping, "_check", check)
    with pytest.raises(OSError, match="No space"):
        sweep_payments()
    assert done == wanted[:1]
