"""A module leaves no trace while its feature is off: nothing of its declaration is visible anywhere.

Every test looks twice: with the feature on, all that is declared must be found, so that a look that finds nothing cannot pass.
The switch itself stays on the page of features and settings. Records stay too, as history, but nothing offers their kinds.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from wagtail import hooks

from cms_api.accounts.services import create_member
from cms_api.core import jobs, registry
from cms_api.core.module import Module
from cms_api.flags.services import switch_feature
from cms_api.gateway import gates
from cms_api.gateway.documentation.admin import DocumentationView
from tests import people
from tests.builders import field, make_type
from tests.features import switch_all_on
from tests.modules import changed, install

from . import traces
from .traces import TYPE, Address, admin_addresses, bulk_actions, is_there, public_addresses, type_addresses

pytestmark = pytest.mark.django_db

SWITCHED = [module for module in registry.modules() if module.feature and module.feature != "api"]
MODULES = pytest.mark.parametrize("module", SWITCHED, ids=lambda module: module.name)

#: Hooks that a module may register by itself. The tests here look at bulk actions and at the admin's first page; names of
#: actions belong to histories, which stay, permissions to groups, and previews of dates to every content type.
HOOKS = {
    "register_log_actions",
    "register_permissions",
    "register_bulk_action",
    "construct_homepage_panels",
    "below_datetime_input",
}

#: Each address is asked once: by GET, without the slash at its end, or by one of the others in turn.
OTHER_METHODS = ("HEAD", "POST", "PUT", "OPTIONS", "TRACE")

#: Headers that are others with each answer, or measure the address.
VARYING = {"X-Request-Id", "Content-Length", "Expires"}


@pytest.fixture(autouse=True)
def _all_on(api_on: None) -> None:
    switch_all_on()


def switch_off(module: Module) -> None:
    for name in registry.support_features().get(module.feature, (module.feature,)):
        switch_feature(name=name, on=False)


def having(found: Callable[[Module], Any]) -> pytest.MarkDecorator:
    """Parametrize over the modules that declare something here."""
    return pytest.mark.parametrize("module", list(filter(found, SWITCHED)), ids=lambda module: module.name)


def halves(modules: list[Module]) -> Iterator[list[Module]]:
    """Half of the modules at a time, which are off; all others are on. Each is off once while any given other one is on."""
    for digit, value in itertools.product(range(len(modules).bit_length()), (0, 1)):
        switch_all_on()
        off = [module for number, module in enumerate(modules) if number >> digit & 1 == value]
        for module in off:
            switch_off(module)
        yield off


def answer_to(client: Client, path: str, method: str = "GET") -> tuple[int, dict[str, str], str]:
    """The whole answer to a request for an address, without the address itself and the request's id."""
    answer = client.generic(method, path)
    kept = {name: value.replace(path, "") for name, value in answer.items() if name not in VARYING}
    return answer.status_code, kept | {"cookies": str(answer.cookies)}, answer.content.decode().replace(path, "")


def unknown_beside(path: str, root: str) -> str:
    """An unknown address in the same part of the site, whose answers have the same headers."""
    part = "/accounts/" if path.startswith("/accounts/") and path != "/accounts/" else root
    return f"{part}no-such-{path.removeprefix(part)}"


@MODULES
def test_it_works(module: Module, admin_client: Client) -> None:
    addresses = [*public_addresses(module), *admin_addresses(module)]
    assert addresses
    assert [each.path for each in addresses if not is_there(each)] == []
    switch_off(module)
    assert [each.path for each in addresses if is_there(each)] == []


def requests_of(addresses: list[Address]) -> list[tuple[str, str]]:
    """The methods and paths of the requests for addresses, in a third of which the slash at the end is left out."""
    paths = sorted({address.path for address in addresses} - {"/"})
    without = [path.removesuffix("/") for path in paths[1::3]]
    return [("GET", path) for path in [*paths[::3], *without]] + [*zip(itertools.cycle(OTHER_METHODS), paths[2::3], strict=False)]


@MODULES
def test_the_answer_is_that_of_an_unknown_address(module: Module, client: Client) -> None:
    make_type(field("when", "datetime"), slug=TYPE, feature=module.feature)
    requests = requests_of([*public_addresses(module), *type_addresses()])
    assert answer_to(client, f"/{TYPE}")[0] == 200
    switch_off(module)
    assert answer_to(client, "/no-such-page/")[0] == 404
    for method, path in requests:
        assert answer_to(client, path, method) == answer_to(client, unknown_beside(path, "/"), method), (method, path)


