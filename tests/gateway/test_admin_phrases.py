"""Searches of the admin's lists that Wagtail makes, with exact phrases and with marks that no database reads."""

import pytest
from django.test import Client

from tests.builders import make_page

pytestmark = pytest.mark.django_db

LISTS = ("pages/search/", "pages/", "choose-page/search/", "images/", "documents/")
ODD = (
    *('"mill', '"""', '"\'"', 'x:"a b"', 'tag:"x" "', '"-"', '"\\"', '"|"', '"(:*"', '"a b" -"c"', '"a b" -', '" "'),
    *("'a b' -", "'mill", "'", "' '", "'-'", "O'Brien", "x:'a b'", "'a\" b"),
)


@pytest.mark.parametrize("number", range(len(LISTS)), ids=LISTS)
@pytest.mark.both_databases
def test_a_search_never_fails(number: int, admin_client: Client, without_menu: None, subtests: pytest.Subtests) -> None:
    """Each list reads the words alike: each of them is searched for in two lists."""
    for search in (*ODD[number :: len(LISTS)], *ODD[(number + 2) % len(LISTS) :: len(LISTS)]):
        with subtests.test(search):
            assert admin_client.get(f"/admin/{LISTS[number]}", {"q": search}).status_code == 200


def test_an_exact_phrase_finds_what_has_it(admin_client: Client) -> None:
    for title in ("The old mill house", "A house by the mill"):
        make_page(title=title)

    def found(search: str) -> set[str]:
        page = admin_client.get("/admin/pages/search/", {"q": search}).content.decode()
        return {title for title in ("The old mill house", "A house by the mill") if title in page}

    assert found("mill house") == {"The old mill house", "A house by the mill"}
    assert found('"old mill" house') == {"The old mill house"}
    assert found('"mill house"') == {"The old mill house"}
