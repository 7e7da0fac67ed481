"""The code that the documentation page shows verifies what is really sent."""

import json
import shutil
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from cms_api.flags.services import switch_feature
from cms_api.webhooks.models import Endpoint
from cms_api.webhooks.services.sending import headers
from cms_api.webhooks.types import new_secret

FOLDER = Path(settings.BASE_DIR) / "templates/webhooks/verification"
BODY = '{"event":"content_item.created","data":{"title":"Grüße"}}'.encode()

Verify = Callable[[str, dict[str, str], bytes], bool]


def in_python(secret: str, sent: dict[str, str], body: bytes) -> bool:
    names: dict[str, Any] = {}
    exec((FOLDER / "verify.py").read_text(), names)
    return bool(names["is_genuine"](secret, sent, body))


def in_node(secret: str, sent: dict[str, str], body: bytes) -> bool:
    script = (
        f"import {{ isGenuine }} from {json.dumps(str(FOLDER / 'verify.mjs'))};"
        f"console.log(isGenuine({json.dumps(secret)}, {json.dumps(sent)}, Buffer.from({json.dumps(body.hex())}, 'hex')));"
    )
    return _says_true(["node", "--input-type=module", "-e", script])


def in_php(secret: str, sent: dict[str, str], body: bytes) -> bool:
    script = (
        f"require {json.dumps(str(FOLDER / 'verify.php'))};"
        f"echo is_genuine('{secret}', json_decode('{json.dumps(sent)}', true), hex2bin('{body.hex()}')) ? 'true' : 'false';"
    )
    return _says_true(["php", "-r", script])


def _says_true(command: list[str]) -> bool:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == "true"


LANGUAGES = [
    pytest.param(in_python, id="Python"),
    pytest.param(in_node, id="JavaScript", marks=pytest.mark.skipif(not shutil.which("node"), reason="There is no node here.")),
    pytest.param(in_php, id="PHP", marks=pytest.mark.skipif(not shutil.which("php"), reason="There is no php here.")),
]


def signed(endpoint: Endpoint, *, ago: timedelta = timedelta()) -> dict[str, str]:
    sent = headers(endpoint=endpoint, kind="content_item.created", delivery_id=7, body=BODY, now=datetime.now(UTC) - ago)
    return {name.lower(): value for name, value in sent.items()}


@pytest.mark.parametrize("verify", LANGUAGES)
def test_it_works(verify: Verify) -> None:
    endpoint = Endpoint(secret=new_secret())
    assert verify(endpoint.secret, signed(endpoint), BODY)


@pytest.mark.parametrize("verify", LANGUAGES)
def test_what_is_forged_old_or_changed_is_refused(verify: Verify) -> None:
    endpoint = Endpoint(secret=new_secret())
    assert not verify(new_secret(), signed(endpoint), BODY)
    assert not verify(endpoint.secret, signed(endpoint), BODY + b" ")
    assert not verify(endpoint.secret, signed(endpoint, ago=timedelta(minutes=6)), BODY)
    assert not verify(endpoint.secret, {}, BODY)


@pytest.mark.parametrize("verify", LANGUAGES)
def test_both_secrets_do_after_a_rotation(verify: Verify) -> None:
    before, after = new_secret(), new_secret()
    rotated = Endpoint(secret=after, previous_secret=before, previous_secret_until=datetime.now(UTC) + timedelta(hours=1))
    assert verify(before, signed(rotated), BODY)
    assert verify(after, signed(rotated), BODY)


@pytest.mark.django_db
@pytest.mark.both_databases
def test_the_documentation_page_shows_it(admin_client: Client) -> None:
    for feature in ("api", "webhooks"):
        switch_feature(name=feature, on=True)
    page = admin_client.get("/admin/api-documentation/").content.decode()
    for words in ("def is_genuine(secret: str", "export function isGenuine", "function is_genuine(string $secret"):
        assert words in page
