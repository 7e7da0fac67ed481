"""The webhooks' pages of the admin: subscriptions, their secrets and states, and who may come in."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from wagtail.log_actions import registry as log_registry

from cms_api.adminkit.columns import local_date
from cms_api.core import registry
from cms_api.core.errors import Invalid
from cms_api.core.not_found import NotFound
from cms_api.flags.services import switch_feature
from cms_api.webhooks.models import Delivery, Endpoint, OutboxEvent
from cms_api.webhooks.services import endpoints as services
from tests import people

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_menu")]

INDEX, ADD = "/admin/webhooks/", "/admin/webhooks/new/"
URL = "https://203.0.113.9.example/hook"
SECRET = re.compile(r"whsec_[0-9A-Za-z]{40}")
KIND = "content_item.created"


@pytest.fixture(autouse=True)
def _webhooks_on(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    switch_feature(name="webhooks", on=True)
    # No test asks a name server.
    monkeypatch.setattr(services, "resolve", _nowhere)


def _nowhere(host: str, port: int, seconds: float) -> Any:
    raise OSError


def make(**changes: Any) -> Endpoint:
    return services.create_endpoint(**{"url": URL, "events": [KIND], **changes})


def waiting(endpoint: Endpoint, status: str = "pending") -> Delivery:
    event = OutboxEvent.objects.create(kind=KIND, occurred_at=timezone.now(), payload=b'{"id":7}')
    return Delivery.objects.create(endpoint=endpoint, event=event, status=status, created_at=timezone.now())


def address(name: str, endpoint: Endpoint) -> str:
    return reverse(f"webhooks:{name}", args=[endpoint.pk])


def form(client: Client, **changes: Any) -> dict[str, Any]:
    """The form data of a new webhook, with the key of a freshly opened form."""
    once = client.get(ADD).context["form"]["once"].value()
    return {"url": URL, "events": [KIND], "description": "Shop", "once": once, **changes}


def text(response: Any) -> str:
    return response.content.decode()


def test_it_works(admin_client: Client) -> None:
    created = admin_client.post(ADD, form(admin_client))
    assert created.status_code == 200
    endpoint = Endpoint.objects.get()
    assert SECRET.search(text(created)).group() == endpoint.secret  # type: ignore[union-attr]
    assert (endpoint.url, endpoint.events, endpoint.description, endpoint.enabled) == (URL, [KIND], "Shop", True)
    assert endpoint.created_by.username == "alice@example.com"  # type: ignore[union-attr]
    listed = text(admin_client.get(INDEX))
    assert URL in listed
    assert KIND in listed
    assert "Never" in listed
    inspected = text(admin_client.get(address("inspect", endpoint)))
    assert "No deliveries yet." in inspected
    assert "is disabled" not in inspected


def test_the_secret_is_shown_exactly_once(admin_client: Client) -> None:
    sent = form(admin_client)
    created = admin_client.post(ADD, sent)
    assert "no-store" in created["Cache-Control"]
    again = admin_client.post(ADD, sent, follow=True)
    assert again.redirect_chain == [(INDEX, 302)]
    assert "was already submitted" in text(again)
    endpoint = Endpoint.objects.get()
    pages = [INDEX, ADD, *(address(name, endpoint) for name in ("inspect", "edit", "rotate", "delete", "history"))]
    for page in [again, *(admin_client.get(url) for url in pages)]:
        assert page.status_code == 200
        assert endpoint.secret not in text(page)


@pytest.mark.parametrize(
    ("changes", "field", "sentence"),
    [
        ({"url": ""}, "url", "This field is required."),
        ({"url": "http://example.com/"}, "url", "The url must begin with https://."),
        ({"url": "https://a:b@example.com/"}, "url", "The url must not contain credentials."),
        ({"events": []}, "events", "This field is required."),
        ({"events": ["nothing.happened"]}, "events", "nothing.happened is not one of the available choices"),
        ({"description": "x" * 256}, "description", "at most 255 characters"),
    ],
)
def test_errors_stand_at_their_fields(admin_client: Client, changes: dict[str, Any], field: str, sentence: str) -> None:
    sent = form(admin_client, **changes)
    refused = admin_client.post(ADD, sent)
    assert refused.status_code == 200
    assert sentence in str(refused.context["form"].errors[field])
    assert sentence in text(refused)
    assert not Endpoint.objects.exists()
    mended = admin_client.post(ADD, sent | {"url": URL, "events": [KIND], "description": ""})
    assert SECRET.search(text(mended))
    edited = admin_client.post(address("edit", Endpoint.objects.get()), sent)
    assert sentence in str(edited.context["form"].errors[field])


def test_an_address_inside_is_refused(admin_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    refused = admin_client.post(ADD, form(admin_client, url="https://127.0.0.1/hook"))
    assert "must not lead to a private or reserved address" in text(refused)


def test_the_picker_offers_the_events_of_modules(admin_client: Client) -> None:
    switch_feature(name="crm", on=True)
    page = admin_client.get(ADD)
    (every, label), *modules = page.context["form"].fields["events"].choices
    assert (every, label) == ("*", "All events, including future types")
    offered = {kind: title for title, kinds in modules for kind, _ in kinds}
    emitted = [(module, event) for module in registry.emitters() for event in module.api.events]
    assert offered == {event.kind: module.title for module, event in emitted if (event.feature or module.feature) in {"", "crm"}}
    assert label in text(page)


def test_an_event_that_is_off_is_kept_but_not_chosen(admin_client: Client) -> None:
    endpoint = make(events=[KIND, "order.paid"])
    shown = admin_client.get(address("edit", endpoint))
    assert re.search('value="order.paid"[^>]* checked', text(shown))
    assert "(off: nothing is sent)" in text(shown)
    assert "order.created" not in text(shown)
    changed = {"url": URL, "events": [KIND, "order.paid"], "description": "New"}
    assert admin_client.post(address("edit", endpoint), changed).status_code == 302
    refused = admin_client.post(address("edit", endpoint), {**changed, "events": ["order.created"]})
    assert "not one of the available choices" in text(refused)
    endpoint.refresh_from_db()
    assert (set(endpoint.events), endpoint.description) == ({KIND, "order.paid"}, "New")


def test_all_events_swallow_the_single_ones(admin_client: Client) -> None:
    admin_client.post(ADD, form(admin_client, events=["*", KIND]))
    endpoint = Endpoint.objects.get()
    assert endpoint.events == ["*"]
    assert "All events" in text(admin_client.get(INDEX))
    assert re.search(r'value="\*"[^>]* checked', text(admin_client.get(address("edit", endpoint))))


def test_a_subscription_is_changed(admin_client: Client) -> None:
    endpoint = make()
    shown = admin_client.get(address("edit", endpoint))
    assert re.search(rf'value="{KIND}"[^>]* checked', text(shown))
    changed = {"url": URL + "/2", "events": ["content_item.deleted"], "description": "New"}
    answer = admin_client.post(address("edit", endpoint), changed)
    assert answer.headers["Location"] == address("inspect", endpoint)
    endpoint.refresh_from_db()
    assert (endpoint.url, endpoint.events, endpoint.description) == tuple(changed.values())


def test_a_person_disables_and_enables(admin_client: Client) -> None:
    endpoint = make()
    delivery = waiting(endpoint)
    assert "1 pending delivery is cancelled" in text(admin_client.get(address("disable", endpoint)))
    for _ in range(2):
        after = admin_client.post(address("disable", endpoint), follow=True)
        assert "Disabled manually." in text(after)
    delivery.refresh_from_db()
    assert delivery.status == "cancelled"
    assert "Disabled manually." in text(admin_client.get(INDEX))
    Endpoint.objects.update(failure_count=20)
    assert admin_client.get(address("enable", endpoint)).status_code == 200
    for _ in range(2):
        after = admin_client.post(address("enable", endpoint), follow=True)
        assert "is disabled" not in text(after)
    endpoint.refresh_from_db()
    assert (endpoint.enabled, endpoint.failure_count, endpoint.disabled_at, endpoint.disabled_reason) == (True, 0, None, "")


@pytest.mark.parametrize(("refusal", "status"), [(NotFound(), 404), (Invalid({"secret": "Not now."}), 302)])
def test_a_refused_rotation_shows_no_secret(
    admin_client: Client, monkeypatch: pytest.MonkeyPatch, refusal: Exception, status: int
) -> None:
    def refuse(**_: Any) -> None:
        raise refusal

    monkeypatch.setattr(services, "rotate_secret", refuse)
    endpoint = make()
    once = admin_client.get(address("rotate", endpoint)).context["once"]
    answer = admin_client.post(address("rotate", endpoint), {"once": once})
    assert answer.status_code == status
    assert not SECRET.search(text(answer))


def test_a_secret_is_rotated_once(admin_client: Client) -> None:
    endpoint = make()
    before = endpoint.secret
    page = admin_client.get(address("rotate", endpoint))
    assert "24 hours" in text(page)
    assert "stops signing now" not in text(page)
    sent = {"once": page.context["once"]}
    rotated = admin_client.post(address("rotate", endpoint), sent)
    endpoint.refresh_from_db()
    assert endpoint.previous_secret == before != endpoint.secret
    assert SECRET.findall(text(rotated)) == [endpoint.secret]
    assert "no-store" in rotated["Cache-Control"]
    again = admin_client.post(address("rotate", endpoint), sent, follow=True)
    assert "was already submitted" in text(again)
    assert admin_client.post(address("rotate", endpoint)).status_code == 302
    assert Endpoint.objects.get().secret == endpoint.secret
    assert "stops signing now" in text(admin_client.get(address("rotate", endpoint)))
    assert "Valid until" in text(admin_client.get(address("inspect", endpoint)))


def test_a_subscription_is_deleted_with_its_log(admin_client: Client) -> None:
    endpoint = make()
    waiting(endpoint)
    assert URL in text(admin_client.get(address("delete", endpoint)))
    assert Endpoint.objects.exists()
    assert admin_client.post(address("delete", endpoint)).headers["Location"] == INDEX
    assert not Endpoint.objects.exists()
    assert not Delivery.objects.exists()


def test_the_history_says_who_did_what(admin_client: Client) -> None:
    admin_client.post(ADD, form(admin_client))
    endpoint = Endpoint.objects.get()
    admin_client.post(address("edit", endpoint), {"url": URL, "events": ["*"]})
    admin_client.post(address("disable", endpoint))
    admin_client.post(address("enable", endpoint))
    once = admin_client.get(address("rotate", endpoint)).context["once"]
    admin_client.post(address("rotate", endpoint), {"once": once})
    entries = list(log_registry.get_logs_for_instance(endpoint))
    actions = ["webhooks.rotate", "webhooks.enable", "webhooks.disable", "wagtail.edit", "wagtail.create"]
    assert [entry.action for entry in entries] == actions
    assert {entry.user.username for entry in entries} == {"alice@example.com"}
    shown = text(admin_client.get(address("history", endpoint)))
    for words in ("Secret rotated", "Enabled", "Disabled: Disabled manually.", "Edited", "Created"):
        assert words in shown


OF_ONE = ["inspect", "edit", "enable", "disable", "rotate", "delete", "history", "history_results", "test"]
OF_A_DELIVERY = ["inspect", "resend"]
URLS = [
    *(f"webhooks:{name}" for name in ("index", "index_results", "add", *OF_ONE)),
    *(f"webhook_deliveries:{name}" for name in ("index", "index_results", *OF_A_DELIVERY)),
]


def every_address(name: str) -> str:
    delivery = waiting(make(), "failed")
    namespace, _, page = name.partition(":")
    pk = delivery.endpoint_id if namespace == "webhooks" else delivery.pk
    return reverse(name, args=[pk] if page in OF_ONE + OF_A_DELIVERY else [])


@pytest.mark.parametrize("name", URLS)
@pytest.mark.parametrize(
    "person",
    [
        people.mallory_manager,
        None,
    ],
)
def test_only_admins_come_in(sign_in: Callable[[Any], Client], person: Callable[[], Any] | None, name: str) -> None:
    url = every_address(name)
    before = list(Endpoint.objects.values())
    client = sign_in(person()) if person else Client()
    for answer in (client.get(url), client.post(url, {"url": URL, "events": [KIND], "once": "x", "kind": KIND})):
        assert answer.status_code == 302
        inside = person in {people.mallory_manager, people.bob}
        assert answer.headers["Location"].partition("?")[0] == ("/admin/" if inside else "/admin/login/")
    assert list(Endpoint.objects.values()) == before
    assert Delivery.objects.get().status == "failed"


def test_a_group_permission_does_not_let_in(sign_in: Callable[[Any], Client]) -> None:
    mallory = people.mallory_manager()
    mallory.user_permissions.set(Permission.objects.filter(content_type__app_label="webhooks"))
    assert sign_in(mallory).get(INDEX).status_code == 302


def test_only_admins_have_the_menu_entry(sign_in: Callable[[Any], Client], admin_client: Client) -> None:
    entry = f'"{INDEX}"'
    assert entry in text(admin_client.get("/admin/"))
    for person in (people.mallory_manager(), people.bob()):
        assert entry not in text(sign_in(person).get("/admin/"))


def test_home_names_what_was_disabled_automatically(sign_in: Callable[[Any], Client], admin_client: Client) -> None:
    failed, stopped, never = make(), make(url=URL + "/stopped"), make(url=URL + "/never", enabled=False)
    assert "Webhooks disabled after failures" not in text(admin_client.get("/admin/"))
    services.disable_endpoint(endpoint=failed, reason="The receiver answered 410 Gone.")
    services.disable_endpoint(endpoint=stopped, reason=services.BY_A_PERSON)
    home = text(admin_client.get("/admin/"))
    assert "The receiver answered 410 Gone." in home
    assert address("inspect", failed) in home
    assert stopped.url not in home
    assert never.url not in home
    assert URL not in text(sign_in(people.mallory_manager()).get("/admin/"))
    banner = text(admin_client.get(address("inspect", failed)))
    assert "This webhook is disabled" in banner
    assert "The receiver answered 410 Gone." in banner
    switch_feature(name="webhooks", on=False)
    assert URL not in text(admin_client.get("/admin/"))


def test_the_listing_says_how_it_went(admin_client: Client) -> None:
    make(events=["content_item.created", "content_item.updated", "content_item.deleted"])
    Endpoint.objects.update(last_delivery_at=timezone.now() - timedelta(hours=3), last_response_code=503, failure_count=4)
    shown = text(admin_client.get(INDEX)).replace("\xa0", " ")
    for words in (
        local_date(Endpoint.objects.get().last_delivery_at).replace("\xa0", " "),
        "Answered 503",
        "content_item.created, content_item.updated and 1 more",
    ):
        assert words in shown
    Endpoint.objects.update(last_response_code=None)
    assert "No answer" in text(admin_client.get(INDEX))


@pytest.mark.both_databases
def test_the_listing_filters_and_searches(admin_client: Client) -> None:
    make()
    services.disable_endpoint(endpoint=make(url=URL + "/2", description="Shop"), reason="x")
    for asked, found in (
        ({"state": "enabled"}, [URL]),
        ({"state": "disabled"}, [URL + "/2"]),
        ({"q": "shop"}, [URL + "/2"]),
    ):
        assert [each.url for each in admin_client.get(INDEX, asked).context["object_list"]] == found


def test_the_listing_asks_the_same_queries_for_many(admin_client: Client) -> None:
    counts = []
    for number in (1, 9):
        for _ in range(number):
            make()
        admin_client.get(INDEX)
        with CaptureQueriesContext(connection) as asked:
            admin_client.get(INDEX)
        counts.append(len(asked))
    assert counts[0] == counts[1]
