"""Emails to clients, their contacts, and the sequence after a completion: nothing internal is ever in an email."""

import pytest

from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from commerce.crm.models import Activity, Contact
from commerce.crm.services import upsert_contact
from commerce.crm.types import ActivityKind
from commerce.marketing.models import Enrolment
from commerce.marketing.types import Status
from commerce.projects.selectors import PROJECT_LINK, admin_url
from commerce.projects.services import (
    add_update,
    cancel_project,
    complete_project,
    reopen_project,
    save_project,
    tick_milestone,
    untick_milestone,
)
from tests.commerce.invoicing.builders import make_client

from .builders import make_file, make_project, milestone, tick
from .sequences import make_sequence, subscribe

SECRET = "The client is late with the money"


def mails() -> list[OutgoingMail]:
    return list(OutgoingMail.objects.order_by("pk"))


@pytest.mark.both_databases
def test_it_works() -> None:
    project = make_project("Mural", "Sketch", "Paint")
    add_update(project=project, note=SECRET, is_public=False)
    make_file(project, f"{SECRET}.pdf")
    add_update(project=project, note="It dries.\n\nUntil <Friday>.")
    tick(project, "Sketch")
    update, done = mails()
    assert (update.subject, update.recipient) == ("Update on Mural", "dana@example.com")
    assert "Hello Dana," in update.text
    assert "It dries.\n\nUntil <Friday>." in update.text
    assert "<p>It dries.</p>" in update.html
    assert "Until &lt;Friday&gt;." in update.html
    assert done.subject == "Mural: Sketch is done"
    for mail in (update, done):
        assert PROJECT_LINK.url(project) in mail.text
        assert SECRET not in mail.text + mail.html
    assert ("Progress: 0%" in update.text, "Progress: 50%" in done.text) == (True, True)


def test_an_update_that_became_internal_is_not_emailed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The email is made of what the public query finds, not of what the caller says."""
    from commerce.projects.services import notices

    project = make_project()
    note = add_update(project=project, note=SECRET, is_public=False)
    assert notices.send_update(project, note.pk) is False
    assert mails() == []


def test_without_an_address_nothing_is_sent() -> None:
    project = make_project("Mural", "Sketch", client_email="")
    add_update(project=project, note="News")
    tick(project, "Sketch")
    assert mails() == []
    # Once there is an address, the milestone can still be announced.
    save_project(project=project, values={"client_email": "dana@example.com"})
    untick_milestone(milestone=milestone(project, "Sketch"))
    tick(project, "Sketch")
    assert len(mails()) == 1


def test_the_address_of_the_client_is_used() -> None:
    project = make_project("Mural", client=make_client(email="office@example.com"), client_email="", client_name="")
    add_update(project=project, note="News")
    assert mails()[0].recipient == "office@example.com"


def test_a_milestone_is_announced_once() -> None:
    found = milestone(make_project("Mural", "Sketch"), "Sketch")
    for service, changed in (
        *((tick_milestone, True), (tick_milestone, False), (untick_milestone, True), (untick_milestone, False)),
        (tick_milestone, True),
    ):
        assert service(milestone=found) is changed
    assert len(mails()) == 1


def test_the_timeline_of_the_contact() -> None:
    switch_feature(name="crm", on=True)
    upsert_contact(values={"email": "dana@example.com", "first_name": "Daniela"}, source="admin")
    project = make_project("Mural")
    for _ in range(2):
        complete_project(project=project)
        complete_project(project=project)
        reopen_project(project=project)
    cancel_project(project=project)
    entries = Activity.objects.filter(kind=ActivityKind.PROJECT).order_by("pk")
    words = [entry.summary.removeprefix("Project Mural ") for entry in entries]
    assert words == ["created", *["completed", "reopened"] * 2, "cancelled"]
    assert {entry.link for entry in entries} == {admin_url(project.pk)}
    contact = Contact.objects.get()
    assert (contact.first_name, contact.last_name) == ("Daniela", "Reyes")


def test_without_the_crm_or_an_address_nothing_is_recorded() -> None:
    complete_project(project=make_project())
    switch_feature(name="crm", on=True)
    complete_project(project=make_project(client_email=""))
    assert (Contact.objects.count(), Activity.objects.count()) == (0, 0)


def test_an_active_subscriber_is_enrolled_once() -> None:
    first = make_sequence("after-a-project")
    subscribe("dana@example.com")
    project = make_project()
    complete_project(project=project)
    assert Enrolment.objects.get().sequence == first
    # Even if the setting names another sequence by then.
    make_sequence("another")
    reopen_project(project=project)
    complete_project(project=project)
    assert Enrolment.objects.get().sequence == first
    complete_project(project=make_project("Second"))
    assert Enrolment.objects.count() == 2


@pytest.mark.parametrize("status", [Status.PENDING, Status.UNSUBSCRIBED])
def test_others_are_not_enrolled(status: Status) -> None:
    make_sequence("after-a-project")
    subscribe("dana@example.com", status)
    for email in ("dana@example.com", "nobody@example.com", ""):
        complete_project(project=make_project(client_email=email))
    assert not Enrolment.objects.exists()


def test_somebody_who_subscribes_later_is_enrolled_at_the_next_completion() -> None:
    make_sequence("after-a-project")
    project = make_project()
    complete_project(project=project)
    subscribe("dana@example.com")
    reopen_project(project=project)
    assert not Enrolment.objects.exists()
    complete_project(project=project)
    assert Enrolment.objects.count() == 1


def test_nobody_is_enrolled_without_marketing_or_the_sequence() -> None:
    make_sequence("after-a-project").delete()
    subscribe("dana@example.com")
    complete_project(project=make_project())
    make_sequence("after-a-project")
    switch_feature(name="marketing", on=False)
    complete_project(project=make_project())
    assert not Enrolment.objects.exists()
