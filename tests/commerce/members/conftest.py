"""Every test of members has them switched on, and somebody who listens to what happens with them."""

import json
import os
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.test import Client

from cms_api.accounts.services import create_member
from cms_api.flags.services import switch_feature
from cms_api.webhooks.models import OutboxEvent
from commerce.members.models import Member, Plan
from commerce.members.services import save_plan
from tests.builders import make_endpoint
from tests.people import PASSWORD


@pytest.fixture(autouse=True)
def members_on(db: None) -> None:
    for name in ("members", "webhooks"):
        switch_feature(name=name, on=True)
    make_endpoint("*")


@pytest.fixture(autouse=True)
def _own_attempts(settings: Any) -> None:
    """Attempts that no other test has used up, in the real cache."""
    (chosen,) = django_settings.CACHES.values()
    settings.CACHES = {"default": {**chosen, "KEY_PREFIX": os.urandom(8).hex()}}


@pytest.fixture
def member(members_on: None) -> Member:
    return make_member("mia@example.com", "Mia Sand")


@pytest.fixture
def signed_in(member: Member, sign_in: Callable[[Any], Client]) -> Client:
    return sign_in(member.user)


@pytest.fixture
def plan(members_on: None) -> Plan:
    return make_plan("Friend", price_cents=1250, interval="month")


def make_member(email: str, name: str = "", plan: Plan | None = None) -> Member:
    member = Member.objects.select_related("user").get(user=create_member(email=email, password=PASSWORD, name=name))
    if plan:
        Member.objects.filter(pk=member.pk).update(plan=plan)
        member.refresh_from_db()
    return member


def make_account(email: str = "old@example.com") -> User:
    """Somebody who signed up while there were no members."""
    switch_feature(name="members", on=False)
    user = create_member(email=email, password=PASSWORD, name="Olga Old")
    switch_feature(name="members", on=True)
    return user


def make_plan(name: str, **values: Any) -> Plan:
    return save_plan(values={"name": name, **values})


def emitted(kind: str = "member.") -> list[tuple[str, Any]]:
    """Webhook events in their order: kind and payload."""
    events = OutboxEvent.objects.filter(kind__startswith=kind).order_by("pk")
    return [(event.kind, json.loads(bytes(event.payload))) for event in events]


def kinds(kind: str = "member.") -> list[str]:
    return [each for each, _ in emitted(kind)]
