"""Form submissions create contacts or fill in their blank fields, and appear in the timeline once."""

from typing import Any

import pytest
from django.utils import timezone

from cms_api.flags.services import switch_feature
from cms_api.forms.models import Form, Submission
from cms_api.forms.services.submissions import mark_as_spam, release, submit
from cms_api.forms.types import Source
from cms_api.mail.models import OutgoingMail
from commerce.crm.models import Activity, Company, Contact
from tests.builders import field, make_form
from tests.client import Api, together

from .conftest import Emitted
from .records import lines, make_contact


def asked(**changes: Any) -> Form:
    keys = ("first_name", "surname", "organisation", "position", "address", "town", "region", "zip", "country")
    fields = [field(key, "text") for key in keys]
    return make_form(field("mail", "email"), *fields, field("call_me", "phone"), field("other", "textarea"), **changes)


SENT = {
    "mail": "Dana@Example.com",
    "first_name": "Dana",
    "surname": "Reyes",
    "organisation": "Reyes Ceramics",
    "position": "Owner",
    "address": "14 Canal Street",
    "town": "Brattleboro",
    "region": "VT",
    "zip": "05301",
    "country": "US",
    "call_me": "+1 802 555 0142",
    "other": "Hello",
}


def send(form: Form, **data: Any) -> Submission:
    return submit(form=form, data=data, source=Source.API)


@pytest.mark.both_databases
def test_it_works(crm_api: Api, emitted: Emitted) -> None:
    form = asked()
    submission = send(form, **SENT)
    contact = Contact.objects.get()
    assert submission.contact_id == Submission.objects.get().contact_id == contact.pk
    found = crm_api.data(f"/crm/contacts/{contact.pk}")
    assert (found["email"], found["name"], found["company"]["name"], found["job_title"], found["phone"]) == (
        "dana@example.com",
        "Dana Reyes",
        "Reyes Ceramics",
        "Owner",
        "+1 802 555 0142",
    )
    assert [found[key] for key in ("street", "city", "state", "postal_code", "country", "source", "lifecycle", "notes")] == [
        *("14 Canal Street", "Brattleboro", "VT", "05301", "US", "form", "lead"),
        None,
    ]
    line = Activity.objects.get()
    assert (line.kind, line.summary, line.reference) == ("form", form.name, f"form:{submission.pk}")
    assert line.link == f"/admin/forms/submissions/inspect/{submission.pk}/"
    assert found["last_activity_at"]
    assert emitted() == [("crm.contact.created", found)]


def test_only_blanks_are_filled_in(crm_api: Api, emitted: Emitted) -> None:
    contact = make_contact("dana@example.com", first_name="Daná", tags=["one"], lifecycle="customer")
    send(asked(), **SENT)
    found = crm_api.data(f"/crm/contacts/{contact.pk}")
    assert (found["name"], found["tags"], found["lifecycle"], found["source"]) == ("Daná Reyes", ["one"], "customer", "api")
    assert emitted()[1:] == [("crm.contact.updated", found)]
    send(asked(), **SENT)
    assert len(emitted()) == 2
    assert len(lines(contact)) == 2


@pytest.mark.parametrize(
    ("key", "value", "first", "last"),
    [
        ("name", "Dana Reyes", "Dana", "Reyes"),
        ("full_name", "  Dana   Maria\tReyes ", "Dana", "Maria Reyes"),
        ("your_name", "Dana", "Dana", ""),
        ("name", "D" * 150 + " " + "R" * 100, "D" * 100, "R" * 100),
        ("nickname", "Dana", "", ""),
    ],
)
def test_a_name_in_one_line(key: str, value: str, first: str, last: str) -> None:
    send(make_form(field("email", "email"), field(key, "text")), **{"email": "dana@example.com", key: value})
    contact = Contact.objects.get()
    assert (contact.first_name, contact.last_name) == (first, last)


def test_a_first_name_is_not_split() -> None:
    form = make_form(field("email", "email"), field("name", "text"), field("firstname", "text"))
    send(form, email="dana@example.com", name="Other Person", firstname="Dana Maria")
    contact = Contact.objects.get()
    assert (contact.first_name, contact.last_name) == ("Dana Maria", "")


@pytest.mark.both_databases
def test_what_is_too_long_or_no_company_does_no_harm() -> None:
    form = make_form(field("email", "email"), field("company", "text"), field("city", "textarea"), field("zip", "text"))
    send(form, email="dana@example.com", company="---", city="a\nb" + "c" * 5000, zip="1" * 200)
    contact = Contact.objects.get()
    assert (contact.company, len(contact.city), len(contact.postal_code)) == (None, 100, 30)
    assert contact.city.startswith("a b")
    assert not Company.objects.exists()


