"""The samples of the API documentation run as they are shown, against a server, once they have a token."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import requests
from django.test import Client
from PIL import Image

from cms_api.content.models import ContentItem
from cms_api.flags.services import set_setting, switch_feature
from cms_api.gateway.documentation.calls import call_of, form
from cms_api.gateway.documentation.samples import TOKEN, samples
from cms_api.gateway.documentation.types import ORIGIN, Call, Field
from cms_api.media.models import MediaImage
from cms_api.media.services.categories import save_category
from tests.builders import blog_post, make_item, make_token

Code = dict[tuple[str, str], str]
#: Runs a sample of an operation in an empty folder, and returns what it prints.
Run = Callable[[str], str]

COMMANDS = {
    "curl": ["bash", "-c"],
    "python": [sys.executable, "-W", "error", "-X", "utf8", "-c"],
    "javascript": ["node", "--input-type=module", "-e"],
}
LANGUAGES = [
    "curl",
    "python",
    pytest.param("javascript", marks=pytest.mark.skipif(not shutil.which("node"), reason="There is no node here.")),
]


def samples_of(page: str) -> Code:
    """The code of a page by the operation's anchor and the language."""
    found = {}
    for anchor, text in re.findall(r'<article class="api-operation" id="([^"]+)"(.*?)</article>', page, re.DOTALL):
        for language, code in re.findall(r'data-language="(\w+)">.*?<code>(.*?)</code>', text, re.DOTALL):
            found[anchor, language] = unescape(code)
    return found


@pytest.fixture(params=LANGUAGES)
def run(live_server: Any, transactional_db: None, tmp_path: Path, request: pytest.FixtureRequest) -> Run:
    """Runs the sample of an operation in the language of the test, as the site's public page shows it."""
    switch_feature(name="api", on=True)
    set_setting(key="api.public_documentation", value=True)
    blog_post()
    token = make_token("content:read", "content:write", "media:read", "media:write")
    found = samples_of(requests.get(f"{live_server.url}/api-documentation", timeout=20).text)

    def run(anchor: str) -> str:
        code = found[anchor, request.param].replace(TOKEN, token)
        done = subprocess.run(
            [*COMMANDS[request.param], code], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.mark.django_db(transaction=True)
def test_it_works(run: Run) -> None:
    make_item(blog_post(), data={"title": "Grüße"})
    assert "Grüße" in run("content_items_list")


@pytest.mark.django_db(transaction=True)
def test_a_post_creates_what_the_example_says(run: Run) -> None:
    assert "Spring opening" in run("content_items_create")
    assert ContentItem.objects.get().title == "Spring opening"


@pytest.mark.django_db(transaction=True)
def test_an_upload_sends_the_file(run: Run, tmp_path: Path) -> None:
    save_category(name="Places")
    Image.new("RGB", (8, 6), "teal").save(tmp_path / "harbour.jpg")
    assert "harbour" in run("media_create")
    found = MediaImage.objects.get()
    assert (found.alt, found.category.slug) == ("Fishing boats in the harbour", "places")


@pytest.mark.django_db
def test_they_have_the_address_of_the_reader(client: Client, api_on: None) -> None:
    set_setting(key="api.public_documentation", value=True)
    for host in ("localhost", "127.0.0.1:8000"):
        page = client.get("/api-documentation", headers={"host": host}).content.decode()
        assert ORIGIN not in page
        for code in samples_of(page).values():
            assert f"http://{host}/api/v1" in code


@pytest.mark.django_db
def test_every_operation_has_all_three(admin_client: Client, api_on: None) -> None:
    for feature in ("webhooks", "crm", "marketing"):
        switch_feature(name=feature, on=True)
    page = admin_client.get("/admin/api-documentation/").content.decode()
    operations = set(re.findall(r'<article class="api-operation" id="((?!webhook_|event-)[^"]+)"', page))
    found = samples_of(page)
    assert set(found) == {(anchor, language) for anchor in operations for language in COMMANDS}
    for anchor in operations:
        compile(found[anchor, "python"], anchor, "exec")
        assert "{" not in found[anchor, "curl"].splitlines()[0]
    assert TOKEN not in found["openapi_json", "curl"]
    assert "Idempotency-Key" not in "".join(found.values())


def test_text_cannot_leave_its_quotes() -> None:
    awkward = 'it\'s "5" \\ $HOME `date` \n é </script>'
    call = Call("POST", "/x", needs_token=False, fields=[], body={"text": awkward, "none": None, "yes": True, "list": [1.5, []]})
    curl, python, javascript = (each.code for each in samples(call))
    printed = subprocess.run(
        ["bash", "-c", curl.replace("curl ", "printf '%s\\n' ")], capture_output=True, text=True, check=True
    ).stdout
    assert json.loads(printed.partition("-d\n")[2]) == call.body
    sent: dict[str, Any] = {}
    fake = type("Fake", (), {"post": lambda *given, **values: sent.update(values) or requests.Response()})
    source = python.replace("import requests", "").partition("response.raise_for_status")[0]
    exec(source, {"requests": fake})
    assert sent["json"] == call.body
    assert json.loads(javascript.partition("JSON.stringify(")[2].partition("),\n}")[0]) == call.body


def test_path_parameters_are_examples_and_required_filters_are_named() -> None:
    found = {
        "parameters": [
            {"in": "path", "name": "form", "schema": {"type": "string"}, "required": True},
            {"in": "path", "name": "note", "schema": {"type": "string"}, "required": True},
            {"in": "query", "name": "page", "schema": {"type": "string"}, "required": True},
            {"in": "query", "name": "sort", "schema": {"type": "string", "enum": ["a", "-a"], "default": "a"}},
        ],
        "x-required-ability": "forms:read",
    }
    answer = {"example": {"data": [{"id": 318, "form_id": 2, "page": "a b&c"}]}}
    call = call_of("get", "/forms/{form}/notes/{note}", found, body={}, schema={}, answer=answer)
    curl, python, javascript = (each.code for each in samples(call))
    assert curl.startswith(f"curl '{ORIGIN}/forms/2/notes/318?page=a+b%26c' \\\n  -H 'Authorization: Bearer {TOKEN}'")
    assert f'"{ORIGIN}/forms/2/notes/318",\n    params={{\n        "page": "a b&c",\n    }},' in python
    assert f'fetch("{ORIGIN}/forms/2/notes/318?page=a+b%26c"' in javascript


def test_the_data_of_a_form_cannot_end_its_element() -> None:
    fields = [Field("file", "body", True, "harbour.jpg", is_file=True), Field("sort", "query", False, "a", ["a", "-a"])]
    data = form(Call("POST", "/x", needs_token=True, fields=fields, body={"a": "</script><!-- & "}))
    assert not re.search("[<>&]", data)
    assert json.loads(data) == {
        "method": "POST",
        "path": "/x",
        "token": True,
        "fields": [
            {"name": "file", "place": "body", "required": True, "example": "harbour.jpg", "file": True},
            {"name": "sort", "place": "query", "example": "a", "options": ["a", "-a"]},
        ],
        "body": {"a": "</script><!-- & "},
    }
