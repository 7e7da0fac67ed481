"""Invitations: to everybody, once for each order or appointment, after a delay, and not if it was refunded by then."""

from collections.abc import Callable
from typing import Any

import pytest

from cms_api.content.models import ContentItem
from cms_api.content.services.items import update_item
from cms_api.core.batches import RowsFailed
from cms_api.flags.services import set_setting, switch_feature
from cms_api.mail.models import OutgoingMail
from commerce.booking.models import Appointment
from commerce.booking.services import APPOINTMENTS, cancel_appointment, complete_appointment, mark_no_show
from commerce.reviews.models import Invitation, OptOut
from commerce.reviews.selectors import DECLINE_LINK, INVITATION_LINK
from commerce.reviews.services import decline_invitations, invitations, skip_invitation
from commerce.reviews.services.invitations import invite_buyer, send_due_invitations
from commerce.shop.models import Order
from commerce.shop.services.ending import refund_order
from commerce.shop.services.fulfilling import fulfill_order
from commerce.ticketing.models import TicketOrder
from commerce.ticketing.services.ending import refund_order as refund_tickets
from tests.client import together
from tests.commerce.booking.builders import make_appointment, make_service
from tests.commerce.booking.builders import pay as pay_appointment
from tests.commerce.shop.builders import make_paid_order, make_variant
from tests.commerce.ticketing.builders import make_sales
from tests.commerce.ticketing.builders import paid_order as make_ticket_order
from tests.unprotected import meet_before, without_transactions

from .builders import mails

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def selling(reviews: None, clock: Callable[[str], None]) -> None:
    clock("2026-03-02 08:00")
    for name in ("shop", "booking"):
        switch_feature(name=name, on=True)
    set_setting(key="payments.allow_test_payments", value=True)


def fulfilled(**values: Any) -> Order:
    order = make_paid_order((make_variant(product={"name": "Mug"}), 2), (make_variant(product={"name": "Bowl"}), 1), **values)
    return fulfill_order(order=order)


def completed() -> Appointment:
    appointment = make_appointment(make_service("Throwing class"))
    return complete_appointment(appointment=appointment)


def visited() -> tuple[ContentItem, TicketOrder]:
    """An event on 20 March that somebody has a ticket for."""
    switch_feature(name="events", on=True)
    event = make_sales(start="2026-03-20T18:00")
    return event, make_ticket_order(event)


def outcome() -> tuple[str, str]:
    invitation = Invitation.objects.get()
    return invitation.state, invitation.reason


@pytest.mark.both_databases
def test_it_works(clock: Callable[[str], None]) -> None:
    order = fulfilled(email="Dana@Example.com")
    invitation = Invitation.objects.get()
    assert (invitation.source, invitation.record_id, invitation.email) == ("order", order.pk, "dana@example.com")
    assert [each.name for each in invitation.about] == ["Mug", "Bowl"]
    clock("2026-03-09 07:59")
    send_due_invitations()
    assert mails("review_invitation") == []
    clock("2026-03-09 08:00")
    for _ in range(2):
        send_due_invitations()
    (mail,) = mails("review_invitation")
    assert (mail.recipient, mail.subject) == ("dana@example.com", f"How was your order {order.number}?")
    for link in (INVITATION_LINK.url(invitation), DECLINE_LINK.url(invitation)):
        assert link in mail.text
    assert mail.headers["List-Unsubscribe"] == f"<{DECLINE_LINK.url(invitation)}>"
    assert "loyalty" not in mail.text
    assert outcome() == ("sent", "")


def test_an_appointment(clock: Callable[[str], None]) -> None:
    appointment = completed()
    invitation = Invitation.objects.get()
    assert (invitation.source, invitation.record_id) == ("appointment", appointment.pk)
    assert [(each.kind, each.id) for each in invitation.about] == [("service", appointment.service_id)]
    clock("2026-03-09 08:00")
    send_due_invitations()
    assert [mail.subject for mail in mails("review_invitation")] == ["How was your appointment “Throwing class”?"]


@pytest.mark.both_databases
def test_a_record_is_asked_about_once() -> None:
    order = fulfilled()
    for _ in range(2):
        invite_buyer(order)
    assert Invitation.objects.count() == 1


def test_invitations_are_limited_for_each_mailbox(clock: Callable[[str], None]) -> None:
    """A stranger may have entered the address of somebody else in many free orders."""
    fulfilled()
    clock("2026-03-09 08:00")
    send_due_invitations()
    assert OutgoingMail.objects.get(template="review_invitation").is_limited


def test_nobody_is_asked_before_it_is_done() -> None:
    make_paid_order()
    appointment = make_appointment()
    cancel_appointment(appointment=appointment)
    mark_no_show(appointment=make_appointment())
    assert not Invitation.objects.exists()


def test_whole_refunds_and_parts_of_them(clock: Callable[[str], None]) -> None:
    order = fulfilled()
    partly = fulfilled()
    refund_order(order=order)
    refund_order(order=partly, amount_cents=100)
    clock("2026-03-09 08:00")
    send_due_invitations()
    states = dict(Invitation.objects.values_list("record_id", "state"))
    assert states == {order.pk: "skipped", partly.pk: "sent"}
    assert "refunded" in Invitation.objects.get(record_id=order.pk).reason


