"""Tokens restricted to ticket scanning: by printed code alone, told what a door has to know, for one event if so made."""

from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from cms_api.auth.models import ApiToken
from cms_api.auth.services.tokens import create_token
from cms_api.core import registry
from cms_api.core.errors import Invalid
from cms_api.core.module import ANY, PUBLIC
from commerce.ticketing.models import AttendeeTicket
from commerce.ticketing.resources.orders import ScannedTicketResource
from commerce.ticketing.services.ending import void_tickets
from commerce.ticketing.services.transferring import transfer_ticket
from tests.builders import make_token
from tests.client import Api
from tests.features import switch_all_on
from tests.laws.operations import operations

from .builders import make_sales, paid_order

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("tickets_api")]

TICKETS, ORDERS = "/ticketing/tickets", "/ticketing/orders"


def scanner(event: Any = None) -> Api:
    scope = f":{event.pk}" if event else ""
    return Api(make_token(restriction=f"ticket_scanner{scope}"), restriction="ticket_scanner")


def ticket(event: Any = None) -> AttendeeTicket:
    return paid_order(event or make_sales()).tickets.select_related("order").get()


@pytest.mark.both_databases
def test_it_works() -> None:
    given = ticket()
    api = scanner()
    seen = api.data(f"{TICKETS}/{given.code.lower()}")
    assert seen == {
        "code": given.code,
        "status": "valid",
        "attendee_name": given.attendee_name or None,
        "ticket_type": {"id": given.ticket_type_id, "name": "Adult"},
        "event": {"id": given.event_id, "title": "Open rehearsal"},
        "event_id": given.event_id,
        "occurrence_start": None,
        "checked_in_at": None,
    }
    first = api.post(f"{TICKETS}/{given.code}/check-in").json()
    assert (first["meta"], first["data"]["status"]) == ({"already_checked_in": False}, "checked_in")
    assert set(first["data"]) == set(ScannedTicketResource.example)
    assert api.post(f"{TICKETS}/{given.code}/check-in").json()["meta"] == {"already_checked_in": True}


def test_only_a_printed_code_is_known() -> None:
    given = ticket()
    former = given.code
    transfer_ticket(ticket=given, name="Sam", email="sam@example.com")
    given.refresh_from_db()
    api, unknown = scanner(), f"{TICKETS}/QQQQQQQQ"
    nothing, no_check_in = api.get(unknown), api.post(f"{unknown}/check-in")
    for reference in (given.pk, f"0{given.pk}", given.order_id, former, "ABCDEFGH", f"{given.code}x"):
        for answer, expected in (
            (api.get(f"{TICKETS}/{reference}"), nothing),
            (api.post(f"{TICKETS}/{reference}/check-in"), no_check_in),
        ):
            assert (answer.status_code, answer.content) == (expected.status_code, expected.content), reference
            assert answer.status_code == 404
    assert AttendeeTicket.objects.get().status == "valid"


def test_no_answer_has_an_address() -> None:
    given = ticket()
    api = scanner()
    void_tickets(order=given.order, tickets=[given.pk])
    for answer in (
        api.get(f"{TICKETS}/{given.code}"),
        api.post(f"{TICKETS}/{given.code}/check-in"),
        api.get(f"{TICKETS}/{given.code}?fields=purchaser_email"),
    ):
        assert given.order.email not in answer.content.decode()
    assert api.get(f"{TICKETS}/{given.code}?fields=purchaser_email").status_code == 422
    assert api.get(f"{TICKETS}/{given.code}?fields=status,event").json()["data"].keys() == {"status", "event"}


def test_a_token_for_one_event_knows_no_other() -> None:
    here, elsewhere = make_sales(title="Here"), make_sales(title="Elsewhere")
    ours, other = ticket(here), ticket(elsewhere)
    api = scanner(here)
    assert api.get(f"{TICKETS}/{ours.code}").status_code == 200
    assert api.get(f"{TICKETS}/{other.code}").status_code == 404
    assert api.post(f"{TICKETS}/{other.code}/check-in").status_code == 404
    other.refresh_from_db()
    assert other.status == "valid"
    assert api.post(f"{TICKETS}/{ours.code}/check-in").status_code == 200


