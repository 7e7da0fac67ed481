"""The admin's home: what each person finds there, and what it costs."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from wagtail.users.models import UserProfile

from cms_api.adminkit import cards as adminkit
from cms_api.adminkit.cards import Card, Kind, count_up_to_max
from cms_api.auth.services.tokens import create_token
from cms_api.comments.models import Comment
from cms_api.core import registry
from cms_api.flags.services import set_setting, switch_feature
from cms_api.gateway import dashboard
from events.services.builtin import create as create_events
from home.models import Theme
from home.services import create_home_page
from tests import people
from tests.builders import blog_post, make_form, make_item, make_page
from tests.comments.conftest import commentable, make_comment
from tests.events.guests import make_event, make_reply
from tests.features import switch_all_on

pytestmark = pytest.mark.django_db

HOME = "/admin/"


@pytest.fixture
def everything_on(db: None) -> None:
    blog_post()
    create_events()
    create_home_page()
    switch_all_on()


def home(client: Client) -> str:
    return client.get(HOME).content.decode()


def titles(person: Any, kind: Kind) -> list[str]:
    return [card.title for card in dashboard.cards(people.request_by(person)) if card.kind == kind and card.count]


@pytest.mark.both_databases
def test_it_works(everything_on: None, admin_client: Client) -> None:
    make_comment(commentable(title="On the mill"))
    set_setting(key="site.name", value="Millrace <Arts>")
    page = home(admin_client)
    assert "<h1>Millrace &lt;Arts&gt;</h1>" in page
    assert "Comments awaiting moderation" in page
    assert "On the mill" in page
    assert "First steps" in page
    assert 'href="/admin/crm/contacts/new/"' in page


def test_nothing_waits_on_a_quiet_site(everything_on: None, admin_client: Client) -> None:
    assert "Set up payments" in home(admin_client)
    set_setting(key="payments.allow_test_payments", value=True)
    assert "Nothing needs your attention right now." in home(admin_client)


def test_people_may_create_what_their_role_allows(everything_on: None) -> None:
    for person, expected in ((people.mallory_manager(), {"Form", "Contact"}), (people.bob(), set())):
        found = titles(person, Kind.CREATE)
        assert found[0] == "Page"
        assert {"Blog post", "Event", "Images"} <= set(found)
        assert {"Form", "Contact"} & set(found) == expected
    assert titles(people.charlie(), Kind.CREATE) == []


def test_what_is_switched_off_is_not_there(everything_on: None) -> None:
    manager = people.mallory_manager()
    for name in ("events", "crm"):
        switch_feature(name=name, on=False)
    assert {"Event", "Contact"}.isdisjoint(titles(manager, Kind.CREATE))


@pytest.mark.both_databases
def test_recent_changes_are_each_there_once_latest_first(everything_on: None) -> None:
    item, page = make_item(title="First"), make_page(title="Second")
    page.save_revision(user=people.bob())
    page.save_revision(user=people.bob())
    make_item(title="Third", status="draft")
    editor = people.bob()
    found = [card for card in dashboard.cards(people.request_by(editor)) if card.kind == Kind.CHANGED]
    found.sort(key=lambda card: card.at, reverse=True)
    assert [(card.title, card.status) for card in found[:3]] == [("Third", "Draft"), ("Second", ""), ("First", "")]
    assert found[1].text == "Page · bob@example.com"
    assert found[2].url == f"/admin/content/items/edit/{item.pk}/"
    assert titles(people.charlie(), Kind.CHANGED) == []


@pytest.mark.both_databases
def test_a_deleted_record_is_no_recent_change(everything_on: None) -> None:
    editor = people.bob()
    make_item(title="Gone").delete()
    assert "Gone" not in titles(editor, Kind.CHANGED)


def test_what_is_urgent_comes_first(monkeypatch: pytest.MonkeyPatch, everything_on: None) -> None:
    made = [Card("Later", "/"), Card("Soon", "/", order=1), Card("Now", "/", urgent=True)]
    monkeypatch.setattr(registry, "load", lambda dotted: lambda request: made if dotted.endswith("cards.waiting") else None)
    assert [card.title for card in dashboard.cards(people.request_by(people.alice()))] == ["Now", "Soon", "Later"]


@pytest.mark.both_databases
def test_counts_end_at_a_hundred(monkeypatch: pytest.MonkeyPatch, admin_client: Client) -> None:
    monkeypatch.setattr(adminkit, "MAX_COUNT", 2)
    item = commentable()
    for _ in range(4):
        make_comment(item)
    with CaptureQueriesContext(connection) as statements:
        assert count_up_to_max(Comment.objects.all()) == 3
    assert "LIMIT 3" in statements.captured_queries[0]["sql"]
    assert Card("", "", count=3).count_text == "2+"
    assert Card("", "", count=2).count_text == "2"


def first_steps(person: Any) -> dict[str, bool]:
    return {step.title: step.done for step in dashboard.steps(people.request_by(person))}


def test_first_steps_tick_themselves_off(db: None) -> None:
    create_home_page()
    blog_post()
    alice = people.alice()
    # The API is off, so that nobody needs a token.
    assert list(first_steps(alice).values()) == [False] * 6
    set_setting(key="site.name", value="Millrace")
    Theme.objects.create(accent="#2a3bd0")
    switch_feature(name="api", on=True)
    make_page()
    assert first_steps(alice) == {
        "Name the site": True,
        "Choose a logo and colours": True,
        "Switch on the features you need": True,
        "Create the first page": True,
        "Write the first content item": False,
        "Invite an editor": False,
        "Create an API token": False,
    }
    make_item()
    people.bob()
    create_token(name="shop", abilities=["content:read"], lifetime="never")
    assert first_steps(alice) == {}


def test_first_steps_are_those_that_a_person_may_take(db: None) -> None:
    create_home_page()
    assert {"Invite an editor", "Switch on the features you need"}.isdisjoint(first_steps(people.bob()))
    assert first_steps(people.charlie()) == {}


def test_first_steps_can_be_dismissed_by_each_person(db: None, admin_client: Client) -> None:
    create_home_page()
    page = home(admin_client)
    assert f'data-w-dismissible-id-value="{dashboard.DISMISSIBLE}"' in page
    admin_client.patch("/admin/dismissibles/", f'{{"{dashboard.DISMISSIBLE}": true}}', content_type="application/json")
    assert UserProfile.objects.get().dismissibles == {dashboard.DISMISSIBLE: True}
    assert "First steps" not in home(admin_client)
    assert first_steps(people.bob())


def some_of_everything(number: int) -> None:
    item, form = commentable(), make_form()
    for each in range(number):
        make_comment(item)
        make_page(title=f"Page {each}")
        make_item(title=f"Item {each}", status="scheduled", published_at=timezone.now() + timedelta(days=3))
        form.submissions.create(source="site", created_at=timezone.now())
        make_reply(make_event(title=f"Event {each}"))


#: Versions, session, user, profile and permissions take 6 statements at most, Wagtail's panels and page 10.
PAGE = 16


def test_it_costs_the_same_however_much_there_is(everything_on: None, sign_in: Callable[[Any], Client]) -> None:
    """Each declared card takes at most two statements, each first step one, and the page around them as many as ever."""
    client = sign_in(people.alice())
    cards = [card for module in registry.modules() for card in module.admin.cards]
    steps = [step for module in registry.modules() for step in module.admin.first_steps]

    def cost() -> int:
        with CaptureQueriesContext(connection) as statements:
            assert client.get(HOME).status_code == 200
        return len(statements)

    some_of_everything(1)
    cost()
    few = cost()
    some_of_everything(7)
    cost()
    assert cost() == few
    costs = {dotted: cost_of(dotted) for dotted in cards}
    assert {dotted: cost for dotted, cost in costs.items() if cost > 2} == {}
    assert few <= PAGE + len(steps) + sum(costs.values())


def cost_of(card: str) -> int:
    request = people.request_by(get_user_model().objects.get(email="alice@example.com"))
    request.user.get_all_permissions()
    with CaptureQueriesContext(connection) as statements:
        made = registry.load(card)(request)
        if not isinstance(made, Card):
            list(made or ())
    return len(statements)
