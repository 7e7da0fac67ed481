"""Money that arrives for something with a strange title is applied: with the control characters of text that was read in another
encoding, or as long as the database allows."""

from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.core import mail as django_mail
from django.db import transaction
from django.db.models import Model

from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from cms_api.mail.services.sending import send_due
from commerce.members.services import choose_plan
from commerce.payments.models import Payment
from commerce.payments.services import decide_test_payment, record_payment, settle, start_payment
from commerce.payments.types import PaymentStatus
from commerce.ticketing.models import TicketOrder
from tests.commerce.booking.builders import make_appointment, make_service
from tests.commerce.directory.builders import make_ended, make_owner, make_purchase
from tests.commerce.donations.builders import make_campaign, make_donation
from tests.commerce.invoicing.builders import make_invoice
from tests.commerce.members.conftest import make_member
from tests.commerce.members.conftest import make_plan as make_membership
from tests.commerce.restaurant.builders import make_dish
from tests.commerce.restaurant.builders import make_order as make_meal
from tests.commerce.shop.builders import make_order as make_shop_order
from tests.commerce.shop.builders import make_variant
from tests.commerce.ticketing.builders import make_order as make_ticket_order
from tests.commerce.ticketing.builders import make_sales
from tests.features import switch_all_on

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]

TITLES = {"control": "Caf\x9d \x01 \x7fevening\u2028 \x80\x9f", "long": "W" * 255, "quoted": '\x9d"<b>\\, ;:\ttab' * 15}
#: Columns with what people have called something.
NAMES = frozenset(
    "name title service_name staff_name plan_name listing_name type_name variant_name attendee_name client_name "  # noqa: SIM905
    "contact_name billing_name designation description venue location notes reference".split()
)
APPS = frozenset({"booking", "content", "directory", "donations", "invoicing", "members", "restaurant", "shop", "ticketing"})


def sell_tickets() -> Model:
    return make_ticket_order(make_sales())


def sell_deposit() -> Model:
    return make_appointment(make_service(deposit_cents=2000))


def sell_meal() -> Model:
    return make_meal((make_dish(), 1), payment_method="online")


def sell_products() -> Model:
    return make_shop_order((make_variant(), 1))


def sell_term() -> Model:
    return make_purchase(make_ended(owner=make_owner()))


def sell_membership() -> Model:
    member = make_member("mia@example.com", "Mia Sand")
    choose_plan(member=member, plan=make_membership("Friend", price_cents=1250, interval="month"))
    return member


def sell_gift() -> Model:
    return make_donation(make_campaign())


#: By the names under which payments know them.
SALES: dict[str, Callable[[], Model]] = {
    "ticket_order": sell_tickets,
    "appointment": sell_deposit,
    "restaurant_order": sell_meal,
    "order": sell_products,
    "listing_purchase": sell_term,
    "plan": sell_membership,
    "donation": sell_gift,
    "invoice": make_invoice,
}


@pytest.fixture(autouse=True)
def _features(settings: Any) -> None:
    settings.BUSINESS_EMAIL = "office@example.com"
    switch_all_on()
    set_setting(key="payments.allow_test_payments", value=True)


def rename_all(title: str) -> None:
    """Give everything a title, as if an earlier release or an import had stored it."""
    for model in apps.get_models():
        if model._meta.app_label not in APPS:
            continue
        for field in model._meta.concrete_fields:
            if field.name in NAMES and field.get_internal_type() in {"CharField", "TextField"} and not field.unique:
                model._base_manager.update(**{field.name: title[: field.max_length or 5000]})
    for order in TicketOrder.objects.all():
        TicketOrder.objects.filter(pk=order.pk).update(event_data={**order.event_data, "title": title, "venue": title})


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("sale", SALES)
def test_money_for_it_is_applied_and_the_emails_are_sent(sale: str, title: str) -> None:
    record = SALES[sale]()
    rename_all(TITLES[title])
    set_setting(key="site.name", value=TITLES[title][:100])
    payment = start_payment(payable=sale, record_id=record.pk)
    assert payment.description.isprintable()
    decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    settle(payment_id=payment.pk)
    payment.refresh_from_db()
    assert (payment.status, payment.unapplied) == ("succeeded", "")
    send_due()
    assert not OutgoingMail.objects.exclude(state="sent").values_list("template", "error", "state")
    for sent in django_mail.outbox:
        assert sent.subject.isprintable()


@pytest.mark.parametrize("sale", SALES)
def test_money_that_was_handed_over_is_recorded(sale: str) -> None:
    record = SALES[sale]()
    rename_all(TITLES["long"])
    with transaction.atomic():
        payment = record_payment(payable=sale, record_id=record.pk, amount_cents=100, method="cash")
    assert len(payment.description) <= 200
    assert Payment.objects.get(pk=payment.pk).unapplied == ""
