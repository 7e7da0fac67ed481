"""Everything that writes contacts, companies, rules, subscribers and submissions at once: nothing is lost, and nobody deadlocks.

PostgreSQL ends one of two transactions that wait for each other with an error, which fails these tests.
"""

import random
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from django.db import IntegrityError, OperationalError, connection, transaction
from django.db.transaction import TransactionManagementError

from cms_api.core.errors import Invalid
from cms_api.core.not_found import NotFound
from cms_api.forms.models import Form
from cms_api.forms.services.submissions import submit
from cms_api.forms.types import Source
from cms_api.webhooks.models import OutboxEvent
from commerce.crm.models import Activity, AssignmentRule, Company, Contact, MergedAddress
from commerce.crm.services import contacts, locking, moving, record_activities, record_activity, timeline, upsert_contact
from commerce.crm.services.bulk import delete_contact, delete_contacts, tag_contacts
from commerce.crm.services.companies import delete_company, save_company
from commerce.crm.services.contacts import update_contact, upsert_contacts
from commerce.crm.services.merging import merge_contacts
from commerce.crm.services.moving import move_contact
from commerce.crm.types import ActivityKind, NewActivity
from commerce.marketing.services.subscribers import unsubscribe, upsert_subscribers
from tests.builders import field, make_form
from tests.client import together
from tests.figures import figure
from tests.waiting import until, waiting

from .conftest import Emitted
from .records import be_patient, lines, make_contact, make_rule, team

pytestmark = pytest.mark.django_db(transaction=True)
on_postgresql = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time.")

CALLERS = 20
ROUNDS = figure(6, 12)
#: Few, so that all callers want the same; the signs sort differently by language and by code point.
PEOPLE = [f"{name}@example.com" for name in ("a-z", "a.b", "a_c", "ab", "a1", "b-a", "ba", "b.c", "staff", "z")]
COMPANIES = ["Reyes Ceramics", "Vale Works", "Other & Co", "Glass-Works"]
RETENTION, OTHER, NEW = "dana@example.com", "d.reyes@example.com", "dana@new.example"
HELLO = NewActivity(ActivityKind.MAIL, "Hello")


class Caller:
    """Does random things, determined by its number."""

    def __init__(self, number: int, forms: list[Form]) -> None:
        self.chance = random.Random(number)
        self.forms = forms
        self.number = number

    def some(self, number: int) -> list[str]:
        return self.chance.sample(PEOPLE, number)

    def some_contacts(self, number: int) -> list[Contact]:
        return list(Contact.objects.filter(email__in=self.some(number)).order_by("?"))

    def capture(self) -> None:
        rows = [
            {"email": email, "company": self.chance.choice(COMPANIES), "first_name": str(self.number)} for email in self.some(5)
        ]
        upsert_contacts(rows=rows, source="api")

    def change(self) -> None:
        for contact in self.some_contacts(1):
            company = self.chance.choice([*COMPANIES, None])
            update_contact(contact=contact, values={"company": company, "job_title": str(self.chance.random())})

    def tag(self) -> None:
        tag_contacts(contacts=self.some_contacts(5), tag=str(self.chance.random()))

    def delete(self) -> None:
        delete_contacts(contacts=self.some_contacts(2))

    def merge(self) -> None:
        chosen = self.some_contacts(2)
        if len(chosen) == 2:
            merge_contacts(kept=chosen[0], others=chosen[1:])

    def move(self) -> None:
        move_contact(*self.some(2))

    def submit(self) -> None:
        form = self.chance.choice(self.forms)
        submit(form=form, data={"email": self.some(1)[0], "company": self.chance.choice(COMPANIES)}, source=Source.API)

    def subscribe(self) -> None:
        rows = [{"email": email, "first_name": str(self.number), "resubscribe": True} for email in self.some(4)]
        for outcome in upsert_subscribers(rows=rows, source="api")[:1]:
            unsubscribe(subscriber=outcome.subscriber)

    def record(self) -> None:
        reference = f"order:{self.chance.randrange(50)}"
        record_activities([(email, NewActivity(ActivityKind.ORDER, "Ordered", reference)) for email in self.some(5)])

    def rename(self) -> None:
        company = Company.objects.filter(name=self.chance.choice(COMPANIES)).first()
        if company:
            save_company(company=company, values={"name": company.name.swapcase(), "notes": str(self.number)})

    def close(self) -> None:
        company = Company.objects.order_by("?").first()
        if company:
            delete_company(company=company)

    def work(self) -> None:
        be_patient()
        kinds = [self.capture, self.change, self.submit, self.subscribe, self.record, self.rename, self.tag]
        kinds = kinds * 3 + [self.delete, self.merge, self.merge, self.move, self.move, self.close]
        for _ in range(ROUNDS):
            try:
                self.chance.choice(kinds)()
            except (NotFound, Invalid):
                # The service says that somebody else was faster.
                continue


def test_it_works(emitted: Emitted) -> None:
    make_rule(*team(3))
    make_rule(*team(2), countries=["US"])
    # Each submission is mailed to others, who are contacts too.
    forms = [
        make_form(field("email", "email"), field("company", "text"), recipients=[PEOPLE[number], PEOPLE[-1 - number]])
        for number in range(4)
    ]
    together(lambda number: Caller(number, forms).work(), CALLERS)
    emails = set(Contact.objects.values_list("email", flat=True))
    assert emails <= set(PEOPLE)
    assert not emails & set(MergedAddress.objects.values_list("email", flat=True))
    assert Company.objects.count() <= len(COMPANIES)
    references = list(Activity.objects.exclude(reference="").values_list("contact", "kind", "reference"))
    assert len(references) == len(set(references))
    assert OutboxEvent.objects.filter(kind="crm.contact.created").count() >= len(emails)
    assert AssignmentRule.objects.exclude(last_assignee_id=0).exists()