def test_every_other_route_is_refused() -> None:
    """Whatever the route needs, and also if the token had every ability."""
    switch_all_on()
    token = make_token(restriction="ticket_scanner")
    ApiToken.objects.update(abilities=list(registry.abilities()))
    api = Api(token, validate=False)
    reached = {used.path for used in operations() if api.request(used.method, used.path).status_code not in {403}}
    open_to_all = {used.path for used in operations() if used.ability in {PUBLIC, ANY}}
    assert reached - open_to_all == {f"{TICKETS}/no-such-thing", f"{TICKETS}/no-such-thing/check-in"}
    listed = api.get(TICKETS)
    assert (listed.status_code, listed.json()["required_ability"]) == (403, "ticketing:read")


def test_a_restriction_of_no_module_reaches_nothing() -> None:
    token = make_token("ticketing:write")
    ApiToken.objects.update(restriction="gone")
    given = ticket()
    assert Api(token).post(f"{TICKETS}/{given.code}/check-in").status_code == 403
    assert Api(token).data("")["token"]["restriction"] == {"name": "gone", "summary": "", "scope": None}


def test_a_plain_token_is_as_before() -> None:
    given = ticket()
    api = Api(make_token("ticketing:write"))
    assert api.post(f"{TICKETS}/{given.pk}/check-in").json()["data"]["purchaser_email"] == "dana@example.com"
    assert api.get(f"{TICKETS}/{given.code}").status_code == 403
    assert api.data("")["token"]["restriction"] is None


def test_the_token_says_what_it_is_restricted_to() -> None:
    event = make_sales()
    shown = scanner(event).data("")["token"]
    assert shown["abilities"] == ["ticketing:write"]
    assert shown["restriction"]["name"] == "ticket_scanner"
    assert shown["restriction"]["scope"] == {"type": "event", "id": event.pk, "title": "Open rehearsal"}
    assert scanner().data("")["token"]["restriction"]["scope"] is None


@pytest.mark.parametrize(
    ("abilities", "restriction", "field"),
    [
        (["ticketing:read"], "ticket_scanner", "abilities"),
        ([], "ticket_scanner:987654321", "restriction"),
        ([], "ticket_scanner:", "restriction"),
        ([], "door", "restriction"),
        ([], "", "abilities"),
    ],
)
def test_refusals(abilities: list[str], restriction: str, field: str) -> None:
    with pytest.raises(Invalid) as refused:
        create_token(name="Door", abilities=abilities, restriction=restriction)
    assert field in refused.value.errors


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    event = make_sales()
    call_command("create_token", "Door", "--restriction", f"ticket_scanner:{event.pk}")
    token = ApiToken.objects.get(name="Door")
    assert (token.abilities, token.restriction, token.scope_id) == (["ticketing:write"], "ticket_scanner", event.pk)
    given = ticket(event)
    assert Api(capsys.readouterr().out.strip(), restriction="ticket_scanner").get(f"{TICKETS}/{given.code}").status_code == 200
    with pytest.raises(CommandError):
        call_command("create_token", "Door", "--restriction", "door")


def test_the_dialog(admin_client: Client) -> None:
    event = make_sales()
    page = "/admin/api-tokens/new/"
    form = admin_client.get(page).context["form"]
    assert dict(form.fields["restriction"].choices) == {
        "": "None",
        "ticket_scanner": "Ticket scanner",
        f"ticket_scanner:{event.pk}": "Ticket scanner for “Open rehearsal” only",
    }
    sent = {"name": "Door", "expires": "90d", "restriction": f"ticket_scanner:{event.pk}", "once": form["once"].value()}
    assert "swt_" in admin_client.post(page, sent).content.decode()
    token = ApiToken.objects.get(name="Door")
    assert (token.abilities, token.scope_id, token.scope_title) == (["ticketing:write"], event.pk, "Open rehearsal")
    for path in ("/admin/api-tokens/", f"/admin/api-tokens/inspect/{token.pk}/"):
        assert "Ticket scanner for “Open rehearsal” only" in admin_client.get(path).content.decode()
    mixed = admin_client.post(page, {**sent, "abilities": ["content:read"], "once": "other"})
    assert "no other ability than ticketing:write" in str(mixed.context["form"].errors["abilities"])