@MODULES
def test_the_answer_in_the_admin_is_that_of_an_unknown_address(module: Module, admin_client: Client) -> None:
    requests = requests_of(admin_addresses(module))
    switch_off(module)
    assert answer_to(admin_client, "/admin/no-such-page/")[0] == 404
    # Without its address, the answer is the same at all unknown ones.
    unknown = cache(lambda method, end: answer_to(admin_client, f"/admin/no-such-page{end}", method))
    for method, path in requests:
        assert answer_to(admin_client, path, method) == unknown(method, "/" * path.endswith("/")), path


@having(lambda module: module.pages.beacons)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "OPTIONS"])
def test_an_address_for_messages_is_an_unknown_one(module: Module, client: Client, method: str) -> None:
    paths = list(module.pages.beacons)
    unknown = "/no-such-address"
    assert answer_to(client, paths[0], method) != answer_to(client, unknown, method)
    switch_off(module)
    assert answer_to(client, unknown, method)[0] != 204
    for path in paths:
        assert answer_to(client, path, method) == answer_to(client, unknown, method), path


@having(bulk_actions)
def test_bulk_actions(module: Module, admin_client: Client) -> None:
    unknown = "/admin/bulk/no/such/action/"
    for path in bulk_actions(module):
        assert admin_client.get(path, {"next": "/admin/"}).status_code != 404, path
    switch_off(module)
    for path in bulk_actions(module):
        assert admin_client.get(path, {"next": "/admin/"}).status_code == admin_client.get(unknown).status_code == 404, path


@pytest.mark.parametrize("overview", traces.OVERVIEWS.values(), ids=traces.OVERVIEWS)
def test_pages_of_the_admin_that_name_all_modules(overview: traces.Overview, admin_client: Client) -> None:
    declaring = [module for module in SWITCHED if overview.written(module)]
    page = overview.page(admin_client)
    assert len(declaring) > 10
    for module in declaring:
        assert overview.shown(module, page) == set(overview.written(module)) or (
            overview.shown(module, page) and not overview.every
        ), module.name
    for off in halves(declaring):
        page = overview.page(admin_client)
        assert [module.name for module in off if overview.shown(module, page)] == []


@having(traces.search_areas)
@pytest.mark.both_databases
def test_areas_of_the_search(module: Module) -> None:
    declared = traces.search_areas(module)
    assert traces.shown_search_areas(people.alice()) >= declared
    switch_off(module)
    assert not traces.shown_search_areas(people.alice()) & declared