def meet(monkeypatch: pytest.MonkeyPatch, module: Any, reads: str, first: Callable[[], Any], second: Callable[[], Any]) -> None:
    """`second` runs when `first` has called `module.reads`, which goes on when `second` is done, or waits for a lock."""
    original, has_read, is_done = getattr(module, reads), threading.Event(), threading.Event()

    def paused(*given: Any) -> Any:
        found = original(*given)
        if not has_read.is_set():
            has_read.set()
            until(lambda: is_done.is_set() or waiting())
        return found

    def act(number: int) -> None:
        if number == 0:
            first()
            return
        has_read.wait(20)
        second()
        is_done.set()

    monkeypatch.setattr(module, reads, paused)
    together(act, 2)


def merge() -> None:
    merge_contacts(kept=Contact.objects.get(email=RETENTION), others=[Contact.objects.get(email=OTHER)])


def capture(email: str) -> None:
    upsert_contact(values={"email": email}, source="api", activity=HELLO)


#: A module and its function that reads; what calls that, and what happens meanwhile; the addresses and the timeline afterwards.
Race = tuple[Any, str, Callable[[], Any], Callable[[], Any], dict[str, str], list[str]]
MERGED = {RETENTION: RETENTION, OTHER: RETENTION}
RACES: dict[str, Race] = {
    "capture and merge": (contacts, "_own_addresses", lambda: capture(OTHER), merge, MERGED, [f"Merged with {OTHER}", "Hello"]),
    "record and merge": (
        *(timeline, "find_contacts", lambda: record_activity(email=OTHER, activity=HELLO), merge),
        *(MERGED, [f"Merged with {OTHER}", "Hello"]),
    ),
    "record and delete": (
        *(timeline, "find_contacts", lambda: record_activity(email=OTHER, activity=HELLO)),
        *(lambda: delete_contact(contact=Contact.objects.get(email=OTHER)), {RETENTION: RETENTION}, []),
    ),
    "move and capture": (
        *(moving, "find_contacts", lambda: move_contact(RETENTION, NEW), lambda: capture(NEW)),
        *({RETENTION: NEW, OTHER: OTHER, NEW: NEW}, ["Hello", f"Merged with {RETENTION}"]),
    ),
}
races = pytest.mark.parametrize("race", RACES.values(), ids=list(RACES))


def outcome(monkeypatch: pytest.MonkeyPatch, race: Race) -> tuple[dict[str, str], list[str]]:
    """The addresses that lead to contacts, with these contacts' own, and the timeline of the contact to which `KEPT` leads."""
    make_contact(RETENTION)
    make_contact(OTHER)
    meet(monkeypatch, *race[:4])
    own = {email: email for email in Contact.objects.values_list("email", flat=True)}
    merged = dict(MergedAddress.objects.values_list("email", "contact__email"))
    return own | merged, lines(Contact.objects.get(email=(own | merged)[RETENTION]))


@on_postgresql
@races
def test_what_was_read_is_true_until_it_is_written(monkeypatch: pytest.MonkeyPatch, race: Race) -> None:
    assert outcome(monkeypatch, race) == race[4:]


@on_postgresql
@races
def test_control_without_the_lock(monkeypatch: pytest.MonkeyPatch, race: Race) -> None:
    monkeypatch.setattr(locking, "_lock", lambda function: None)
    with suppress(IntegrityError):
        assert outcome(monkeypatch, race) != race[4:]


def test_contacts_are_locked_within_a_transaction() -> None:
    with pytest.raises(TransactionManagementError):
        locking.lock_contacts_for_share()


def test_two_who_write_mail_to_each_other() -> None:
    """Each has changed their own contact and records an activity of the other's."""
    one, two = make_contact("one@example.com"), make_contact("two@example.com")

    def write(number: int) -> None:
        mine, other = (one, two) if number % 2 else (two, one)
        for turn in range(10):
            with transaction.atomic():
                update_contact(contact=mine, values={"first_name": f"{number} {turn}"})
                record_activity(email=other.email, activity=NewActivity(ActivityKind.MAIL, "Hello", f"mail:{number}-{turn}"))

    together(write, 8)
    assert Activity.objects.filter(contact=one).count() == Activity.objects.filter(contact=two).count() == 40
    for contact in (one, two):
        contact.refresh_from_db()
        assert contact.last_activity_at == Activity.objects.filter(contact=contact).latest("happened_at").happened_at


@on_postgresql
def test_control_rows_that_are_locked_in_any_order_end_in_a_deadlock() -> None:
    pair = [make_contact(email).pk for email in PEOPLE[:2]]
    begun = threading.Barrier(2)

    def lock(number: int) -> bool:
        try:
            with transaction.atomic():
                Contact.objects.select_for_update(no_key=True).get(pk=pair[number])
                begun.wait(20)
                Contact.objects.select_for_update(no_key=True).get(pk=pair[1 - number])
        except OperationalError:
            return True
        return False

    assert sorted(together(lock, 2)) == [False, True]
