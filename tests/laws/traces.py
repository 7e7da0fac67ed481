"""The visible traces of a module: everything that its declaration shows somewhere, as names that tests can compare.

Each function looks in one place for the module's currently visible traces. With the feature on it must find everything that
is declared, and with the feature off nothing.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import Resolver404, URLPattern, URLResolver, get_resolver, reverse
from wagtail import blocks
from wagtail.admin.search import admin_search_areas
from wagtail.admin.views.bulk_action.registry import bulk_action_registry
from wagtail.models import Page

from cms_api.content.models import ContentType
from cms_api.content.urls import urlpatterns as content_patterns
from cms_api.core import registry
from cms_api.core.module import Module
from cms_api.flags.selectors import active_jobs
from cms_api.gateway import dashboard, sitemap
from events.urls import calendar_patterns
from home.models import RecordTemplate, Row
from home.selectors import PAGE_MODELS
from home.services import create_home_page
from tests import people
from tests.builders import make_endpoint, make_page, make_token
from tests.client import Api

#: The slug of a dated content type, which tests make.
TYPE = "fairs"
#: Values for the parameters of addresses; there is no such record.
SAMPLES = {
    **dict.fromkeys(("int", "id"), "987654321"),
    **dict.fromkeys(("str", "slug", "secret", "account"), "no-such-thing"),
    **dict.fromkeys(("type", "dated"), TYPE),
    "uuid": "00000000-0000-4000-8000-000000000000",
}
ADMIN = "/admin/"


class Address(NamedTuple):
    """An address with sample parameters, and the names of its pattern when it is resolved."""

    path: str
    name: str | None
    namespace: str
    callback: Any


def public_addresses(module: Module) -> list[Address]:
    """The addresses of the module's public pages."""
    return list(_addresses(registry.load(module.pages.urls), "/")) if module.pages.urls else []


def type_addresses() -> list[Address]:
    """The addresses of the pages and feeds of the content type whose slug is `TYPE`."""
    return list(_addresses([*content_patterns, *calendar_patterns], "/"))


def admin_addresses(module: Module) -> list[Address]:
    """The addresses of the module's viewsets, with those inside groups."""
    viewsets = [each for dotted in module.admin.viewsets for each in _single(registry.load(dotted))]
    return [
        address
        for viewset in viewsets
        for address in _addresses(viewset.get_urlpatterns(), f"{ADMIN}{viewset.url_prefix}/", viewset.url_namespace)
    ]


def _single(viewset: Any) -> Iterator[Any]:
    """A viewset, or those of a group."""
    for each in getattr(viewset, "registerables", ()):
        yield from _single(each)
    if not hasattr(viewset, "registerables"):
        yield viewset


def _addresses(patterns: Any, prefix: str, namespace: str = "") -> Iterator[Address]:
    for pattern in patterns:
        path = prefix + filled(str(pattern.pattern))
        if isinstance(pattern, URLResolver):
            yield from _addresses(pattern.url_patterns, path, namespace)
        elif isinstance(pattern, URLPattern):
            yield Address(path, pattern.name, namespace, pattern.callback)


def filled(route: str) -> str:
    """A route, or a regular expression of one, with a sample in the place of each parameter."""
    route = re.sub(r"\(\?P<\w+>[^)]*\)", SAMPLES["str"], route).removeprefix("^").removesuffix("$")
    return re.sub(r"<(?:(\w+):)?\w+>", lambda found: SAMPLES[found[1] or "str"], route)


def is_there(address: Address) -> bool:
    """Whether a request for an address reaches its module."""
    try:
        match = get_resolver().resolve(address.path)
    except Resolver404:
        return False
    if address.namespace:
        return match.namespace == address.namespace and match.url_name == address.name
    return match.func == address.callback


def bulk_actions(module: Module) -> list[str]:
    """The addresses of the bulk actions that the module's package registers, without those of Wagtail's list of staff."""
    bulk_action_registry._scan_for_bulk_actions()
    found = []
    for app, models in bulk_action_registry.actions.items():
        for model, actions in models.items():
            for name, action in actions.items() if (app, model) != ("auth", "user") else ():
                if registry.module_of(action.__module__) == module:
                    found.append(reverse("wagtail_bulk_action", args=[app, model, name]))
    return found


def search_areas(module: Module) -> set[str]:
    """The names of the module's lists that are areas of the admin's search."""
    viewsets = [each for dotted in module.admin.viewsets for each in _single(registry.load(dotted))]
    return {viewset.url_namespace for viewset in viewsets if getattr(type(viewset), "search", None)}


def shown_search_areas(person: Any) -> set[str]:
    return {area.name for area in admin_search_areas.search_items_for_request(people.request_by(person))}


