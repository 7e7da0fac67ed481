"""Demo data of marketing: enough of everything, the same on a second run, and without emails or events."""

import pytest

from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from cms_api.text.search import matching
from cms_api.webhooks.models import OutboxEvent
from commerce.marketing.demo import load
from commerce.marketing.models import Enrolment, MailingList, Sequence, SequenceStep, Subscriber
from commerce.marketing.services.sending import send_due_steps
from commerce.marketing.types import EnrolmentState, Status
from tests.builders import make_endpoint

from .sequences import wait

pytestmark = pytest.mark.django_db


def test_it_works() -> None:
    made: list[int] = []
    load(1, made.append)
    assert sum(made) == Subscriber.objects.count()
    for status in Status.values:
        assert Subscriber.objects.filter(status=status).count() >= 3
    assert MailingList.objects.count() == 3
    assert set(MailingList.objects.values_list("is_public", flat=True)) == {True, False}
    assert Sequence.objects.count() == 2
    assert SequenceStep.objects.count() >= 5
    for state in EnrolmentState.values:
        assert Enrolment.objects.filter(state=state).count() >= 3
    assert matching(Subscriber.objects.all(), "reyes").get().email == "dana.reyes@example.com"
    check_consistency()
    tables = (Subscriber, MailingList, Sequence, SequenceStep, Enrolment)
    before = [list(model.objects.order_by("pk").values()) for model in tables]
    load(1, lambda count: None)
    assert [list(model.objects.order_by("pk").values()) for model in tables] == before
    # A larger scale adds people.
    load(3, lambda count: None)
    assert Subscriber.objects.count() == len(before[0]) + 80
    assert Enrolment.objects.count() == len(before[4])


def test_nobody_is_mailed_or_told() -> None:
    switch_feature(name="webhooks", on=True)
    make_endpoint("*")
    load(1, lambda count: None)
    send_due_steps()
    wait(days=3000)
    send_due_steps()
    assert not OutgoingMail.objects.exists()
    assert not OutboxEvent.objects.exists()


def check_consistency() -> None:
    for each in Enrolment.objects.select_related("subscriber", "sequence", "next_step"):
        is_active = each.state == EnrolmentState.ACTIVE
        assert (each.next_step is not None, each.next_at is not None) == (is_active, is_active)
        assert is_active <= (each.subscriber.status == Status.ACTIVE)
        assert (each.state == EnrolmentState.FINISHED) == (len(each.sent) == each.sequence.steps.count())
    for person in Subscriber.objects.all():
        assert (person.confirmed_at is None) == (person.status == Status.PENDING)
        assert (person.unsubscribed_at is not None) == (person.status == Status.UNSUBSCRIBED)


def test_what_somebody_changed_stays() -> None:
    load(1, lambda count: None)
    Sequence.objects.filter(slug="welcome").update(name="Mine")
    Subscriber.objects.filter(email="dana.reyes@example.com").update(first_name="D.")
    load(1, lambda count: None)
    assert Sequence.objects.get(slug="welcome").name == "Mine"
    assert Subscriber.objects.get(email="dana.reyes@example.com").first_name == "D."


def test_it_may_be_there_in_part() -> None:
    """With a list whose tag is taken, and people who were there before."""
    MailingList.objects.create(slug="mine", name="Mine", tag="Workshops")
    load(1, lambda count: None)
    Subscriber.objects.filter(email="paul.martin@example.com").delete()
    Sequence.objects.filter(slug="welcome").delete()
    load(1, lambda count: None)
    assert MailingList.objects.filter(tag__iexact="workshops").count() == 1
    assert Sequence.objects.count() == 2
