"""Demo projects: every status and kind, consistent, and the same on a second run."""

from collections import Counter

import pytest
from django.utils import timezone

from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from cms_api.webhooks.models import OutboxEvent
from commerce.crm.models import Contact
from commerce.projects.demo import DATA, load
from commerce.projects.models import Milestone, Project, ProjectFile, ProjectUpdate
from commerce.projects.selectors import of_status, projects
from commerce.projects.types import OVERDUE, ProjectStatus
from tests.commerce.invoicing.builders import make_client

TABLES = (Project, Milestone, ProjectUpdate, ProjectFile)


@pytest.fixture(autouse=True)
def demo(projects: None) -> None:
    switch_feature(name="crm", on=True)
    make_client("Nordlicht GmbH", email="client1@clients.example")
    Contact.objects.all().delete()
    OutboxEvent.objects.all().delete()
    load(1, lambda count: None)


def test_it_works() -> None:
    found = list(projects())
    assert len(found) == len(DATA["projects"])
    statuses = Counter(each.status for each in found)
    assert (set(statuses), min(statuses.values())) == (set(ProjectStatus), 3)
    assert of_status(Project.objects.all(), OVERDUE).count() == 3
    for kind in (
        *(lambda each: each.milestones.all(), lambda each: each.client_id, lambda each: each.client_email),
        *(lambda each: each.needed, lambda each: each.due_at, lambda each: each.started_at, lambda each: each.email),
    ):
        assert min(Counter(bool(kind(each)) for each in found).values()) >= 2
    assert {each.is_public for each in ProjectUpdate.objects.all()} == {True, False}
    assert {each.is_public for each in ProjectFile.objects.all()} == {True, False}


def test_it_is_consistent() -> None:
    now = timezone.now()
    for each in projects().prefetch_related("updates"):
        moments = [milestone.completed_at for milestone in each.milestones.all() if milestone.completed_at]
        moments += [update.created_at for update in each.updates.all()]
        assert all(each.created_at <= moment <= each.updated_at for moment in moments), each
        assert each.created_at <= each.updated_at <= now
        assert each.updates.all()
        assert (each.due_at or each.started_at or now.date()) >= (each.started_at or each.created_at.date())


def test_loading_again_adds_nothing_and_a_larger_scale_does() -> None:
    before = [list(table.objects.order_by("pk").values()) for table in TABLES]  # type: ignore[attr-defined]
    load(1, lambda count: None)
    assert [list(table.objects.order_by("pk").values()) for table in TABLES] == before  # type: ignore[attr-defined]
    load(2, lambda count: None)
    assert Project.objects.count() == 2 * len(DATA["projects"])


def test_nobody_hears_of_it() -> None:
    assert not OutgoingMail.objects.exists()
    assert not OutboxEvent.objects.exists()
    assert not Contact.objects.exists()
