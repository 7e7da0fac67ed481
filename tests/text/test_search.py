"""Words as the search index holds them, and as a search asks for them."""

import re
from importlib import import_module
from types import SimpleNamespace

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st
from wagtail.search.backends import get_search_backend
from wagtail.search.models import IndexEntry

from cms_api.content.models import ContentItem
from cms_api.text.search import (
    MAX_INDEXED_CHARACTERS,
    MAX_WORDS,
    count_matching,
    fold,
    having_words,
    matching,
    matching_in_order,
    unique_words,
    words,
)
from commerce.crm.models import Contact
from tests.builders import blog_post, make_item
from tests.commerce.crm.records import make_contact


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


#: A text, words that find it, and words that do not.
WRITTEN_IN_OTHER_WAYS = (
    ("Łódź", ("lodz", "ŁÓDŹ", "łód"), ("dz",)),
    ("I\u015f\u0131k", ("\u0131\u015f\u0131k", "isik", "I\u015eIK"), ()),
    ("Ærøskøbing Þór đak œuvre", ("aeroskobing", "thor", "dak", "oeuvre"), ()),
    ("Donau\u00addampf\u200bschiff", ("donaudampfschiff", "Donau\u00addampf"), ("schiff",)),
    ("donaudampf", ("Donau\u00addampf", "do\u200bnau"), ()),
    ("東京都庁舎へ行く", ("都庁", "都庁舎", "京", "く", "東京都庁舎へ行く"), ("都舎", "大阪")),
    ("新しいiPhone用ケース", ("ケース", "iphone", "しい", "用"), ("phone",)),
    ("我喜欢北京烤鸭。", ("北京", "烤鸭", "北京 喜欢"), ("上海",)),
    ("สวัสดีประเทศไทย", ("ไทย", "ประเทศ", "สวัสดี"), ("ลาว",)),
    ("ﾊﾟｿｺﾝ教室", ("パソコン", "教室"), ("コパ",)),
)


@pytest.mark.django_db
@pytest.mark.parametrize(("text", "finds", "misses"), WRITTEN_IN_OTHER_WAYS, ids=[each[0] for each in WRITTEN_IN_OTHER_WAYS])
@pytest.mark.both_databases
def test_words_that_are_written_in_other_ways(text: str, finds: tuple[str, ...], misses: tuple[str, ...]) -> None:
    one, _ = item(f"Before {text} after"), item("Before after")
    assert [found(ContentItem, each) for each in finds] == [[one.pk]] * len(finds)
    assert [found(ContentItem, each) for each in misses] == [[]] * len(misses)


@given(text=st.text(st.sampled_from("aŁ東京都ไทย\u00ad 。9"), min_size=1), start=st.integers(0, 20), length=st.integers(1, 8))
def test_every_part_of_a_text_without_spaces_is_found(text: str, start: int, length: int) -> None:
    for run in re.findall("[東京都]+", text):
        indexed = unique_words(text)
        assert all(any(each.startswith(word) for each in indexed) for word in words(run[start : start + length]))


@pytest.mark.django_db
@pytest.mark.both_databases
def test_what_is_stored_gets_the_new_words() -> None:
    one = item("x")
    entry = IndexEntry.objects.filter(object_id=str(one.pk), autocomplete__isnull=False).latest("pk")
    value = "'東京都庁舎' 'łodz'" if connection.vendor == "postgresql" else "東京都庁舎 łodz"
    cast = "::tsvector" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE {IndexEntry._meta.db_table} SET autocomplete = %s{cast} WHERE id = %s", [value, entry.pk])
    assert found(ContentItem, "lodz") == found(ContentItem, "都庁舎") == []
    migration = import_module("cms_api.core.migrations.0004_plain_letters")
    for _ in range(2):
        migration.add_words(None, SimpleNamespace(connection=connection))
        assert found(ContentItem, "lodz") == found(ContentItem, "都庁舎") == [one.pk]


def test_words_are_letters_and_digits() -> None:
    assert words("O'Brien's 2nd café-bar (new) a_b") == ["o", "brien", "s", "2nd", "cafe", "bar", "new", "a", "b"]
    assert words("!!! *** \"'") == words("_") == words("") == []


def test_a_search_has_at_most_ten_words() -> None:
    assert len(words("word " * 2000)) == MAX_WORDS == 10