def test_pieces_that_were_refunded_before_are_left_out() -> None:
    order = make_paid_order((make_variant(product={"name": "Mug"}), 1), (make_variant(product={"name": "Bowl"}), 1))
    mug = order.items.get(name="Mug")
    refund_order(order=order, pieces={mug.pk: 1})
    fulfill_order(order=order)
    assert [each.name for each in Invitation.objects.get().about] == ["Bowl"]


def test_an_appointment_that_was_refunded(clock: Callable[[str], None]) -> None:
    appointment = make_appointment(make_service(deposit_cents=2000))
    pay_appointment(appointment)
    complete_appointment(appointment=appointment)
    APPOINTMENTS.refund(appointment, amount_cents=appointment.amount_paid_cents)
    clock("2026-03-09 08:00")
    send_due_invitations()
    assert outcome() == ("skipped", "The appointment was refunded.")


def test_one_that_declined_is_asked_no_more(clock: Callable[[str], None]) -> None:
    fulfilled(email="dana@example.com")
    for _ in range(2):
        decline_invitations(email="DANA@example.com")
    assert OptOut.objects.count() == 1
    clock("2026-03-09 08:00")
    send_due_invitations()
    assert outcome() == ("skipped", "The customer wants no invitations.")


def test_staff_can_stop_one() -> None:
    fulfilled()
    invitation = Invitation.objects.get()
    assert skip_invitation(invitation=invitation)
    assert not skip_invitation(invitation=invitation)
    assert outcome() == ("skipped", "Cancelled by staff.")


def test_settings(clock: Callable[[str], None]) -> None:
    set_setting(key="reviews.invitation_days", value=-3)
    fulfilled()
    set_setting(key="reviews.send_invitations", value=False)
    fulfilled()
    assert Invitation.objects.count() == 1
    send_due_invitations()
    assert outcome()[0] == "waiting"
    set_setting(key="reviews.send_invitations", value=True)
    switch_feature(name="shop", on=False)
    send_due_invitations()
    assert outcome()[0] == "waiting"
    switch_feature(name="shop", on=True)
    clock("2026-04-05 08:00")
    send_due_invitations()
    assert outcome() == ("skipped", "It was due too long ago.")


def test_nothing_is_planned_while_the_feature_is_off() -> None:
    switch_feature(name="reviews", on=False)
    fulfilled()
    assert not Invitation.objects.exists()


def test_members_hear_of_the_bonus(clock: Callable[[str], None]) -> None:
    switch_feature(name="loyalty", on=True)
    fulfilled()
    clock("2026-03-09 08:00")
    send_due_invitations()
    assert "Members receive 50 loyalty points" in mails("review_invitation")[0].text


def test_one_that_fails_does_not_stop_the_others(clock: Callable[[str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = fulfilled(), fulfilled()
    clock("2026-03-09 08:00")
    read = invitations._explain_refund

    def refunded(payable: str, pk: int, noun: str) -> str:
        if pk == first.pk:
            raise RuntimeError
        return read(payable, pk, noun)

    monkeypatch.setattr(invitations, "_explain_refund", refunded)
    with pytest.raises(RowsFailed, match="1 of 2 failed"):
        send_due_invitations()
    states = dict(Invitation.objects.values_list("record_id", "state"))
    assert states == {first.pk: "waiting", second.pk: "sent"}


@pytest.mark.django_db(transaction=True)
def test_jobs_at_once_send_one_mail(clock: Callable[[str], None]) -> None:
    fulfilled()
    clock("2026-03-09 08:00")
    together(lambda number: send_due_invitations(), 8)
    assert len(mails("review_invitation")) == 1


@pytest.mark.django_db(transaction=True)
def test_control_without_locks_jobs_at_once_would_send_several(
    clock: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    fulfilled()
    clock("2026-03-09 08:00")
    meet_before(monkeypatch, invitations, "_finish", threads=4)
    without_transactions(monkeypatch)
    together(lambda number: send_due_invitations(), 4)
    assert len(mails("review_invitation")) > 1


def test_a_visitor_of_an_event(clock: Callable[[str], None]) -> None:
    event, order = visited()
    clock("2026-03-27 12:00")
    send_due_invitations()
    assert mails("review_invitation") == []
    clock("2026-03-28 12:00")
    send_due_invitations()
    (mail,) = mails("review_invitation")
    assert mail.subject == f"How was your visit to “{event.title}”?"
    assert [(each.kind, each.id) for each in Invitation.objects.get().about] == [("event", order.event_id)]


def test_an_event_that_was_moved(clock: Callable[[str], None]) -> None:
    event, _ = visited()
    date = {**event.data["event_date"], "start": "2026-05-20T18:00", "end": None}
    update_item(item=event, values={"data": {"event_date": date}})
    clock("2026-03-28 12:00")
    send_due_invitations()
    assert outcome() == ("waiting", "")
    clock("2026-05-28 12:00")
    send_due_invitations()
    assert outcome() == ("sent", "")


def test_tickets_that_were_refunded(clock: Callable[[str], None]) -> None:
    _, order = visited()
    refund_tickets(order=order)
    clock("2026-03-28 12:00")
    send_due_invitations()
    assert outcome()[0] == "skipped"
