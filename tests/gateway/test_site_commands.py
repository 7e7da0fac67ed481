"""The commands that set a site up."""

import io
import re
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.management import CommandError, call_command

from cms_api.content.models import ContentItem, ContentType
from cms_api.core.vocabulary import FEATURES
from cms_api.flags.selectors import features
from cms_api.flags.services import switch_feature
from home.models import HomePage
from tests.client import Api

pytestmark = pytest.mark.django_db


def run(*words: str, **options: Any) -> str:
    out = io.StringIO()
    call_command(*words, stdout=out, **options)
    return out.getvalue()


def test_setup_site_works_and_can_be_repeated() -> None:
    Group.objects.all().delete()
    for _ in range(2):
        run("setup_site")
    assert set(Group.objects.values_list("name", flat=True)) >= {"admin", "manager", "editor"}
    assert set(ContentType.objects.values_list("slug", flat=True)) >= {"blog-post", "service", "projects"}
    assert HomePage.objects.count() == 1
    assert not any(features().values())


def test_setup_site_keeps_what_people_changed() -> None:
    run("setup_site")
    ContentType.objects.filter(slug="service").update(name="Offer")
    run("setup_site")
    assert ContentType.objects.get(slug="service").name == "Offer"


@pytest.mark.both_databases
def test_first_run_prints_an_account_and_a_curl_line_once_and_loads_the_demo() -> None:
    said = run("first_run")
    password = re.search(r"Password: (\S+)", said)
    token = re.search(r"Bearer (swt_\w{40})", said)
    assert password
    assert token
    assert get_user_model().objects.get(email="admin@example.com").check_password(password[1])
    assert Api(token[1]).get("/content-items").json()["meta"]["total"] > 0
    first = set(ContentItem.objects.values_list("pk", "updated_at"))
    again = run("first_run")
    assert "Password" not in again
    assert "swt_" not in again
    # Demo data can be loaded again, also while everything is off, and switches nothing on.
    for feature in FEATURES:
        switch_feature(name=feature, on=False)
    run("load_demo")
    assert set(ContentItem.objects.values_list("pk", "updated_at")) == first
    assert not any(features().values())
    statuses = list(ContentItem.objects.values_list("status", flat=True))
    assert all(statuses.count(status) >= 3 for status in ("draft", "published", "scheduled", "unpublished"))


def test_create_editor_prints_the_id_and_gives_the_role() -> None:
    made = run("create_editor", "Eve@Example.com", role="manager", password="correct horse")
    user = get_user_model().objects.get(pk=int(made))
    assert (user.email, user.is_superuser) == ("eve@example.com", False)
    assert list(user.groups.values_list("name", flat=True)) == ["manager"]


def test_create_editor_refuses_what_is_not_an_address() -> None:
    with pytest.raises(CommandError, match="not an e-mail address"):
        run("create_editor", "eve", role="editor", password="correct horse")
