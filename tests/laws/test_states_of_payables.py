"""Every record that customers pay for, in every state of its money: what its customer, staff and the API are shown.

The records get there by services of the product and messages of the provider. `tests.commerce.sales.kinds` has the kinds.
"""

import html
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.module_loading import import_string

from cms_api.core import registry
from cms_api.flags.services import set_setting, switch_feature
from commerce.common.selectors import format_money
from commerce.common.types.money import Money
from commerce.payments.models import Payment, Refund
from commerce.payments.selectors import live_payments, payments_of
from commerce.payments.services import start_payment
from tests.builders import make_token
from tests.client import Api
from tests.commerce.payments.conftest import send
from tests.commerce.payments.stripe_stub import BANK, SECRET_KEY, SIGNING_SECRET, StripeStub
from tests.commerce.sales.declaring import (
    CURRENCY,
    DISPUTED,
    FAILED,
    FAILED_REFUND,
    LAPSED,
    LIKE,
    PAID,
    PAID_LATE,
    PARTLY_REFUNDED,
    PENDING,
    PROCESSING,
    REFUNDED,
    TWICE,
    UNAPPLIED,
    Kind,
)
from tests.commerce.sales.kinds import KINDS, make, open_business, reloaded
from tests.commerce.sales.stages import observed
from tests.people import alice
from tests.visitor import hidden

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@dataclass(frozen=True)
class Expected:
    """The state of a record's money."""

    state: str
    is_due: bool = False
    is_on_its_way: bool = False
    #: Money that was applied, in minor units, and how much of it has gone back.
    applied_cents: int = 0
    refunded_cents: int = 0
    #: Money that waits to be settled.
    unsettled: Money | None = None
    #: A refund that the provider could not make.
    failed_refund_cents: int = 0
    is_disputed: bool = False
    error: str = ""

    @property
    def left_cents(self) -> int:
        return self.applied_cents - self.refunded_cents


@dataclass
class Scene:
    """A record, with what its customer, their bank, staff and the clock do."""

    payable: str
    stub: StripeStub
    commits: Callable[[], AbstractContextManager[Any]]
    wait: Callable[[timedelta], None]
    record: Any = None
    price: Money = field(init=False)

    def __post_init__(self) -> None:
        with self.commits():
            self.record = make(self.payable)
        due = registry.payables()[self.payable].amount_due(self.record)
        assert due
        self.price = due

    @property
    def kind(self) -> Kind:
        return KINDS[self.payable]

    def hear(self, message: dict[str, Any]) -> None:
        with self.commits():
            assert send(message).status_code == 200

    def begin(self) -> Payment:
        with self.commits():
            return start_payment(payable=self.payable, record_id=self.record.pk)

    def pay(self, **how: Any) -> Payment:
        payment = self.begin()
        self.hear(self.stub.pay(payment.reference, **how))
        payment.refresh_from_db()
        return payment

    def fail(self) -> Payment:
        """A payment by bank that fails. It may arrive after all."""
        payment = self.pay(by=BANK)
        self.hear(self.stub.arrive(payment.reference, fails=True))
        return payment

    def arrive(self, payment: Payment) -> None:
        self.hear(self.stub.arrive(payment.reference))

    def refund(self, cents: int) -> None:
        with self.commits():
            self.kind.refund(reloaded(self.record), cents)

    def lapse(self) -> None:
        """Let the time to pay pass, for the provider's page and for the job of the module."""
        assert self.kind.lapse is not None
        self.wait(self.kind.lapses_after)
        for payment in live_payments(self.payable):
            self.hear(self.stub.expire(payment.reference))
        with self.commits():
            self.kind.lapse()

    def end(self) -> None:
        assert self.kind.end is not None
        with self.commits():
            self.kind.end(reloaded(self.record))


def pending(scene: Scene) -> Expected:
    return Expected(PENDING, is_due=True)


def processing(scene: Scene) -> Expected:
    scene.pay(by=BANK)
    return Expected(PROCESSING, is_on_its_way=True)


def paid(scene: Scene) -> Expected:
    scene.pay()
    return Expected(PAID, applied_cents=scene.price.cents)


def partly_refunded(scene: Scene) -> Expected:
    scene.pay()
    part = scene.price.cents // 4
    scene.refund(part)
    return Expected(PARTLY_REFUNDED, scene.kind.is_due_again, applied_cents=scene.price.cents, refunded_cents=part)


def refunded(scene: Scene) -> Expected:
    scene.pay()
    scene.refund(scene.price.cents)
    return Expected(REFUNDED, scene.kind.is_due_again, applied_cents=scene.price.cents, refunded_cents=scene.price.cents)


def failed_refund(scene: Scene) -> Expected:
    scene.pay()
    scene.stub.refunds_pend = True
    scene.refund(scene.price.cents)
    scene.hear(scene.stub.decide_refund(Refund.objects.get().reference, "failed"))
    return Expected(FAILED_REFUND, applied_cents=scene.price.cents, failed_refund_cents=scene.price.cents)


