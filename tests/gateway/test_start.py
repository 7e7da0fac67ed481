"""Commands load nothing that only pages, the admin or the API need."""

import ast
import inspect
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from django.apps import AppConfig, apps

from cms_api.content.apps import SnippetsConfig
from cms_api.media.apps import DocumentsConfig, ImagesConfig

ROOT = Path(__file__).resolve().parents[2]
#: Heavy packages, and rooms of our own that show things.
NOT_LOADED = (
    "drf_spectacular.generators",
    "icalendar",
    "ninja",
    "rest_framework.serializers",
    "stripe",
    "wagtail.api.v3",
    "cms_api.content.admin",
    "cms_api.gateway.openapi",
    "commerce.shop.admin",
    "commerce.shop.services",
    "home.rows",
)
SET_UP = """
import sys, django
django.setup()
print(*sys.modules)
from cms_api.content.models import ContentItem
from wagtail.models.reference_index import ReferenceIndex
print(ContentItem in ReferenceIndex.tracked_models)
from wagtail.snippets.models import get_snippet_models
print(ContentItem in get_snippet_models())
"""


def run(code: str) -> list[str]:
    """Return the lines that a new process prints."""
    command = [sys.executable, "-c", f"import sys; sys.path[:0] = ['site', '.']\n{code}"]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()


def test_commands_load_what_they_need_and_items_are_indexed_without_the_admin() -> None:
    loaded, *indexed = run(SET_UP)
    assert "cms_api.content.models" in loaded.split()
    assert set(loaded.split()) & set(NOT_LOADED) == set()
    assert indexed == ["True", "True"]


def calls(config: type[AppConfig]) -> set[str]:
    """Return the functions that `ready` calls."""
    method: Any = config.ready
    tree = ast.parse(textwrap.dedent(inspect.getsource(method)))
    return {ast.unparse(node.func).rpartition(".")[2] for node in ast.walk(tree) if isinstance(node, ast.Call)}


@pytest.mark.parametrize("config", [SnippetsConfig, ImagesConfig, DocumentsConfig])
def test_registrations_of_wagtail(config: type[AppConfig]) -> None:
    """Our configurations register what Wagtail's do, without its API v3."""
    models = {"get_image_model", "get_document_model"}
    assert calls(config) == calls(config.__base__) - models - {"register_content_types", "add_router"}
    assert type(apps.get_app_config(config.label)) is config
