"""Everything that writes contacts, companies, rules, subscribers and submissions, at once: nobody waits in a circle.

PostgreSQL ends one of two transactions that wait for each other with an error, which fails these tests.
"""

import random
import threading

import pytest
from django.db import DatabaseError, connection, transaction

from cms_api.core.errors import Invalid, NotFound
from cms_api.forms.models import Form
from cms_api.forms.services.submissions import submit
from cms_api.forms.types import Source
from cms_api.webhooks.models import OutboxEvent
from commerce.crm.models import Activity, AssignmentRule, Company, Contact
from commerce.crm.services import tell_all
from commerce.crm.services.bulk import delete_contacts, tag_contacts
from commerce.crm.services.companies import delete_company, save_company
from commerce.crm.services.contacts import delete_contact, update_contact, upsert_contacts
from commerce.crm.services.merging import merge_contacts
from commerce.crm.types import ActivityKind, Happening
from commerce.marketing.services.subscribers import unsubscribe, upsert_subscribers
from tests.builders import field, make_form
from tests.client import together
from tests.waiting import until, waiting

from .conftest import Told
from .records import be_patient, make_contact, make_rule, team

pytestmark = pytest.mark.django_db(transaction=True)

CALLERS = 20
TURNS = 12
#: Few, so that everybody wants the same; the signs sort differently by language and by code point.
PEOPLE = [f"{name}@example.com" for name in ("a-z", "a.b", "a_c", "ab", "a1", "b-a", "ba", "b.c", "staff", "z")]
COMPANIES = ["Reyes Ceramics", "Vale Works", "Other & Co", "Glass-Works"]


class Caller:
    """Does what it happens to do, by its number."""

    def __init__(self, number: int, forms: list[Form]) -> None:
        self.chance = random.Random(number)
        self.forms = forms
        self.number = number

    def some(self, number: int) -> list[str]:
        return self.chance.sample(PEOPLE, number)

    def capture(self) -> None:
        rows = [
            {"email": email, "company": self.chance.choice(COMPANIES), "first_name": str(self.number)} for email in self.some(5)
        ]
        upsert_contacts(rows=rows, source="api")

    def change(self) -> None:
        contact = Contact.objects.filter(email=self.some(1)[0]).first()
        if contact:
            company = self.chance.choice([*COMPANIES, None])
            update_contact(contact=contact, values={"company": company, "job_title": str(self.chance.random())})

    def forget(self) -> None:
        contact = Contact.objects.filter(email=self.some(1)[0]).first()
        if contact:
            delete_contact(contact=contact)

    def many(self) -> None:
        chosen = list(Contact.objects.filter(email__in=self.some(5)).order_by("?"))
        tag_contacts(contacts=chosen, tag=str(self.chance.random()))

    def forget_many(self) -> None:
        delete_contacts(contacts=list(Contact.objects.filter(email__in=self.some(2)).order_by("?")))

    def merge(self) -> None:
        chosen = list(Contact.objects.filter(email__in=self.some(2)).order_by("?"))
        if len(chosen) == 2:
            merge_contacts(kept=chosen[0], others=chosen[1:])

    def send_in(self) -> None:
        form = self.chance.choice(self.forms)
        submit(form=form, data={"email": self.some(1)[0], "company": self.chance.choice(COMPANIES)}, source=Source.API)

    def subscribe(self) -> None:
        rows = [{"email": email, "first_name": str(self.number), "resubscribe": True} for email in self.some(4)]
        for outcome in upsert_subscribers(rows=rows, source="api")[:1]:
            unsubscribe(subscriber=outcome.subscriber)

    def tell(self) -> None:
        reference = f"order:{self.chance.randrange(50)}"
        tell_all([(email, Happening(ActivityKind.ORDER, "Ordered", reference)) for email in self.some(5)])

    def rename(self) -> None:
        company = Company.objects.filter(name=self.chance.choice(COMPANIES)).first()
        if company:
            save_company(company=company, values={"name": company.name.swapcase(), "notes": str(self.number)})

    def close(self) -> None:
        company = Company.objects.order_by("?").first()
        if company:
            delete_company(company=company)

    def work(self) -> int:
        """How often something else was faster, as the service says."""
        refused = 0
        be_patient()
        kinds = [self.capture, self.change, self.send_in, self.subscribe, self.tell, self.rename, self.many]
        kinds = kinds * 3 + [self.forget, self.forget_many, self.merge, self.close]
        for _ in range(TURNS):
            try:
                self.chance.choice(kinds)()
            except (NotFound, Invalid):
                refused += 1
        return refused


