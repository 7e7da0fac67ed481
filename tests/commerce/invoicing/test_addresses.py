"""The email address of a client changes: drafts follow it until they are issued, except those with an address typed for them."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from cms_api.mail.models import OutgoingMail
from commerce.invoicing.models import Client, Invoice
from commerce.invoicing.services import (
    convert_estimate,
    duplicate_invoice,
    issue_invoice,
    reopen_estimate,
    save_client,
    save_invoice,
    send_invoice,
)
from commerce.invoicing.services.recurring import create_due_invoices
from tests.client import Api

from .admin_forms import invoice_form
from .builders import make_client, make_draft, make_estimate, make_invoice, make_recurring, reloaded

LIST = "/invoicing/invoices"
OLD, NEW, TYPED = "old@example.com", "new@example.com", "desk@example.com"


@pytest.fixture
def client(db: None) -> Client:
    return make_client("Reyes Ceramics", email=OLD)


def move(client: Client) -> None:
    save_client(client=client, values={"email": NEW})


def recipients(draft: Invoice) -> list[str]:
    """Send a draft; return who gets it."""
    send_invoice(invoice=draft)
    return list(OutgoingMail.objects.values_list("recipient", flat=True))


def make_periodic(client: Client) -> Invoice:
    make_recurring(client=client, starts_on=date.today(), delivery="draft")
    create_due_invoices()
    return Invoice.objects.get()


@pytest.mark.both_databases
@pytest.mark.parametrize(
    "make",
    [
        lambda client: make_draft(client=client),
        lambda client: make_draft(client=client, kind="estimate"),
        lambda client: make_draft(client=client, email=OLD.upper()),
        lambda client: duplicate_invoice(invoice=make_invoice(client=client, email=TYPED)),
        make_periodic,
    ],
)
def test_it_works(make: Callable[[Client], Invoice], client: Client) -> None:
    draft = make(client)
    move(client)
    assert recipients(draft) == [NEW]
    assert reloaded(draft).email == NEW


@pytest.mark.both_databases
@pytest.mark.parametrize("copy", [lambda each: convert_estimate(estimate=each), lambda each: duplicate_invoice(invoice=each)])
@pytest.mark.parametrize("email", ["", TYPED])
def test_what_is_made_from_another_goes_to_the_client_of_today(
    copy: Callable[[Invoice], Invoice], email: str, client: Client
) -> None:
    estimate = make_estimate(client=client, email=email)
    move(client)
    assert recipients(copy(reloaded(estimate))) == [NEW]


def test_an_address_typed_for_a_draft_stays(client: Client) -> None:
    draft = make_draft(client=client, email=TYPED)
    key = draft.link_key
    move(client)
    save_invoice(invoice=draft, values={"client": client, "notes": "Thank you."})
    assert reloaded(draft).link_key == key
    assert recipients(draft) == [TYPED]


@pytest.mark.both_databases
def test_what_was_issued_keeps_its_address(client: Client) -> None:
    invoice, estimate, other = make_invoice(client=client), make_estimate(client=client), make_draft(client=make_client())
    rows = list(Invoice.objects.order_by("pk").values())
    move(client)
    assert list(Invoice.objects.order_by("pk").values()) == rows
    assert recipients(invoice) == [OLD]
    assert (reloaded(estimate).email, reloaded(other).email) == (OLD, other.client.email)


def test_a_client_from_before_the_change_does_not_bring_its_address_back(client: Client) -> None:
    before = Client.objects.get(pk=client.pk)
    move(client)
    draft = make_draft(client=before)
    assert draft.email == NEW
    save_invoice(invoice=draft, values={"client": before, "email": ""})
    issue_invoice(invoice=draft)
    assert reloaded(draft).email == NEW


def test_links_end_that_the_former_address_has(client: Client) -> None:
    estimate = make_estimate(client=client)
    reopen_estimate(estimate=estimate)
    key = reloaded(estimate).link_key
    save_client(client=client, values={"name": "Reyes & Sons"})
    assert reloaded(estimate).link_key == key
    move(client)
    assert reloaded(estimate).link_key != key


@pytest.mark.both_databases
def test_all_show_the_new_address(client: Client, invoicing_api: Api, admin_client: Any) -> None:
    draft = make_draft(client=client)
    move(client)
    data = invoicing_api.data(f"{LIST}/{draft.pk}")
    assert (data["email"], data["client"]["email"]) == (NEW, NEW)
    found = {email: invoicing_api.data(LIST, email=email) for email in (OLD, NEW)}
    assert [len(found[email]) for email in (OLD, NEW)] == [0, 1]
    address = f"/admin/invoices/edit/{draft.pk}/"
    assert admin_client.get(address).context["form"].initial["recipient"] == ""
    assert [str(each) for each in admin_client.get("/admin/invoices/", {"q": "new@example"}).context["object_list"]] == [
        "INV-1001"
    ]
    admin_client.post(address, invoice_form(client))
    save_client(client=client, values={"email": OLD})
    assert reloaded(draft).email == OLD
