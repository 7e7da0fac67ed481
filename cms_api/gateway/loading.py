"""Loads what a process needs for its first write or its first page, for which others or a visitor would wait."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from anyascii import anyascii
from django.conf import settings
from django.contrib.auth import get_backends
from django.core.files.storage import storages
from django.db import connection
from django.template import Engine, TemplateSyntaxError
from django.template.loader import get_template
from django.urls import reverse
from django.utils.formats import get_format
from django_q.brokers import get_broker
from wagtail.hooks import search_for_hooks
from wagtail.search.backends import get_search_backend

from cms_api.core import registry
from cms_api.core.module import Module
from cms_api.fields.texts import is_email
from cms_api.text.html import clean_html

#: Folders of templates that no visitor of the site waits for: of the admin, and of mails.
_BEHIND_THE_SITE = ("adminkit", "mail", "wagtailadmin", "wagtailimages")
#: Folders of templates that services render.
_OF_SERVICES = ("documents", "mail")


def load_writing() -> None:
    """Load what services import or set up while they write; it takes seconds. See `core.first_write`.

    The first entry in Wagtail's log imports the hooks of all apps, the first link all views, the first webhook event or listener
    the modules that they name; and the first texts, addresses and statements what reads and compiles them.
    """
    search_for_hooks()
    for module in registry.modules():
        for dotted in filter(None, _called_in_transactions(module)):
            registry.load(dotted)
    registry.payables()
    reverse("search")
    connection.ops.compiler("SQLCompiler")
    get_search_backend()
    if connection.vendor == "postgresql":
        import_module("django.contrib.postgres.search")
        import_module("django.contrib.postgres.expressions")
    # Private files are kept where media are.
    storages["default"]
    get_backends()
    get_broker()
    clean_html("<p>")
    is_email("a@example.com")
    # How dates and numbers are written.
    get_format("DATE_FORMAT")
    # Of what slugs are made.
    anyascii("é")
    # Every template gets their values.
    Engine.get_default().template_context_processors  # noqa: B018
    _load_templates(lambda folder: folder in _OF_SERVICES)


def _called_in_transactions(module: Module) -> Iterator[str]:
    yield from module.listens.values()
    yield module.records.media_usage
    for event in module.api.events:
        yield from (event.document, event.resource)
    for setting in module.settings:
        yield setting.check
    for kind in module.records.imports:
        yield from (kind.read, kind.write, kind.match)
    for preset in module.api.token_presets:
        if preset.restriction:
            yield preset.restriction.scope_choices


def load_site() -> None:
    """Load what Django loads with the first request: URLs with all views, and the templates."""
    reverse("search")
    registry.beacons()
    _load_templates(lambda folder: not folder.endswith("_admin") and folder not in _BEHIND_THE_SITE)


def _load_templates(is_needed: Callable[[str], bool]) -> None:
    """Load the templates in folders of some names."""
    root = Path(settings.BASE_DIR, "templates")
    for path in (*root.rglob("*.html"), *root.rglob("*.txt")):
        name = path.relative_to(root)
        if is_needed(name.parts[0]):
            # A page whose template has a mistake fails by itself.
            with suppress(TemplateSyntaxError):
                get_template(str(name))
