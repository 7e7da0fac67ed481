"""Deposits, approval, the balance, late money, refunds, and appointments whose deposit was not paid in time."""

import re
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from cms_api.webhooks.models import OutboxEvent
from commerce.booking.models import Appointment, BookedSlot, BookingCode
from commerce.booking.services import (
    APPOINTMENTS,
    cancel_appointment,
    complete_appointment,
    confirm_appointment,
    reschedule_appointment,
)
from commerce.booking.services.housekeeping import lapse_appointments
from commerce.booking.types.appointments import PAYABLE
from commerce.payments.models import Payment, Refund
from commerce.payments.services import close_payments, decide_test_payment, settle, start_payment
from commerce.payments.services.refunds import apply_refund
from commerce.payments.services.unapplied import apply_unapplied
from commerce.payments.types import PaymentStatus, RefundOutcome, RefundStatus

from .builders import at, make_appointment, make_code, make_service, pay, refusals, utc

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("booking")]


def booked(**changes: Any) -> Appointment:
    """An appointment at 50.00 that waits for its deposit of 20.00."""
    values = changes.pop("service", {})
    return make_appointment(make_service(**{"deposit_cents": 2000, **values}), **changes)


def start(appointment: Appointment) -> Payment:
    return start_payment(payable=PAYABLE, record_id=appointment.pk)


def reserved_until(appointment: Appointment, minutes: int) -> None:
    Appointment.objects.filter(pk=appointment.pk).update(reserved_until=timezone.now() + timedelta(minutes=minutes))


def lapse(appointment: Appointment) -> None:
    reserved_until(appointment, -1)
    lapse_appointments()
    appointment.refresh_from_db()


def arrive_late(payment: Payment) -> Payment:
    """The provider took the money although the page was to be closed: the site hears of it later."""
    Payment.objects.filter(pk=payment.pk).update(provider_state={"status": "succeeded"})
    return settle(payment_id=payment.pk)


def amounts(appointment: Appointment) -> tuple[int, int]:
    appointment.refresh_from_db()
    return appointment.amount_paid_cents, appointment.balance_due_cents


def kinds() -> list[str]:
    return list(OutboxEvent.objects.order_by("pk").values_list("kind", flat=True))


def test_it_works() -> None:
    appointment = booked()
    assert (appointment.status, kinds()) == ("pending", [])
    assert start(appointment).amount_cents == 2000
    assert pay(appointment).unapplied == ""
    assert (appointment.status, appointment.reserved_until, kinds()) == ("confirmed", None, ["booking.created"])
    assert amounts(appointment) == (2000, 3000)
    # The balance, and then nothing is due.
    assert pay(appointment).amount_cents == 3000
    assert amounts(appointment) == (5000, 0)
    assert list(refusals(lambda: start(appointment))) == ["status"]
    assert kinds() == ["booking.created"]


def test_the_balance_is_paid_after_the_appointment() -> None:
    appointment = booked()
    pay(appointment)
    complete_appointment(appointment=appointment)
    pay(appointment)
    assert (amounts(appointment), appointment.status) == ((5000, 0), "completed")


def test_a_deposit_is_never_more_than_what_is_left_of_the_price() -> None:
    make_code("MOST", percent=Decimal(70))
    appointment = booked(discount_code="MOST")
    assert (appointment.discount_cents, appointment.deposit_cents) == (3500, 1500)
    make_code("FREE", percent=Decimal(100))
    free = booked(discount_code="FREE")
    assert (free.status, free.deposit_cents, free.total_cents) == ("confirmed", 0, 0)
    assert list(refusals(lambda: start(free))) == ["status"]


def test_without_a_way_to_pay_a_deposit_nothing_is_booked() -> None:
    set_setting(key="payments.allow_test_payments", value=False)
    assert list(refusals(booked)) == ["payment"]
    assert not BookedSlot.objects.exists()
    assert booked(by_staff=True).status == "confirmed"


def test_a_lapsed_deposit_gives_back_the_time_and_the_code() -> None:
    make_code("ONCE", max_uses=1)
    appointment = booked(discount_code="ONCE")
    reserved_until(appointment, 1)
    lapse_appointments()
    appointment.refresh_from_db()
    assert appointment.status == "pending"
    lapse(appointment)
    assert (appointment.status, appointment.slot, appointment.has_redeemed) == ("cancelled", None, False)
    assert (BookingCode.objects.get().used, BookedSlot.objects.exists(), kinds()) == (0, False, [])
    assert list(refusals(lambda: start(appointment))) == ["status"]
    assert make_appointment(appointment.service, discount_code="ONCE").discount_cents == 500


