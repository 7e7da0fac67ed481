"""Forms of visitors that are sent twice, as by a double click: carried out once, and both answers lead to the same page."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from cms_api.core.errors import Invalid
from cms_api.core.once import Once
from cms_api.forms.services import answering
from cms_api.mail.models import OutgoingMail
from commerce.donations.models import Donation
from commerce.payments.models import Payment
from commerce.restaurant.models import RestaurantOrder
from commerce.reviews.models import Review
from commerce.shop.models import Order
from commerce.support.models import Attachment, Ticket
from commerce.support.views import ask
from commerce.ticketing.models import Reservation, TicketOrder, TicketType
from tests.client import together
from tests.commerce.sales.kinds import open_business
from tests.features import switch_all_on
from tests.visitor import hidden

from .restaurant import builders as restaurant
from .shop.builders import make_cart, make_method, make_variant
from .shop.test_checkout_page import form as shop_form
from .ticketing.builders import adult, make_reservation, make_sales
from .ticketing.page_builders import checkout_path

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]

PERSON = {"name": "Dana Reyes", "email": "dana@example.com"}
FORMS: Mapping[str, tuple[str, Any, dict[str, str]]] = {
    "ticket": ("/support", Ticket, {**PERSON, "subject": "A broken mug", "message": "It has no handle."}),
    "review": (
        "/reviews/new",
        Review,
        {"rating": "5 stars: Excellent", "body": "Great.", "author_name": "Dana", "author_email": "dana@example.com"},
    ),
    "donation": (
        "/donations/give",
        Donation,
        {
            "amount": "5000",
            "frequency": "once",
            "tribute_type": "",
            "first_name": "Dana",
            "last_name": "Reyes",
            "email": "d@example.com",
        },
    ),
}


@pytest.fixture(autouse=True)
def business(db: None) -> None:
    switch_all_on()
    open_business()


def sent(client: Client, name: str) -> tuple[str, dict[str, str]]:
    """The address of a form, and what a visitor sends there."""
    path, _, typed = FORMS[name]
    return path, {**hidden(client, path), **typed}


@pytest.mark.parametrize("name", FORMS)
def test_one_after_the_other(name: str, client: Client) -> None:
    path, form = sent(client, name)
    places = [client.post(path, form).headers["Location"] for _ in range(3)]
    assert (len(set(places)), FORMS[name][1].objects.count()) == (1, 1)
    # Another input, and the same one in a page that is opened anew, are other forms.
    client.post(path, {**form, "email": "kim@example.com", "author_email": "kim@example.com"})
    again = sent(client, name)
    client.post(*again)
    assert FORMS[name][1].objects.count() == 3


@pytest.mark.parametrize("name", FORMS)
def test_at_the_same_moment(name: str, client: Client) -> None:
    path, form = sent(client, name)
    answers = together(lambda _: Client().post(path, form), 6)
    assert {answer.status_code for answer in answers} == {302}
    assert len({answer.headers["Location"] for answer in answers}) == 1
    assert FORMS[name][1].objects.count() == 1
    assert (Payment.objects.count(), OutgoingMail.objects.filter(template="support_received").count()) in {(0, 1), (1, 0), (0, 0)}


def test_control_without_it_they_are_carried_out_each(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    carry_out: Callable[..., Any] = lambda key, carry_out, refuse: carry_out()  # noqa: E731
    monkeypatch.setattr(answering, "carry_out_once", carry_out)
    path, form = sent(client, "ticket")
    together(lambda _: Client().post(path, form), 6)
    assert Ticket.objects.count() == 6


def test_a_form_that_was_refused_can_be_sent_again(client: Client) -> None:
    path, form = sent(client, "ticket")
    assert [client.post(path, {**form, "email": "nobody"}).status_code for _ in range(2)] == [422, 422]
    assert client.post(path, form).status_code == 302


def test_a_form_whose_first_click_takes_long_says_so(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "WAIT_SECONDS", 0.0)
    monkeypatch.setattr(Once, "use_up", lambda form: False)
    monkeypatch.setattr(Once, "find_place", lambda form: "")
    path, form = sent(client, "ticket")
    answer = client.post(path, form)
    assert (answer.status_code, "already sent" in answer.content.decode(), Ticket.objects.count()) == (422, True, 0)


def of_shop() -> tuple[str, dict[str, Any], dict[str, str]]:
    cart = make_cart((make_variant(), 1))
    return "/shop/checkout", shop_form(shipping_method=make_method().pk), {"cart": cart.token}


def of_restaurant() -> tuple[str, dict[str, Any], dict[str, str]]:
    restaurant.open_always()
    visitor = Client()
    visitor.post("/menu/cart/add", {"item": restaurant.make_dish().pk, "quantity": "1"})
    sent = {**PERSON, "fulfillment": "pickup", "slot": "asap", "payment_method": "at_store"}
    return "/menu/checkout", sent, {name: morsel.value for name, morsel in visitor.cookies.items()}


def of_tickets(**about: Any) -> tuple[str, dict[str, Any], dict[str, str]]:
    path = checkout_path(make_reservation(make_sales(adult(**about)), Adult=2))
    return path, {**hidden(Client(), path), **PERSON}, {}


CHECKOUTS: dict[str, tuple[Callable[[], tuple[str, dict[str, Any], dict[str, str]]], Any]] = {
    "shop": (of_shop, Order),
    "restaurant": (of_restaurant, RestaurantOrder),
    "tickets": (of_tickets, TicketOrder),
    "free tickets": (lambda: of_tickets(pricing="free"), TicketOrder),
}


def click(path: str, form: Mapping[str, Any], cookies: Mapping[str, str]) -> Any:
    visitor = Client()
    for name, value in cookies.items():
        visitor.cookies[name] = value
    return visitor.post(path, form)


@pytest.mark.parametrize("name", CHECKOUTS)
def test_a_checkout_is_clicked_twice(name: str) -> None:
    """The browser shows the second answer: a customer who is told that there is no order orders once more."""
    make, model = CHECKOUTS[name]
    sent = make()
    answers = [*together(lambda _: click(*sent), 4), click(*sent)]
    assert [answer.status_code for answer in answers] == [302] * 5
    assert len({answer.headers["Location"] for answer in answers}) == 1
    assert model.objects.count() == 1


def test_two_visitors_with_the_same_input_have_orders_of_their_own() -> None:
    path, form, _ = of_shop()
    carts = [make_cart((make_variant(), 1)) for _ in range(2)]
    places = {click(path, form, {"cart": cart.token}).headers["Location"] for cart in carts}
    assert (len(places), Order.objects.count()) == (2, 2)


def test_a_form_of_tickets_that_is_sent_twice_reserves_once() -> None:
    event = make_sales(adult())
    path = f"/events/{event.slug}/tickets"
    sent = {**hidden(Client(), path), f"quantity-{TicketType.objects.get().pk}": "2"}
    places = {answer.headers["Location"] for answer in together(lambda _: Client().post(path, sent), 4)}
    assert (len(places), Reservation.objects.count()) == (1, 1)


def test_a_corrected_file_is_another_form(client: Client) -> None:
    path, form = sent(client, "ticket")
    for content in (b"No handle.", b"No saucer."):
        client.post(path, {**form, "attachments": SimpleUploadedFile("mug.txt", content, content_type="text/plain")})
    stored = []
    for each in Attachment.objects.order_by("pk"):
        with each.file.open() as file:
            stored.append(file.read())
    assert stored == [b"No handle.", b"No saucer."]


def test_a_form_whose_first_click_fails_is_carried_out_by_one_of_the_others(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, form = sent(client, "ticket")
    opened, failed = ask.open_ticket, []

    def fail_once(**values: Any) -> Any:
        if not failed:
            failed.append(True)
            raise Invalid({"subject": "The first one fails."})
        return opened(**values)

    monkeypatch.setattr(ask, "open_ticket", fail_once)
    answers = together(lambda _: Client().post(path, form), 6)
    assert sorted(answer.status_code for answer in answers) == [302] * 5 + [422]
    assert Ticket.objects.count() == 1


@pytest.mark.parametrize("name", FORMS)
def test_no_cache_is_needed(name: str, client: Client, settings: Any) -> None:
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}}
    path, form = sent(client, name)
    answers = together(lambda _: Client().post(path, form), 4)
    assert (len({answer.headers["Location"] for answer in answers}), FORMS[name][1].objects.count()) == (1, 1)
