"""Texts cut to a length, and search results cut around what was found."""

import pytest

from cms_api.text.excerpts import MAX_READ_CHARACTERS, excerpt, join_texts, mark_words, shorten
from cms_api.text.search import words
from cms_api.text.site_search import relevance


def shown(text: str, query: str, length: int = 60) -> str:
    return "".join(f"[{part.text}]" if part.is_match else part.text for part in excerpt(text, words(query), length))


def test_it_works() -> None:
    text = (
        "The mill stands by the river. " * 9 + "In spring the heron comes back to the weir and the loom. " + "Come and see. " * 9
    )
    assert shown(text, "HÉRON weir") == "…In spring the [heron] comes back to the [weir] and the loom…"
    assert shown(text, "nothing") == shorten(text, 60) == "The mill stands by the river. The mill stands by the…"
    assert shown("A heron.", "her") == "A [heron]."


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("", "a", ""),
        ("Café, café-bar", "cafe", "[Café], [café]-bar"),
        ("Straße", "strasse", "[Straße]"),
        ("another other", "other", "another [other]"),
        ("a_b", "b", "a_[b]"),
        ("😀 heron 😀", "heron", "😀 [heron] 😀"),
        ("heron", "", "heron"),
        ("x" * 300, "xx", "…" + "[" + "x" * 58 + "]…"),
        ("日本語" * 40 + " 猫", "猫", "…[猫]"),
    ],
)
def test_marks(text: str, query: str, expected: str) -> None:
    assert shown(text, query) == expected


def test_the_parts_are_the_text() -> None:
    text = "One two, three; one. Zone"
    assert "".join(part.text for part in mark_words(text, ["one", "th"])) == text
    assert [part.text for part in mark_words(text, ["one", "th"]) if part.is_match] == ["One", "three", "one"]


def test_of_a_long_text_the_beginning_is_read() -> None:
    text = "word " * MAX_READ_CHARACTERS + "heron"
    assert "heron" not in shown(text, "heron")


def test_texts_of_fields_are_told_apart() -> None:
    assert join_texts(["We open.", "", "Hall 2", "Free"]) == "We open. Hall 2 · Free"
    assert join_texts([]) == ""


def test_relevance() -> None:
    titles = ["Opening hours", "Opening hours in winter", "Openings, and our hours of work", "Opening", "An opener", "Reopened"]
    scores = [relevance(title, words("opening hours")) for title in titles]
    assert scores == [5, 4, 3, 2, 0, 0]
    assert relevance("Öffnung", words("offnung")) == 3
