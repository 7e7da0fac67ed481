"""Demo plans and members: enough of each, the same on a second run, and without emails or events."""

from collections import Counter

import pytest
from allauth.account.models import EmailAddress
from django.test import Client

from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from commerce.members.demo import load
from commerce.members.models import Member, Plan
from commerce.members.selectors import members

from .conftest import emitted

pytestmark = pytest.mark.django_db


def test_it_works() -> None:
    load(1, lambda count: None)
    places = Counter((member.plan and member.plan.slug, member.status) for member in Member.objects.select_related("plan"))
    assert len(places) == (Plan.objects.count() + 1) * 2
    assert set(places.values()) == {3}
    assert {plan.enabled for plan in Plan.objects.all()} == {True, False}
    assert not any(member.user.has_usable_password() for member in Member.objects.select_related("user"))
    assert EmailAddress.objects.filter(verified=True, primary=True).count() == Member.objects.count()
    assert members(search="adeyemi").count() == 6
    assert Client().get("/membership").status_code == 200
    assert (emitted(), OutgoingMail.objects.count()) == ([], 0)


def test_loading_again_adds_nothing() -> None:
    switch_feature(name="members", on=False)
    load(1, lambda count: None)
    before = list(Plan.objects.values()), list(Member.objects.values())
    load(3, lambda count: None)
    assert (list(Plan.objects.values()), list(Member.objects.values())) == before
