"""Cells of contact imports, as other systems export them."""

import pytest

from commerce.common.types import split_tags
from commerce.crm.services.importing import read


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("a, b;c", ["a", "b", "c"]),
        ('"VIP","Workshop 2026"', ["VIP", "Workshop 2026"]),
        ('"Fair, spring", "Say ""hi"""', ["Fair, spring", 'Say "hi"']),
        ("Friends ::: Work:::Mill", ["Friends", "Work", "Mill"]),
        ("12:30, a::b", ["12:30", "a::b"]),
        (' "open, b', ['"open', "b"]),
        ('5" pipe, b', ['5" pipe', "b"]),
        (" ,; ::: ", []),
        ('""', []),
    ],
)
def test_tags(text: str, tags: list[str]) -> None:
    assert split_tags(text) == tags


def test_long_lines_of_tags_are_read_at_once() -> None:
    assert split_tags('"' * 100_001 + ":" * 100_000)
    assert split_tags(" " * 100_000) == []


@pytest.mark.both_databases
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("stage", "lifecycle"),
    [("Lead", "lead"), ("Marketing Qualified Lead", "lead"), ("salesqualifiedlead", "prospect"), ("Evangelist", "partner")],
)
def test_stages_of_hubspot(stage: str, lifecycle: str) -> None:
    found = read({"email": "dana@example.com", "lifecycle": stage, "tags": "* myContacts ::: Friends"}, {})
    assert (found["lifecycle"], found["tags"]) == (lifecycle, ["Friends"])