def test_one_that_was_paid_at_the_last_moment_is_confirmed_by_the_job() -> None:
    appointment = booked()
    decide_test_payment(payment=start(appointment), status=PaymentStatus.SUCCEEDED)
    lapse(appointment)
    assert (appointment.status, amounts(appointment)) == ("confirmed", (2000, 3000))


@pytest.mark.parametrize("is_taken", [True, False])
def test_money_that_arrives_after_the_lapse_stays_unapplied(is_taken: bool) -> None:
    appointment = booked()
    payment = start(appointment)
    lapse(appointment)
    if is_taken:
        make_appointment(appointment.service, email="first@example.com")
    settled = arrive_late(payment)
    assert (settled.status, bool(settled.unapplied)) == (PaymentStatus.SUCCEEDED, True)
    assert (amounts(appointment), appointment.status) == ((0, 5000), "cancelled")
    assert BookedSlot.objects.count() == is_taken


def test_starting_to_pay_extends_the_reservation() -> None:
    appointment = booked()
    reserved_until(appointment, 2)
    start(appointment)
    appointment.refresh_from_db()
    assert appointment.reserved_until is not None
    assert appointment.reserved_until > timezone.now() + timedelta(minutes=20)


def test_a_payment_that_takes_days_keeps_the_time() -> None:
    appointment = booked()
    pay(appointment, PaymentStatus.PROCESSING)
    assert (appointment.status, appointment.is_processing) == ("pending", True)
    assert list(refusals(lambda: start(appointment))) == ["status"]
    lapse(appointment)
    assert appointment.status == "pending"
    Payment.objects.update(provider_state={"status": "succeeded"})
    settle(payment_id=Payment.objects.get().pk)
    assert (amounts(appointment), appointment.status, appointment.is_processing) == ((2000, 3000), "confirmed", False)


def test_money_for_an_appointment_that_is_over_is_not_applied(clock: Callable[[str], None]) -> None:
    clock("2026-03-02 08:00")
    appointment = booked(starts_at=utc("2026-03-02 09:00"))
    pay(appointment, PaymentStatus.PROCESSING)
    clock("2026-03-04 08:00")
    Payment.objects.update(provider_state={"status": "succeeded"})
    settled = settle(payment_id=Payment.objects.get().pk)
    appointment.refresh_from_db()
    assert settled.unapplied == "The time to pay for this appointment has ended."
    assert (appointment.status, appointment.is_processing, amounts(appointment)[0]) == ("pending", False, 0)
    assert not OutgoingMail.objects.filter(recipient=appointment.email).exists()
    # Once staff have confirmed that it took place, they can apply the money.
    assert confirm_appointment(appointment=appointment)
    assert apply_unapplied(payment=settled)
    assert amounts(appointment) == (2000, 3000)


def test_an_appointment_that_is_over_cannot_be_paid(clock: Callable[[str], None]) -> None:
    clock("2026-03-02 08:00")
    appointment = booked(starts_at=utc("2026-03-02 08:15"), service={"duration_minutes": 15})
    clock("2026-03-02 08:31")
    assert refusals(lambda: start(appointment)) == {"status": "The time to pay for this appointment has ended."}


def test_a_payment_that_failed_can_be_repeated() -> None:
    appointment = booked()
    pay(appointment, PaymentStatus.PROCESSING)
    Payment.objects.update(provider_state={"status": "failed"})
    settle(payment_id=Payment.objects.get().pk)
    appointment.refresh_from_db()
    assert (appointment.status, appointment.is_processing) == ("pending", False)
    pay(appointment)
    assert appointment.status == "confirmed"


def test_less_than_the_deposit_stays_unapplied() -> None:
    appointment = booked()
    payment = start(appointment)
    Appointment.objects.update(deposit_cents=2001)
    assert arrive_late(payment).unapplied == "$20.00 arrived, and the deposit of $20.01 can't be paid in part."
    assert (amounts(appointment)[0], appointment.status) == (0, "pending")


def test_another_currency_stays_unapplied() -> None:
    appointment = booked()
    payment = start(appointment)
    Appointment.objects.update(currency="eur")
    assert bool(arrive_late(payment).unapplied)


def test_a_deposit_counts_although_staff_confirmed_meanwhile() -> None:
    appointment = booked()
    payment = start(appointment)
    assert confirm_appointment(appointment=appointment) is True
    assert arrive_late(payment).unapplied == ""
    assert amounts(appointment) == (2000, 3000)
    assert kinds() == ["booking.created"]
    # The same amount again is a part of the balance; of a third time, only what is left of that is due.
    Payment.objects.update(status=PaymentStatus.EXPIRED, unapplied="")
    assert arrive_late(payment).unapplied == ""


