"""Integrations rely on each operation, parameter and key of the API: none goes or changes without somebody deciding so."""

import os

import pytest

from tests.client import documented
from tests.features import switch_all_on

from .promises import COMMAND, FILE, kept_lines, promised_lines

pytestmark = pytest.mark.django_db


def compare(kept: list[str], promised: list[str]) -> str:
    """The difference, in words; empty if there is none."""
    broken, new = sorted(set(kept) - set(promised)), sorted(set(promised) - set(kept))
    if broken:
        listed = "\n".join(broken)
        return f"The API promised this, and integrations rely on it; it is gone or has changed:\n{listed}\nIf it must: {COMMAND}"
    return "\n".join(["The API promises more than before. Write it down:", COMMAND, *new]) if new else ""


def test_promises_are_kept(api_on: None) -> None:
    switch_all_on()
    promised = promised_lines(documented().document)
    if os.environ.get("KEEP_PROMISES"):
        FILE.write_text("\n".join(promised) + "\n")
    wrong = compare(kept_lines(), promised)
    assert not wrong, wrong


def test_a_change_is_a_break(api_on: None) -> None:
    document = documented().document
    promised = promised_lines(document)
    assert "GET /api/v1/content-items query page: integer" in promised
    changed = [line.replace("query page: integer", "query page: string") for line in promised]
    assert "gone or has changed:\nGET /api/v1/content-items query page: integer\n" in compare(promised, changed)
    assert "more than before" in compare(promised[1:], promised)
    assert compare(promised, promised) == ""
