"""Check-in at the door: the verdicts, scans that are sent again, and undoing."""

import pytest

from commerce.ticketing.models import AttendeeTicket, Scan
from commerce.ticketing.services.checking_in import CheckIn, check_in, scan_code, undo_check_in
from commerce.ticketing.services.ending import void_tickets
from commerce.ticketing.services.transferring import transfer_ticket
from tests.people import alice, bob

from .builders import WEEKLY, make_sales, paid_order, starts
from .refusals import refused


def ticket() -> AttendeeTicket:
    return paid_order(make_sales()).tickets.select_related("order").get()


def scan(code: str, like: AttendeeTicket, **more: object) -> CheckIn:
    return scan_code(event_id=like.event_id, start=like.start, code=code, **more)  # type: ignore[arg-type]


@pytest.mark.both_databases
def test_it_works() -> None:
    given = ticket()
    current, was_before = check_in(ticket=given)
    assert (current.status, current.checked_in_by, was_before) == ("checked_in", None, False)
    current, was_before = check_in(ticket=given)
    assert (current.status, was_before) == ("checked_in", True)
    assert list(Scan.objects.order_by("pk").values_list("result", flat=True)) == ["admitted", "already"]


def test_a_void_ticket() -> None:
    given = ticket()
    void_tickets(order=given.order, tickets=[given.pk])
    assert refused(check_in, ticket=given) == {"status": ["This ticket is void."]}
    assert scan(given.code, given).result == "void"


def test_verdicts() -> None:
    given, elsewhere = ticket(), ticket()
    typed = f" {given.code[:4].lower()}-{given.code[4:]} "
    assert scan(typed, given, user=alice()).result == "admitted"
    assert scan(given.code, given).result == "already"
    assert scan(elsewhere.code, given).result == "elsewhere"
    former = elsewhere.code
    transfer_ticket(ticket=elsewhere, name="Sam", email="sam@example.com")
    assert scan(former, elsewhere).result == "revoked"
    # Failed ones are logged too.
    assert Scan.objects.count() == 4


@pytest.mark.both_databases
def test_unknown_codes() -> None:
    given = ticket()
    for code in ("", "\0", "K7PWM4X", "K7PWM4XRR" * 100, "١٢٣٤٥٦٧٨", "' OR 1=1", "\ud800"):
        answer = scan(code, given)
        assert (answer.result, answer.ticket) == ("unknown", None), code


def test_another_date_of_the_event() -> None:
    event = make_sales(repeat=WEEKLY)
    first, second, *_ = starts(event)
    given = paid_order(event, first).tickets.get()
    assert scan_code(event_id=event.pk, start=second, code=given.code).result == "elsewhere"
    assert scan_code(event_id=event.pk, start=first, code=given.code).result == "admitted"


def test_a_scan_that_is_sent_again_is_one_scan() -> None:
    given = ticket()
    assert scan(given.code, given, nonce="a1").result == "admitted"
    assert scan(given.code, given, nonce="a1").result == "admitted"
    assert scan(given.code, given, nonce="a2").result == "already"
    assert Scan.objects.count() == 2


@pytest.mark.both_databases
def test_the_same_person_who_presses_twice_is_told_so() -> None:
    given = ticket()
    scan(given.code, given, user=alice())
    assert scan(given.code, given, user=alice()).is_just_now
    assert not scan(given.code, given, user=bob()).is_just_now


def test_undo() -> None:
    given = ticket()
    assert not undo_check_in(ticket=given)
    check_in(ticket=given)
    assert undo_check_in(ticket=given)
    assert scan(given.code, given).result == "admitted"