def test_cancelling_closes_the_payment_page() -> None:
    pending, confirmed = booked(), make_appointment()
    for appointment in (pending, confirmed):
        payment = start(appointment)
        assert cancel_appointment(appointment=appointment)
        payment.refresh_from_db()
        assert payment.status == PaymentStatus.EXPIRED
        assert not decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
        assert bool(arrive_late(payment).unapplied)
        assert (amounts(appointment)[0], appointment.status) == (0, "cancelled")


def test_one_that_is_paid_while_it_is_cancelled_stays() -> None:
    """Somebody who cancels what is not paid yet has not agreed to lose the money."""
    appointment = booked()
    pay(Appointment.objects.get(pk=appointment.pk))
    assert refusals(lambda: cancel_appointment(appointment=appointment)).keys() == {"status"}
    appointment.refresh_from_db()
    assert appointment.status == "confirmed"
    assert cancel_appointment(appointment=appointment)


def test_cancelling_what_is_paid_refunds_nothing() -> None:
    appointment = booked()
    pay(appointment)
    assert cancel_appointment(appointment=appointment)
    assert amounts(appointment) == (2000, 3000)
    assert Payment.objects.get().refunded_cents == 0


def test_a_pending_one_whose_deposit_was_refunded_lapses(settings: Any) -> None:
    settings.BUSINESS_EMAIL = "office@example.com"
    appointment = booked(service={"requires_approval": True})
    pay(appointment)
    assert (appointment.status, appointment.reserved_until) == ("pending", None)
    APPOINTMENTS.refund(appointment, amount_cents=500)
    appointment.refresh_from_db()
    assert (appointment.amount_paid_cents, appointment.reserved_until) == (1500, None)
    APPOINTMENTS.refund(appointment, amount_cents=1500)
    appointment.refresh_from_db()
    assert appointment.reserved_until is not None
    OutgoingMail.objects.all().delete()
    lapse(appointment)
    assert (appointment.status, appointment.slot, BookedSlot.objects.exists()) == ("cancelled", None, False)
    sent = OutgoingMail.objects.order_by("template").values_list("template", flat=True)
    assert list(sent) == ["booking_cancelled", "booking_notice"]


def test_a_refund_that_fails_keeps_the_time() -> None:
    appointment = booked(service={"requires_approval": True})
    pay(appointment)
    APPOINTMENTS.refund(appointment, amount_cents=2000)
    apply_refund(Refund.objects.get().pk, RefundOutcome(RefundStatus.FAILED, error="The account was closed."))
    lapse_appointments()
    appointment.refresh_from_db()
    assert (appointment.status, appointment.reserved_until, amounts(appointment)) == ("pending", None, (2000, 3000))


def test_refunds_are_taken_off() -> None:
    appointment = booked()
    pay(appointment)
    APPOINTMENTS.refund(appointment, amount_cents=500, reason="Late")
    assert (amounts(appointment), appointment.status) == ((1500, 3500), "confirmed")
    assert list(refusals(lambda: APPOINTMENTS.refund(appointment, amount_cents=1501))) == ["amount_cents"]
    APPOINTMENTS.refund(appointment, amount_cents=1500)
    assert amounts(appointment) == (0, 5000)


def test_a_late_customer_leaves_the_payment_page_open() -> None:
    appointment = make_appointment(make_service(cancel_notice_hours=1000))
    payment = start(appointment)
    assert list(refusals(lambda: cancel_appointment(appointment=appointment, by_customer=True))) == ["status"]
    payment.refresh_from_db()
    assert payment.status == PaymentStatus.OPEN
    assert close_payments(payable=PAYABLE, record_id=appointment.pk)


def test_a_pending_appointment_is_moved_and_paid() -> None:
    appointment = booked()
    payment = start(appointment)
    reschedule_appointment(appointment=appointment, starts_at=at(hour=15))
    decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    settle(payment_id=payment.pk)
    appointment.refresh_from_db()
    assert (appointment.status, appointment.starts_at) == ("confirmed", at(hour=15))


def test_the_payable_names_its_record() -> None:
    first, second = make_appointment(), make_appointment()
    assert APPOINTMENTS.name(first.pk) == f"Appointment {first.pk}"
    assert re.fullmatch(rf"/admin/.+/{first.pk}/", APPOINTMENTS.url(first.pk))
    payment = start(first)
    assert APPOINTMENTS.alternatives(payment) == [(second.pk, str(second))]
    with transaction.atomic():
        assert APPOINTMENTS.lock(10**9) is None