def test_it_works(told: Told) -> None:
    make_rule(*team(3))
    make_rule(*team(2), countries=["US"])
    # What is sent in by one person goes by mail to others, who are contacts too.
    forms = [
        make_form(field("email", "email"), field("company", "text"), recipients=[PEOPLE[number], PEOPLE[-1 - number]])
        for number in range(4)
    ]
    together(lambda number: Caller(number, forms).work(), CALLERS)
    emails = list(Contact.objects.values_list("email", flat=True))
    assert set(emails) <= set(PEOPLE)
    assert Company.objects.count() <= len(COMPANIES)
    references = list(Activity.objects.exclude(reference="").values_list("contact", "kind", "reference"))
    assert len(references) == len(set(references))
    assert OutboxEvent.objects.filter(kind="crm.contact.created").count() >= len(emails)
    assert AssignmentRule.objects.exclude(last_assignee_id=0).exists()


def test_two_who_write_mail_to_each_other() -> None:
    """Each holds their own contact and tells of the other's."""
    one, two = make_contact("one@example.com"), make_contact("two@example.com")

    def write(number: int) -> None:
        mine, other = (one, two) if number % 2 else (two, one)
        for turn in range(10):
            with transaction.atomic():
                update_contact(contact=mine, values={"first_name": f"{number} {turn}"})
                tell_all([(other.email, Happening(ActivityKind.MAIL, "Hello", f"mail:{number}-{turn}"))])

    together(write, 8)
    assert Activity.objects.filter(contact=one).count() == Activity.objects.filter(contact=two).count() == 40
    for contact in (one, two):
        contact.refresh_from_db()
        assert contact.last_activity_at == Activity.objects.filter(contact=contact).latest("happened_at").happened_at


@pytest.mark.parametrize("is_merged", [True, False], ids=["merged", "deleted"])
def test_somebody_deletes_or_merges_two_of_whom_one_is_held_and_the_other_told_of(is_merged: bool) -> None:
    """As by a form, whose sender becomes a contact before the mail to another is told of."""
    if connection.vendor == "sqlite":
        pytest.skip("SQLite has one writer at a time.")
    first, second = make_contact("a@example.com"), make_contact("b@example.com")
    begun = threading.Event()

    def act(number: int) -> None:
        if number == 0:
            with transaction.atomic():
                update_contact(contact=second, values={"first_name": "Dana"})
                begun.set()
                until(waiting)
                tell_all([(first.email, Happening(ActivityKind.MAIL, "Hello"))])
            return
        begun.wait(20)
        if is_merged:
            merge_contacts(kept=first, others=[second])
        else:
            delete_contacts(contacts=[first, second])

    together(act, 2)
    left = Contact.objects.values_list("email", "first_name", "activities__summary").order_by("activities__pk")
    said = ["Hello", f"Merged with {second.email}"] if is_merged else []
    assert list(left) == [(first.email, "Dana", summary) for summary in said]


def test_control_locks_in_any_order_end_in_a_deadlock() -> None:
    if connection.vendor == "sqlite":
        pytest.skip("SQLite has one writer at a time.")
    ids = [make_contact(email).pk for email in PEOPLE]

    def lock(number: int) -> int:
        chance, lost = random.Random(number), 0
        for _ in range(10):
            try:
                with transaction.atomic():
                    for pk in chance.sample(ids, 4):
                        Contact.objects.select_for_update(no_key=True).get(pk=pk)
            except DatabaseError:
                lost += 1
        return lost

    assert sum(together(lock, 8)) > 0