def test_values_that_are_no_text_are_left_out() -> None:
    form = make_form(
        field("email", "email"),
        field("company", "checkbox"),
        field("city", "number"),
        field("country", "checkboxes", options=["US"]),
    )
    send(form, email="dana@example.com", company=True, city=7, country=["US"])
    contact = Contact.objects.get()
    assert (contact.company, contact.city, contact.country) == (None, "", "")


def test_without_an_address_there_is_no_contact() -> None:
    form = make_form(field("email", "email"), field("name", "text"))
    assert send(form, name="Dana").contact_id is None
    send(make_form(field("email", "text")), email="dana@example.com")
    assert not Contact.objects.exists()


@pytest.mark.both_databases
def test_the_first_address_that_is_given() -> None:
    form = make_form(field("one", "email"), field("two", "email"))
    send(form, two="otto@example.com")
    send(form, one="dana@example.com", two="otto@example.com")
    assert list(Contact.objects.order_by("id").values_list("email", flat=True)) == ["otto@example.com", "dana@example.com"]


@pytest.mark.both_databases
def test_an_address_that_the_crm_does_not_take_is_no_trouble() -> None:
    form = make_form(field("email", "email"))
    assert send(form, email="\u017fam@example.com").contact_id is None
    assert not Contact.objects.exists()
    assert Submission.objects.count() == 1


@pytest.mark.both_databases
def test_a_form_that_keeps_nothing(emitted: Emitted) -> None:
    for _ in range(2):
        submission = send(asked(store_submissions=False), **SENT)
        assert (submission.pk, submission.contact_id) == (None, Contact.objects.get().pk)
    assert [(line.reference, line.link) for line in Activity.objects.all()] == [("", "")] * 2


def test_while_the_crm_is_off_nothing_is_captured() -> None:
    form = asked()
    switch_feature(name="crm", on=False)
    assert send(form, **SENT).contact_id is None
    assert (Contact.objects.count(), Activity.objects.count(), Company.objects.count()) == (0, 0, 0)
    switch_feature(name="crm", on=True)
    assert send(form, **SENT).contact_id == Contact.objects.get().pk


@pytest.mark.both_databases
def test_spam_is_captured_when_it_is_released_and_once(emitted: Emitted) -> None:
    form = asked()
    found = Submission.objects.create(
        form=form, data=SENT, is_spam=True, spam_reason="Links.", source=Source.SITE, created_at=timezone.now()
    )
    assert (Contact.objects.count(), emitted()) == (0, [])
    for _ in range(3):
        release(submission=found)
        mark_as_spam(submission=found)
    contact = Contact.objects.get()
    assert Submission.objects.get().contact_id == contact.pk
    assert lines(contact) == [form.name]
    assert [kind for kind, _ in emitted()] == ["crm.contact.created"]


@pytest.mark.both_databases
def test_mails_to_known_people_stand_in_their_timelines(settings: Any) -> None:
    settings.BUSINESS_EMAIL = "Office@example.org"
    office = make_contact("office@example.org")
    make_contact("other@example.org")
    send(asked(), **SENT)
    mail = OutgoingMail.objects.get()
    line = Activity.objects.get(contact=office)
    assert (line.kind, line.summary, line.reference) == ("mail", mail.subject, f"mail:{mail.pk}")
    assert line.link == f"/admin/mail/log/{mail.pk}/"
    assert Activity.objects.filter(kind="mail").count() == 1
    switch_feature(name="crm", on=False)
    send(asked(), **SENT)
    assert Activity.objects.filter(kind="mail").count() == 1


@pytest.mark.both_databases
def test_everything_is_undone_together(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("The outbox failed.")

    monkeypatch.setattr("cms_api.forms.services.submissions.emit", fail)
    with pytest.raises(RuntimeError):
        send(asked(), **SENT)
    assert (Contact.objects.count(), Activity.objects.count(), Company.objects.count()) == (0, 0, 0)


@pytest.mark.django_db(transaction=True)
def test_many_send_at_once(emitted: Emitted) -> None:
    form = asked()

    def sends(number: int) -> int | None:
        return send(
            form if number % 2 else asked(), **{**SENT, "mail": f"{'DANA' if number % 3 else 'dana'}@example.com"}
        ).contact_id

    contacts = together(sends, 12)
    contact = Contact.objects.get()
    assert set(contacts) == {contact.pk}
    assert Activity.objects.filter(contact=contact, kind="form").count() == 12
    assert [kind for kind, _ in emitted()] == ["crm.contact.created"]