def test_of_a_long_text_the_beginning_is_indexed() -> None:
    text = " ".join(f"w{number}" for number in range(100_000))
    found = unique_words(text)
    assert found[0] == "w0"
    assert len(" ".join(found)) <= MAX_INDEXED_CHARACTERS


def test_each_word_stands_once() -> None:
    assert unique_words("a b A á b") == ["a", "b"]


def found(model: type[ContentItem] | type[Contact], text: str) -> list[int]:
    """The records that have the words: those that the index finds, those that are checked, and their number agree."""
    ids = sorted(matching(model._default_manager.all(), text).values_list("pk", flat=True))
    for way in (matching_in_order, having_words):
        assert sorted(way(model._default_manager.all(), text).values_list("pk", flat=True)) == ids
    assert count_matching(model, text) == len(ids)
    return ids


def item(title: str) -> ContentItem:
    return make_item(blog_post(), data={"title": title})


@pytest.mark.django_db
def test_records_of_another_kind_are_not_found() -> None:
    contact, same = make_contact(first_name="Kiln"), item("Kilns")
    assert (found(Contact, "kiln"), found(ContentItem, "kiln")) == ([contact.pk], [same.pk])
    assert found(ContentItem, "kilns") == [same.pk]
    assert found(Contact, "kilns") == []


@pytest.mark.django_db
@pytest.mark.parametrize("text", ["x_y", "café", "日本", "Straße", "½", "नमस्ते", "O'Brien", "ⅷ", "𞤀𞤁", "42", "ﷺ"])
@pytest.mark.both_databases
def test_words_of_every_script_are_found_by_their_beginnings(text: str) -> None:
    one, _ = item(f"Before {text} after"), item("Before after")
    assert found(ContentItem, text) == found(ContentItem, f"aft {text}") == [one.pk]
    assert found(ContentItem, words(text)[0][:-1] or text) == [one.pk]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "text", ['"', "*", "kiln*", "kiln OR oven", "kiln AND oven", "NEAR(kiln oven)", "words:kiln", "-kiln", "' --"]
)
@pytest.mark.both_databases
def test_nothing_in_a_search_is_a_command(text: str) -> None:
    """Words are looked for as words; the rest is nothing."""
    one = item("Kiln")
    assert found(ContentItem, text) == ([one.pk] if words(text) == ["kiln"] else [])


@pytest.mark.django_db
def test_a_word_that_begins_others() -> None:
    short, long, longer = item("Kil"), item("Kiln"), item("Kilns kil")
    assert found(ContentItem, "kil") == [short.pk, long.pk, longer.pk]
    assert found(ContentItem, "kiln") == [long.pk, longer.pk]
    assert found(ContentItem, "kilns") == found(ContentItem, "kilns kil") == [longer.pk]
    assert found(ContentItem, "k") == [short.pk, long.pk, longer.pk]


@pytest.mark.django_db
@pytest.mark.both_databases
def test_the_index_follows_its_entries() -> None:
    one, other = make_contact(first_name="Kiln"), make_contact("other@example.com", first_name="Kiln")
    IndexEntry.objects.filter(object_id=str(other.pk)).delete()
    assert found(Contact, "kiln") == [one.pk]
    one.first_name = "Oven"
    get_search_backend().add(one)
    assert (found(Contact, "kiln"), found(Contact, "oven")) == ([], [one.pk])
    get_search_backend().add_bulk(Contact, [one, other])
    assert (found(Contact, "kiln"), found(Contact, "oven")) == ([other.pk], [one.pk])
    IndexEntry.objects.all().delete()
    assert found(Contact, "kiln") == found(Contact, "oven") == []


@pytest.mark.django_db(transaction=True)
def test_what_was_indexed_before_the_index_was_made_is_found() -> None:
    migration = import_module("cms_api.core.migrations.0001_initial")
    one = item("Kiln")
    for change in (migration.drop_words, migration.create_words):
        with connection.schema_editor() as editor:
            change(None, editor)
    two = item("Kiln")
    assert found(ContentItem, "kiln") == [one.pk, two.pk]
    IndexEntry.objects.filter(object_id=str(one.pk)).delete()
    assert found(ContentItem, "kiln") == [two.pk]