@having(lambda module: module.admin.cards or module.admin.first_steps)
def test_cards_and_first_steps_of_the_home(module: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    alice = people.alice()
    declared = {*module.admin.cards, *module.admin.first_steps}
    assert traces.called_for_home(alice, monkeypatch) >= declared
    switch_off(module)
    assert not traces.called_for_home(alice, monkeypatch) & declared


@having(lambda module: module.pages.rows)
def test_addable_rows(module: Module) -> None:
    assert traces.addable_rows(module) == {row.name for row in module.pages.rows}
    switch_off(module)
    assert traces.addable_rows(module) == set()


@having(lambda module: module.pages.rows)
def test_accepted_rows(module: Module, admin_client: Client) -> None:
    declared = {row.name for row in module.pages.rows}
    assert traces.accepted_rows(module, admin_client) == declared
    switch_off(module)
    assert traces.accepted_rows(module, admin_client) == set()


@having(lambda module: module.pages.rows)
def test_slots_of_rows(module: Module) -> None:
    assert traces.listed_slots(module) == {row.name for row in module.pages.rows}
    switch_off(module)
    assert traces.listed_slots(module) == set()


def test_templates_of_records(client: Client, admin_client: Client) -> None:
    """Any type may have a template, whatever module it belongs to."""
    module = SWITCHED[0]
    types = [make_type(field("when", "datetime"), slug=slug, feature=module.feature) for slug in (TYPE, f"{TYPE}-unused")]
    template = traces.make_template(types[0])
    places = {"list", "images", "address", "address without its slash", "menu", "text", "button", "sitemap", "chooser", "choice"}
    assert traces.template_traces(template, client, admin_client) == places
    switch_off(module)
    assert traces.template_traces(template, client, admin_client) == set()
    for path in (f"/{template.slug}/", f"/{template.slug}"):
        for method in ("GET", *OTHER_METHODS):
            assert answer_to(client, path, method) == answer_to(client, unknown_beside(path, "/"), method), (method, path)
    switch_all_on()
    assert traces.template_traces(template, client, admin_client) == places


def test_editable_mails(admin_client: Client) -> None:
    for module in SWITCHED:
        switch_off(module)
    unknown = traces.mail_address("no-such-mail")
    expected = answer_to(admin_client, unknown)
    assert expected[0] == 404
    paths = [traces.mail_address(mail.name) for module in SWITCHED for mail in module.mails]
    assert len(paths) > 20
    for number, path in enumerate(paths):
        assert answer_to(admin_client, path if number % 2 else f"{path}reset/") == expected, path


@having(lambda module: module.pages.sitemap)
def test_sections_of_the_sitemap(module: Module, client: Client) -> None:
    parts = {section: f"/sitemap-{section}.1.xml" for section in traces.sections(module)}
    assert [path for path in parts.values() if client.get(path).status_code != 200] == []
    switch_off(module)
    unknown = "/sitemap-no-such-section.1.xml"
    assert answer_to(client, unknown)[0] == 404
    assert [path for path in parts.values() if answer_to(client, path) != answer_to(client, unknown)] == []


@having(lambda module: module.pages.footer_links)
def test_links_in_the_footer(module: Module, client: Client) -> None:
    linked = traces.footer_links(module, client)
    declared = {link.url for link in registry.load(module.pages.footer_links)()}
    assert linked & declared == declared != set()
    switch_off(module)
    assert traces.footer_links(module, client) & declared == set()


def test_jobs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(jobs.registry, "load", lambda dotted: lambda: None)
    declaring = [module for module in SWITCHED if module.all_jobs]

    def run() -> set[str]:
        call_command("run_due", in_process=True)
        return set(capsys.readouterr().out.split())

    done = run()
    for module in declaring:
        declared = {job.name for job in module.all_jobs}
        assert declared & done == traces.due_jobs(module) == declared, module.name
    for off in halves(declaring):
        done = run()
        for module in off:
            declared, kept = {job.name for job in module.all_jobs}, {job.name for job in module.all_jobs if job.always}
            assert declared & done == traces.due_jobs(module) == kept, module.name


def test_the_documentation_of_the_api(admin_client: Client) -> None:
    """The admin's page shows the document, and is opened twice."""
    described = [module for module in SWITCHED if module.api.routes or module.api.events]
    whole, page = traces.document(), traces.documentation(admin_client)
    for module in described:
        declared = {route.path for route in module.api.routes} | {event.kind for event in module.api.events}
        assert traces.documented(module, whole) == declared != set()
        needed = {ability for route in module.api.routes for ability in route.abilities.values()} & set(module.api.abilities)
        assert traces.documented_in_admin(module, page) == {*needed, *([module.title] if module.api.routes else [])}
    for off in halves(described):
        document = traces.document()
        assert [module.name for module in off if traces.documented(module, document)] == []
    for module in SWITCHED:
        switch_off(module)
    page = traces.documentation(admin_client)
    assert [module.name for module in SWITCHED if traces.documented_in_admin(module, page)] == []


@having(lambda module: module.records.imports)
def test_kinds_of_imports(module: Module, admin_client: Client) -> None:
    assert traces.import_pages(module, admin_client) == {kind.name for kind in module.records.imports}
    switch_off(module)
    assert traces.import_pages(module, admin_client) == set()


@having(lambda module: module.pages.account_pages)
def test_pages_of_an_account(module: Module, sign_in: Callable[[Any], Client]) -> None:
    member = sign_in(create_member(email="mia@example.com", password="a-long-passphrase", name="Mia Sand"))
    assert traces.account_pages(module, member) == {page.path for page in module.pages.account_pages}
    switch_off(module)
    assert traces.account_pages(module, member) == set()


def test_the_switches_themselves_are_shown(admin_client: Client) -> None:
    for module in SWITCHED:
        switch_off(module)
    form = admin_client.get("/admin/features/").context["form"]
    assert {module.feature for module in SWITCHED if not module.is_support} <= {feature.name for feature in form.features()}


@MODULES
def test_a_module_registers_only_known_hooks(module: Module) -> None:
    """Addresses and menu items registered outside the declaration would stay while the feature is off."""
    registered = hooks_of(module)
    assert registered - HOOKS == set()
    assert registered or not bulk_actions(module)


def hooks_of(module: Module) -> set[str]:
    hooks.search_for_hooks()
    return {
        name for name, found in hooks._hooks.items() for function, _ in found if registry.module_of(function.__module__) == module
    }


# Each check is shown to fail on a planted mistake.


def test_a_missing_gate_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    module = next(module for module in SWITCHED if module.pages.urls and module.admin.viewsets)
    addresses = [*public_addresses(module), *admin_addresses(module)]
    switch_off(module)
    monkeypatch.setattr(gates, "is_on", lambda feature: True)
    assert [each.path for each in addresses if not is_there(each)] == []


def test_ungated_pages_are_reported() -> None:
    events = next(module for module in SWITCHED if module.name == "events")
    mistaken = changed(events, urls="cms_api.comments.urls.urlpatterns", viewsets=events.admin.ungated_viewsets)
    switch_off(events)
    for addresses in (public_addresses(mistaken), admin_addresses(mistaken)):
        assert [is_there(each) for each in addresses] == [True] * len(addresses) != []


def test_an_undeclared_address_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def stray() -> list[Address]:
        return []

    stray.__module__ = "commerce.crm.admin"
    with hooks.register_temporarily("register_admin_urls", stray):
        crm = next(module for module in SWITCHED if module.name == "crm")
        assert hooks_of(crm) - HOOKS == {"register_admin_urls"}


def test_an_ungated_job_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    module = next(module for module in SWITCHED if any(job.always for job in module.jobs))
    forgetful = replace(module, jobs=tuple(replace(job, always=False) for job in module.jobs))
    modules = tuple(forgetful if each == module else each for each in registry.modules())
    install(monkeypatch, *modules)
    assert traces.due_jobs(forgetful) == {job.name for job in module.all_jobs}
    switch_off(module)
    assert traces.due_jobs(forgetful) == set()


def seen_on(name: str) -> Callable[[Module, Client], set[str]]:
    """A function that opens a page of the admin, and returns the things of a module that it names."""
    overview = traces.OVERVIEWS[name]
    return lambda module, admin: overview.shown(module, overview.page(admin))


@pytest.mark.parametrize(
    ("declared", "gate", "open_gate", "visible"),
    [
        (lambda module: module.settings, "cms_api.flags.admin.settings.is_on", lambda feature: True, seen_on("settings")),
        (
            lambda module: module.api.events,
            "cms_api.webhooks.selectors.is_on",
            lambda feature: True,
            seen_on("events that can be subscribed to"),
        ),
        (
            lambda module: module.mails,
            "cms_api.mail.selectors.is_on",
            lambda feature: True,
            seen_on("filters of the log of mails"),
        ),
        (lambda module: module.pages.rows, "home.models.forms.rows_off", list, traces.accepted_rows),
        (lambda module: module.pages.rows, "home.selectors.rows_off", list, lambda module, admin: traces.listed_slots(module)),
    ],
    ids=["settings", "events", "mails", "accepted rows", "slots"],
)
def test_remaining_traces_are_reported(
    declared: Callable[[Module], Any],
    gate: str,
    open_gate: Callable[..., Any],
    visible: Callable[[Module, Client], set[str]],
    admin_client: Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = next(module for module in SWITCHED if declared(module))
    switch_off(module)
    assert visible(module, admin_client) == set()
    monkeypatch.setattr(gate, open_gate)
    assert visible(module, admin_client) != set()


def test_an_ungated_link_in_the_footer_is_reported(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    marketing = next(module for module in SWITCHED if module.name == "marketing")
    switch_off(marketing)
    assert "/subscribe" not in traces.footer_links(marketing, client)
    monkeypatch.setattr("home.views.theme.is_on", lambda feature: True)
    assert "/subscribe" in traces.footer_links(marketing, client)


def test_a_title_in_the_documentation_is_reported(admin_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    module = next(module for module in SWITCHED if module.api.routes)
    switch_off(module)
    assert traces.documented_in_admin(module, traces.documentation(admin_client)) == set()
    monkeypatch.setattr(DocumentationView, "page_title", f"API documentation. Not shown: {module.title}.")
    assert traces.documented_in_admin(module, traces.documentation(admin_client)) == {module.title}
