"""The demo contacts."""

from typing import Any

import pytest
from django.contrib.auth import get_user_model

from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from cms_api.text.search import matching
from cms_api.webhooks.models import OutboxEvent
from commerce.crm import demo, selectors
from commerce.crm.models import Activity, AssignmentRule, Company, Contact
from commerce.crm.types import ActivityKind, Lifecycle
from tests.builders import make_endpoint

pytestmark = pytest.mark.django_db


def ignore(more: int) -> None:
    pass


def snapshot() -> list[Any]:
    return [
        list(model.objects.order_by("pk").values_list())
        for model in (Contact, Company, Activity, AssignmentRule, get_user_model())
    ]


@pytest.mark.both_databases
def test_it_holds_what_filters_and_pages_need() -> None:
    switch_feature(name="webhooks", on=True)
    make_endpoint("*")
    demo.load(1, ignore)
    for lifecycle in Lifecycle:
        assert Contact.objects.filter(lifecycle=lifecycle).count() >= 3, lifecycle
    for having in ({"company": None}, {"assigned_to": None}, {"tags": []}, {"notes": ""}):
        assert Contact.objects.filter(**having).exists()
        assert Contact.objects.exclude(**having).exists()
    kinds = set(Activity.objects.values_list("kind", flat=True))
    assert kinds == set(ActivityKind) - {ActivityKind.MERGE}
    assert Company.objects.count() >= 5
    assert AssignmentRule.objects.count() == 2
    assert [len(group.ids) for group in selectors.possible_duplicates()] == [2]
    assert list(matching(Contact.objects.all(), "ceramics").values_list("email", flat=True)) != []
    assert not OutboxEvent.objects.exists()
    assert not OutgoingMail.objects.exists()
    assert not any(user.has_usable_password() for user in selectors.staff())


def test_loading_again_adds_only_what_is_missing() -> None:
    demo.load(1, ignore)
    first = snapshot()
    demo.load(1, ignore)
    assert snapshot() == first
    Contact.objects.get(email="dana.reyes@example.com").delete()
    demo.load(1, ignore)
    assert Contact.objects.count() == len(demo.DATA["contacts"])
    assert Contact.objects.get(email="dana.reyes@example.com").activities.exists()


def test_each_further_unit_of_scale_adds_its_bulk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "BULK_CONTACTS", 40)
    heard: list[int] = []
    demo.load(2, heard.append)
    assert Contact.objects.count() == len(demo.DATA["contacts"]) + 40 == sum(heard)
    demo.load(3, ignore)
    assert Contact.objects.count() == len(demo.DATA["contacts"]) + 80
    numbered = Contact.objects.filter(email__startswith="guest")
    assert set(numbered.values_list("lifecycle", flat=True)) == set(Lifecycle.values)
    assert numbered.filter(company=None).exists()
    assert matching(Contact.objects.all(), "guest79").exists()
    assert len(selectors.possible_duplicates()) == 1


def test_features_stay_as_they_are() -> None:
    switch_feature(name="crm", on=False)
    demo.load(1, ignore)
    assert Contact.objects.exists()