def called_for_home(person: Any, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The declared functions that the admin's home calls for the cards and the first steps of a person."""
    called: set[str] = set()
    request = people.request_by(person)
    with monkeypatch.context() as patch:
        patch.setattr(registry, "load", lambda dotted: called.add(dotted) or (lambda request: None))
        dashboard.cards(request)
        dashboard.steps(request)
    return called


def addable_rows(module: Module) -> set[str]:
    """The module's rows that editors may add to some kind of page, or to a template."""
    blocks = [model._meta.get_field("rows").stream_block for model in PAGE_MODELS]
    return {
        row.name for row in module.pages.rows for block in blocks if row.name in {*block.child_blocks} - {*block.switched_off()}
    }


def accepted_rows(module: Module, admin: Client) -> set[str]:
    """The module's rows that a page accepts from a POST of its form."""
    page = make_page()
    known = page._meta.get_field("rows").stream_block.child_blocks
    for row in module.pages.rows:
        sent = {"title": page.title, "slug": page.slug, "introduction": "", "action-publish": "1"}
        sent |= {"comments-TOTAL_FORMS": "0", "comments-INITIAL_FORMS": "0", "rows-count": "1", "rows-0-deleted": ""}
        sent |= {
            "rows-0-type": row.name,
            "rows-0-order": "0",
            "rows-0-id": str(uuid4()),
            **posted(known[row.name], "rows-0-value"),
        }
        admin.post(reverse("wagtailadmin_pages:edit", args=[page.pk]), sent)
    return set(Row.objects.filter(page=page.pk).values_list("kind", flat=True))


def posted(block: Any, name: str) -> dict[str, str]:
    """The form data of a block with only its texts filled in, and numbers and choices by default."""
    if isinstance(block, blocks.StructBlock):
        parts = [posted(child, f"{name}-{inner}") for inner, child in block.child_blocks.items()]
        return {key: value for part in parts for key, value in part.items()}
    if isinstance(block, blocks.ListBlock | blocks.StreamBlock):
        return {f"{name}-count": "0"}
    if isinstance(block, blocks.RichTextBlock):
        return {name: "null"}
    if isinstance(block, blocks.IntegerBlock):
        default = block.get_default()
        return {name: "" if default is None else str(default)}
    if isinstance(block, blocks.ChoiceBlock):
        return {name: str(block.get_default() or "")}
    return {name: "Words"} if isinstance(block, blocks.CharBlock) else {}


def listed_slots(module: Module) -> set[str]:
    """The module's rows whose slots the API lists, for a page that has each row with a slot."""
    page = make_page()
    slot = {"key": "image", "label": "Picture", "default": "site/slots/wide.svg", "recommended": None, "alt_key": None}
    slugs = {f"{row.name}-{page.pk}": row.name for row in module.pages.rows}
    for position, (slug, kind) in enumerate(slugs.items()):
        placed = {"block_id": uuid4(), "kind": kind, "slug": slug, "position": position}
        Row.objects.create(page=Page(pk=page.pk), slots=[{**slot, "media_id": None, "alt": ""}], **placed)
    api = Api(make_token("content:read"))
    listed = [place["row_slug"] for place in api.get(f"/pages/images?page={page.slug}").json()["data"]]
    assert [len(listed)] == [each["image_slots"] for each in api.get("/pages").json()["data"] if each["slug"] == page.slug]
    return {slugs[slug] for slug in listed}


def make_template(item_type: ContentType) -> RecordTemplate:
    """A template of the type's records, which stands in menus and to which a page links."""
    template: RecordTemplate = make_page(title="Their page", kind=RecordTemplate, record_type=item_type, show_in_menus=True)
    text = f'<p><a linktype="page" id="{template.pk}">In a text</a></p>'
    link = {"text": "On a button", "page": template.pk, "url": ""}
    make_page(
        {"type": "text", "value": {"heading": "", "text": text}},
        {"type": "call_to_action", "value": {"heading": "See them", "text": "", "links": [link], "background_alt": ""}},
        title="Linking",
        slug="linking",
    )
    return template


def template_traces(template: RecordTemplate, client: Client, admin: Client) -> set[str]:
    """The places that show a template of `make_template`, or lead to it or to its records' list."""
    api = Api(make_token("content:read"))
    listed, own = f"/{template.record_type.slug}", f"/{template.slug}/"
    page = client.get("/linking/").content.decode()
    header, _, body = page.partition("<main")
    new = reverse("wagtailadmin_pages:add", args=["home", "recordtemplate", create_home_page().pk])
    unused = ContentType.objects.get(slug=f"{template.record_type.slug}-unused")
    found = {
        "list": template.slug in [each["slug"] for each in api.get("/pages").json()["data"]],
        "images": api.get(f"/pages/images?page={template.slug}").status_code != 404,
        "address": client.get(own).status_code != 404,
        "address without its slash": client.get(own.rstrip("/")).status_code != 404,
        "menu": f'href="{listed}"' in header,
        "text": f'href="{own}"' in body,
        "button": f'href="{listed}"' in body,
        "sitemap": re.search(f"({listed}|{own})<", client.get("/sitemap.xml").content.decode()) is not None,
        "chooser": ">Their page<" in admin.get("/admin/choose-page/search/?q=Their").content.decode(),
        "choice": unused in admin.get(new).context["form"].fields["record_type"].queryset,
    }
    return {place for place, is_shown in found.items() if is_shown}


class Overview(NamedTuple):
    """A page of the admin that names things of all modules: its text, and how it writes each thing that a module declares.

    Of most, it names each that is on; unless `every`, it names at least one.
    """

    page: Callable[[Client], str]
    written: Callable[[Module], dict[str, str]]
    every: bool = True

    def shown(self, module: Module, page: str) -> set[str]:
        """The things of a module that stand on the page."""
        return {name for name, text in self.written(module).items() if text in page}


def pages_at(*names: str) -> Callable[[Client], str]:
    return lambda admin: "".join(admin.get(reverse(name)).content.decode() for name in names)


def first_page(admin: Client) -> str:
    """The admin's first page, in which addresses end with a quote."""
    return admin.get(ADMIN).content.decode().replace("&", '"')


def page_of_a_webhook(admin: Client) -> str:
    found: str = admin.get(reverse("webhooks:inspect", args=[make_endpoint("*").pk])).content.decode()
    return found


def linked(module: Module) -> dict[str, str]:
    """The module's addresses; the menu and others lead to some."""
    return {each.path: f'{each.path}"' for each in admin_addresses(module)}


def events(module: Module) -> dict[str, str]:
    return {event.kind: f'value="{event.kind}"' for event in module.api.events}


OVERVIEWS = {
    "links of the first page": Overview(first_page, linked, every=False),
    "settings": Overview(
        pages_at("features:index", "features:keys"), lambda module: {setting.key: setting.key for setting in module.settings}
    ),
    "events that can be subscribed to": Overview(pages_at("webhooks:add"), events),
    "events of which a sample can be sent": Overview(page_of_a_webhook, events),
    "filters of the log of mails": Overview(
        pages_at("mail_log:index"), lambda module: {mail.name: f'value="{mail.name}"' for mail in module.mails}
    ),
    "mails that can be edited": Overview(
        pages_at("mail_templates:index"), lambda module: {mail.name: mail_address(mail.name) for mail in module.mails}
    ),
}


def mail_address(name: str) -> str:
    return reverse("mail_templates:edit", args=[name])


def sections(module: Module) -> list[str]:
    """The module's sections of the sitemap, as their addresses name them."""
    return [f"{module.name}-{name}" for name in registry.load(module.pages.sitemap)()] if module.pages.sitemap else []


def visible_sections(module: Module) -> set[str]:
    return {section for section in sections(module) if section in sitemap._sections()}


def due_jobs(module: Module) -> set[str]:
    """The module's jobs that would run now."""
    running = {job.name for job in active_jobs()}
    return {job.name for job in module.all_jobs if job.name in running}


def document() -> dict[str, Any]:
    """The OpenAPI document as it is now."""
    found: dict[str, Any] = Api(validate=False).get("/openapi.json").json()
    return found


def documented(module: Module, in_document: dict[str, Any]) -> set[str]:
    """The module's routes and kinds of events in an OpenAPI document."""
    templates = {route.path: "/api/v1/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", route.path) for route in module.api.routes}
    routes = {path for path, template in templates.items() if template in in_document["paths"]}
    return routes | {event.kind for event in module.api.events if event.kind in in_document.get("webhooks", {})}


