"""Words as the search index holds them, and as a search asks for them."""

import pytest

from cms_api.core.search import MAX_INDEXED, MAX_WORDS, fold, unique_words, words


def test_it_works() -> None:
    assert unique_words("Crème brûlée, crème fraîche!") == ["creme", "brulee", "fraiche"]
    assert words("Crème BRÛLÉE") == ["creme", "brulee"]


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("ABC", "abc"),
        ("Ärger", "arger"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("ﬁne", "fine"),
        ("½", "1⁄2"),
        ("İstanbul", "istanbul"),
        ("Ångström", "angstrom"),
        ("e\u0301", "e"),
        ("ΑΣ", "ας".casefold()),
        ("", ""),
        ("日本", "日本"),
    ],
)
def test_case_and_accents_are_nothing(text: str, folded: str) -> None:
    assert fold(text) == folded
    assert fold(fold(text)) == fold(text)


def test_words_are_letters_and_digits() -> None:
    assert words("O'Brien's 2nd café-bar (new) a_b") == ["o", "brien", "s", "2nd", "cafe", "bar", "new", "a_b"]
    assert words("!!! *** \"'") == words("") == []


def test_a_search_has_at_most_ten_words() -> None:
    assert len(words("word " * 2000)) == MAX_WORDS == 10


def test_of_a_long_text_the_beginning_is_indexed() -> None:
    text = " ".join(f"w{number}" for number in range(100_000))
    found = unique_words(text)
    assert found[0] == "w0"
    assert len(" ".join(found)) <= MAX_INDEXED


def test_each_word_stands_once() -> None:
    assert unique_words("a b A á b") == ["a", "b"]
