"""Sequences: enrolment, the times of the mails, and changes of a running sequence."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.core.records import delete_record
from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from commerce.marketing.models import Enrolment, Sequence, SequenceStep, Subscriber
from commerce.marketing.services import enrol_address, unsubscribe
from commerce.marketing.services import sending as sender
from commerce.marketing.services.enrolment import enrol, enrol_all, stop
from commerce.marketing.services.sending import send_due_steps, send_steps
from commerce.marketing.services.sequences import save_sequence, switch_sequence
from commerce.marketing.services.subscribers import (
    add_tag,
    choose,
    confirm,
    resubscribe,
    update_subscriber,
    upsert_subscribers,
)
from commerce.marketing.types import Status

from .conftest import make_list, make_subscriber
from .sequences import STEPS, as_rows, change_steps, enrolled, make_sequence, subjects, wait, written

pytestmark = pytest.mark.django_db

NEWS = {"delay": 1, "unit": "hours", "subject": "News", "body": "<p>New</p>"}


@pytest.mark.both_databases
def test_it_works() -> None:
    enrolment = enrolled(make_sequence(), make_subscriber(first_name="Dana"))
    send_due_steps()
    assert subjects() == ["First, Dana"]
    send_due_steps()
    wait(days=1, hours=23)
    send_due_steps()
    assert subjects() == ["First, Dana"]
    wait(hours=1)
    send_due_steps()
    assert subjects() == ["First, Dana", "Second"]
    wait(hours=3)
    send_due_steps()
    assert subjects() == ["First, Dana", "Second", "Third"]
    enrolment.refresh_from_db()
    assert (enrolment.state, enrolment.next_at, len(enrolment.sent)) == ("finished", None, 3)
    wait(days=100)
    assert send_steps() == 0


def test_a_mail_says_what_the_step_says_and_how_to_unsubscribe() -> None:
    body = (
        "<h2>Hello</h2><p>{{ greeting }},</p><ul><li>one</li><li><b>two</b></li></ul><ol><li>A</li><li>B</li></ol>"
        '<p>See <a href="/about/">the house</a>, or <a href="https://example.com/x">this</a>.<br>Bye</p><hr><p>{{ email }}</p>'
    )
    enrolled(make_sequence({**NEWS, "delay": 0, "body": body}), make_subscriber(first_name="<b>Dana</b>"))
    send_steps()
    mail = OutgoingMail.objects.get()
    assert mail.headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert "/unsubscribe/" in mail.text
    assert "/unsubscribe/" in mail.html
    assert "Hello &lt;b&gt;Dana&lt;/b&gt;," in mail.html
    assert 'href="http://testserver/about/"' in mail.html
    said = mail.text.partition("You received this email")[0].strip()
    assert said == (
        "Hello\n\nHello <b>Dana</b>,\n\n- one\n- two\n\n1. A\n2. B\n\n"
        "See the house (http://testserver/about/), or this (https://example.com/x).\nBye\n\n---\n\ndana@example.com"
    )


def test_a_subject_of_nothing_but_unknown_names_is_the_name_of_the_sequence() -> None:
    enrolled(make_sequence({**NEWS, "delay": 0, "subject": "{{ first_name }}"}, name="News"), make_subscriber())
    send_steps()
    assert subjects() == ["News"]


def test_a_name_that_would_break_the_subject_into_lines_does_not() -> None:
    subscriber = make_subscriber()
    Subscriber.objects.update(first_name="Da\u2028na\r\nBcc: x\x01")
    enrolled(make_sequence({**NEWS, "delay": 0, "subject": "To {{ first_name }}"}), subscriber)
    send_steps()
    assert subjects() == ["To Da na Bcc: x"]


@pytest.mark.parametrize("status", [Status.PENDING, Status.UNSUBSCRIBED])
def test_nobody_is_enrolled_who_gets_no_mail(status: Status) -> None:
    subscriber = make_subscriber(status=status)
    assert enrol(sequence=make_sequence(), subscriber=subscriber) is False
    assert not Enrolment.objects.exists()


@pytest.mark.both_databases
def test_nobody_is_enrolled_twice() -> None:
    sequence, subscriber = make_sequence(), make_subscriber()
    assert enrol(sequence=sequence, subscriber=subscriber) is True
    assert enrol(sequence=sequence, subscriber=subscriber) is False
    send_steps()
    for _ in range(2):
        wait(days=9)
        send_steps()
    assert enrol(sequence=sequence, subscriber=subscriber) is False
    assert Enrolment.objects.get().state == "finished"
    assert len(written()) == 3


def test_other_modules_enrol_by_name_and_address() -> None:
    make_sequence(name="After a project")
    make_subscriber()
    make_subscriber("left@example.com", status=Status.UNSUBSCRIBED)
    assert enrol_address(slug="after-a-project", email=" Dana@Example.com ") is True
    for slug, email in (
        ("after-a-project", "dana@example.com"),
        ("after-a-project", "left@example.com"),
        ("after-a-project", "stranger@example.com"),
        ("after-a-project", ""),
        ("no-such", "dana@example.com"),
        ("", "dana@example.com"),
    ):
        assert enrol_address(slug=slug, email=email) is False
    assert Enrolment.objects.count() == 1
    assert Subscriber.objects.count() == 2


def test_other_modules_enrol_nobody_while_the_feature_is_off() -> None:
    make_sequence(name="After")
    make_subscriber()
    switch_feature(name="marketing", on=False)
    assert enrol_address(slug="after", email="dana@example.com") is False


def names(sequence: Sequence) -> set[str]:
    return set(Enrolment.objects.filter(sequence=sequence).values_list("subscriber__email", flat=True))


def test_whoever_becomes_active_is_enrolled() -> None:
    sequence = make_sequence(trigger="subscribed")
    make_subscriber("new@example.com")
    pending = make_subscriber("pending@example.com", status=Status.PENDING)
    left = make_subscriber("left@example.com", status=Status.UNSUBSCRIBED)
    assert names(sequence) == {"new@example.com"}
    confirm(subscriber=pending)
    assert names(sequence) == {"new@example.com", "pending@example.com"}
    resubscribe(subscriber=left)
    assert names(sequence) == {"new@example.com", "pending@example.com", "left@example.com"}


def test_a_tag_enrols_whoever_has_it_when_becoming_active_and_whoever_gets_it() -> None:
    sequence = make_sequence(trigger="tagged", tag="Clay")
    others = make_sequence(trigger="tagged", tag="paper", name="Paper")
    make_subscriber("has@example.com", tags=["clay"])
    make_subscriber("pending@example.com", status=Status.PENDING, tags=["clay"])
    for name in ("filled", "confirmed", "edited", "bulk", "chose", "imported", "never"):
        make_subscriber(f"{name}@example.com")
    assert names(sequence) == {"has@example.com"}
    people = {each.email.partition("@")[0]: each for each in Subscriber.objects.all()}
    make_subscriber("filled@example.com", tags=["x", "CLAY"])
    upsert_subscribers(rows=[{"email": "imported@example.com"}], source="import", tags=["Clay"])
    confirm(subscriber=people["confirmed"], tags=["clay"])
    update_subscriber(subscriber=people["edited"], values={"tags": ["clay"]})
    assert add_tag(subscribers=[people["bulk"], people["pending"]], tag="clay") == 1
    choose(subscriber=people["chose"], lists=[make_list("Clay", tag="clay")], values={"first_name": "", "last_name": ""})
    assert names(sequence) == {
        f"{each}@example.com" for each in ("has", "filled", "confirmed", "edited", "bulk", "chose", "imported")
    }
    assert names(others) == set()
    confirm(subscriber=people["pending"])
    assert "pending@example.com" in names(sequence)


def test_a_tag_that_somebody_had_before_does_not_enrol_with_the_next_one() -> None:
    subscriber = make_subscriber(tags=["clay"])
    sequence = make_sequence(trigger="tagged", tag="clay")
    add_tag(subscribers=[subscriber], tag="paper")
    update_subscriber(subscriber=subscriber, values={"tags": ["Clay", "wood"]})
    assert names(sequence) == set()


def test_a_paused_sequence_enrols_by_hand_alone() -> None:
    sequence = make_sequence(trigger="subscribed", enabled=False)
    subscriber = make_subscriber()
    assert names(sequence) == set()
    assert enrol(sequence=sequence, subscriber=subscriber) is True
    assert send_steps() == 0
    switch_sequence(sequence=sequence, enabled=True)
    assert send_steps() == 1


def test_pausing_and_starting() -> None:
    sequence = make_sequence()
    enrolled(sequence, make_subscriber())
    send_steps()
    wait(days=30)
    assert switch_sequence(sequence=sequence, enabled=False) is True
    assert switch_sequence(sequence=sequence, enabled=False) is False
    assert send_steps() == 0
    switch_sequence(sequence=sequence, enabled=True)
    assert send_steps() == 1
    assert send_steps() == 0
    assert len(written()) == 2


@pytest.mark.both_databases
def test_after_an_outage_the_steps_do_not_come_all_at_once() -> None:
    enrolled(make_sequence(), make_subscriber())
    wait(days=365)
    assert (send_steps(), send_steps()) == (1, 0)
    wait(days=2)
    assert (send_steps(), send_steps()) == (1, 0)
    wait(hours=2)
    assert send_steps() == 0
    wait(hours=1)
    assert send_steps() == 1


def test_whoever_unsubscribes_gets_no_more() -> None:
    subscriber = make_subscriber()
    enrolled(make_sequence(), subscriber)
    enrolled(make_sequence(name="Other"), subscriber)
    stays = enrolled(make_sequence(name="Third"), make_subscriber("other@example.com"))
    unsubscribe(subscriber=subscriber)
    assert set(Enrolment.objects.exclude(pk=stays.pk).values_list("state", "next_at", "next_step")) == {("stopped", None, None)}
    send_steps()
    assert {address for address, _ in written()} == {"other@example.com"}
    resubscribe(subscriber=subscriber)
    wait(days=9)
    send_steps()
    assert {address for address, _ in written()} == {"other@example.com"}


def test_whoever_is_not_active_though_enrolled_is_stopped_without_a_mail() -> None:
    enrolment = enrolled(make_sequence(), make_subscriber())
    Subscriber.objects.update(status=Status.UNSUBSCRIBED)
    assert send_steps() == 0
    enrolment.refresh_from_db()
    assert (enrolment.state, enrolment.sent) == ("stopped", [])
    assert not OutgoingMail.objects.exists()


def test_taking_somebody_out() -> None:
    enrolment = enrolled(make_sequence(), make_subscriber())
    assert stop(enrolment=enrolment) is True
    assert stop(enrolment=enrolment) is False
    assert send_steps() == 0


@pytest.mark.both_databases
def test_deleting_a_subscriber_ends_their_sequences() -> None:
    enrolled(make_sequence(), make_subscriber())
    Subscriber.objects.get().delete()
    assert send_steps() == 0
    assert not Enrolment.objects.exists()


def test_nothing_is_sent_while_the_feature_is_off() -> None:
    enrolled(make_sequence(), make_subscriber())
    switch_feature(name="marketing", on=False)
    send_due_steps()
    assert written() == []
    switch_feature(name="marketing", on=True)
    send_due_steps()
    assert len(written()) == 1


def test_changed_words_and_delays_hold_for_what_is_sent_later() -> None:
    sequence = make_sequence()
    enrolment = enrolled(sequence, make_subscriber())
    send_steps()
    first, second, third = as_rows(sequence)
    change_steps(sequence, first, {**second, "subject": "Changed", "delay": 5}, third)
    wait(days=4)
    assert send_steps() == 0
    change_steps(sequence, first, {**second, "subject": "Changed", "delay": 4}, third)
    assert send_steps() == 1
    assert subjects()[-1] == "Changed"
    enrolment.refresh_from_db()
    assert enrolment.next_step_id == third["id"]


@pytest.mark.both_databases
def test_whoever_waits_for_a_deleted_step_gets_the_next_one() -> None:
    sequence = make_sequence()
    enrolment = enrolled(sequence, make_subscriber())
    send_steps()
    first, _, third = as_rows(sequence)
    change_steps(sequence, first, third)
    enrolment.refresh_from_db()
    assert enrolment.next_step_id == third["id"]
    assert (enrolment.next_at or timezone.now()) - enrolment.since == sequence.steps.get(pk=third["id"]).wait
    wait(hours=3)
    send_steps()
    assert subjects()[1:] == ["Third"]


@pytest.mark.both_databases
def test_whoever_waits_for_a_deleted_last_step_has_finished_or_gets_what_replaced_it() -> None:
    sequence = make_sequence(*STEPS[:2])
    enrolment = enrolled(sequence, make_subscriber())
    send_steps()
    first, _ = as_rows(sequence)
    change_steps(sequence, first, NEWS)
    wait(hours=1)
    send_steps()
    assert subjects()[1:] == ["News"]
    other = enrolled(sequence, make_subscriber("other@example.com"))
    send_steps()
    change_steps(sequence, first)
    for each in (enrolment, other):
        each.refresh_from_db()
        assert (each.state, each.next_step_id) == ("finished", None)


def test_a_step_that_is_gone_when_its_mail_is_written_gives_way_to_the_next() -> None:
    """As where it is deleted at that moment."""
    sequence = make_sequence()
    enrolled(sequence, make_subscriber())
    send_steps()
    SequenceStep.objects.filter(subject="Second").delete()
    wait(days=2)
    assert send_steps() == 1
    assert subjects()[1:] == ["Third"]
    other = enrolled(sequence, make_subscriber("other@example.com"))
    SequenceStep.objects.exclude(subject="Third").delete()
    assert send_steps() == 0
    wait(hours=3)
    assert send_steps() == 1
    SequenceStep.objects.all().delete()
    other.refresh_from_db()
    assert other.state == "finished"


@pytest.mark.both_databases
def test_moved_steps_are_sent_once() -> None:
    sequence = make_sequence()
    enrolled(sequence, make_subscriber())
    send_steps()
    first, second, third = as_rows(sequence)
    change_steps(sequence, second, third, first)
    for _ in range(4):
        wait(days=3)
        send_steps()
    assert [subject.split(",")[0] for subject in subjects()] == ["First", "Second", "Third"]


def test_a_step_that_is_put_first_is_not_sent_to_those_who_are_further() -> None:
    sequence = make_sequence()
    enrolled(sequence, make_subscriber())
    send_steps()
    change_steps(sequence, {**NEWS, "subject": "Zeroth"}, *as_rows(sequence))
    for _ in range(4):
        wait(days=3)
        send_steps()
    assert len(written()) == 3
    assert "Zeroth" not in subjects()


def test_a_mail_that_cannot_be_written_holds_up_none_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    sequence = make_sequence()
    for name in ("bad", "good"):
        enrolled(sequence, make_subscriber(f"{name}@example.com"))
    send = sender.mail_subscriber

    def refuse(**given: Any) -> bool:
        if given["subscriber"].email.startswith("bad"):
            raise Invalid({"to": "No."})
        return send(**given)

    monkeypatch.setattr(sender, "mail_subscriber", refuse)
    assert send_steps() == 1
    assert send_steps() == 0
    monkeypatch.setattr(sender, "mail_subscriber", send)
    wait(hours=2)
    assert send_steps() == 1
    assert {address for address, _ in written()} == {"bad@example.com", "good@example.com"}


def test_a_run_ends_in_time_and_the_next_goes_on() -> None:
    sequences = [make_sequence(name=name) for name in ("A", "B")]
    people = [make_subscriber(f"{number}@example.com") for number in range(5)]
    for sequence in sequences:
        enrol_all(sequence=sequence, subscribers=people)
    asked = iter([False] * 3 + [True])
    assert send_steps(stop=lambda: next(asked)) == 3
    assert send_steps() == 7
    assert len(set(written())) == len(written()) - 5


@pytest.mark.both_databases
def test_deleting_a_sequence() -> None:
    sequence = make_sequence()
    enrolled(sequence, make_subscriber())
    delete_record(record=sequence)
    assert (Enrolment.objects.count(), SequenceStep.objects.count(), Sequence.objects.count()) == (0, 0, 0)
    assert send_steps() == 0


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ({"name": ""}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"name": "a\0"}, "name"),
        ({"name": 5}, "name"),
        ({"trigger": "never"}, "trigger"),
        ({"trigger": "tagged"}, "tag"),
        ({"trigger": "tagged", "tag": "x" * 51}, "tag"),
        ({"steps": []}, "steps"),
        ({"steps": [NEWS] * 51}, "steps"),
        ({"steps": [NEWS, {**NEWS, "delay": -1}]}, "steps.1.delay"),
        ({"steps": [{**NEWS, "delay": 10**30}]}, "steps.0.delay"),
        ({"steps": [{**NEWS, "delay": "1"}]}, "steps.0.delay"),
        ({"steps": [{**NEWS, "delay": 731, "unit": "days"}]}, "steps.0.delay"),
        ({"steps": [{**NEWS, "unit": "weeks"}]}, "steps.0.unit"),
        ({"steps": [{**NEWS, "subject": " "}]}, "steps.0.subject"),
        ({"steps": [{**NEWS, "subject": "a\nb"}]}, "steps.0.subject"),
        ({"steps": [{**NEWS, "subject": "x" * 201}]}, "steps.0.subject"),
        ({"steps": [{**NEWS, "subject": "{{ password }}"}]}, "steps.0.subject"),
        ({"steps": [{**NEWS, "body": "<p> </p>"}]}, "steps.0.body"),
        ({"steps": [{**NEWS, "body": "<p>{{ first_name</p>"}]}, "steps.0.body"),
        ({"steps": [{**NEWS, "body": "x\0"}]}, "steps.0.body"),
    ],
)
def test_what_a_sequence_refuses(values: dict[str, Any], path: str) -> None:
    with pytest.raises(Invalid) as refused:
        save_sequence(values={"name": "News", "steps": [NEWS], **values})
    assert set(refused.value.errors) == {path}
    assert not Sequence.objects.exists()


@pytest.mark.both_databases
def test_a_slug_is_taken_once_and_stays() -> None:
    made = save_sequence(values={"name": "News", "steps": [NEWS]})
    for slug in ("", "news", "Not A Slug"):
        with pytest.raises(Invalid):
            save_sequence(slug=slug, values={"name": "News", "steps": [NEWS]})
    changed = save_sequence(sequence=made, values={"name": "Other", "steps": [NEWS]})
    assert (changed.slug, changed.enabled) == ("news", False)


@pytest.mark.both_databases
def test_a_large_import_enrols_in_a_few_statements() -> None:
    make_sequence(trigger="subscribed")
    make_sequence(trigger="tagged", tag="clay", name="Clay")
    found = []
    for number in (1, 400):
        rows = [{"email": f"{number}.{each}@example.com", "tags": ["clay"]} for each in range(number)]
        with CaptureQueriesContext(connection) as captured:
            upsert_subscribers(rows=rows, source="import")
        found.append(len(captured))
    assert Enrolment.objects.count() == 2 * 401
    assert found[1] - found[0] <= 12