def lapsed(scene: Scene) -> Expected:
    scene.begin()
    scene.lapse()
    return Expected(LAPSED, is_due=scene.kind.is_due_after_lapse)


def disputed(scene: Scene) -> Expected:
    payment = scene.pay()
    scene.hear(scene.stub.disputed(payment.charge))
    return Expected(DISPUTED, applied_cents=scene.price.cents, is_disputed=True)


def paid_twice(scene: Scene) -> Expected:
    first = scene.fail()
    scene.pay()
    scene.arrive(first)
    return Expected(TWICE, applied_cents=scene.price.cents, unsettled=scene.price)


def paid_late(scene: Scene) -> Expected:
    """Money that arrives after the time to pay."""
    payment = scene.fail()
    scene.lapse()
    scene.arrive(payment)
    if scene.kind.takes_late_money:
        return Expected(PAID, applied_cents=scene.price.cents)
    return Expected(LAPSED, unsettled=scene.price)


def unapplied(scene: Scene) -> Expected:
    """Money that arrives for a record that was ended."""
    payment = scene.fail()
    scene.end()
    scene.arrive(payment)
    return Expected(UNAPPLIED, unsettled=scene.price)


def in_another_currency(scene: Scene) -> Expected:
    scene.pay(currency="eur")
    return Expected(CURRENCY, is_due=True, unsettled=Money(scene.price.cents, "eur"))


def failed_payment(scene: Scene) -> Expected:
    scene.fail()
    return Expected(FAILED, is_due=True, error="The account was closed.")


STATES: dict[str, Callable[[Scene], Expected]] = {
    PENDING: pending,
    PROCESSING: processing,
    PAID: paid,
    PARTLY_REFUNDED: partly_refunded,
    REFUNDED: refunded,
    LAPSED: lapsed,
    DISPUTED: disputed,
    TWICE: paid_twice,
    PAID_LATE: paid_late,
    UNAPPLIED: unapplied,
    CURRENCY: in_another_currency,
    FAILED: failed_payment,
    FAILED_REFUND: failed_refund,
}
CASES = [(payable, state) for payable, kind in KINDS.items() for state in STATES if state not in kind.impossible]
IMPOSSIBLE = [(payable, state) for payable, kind in KINDS.items() for state in kind.impossible]


@pytest.fixture
def stub(db: None, settings: Any) -> Iterator[StripeStub]:
    open_business()
    switch_feature(name="api", on=True)
    stub = StripeStub(clock=lambda: timezone.now().timestamp()).start()
    settings.STRIPE_SECRET_KEY, settings.STRIPE_API_BASE = SECRET_KEY, stub.url
    settings.STRIPE_WEBHOOK_SECRETS = [SIGNING_SECRET]
    set_setting(key="payments.provider", value="stripe")
    yield stub
    stub.stop()


@pytest.fixture
def set_scene(
    stub: StripeStub, django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], Scene]]:
    """A scene, whose record may not change but as `commerce.sales.types.TRANSITIONS` says."""
    now = timezone.now

    def wait(time: timedelta) -> None:
        later = timezone.now() - now() + time
        monkeypatch.setattr(timezone, "now", lambda: now() + later)

    def commits() -> AbstractContextManager[Any]:
        context: AbstractContextManager[Any] = django_capture_on_commit_callbacks(execute=True)
        return context

    with observed() as refused:
        yield lambda payable: Scene(payable, stub, commits, wait)
    assert not refused


def read(client: Client, path: str) -> tuple[str, str]:
    """A page as it is written, and its words."""
    answer = client.get(path)
    assert answer.status_code == 200, (path, answer.status_code)
    page = answer.content.decode()
    bare = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return page, " ".join(html.unescape(re.sub(r"<[^>]+>", " ", bare)).split())


def test_every_kind_of_record_that_is_paid_for_is_covered() -> None:
    assert KINDS.keys() == registry.payables().keys()


@pytest.mark.parametrize(("payable", "state"), CASES, ids=[f"{payable}, {state}" for payable, state in CASES])
def test_it_works(
    payable: str,
    state: str,
    set_scene: Callable[[str], Scene],
    sign_in: Callable[[Any], Client],
    without_menu: None,
) -> None:
    scene = set_scene(payable)
    expected = STATES[state](scene)
    record = reloaded(scene.record)
    status, words = shown(scene.kind, expected.state)
    assert record.status == status
    visitor = scene.kind.visitor(record)
    check_visitors_page(scene, record, expected, words, sign_in(visitor) if visitor else Client())
    staff = sign_in(alice())
    check_admins_page(scene, record, expected, staff)
    check_payments(scene, expected, staff)
    if scene.kind.api:
        (ability,) = {f"{scene.kind.api.partition('/')[0]}:read"}
        data = Api(make_token(ability)).data(f"/{scene.kind.api}/{record.pk}")
        assert (data["status"], data["currency"]) == (status, scene.price.currency)


def shown(kind: Kind, state: str) -> tuple[str, str]:
    return kind.shown[state if state in kind.shown else LIKE[state]]


