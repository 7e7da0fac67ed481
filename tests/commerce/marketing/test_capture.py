"""A box in any form that begins a subscription."""

from typing import Any

import pytest

from cms_api.flags.services import switch_feature
from cms_api.forms.models import Form, Submission
from cms_api.forms.services.submissions import release, submit
from cms_api.forms.types import Source
from commerce.crm.models import Activity, Contact
from commerce.marketing.models import Subscriber
from commerce.marketing.services import unsubscribe, upsert_subscriber
from commerce.marketing.types import Status
from tests.builders import field, make_form
from tests.client import together

from .conftest import mails, make_subscriber, path_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_budgets")]


def form_with(key: str = "newsletter", kind: str = "checkbox", **more: Any) -> Form:
    return make_form(field("name", "text"), field("email", "email"), field(key, kind, **more))


def send(form: Form, **data: Any) -> Submission:
    return submit(form=form, data={"name": "Dana Reyes", "email": "Dana@example.com", **data}, source=Source.API)


@pytest.mark.parametrize("key", ["newsletter", "subscribe"])
@pytest.mark.both_databases
def test_it_works(key: str, client: Any) -> None:
    send(form_with(key), **{key: True})
    subscriber = Subscriber.objects.get()
    assert (subscriber.email, subscriber.status, subscriber.source) == ("dana@example.com", Status.PENDING, "form")
    client.post(path_in(mails("subscription_confirm")[0], "/subscribe/confirm/"))
    subscriber.refresh_from_db()
    assert (subscriber.status, subscriber.name) == (Status.ACTIVE, "Dana Reyes")


def test_only_a_ticked_box_begins_anything() -> None:
    send(form_with(), newsletter=False)
    send(form_with())
    send(form_with("news"), news=True)
    send(form_with(kind="text"), newsletter="yes")
    send(form_with(kind="checkboxes", options=["Yes"]), newsletter=["Yes"])
    send(form_with(), newsletter=True, email="")
    switch_feature(name="marketing", on=False)
    send(form_with(), newsletter=True)
    assert not Subscriber.objects.exists()
    assert not mails()


def test_whoever_unsubscribed_is_asked_and_stays_so_until_they_confirm() -> None:
    make_subscriber(status=Status.UNSUBSCRIBED)
    send(form_with(), newsletter=True)
    assert Subscriber.objects.get().status == Status.UNSUBSCRIBED
    assert len(mails("subscription_confirm")) == 1


def test_sent_again_and_again_it_is_one_mail() -> None:
    form = form_with()
    for _ in range(3):
        send(form, newsletter=True)
    assert Submission.objects.count() == 3
    assert len(mails()) == 1


def test_what_is_held_back_as_spam_begins_nothing_until_it_is_released() -> None:
    form = form_with()
    data = {"name": "Dana", "email": "dana@example.com", "newsletter": True}
    spam = Submission.objects.create(
        form=form, data=data, source=Source.SITE, is_spam=True, spam_reason="Too fast.", created_at=form.created_at
    )
    assert not mails()
    release(submission=spam)
    assert len(mails()) == 1


def test_with_the_crm_the_contact_has_the_mail_in_the_timeline() -> None:
    switch_feature(name="crm", on=True)
    submission = send(form_with(), newsletter=True)
    assert submission.contact_id == Contact.objects.get().pk
    assert Activity.objects.filter(kind="mail").count() == 1


@pytest.mark.django_db(transaction=True)
def test_forms_and_subscribers_of_one_person_do_not_wait_for_each_other() -> None:
    """Forms hold the contact and come to the subscriber, the others the other way round: nobody is refused."""
    switch_feature(name="crm", on=True)
    form = form_with()
    people = [f"guest{number}@example.com" for number in range(6)]
    for number, email in enumerate(people):
        if number % 2:
            send(form, email=email)

    def act(number: int) -> int:
        for email in people if number % 2 else people[::-1]:
            if number % 4 == 0:
                send(form, email=email, newsletter=True)
            elif number % 4 == 1:
                upsert_subscriber(values={"email": email, "resubscribe": True}, source="api")
            elif number % 4 == 2 and (found := Subscriber.objects.filter(email=email).first()):
                unsubscribe(subscriber=found)
            else:
                send(form, email=email)
        return 1

    assert together(act, 12) == [1] * 12
    assert Subscriber.objects.count() == len(people) == Contact.objects.count()