def documentation(admin: Client) -> str:
    """The admin's page about the API."""
    return admin.get(reverse("api_documentation:index")).content.decode()


def documented_in_admin(module: Module, page: str) -> set[str]:
    """The module's abilities on the admin's API page, and its title in a heading or a list."""
    abilities = {ability for ability in module.api.abilities if ability in page}
    return abilities | set(re.findall(rf"(?<=[>,:\s]){re.escape(module.title)}(?=[<,.])", page))


def import_pages(module: Module, admin: Client) -> set[str]:
    """The module's kinds of imports whose page exists."""
    pages = {kind.name: reverse("imports:new", args=[kind.name]) for kind in module.records.imports}
    return {name for name, page in pages.items() if admin.get(page).status_code == 200}


def account_pages(module: Module, member: Client) -> set[str]:
    """The module's pages that "My account" links to; none if there are no accounts at all."""
    page = member.get("/accounts/").content.decode()
    return {each.path for each in module.pages.account_pages if each.path in page}


def footer_links(module: Module, client: Client) -> set[str]:
    """The targets of all links in the footer of a public page."""
    if module.records.setup:
        # Some links are those of the module's content types.
        registry.load(module.records.setup)()
    page = client.get(make_page().get_url()).content.decode()
    return set(re.findall('href="([^"]+)"', page.partition('<footer class="site-footer"')[2]))