def check_visitors_page(scene: Scene, record: Any, expected: Expected, words: str, client: Client) -> None:
    kind = scene.kind
    page, text = read(client, kind.page(record))
    assert words in text
    button = re.search(rf'<form[^>]* action="{re.escape(kind.pays_at(record))}".*?</form>', page, re.DOTALL)
    is_offered = expected.is_due and not expected.unsettled
    if kind.sells_again:
        is_offered = not expected.is_on_its_way and expected.state != UNAPPLIED
    assert bool(button) == is_offered
    if button and kind.names_amount:
        due_cents = scene.price.cents - expected.left_cents
        assert re.search(rf"Pay [^<]*{re.escape(format_money(Money(due_cents, scene.price.currency)))}", button[0])
    if expected.refunded_cents and kind.shows_refunds:
        assert format_money(Money(expected.refunded_cents, scene.price.currency)) in text
        assert "refund" in text.lower()
    if expected.left_cents and kind.is_due_again:
        assert re.search(rf"Paid \W?{re.escape(format_money(Money(expected.left_cents, scene.price.currency)))}", text)
    notice = f"We've received {format_money(expected.unsettled)}" if expected.unsettled else "Please don't pay again"
    assert (notice in text) == bool(expected.unsettled)
    assert ("payment is on its way" in text or "Payment on its way" in text) == expected.is_on_its_way


def check_admins_page(scene: Scene, record: Any, expected: Expected, client: Client) -> None:
    kind, currency = scene.kind, scene.price.currency
    page, text = read(client, reverse(f"{kind.admin}:inspect", args=[record.pk]))
    for payment in payments_of(scene.payable, record.pk):
        assert f"{format_money(payment.amount)}, online: {payment.get_status_display().lower()}" in text
        assert reverse("payments:inspect", args=[payment.pk]) in page
    for said in (expected.error, expected.unsettled and format_money(expected.unsettled), expected.is_disputed and "disputed"):
        assert not said or said in text
    if expected.refunded_cents:
        assert f"{format_money(Money(expected.refunded_cents, currency))} refunded" in text
    if expected.failed_refund_cents:
        assert re.search(rf"{re.escape(format_money(Money(expected.failed_refund_cents, currency)))}, failed", text)
    assert ("ayment on its way" in text) == expected.is_on_its_way
    # The button to refund, and what it may give back.
    path = reverse(f"{kind.admin}:refund", args=[record.pk])
    assert (f'"{path}"' in page) == (expected.left_cents > 0)
    if expected.left_cents:
        left = format_money(Money(expected.left_cents, currency))
        assert f"at most {left}" in read(client, path)[1]
        too_much = Money(expected.left_cents + 1, currency).amount
        answer = client.post(path, {**hidden(client, path), "amount_cents": str(too_much)})
        assert answer.status_code == 422
        assert f"at most {left}." in answer.content.decode()
    assert Refund.objects.filter(payment__unapplied="").count() == bool(expected.refunded_cents or expected.failed_refund_cents)


def check_payments(scene: Scene, expected: Expected, client: Client) -> None:
    """The pages of the payments, of which one settles the money that waits."""
    payments = list(payments_of(scene.payable, scene.record.pk))
    to_settle = [each for each in payments if each.is_to_settle]
    assert [each.amount for each in to_settle] == ([expected.unsettled] if expected.unsettled else [])
    for payment in payments:
        page, text = read(client, reverse("payments:inspect", args=[payment.pk]))
        assert f"Amount {format_money(payment.amount)}" in text
        assert registry.payables()[scene.payable].url(scene.record.pk) in page
        assert ("This payment could not be applied." in text) == payment.is_to_settle
        for name in ("apply", "refund"):
            assert (reverse(f"payments:{name}", args=[payment.pk]) in page) == payment.is_to_settle
        assert ("The customer disputes this payment" in text) == expected.is_disputed
        by_hand = reverse("payments:record-refund", args=[payment.pk])
        assert (by_hand in page) == bool(expected.failed_refund_cents)
    listed = read(client, f"{reverse('payments:index')}?to_settle=yes")[0]
    assert [reverse("payments:inspect", args=[each.pk]) in listed for each in payments] == [
        each.is_to_settle for each in payments
    ]
    if expected.unsettled:
        refund = reverse("payments:refund", args=[to_settle[0].pk])
        assert f"{format_money(expected.unsettled)} goes back to the customer." in read(client, refund)[1]


@pytest.mark.parametrize(("payable", "state"), IMPOSSIBLE, ids=[f"{payable}, {state}" for payable, state in IMPOSSIBLE])
def test_the_states_that_a_kind_refuses(payable: str, state: str, set_scene: Callable[[str], Scene]) -> None:
    scene = set_scene(payable)
    if state == UNAPPLIED:
        scene.arrive(scene.fail())
        assert not payments_of(payable, scene.record.pk).exclude(unapplied="").exists()
        return
    scene.wait(scene.kind.lapses_after)
    module = next(each for each in registry.modules() if payable in each.records.payables)
    for job in module.jobs:
        with scene.commits():
            import_string(job.function)()
    assert reloaded(scene.record).status == scene.record.status
    assert scene.begin().status == "open"
