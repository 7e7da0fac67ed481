"""Counts of groups up to a limit, and formulas of counts in one statement."""

from typing import Any

import pytest
from django.db.models import OuterRef

from cms_api.content.models import ContentType, Term
from cms_api.core.counting import CountOf, count_by
from tests.builders import blog_post, make_term

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def terms(number: int) -> Any:
    for each in range(number):
        make_term(blog_post(), name=f"Term {each}", position=each)
    return Term.objects.order_by("position")


def test_it_works(django_assert_num_queries: Any) -> None:
    rows = terms(5)
    with django_assert_num_queries(1):
        assert count_by("{all} - {first} * 10", all=rows, first=rows.filter(position__lt=2)) == -15


@pytest.mark.parametrize(("most", "number"), [(2, 2), (5, 5), (6, 5)])
def test_rows_are_counted_up_to_a_limit(most: int, number: int) -> None:
    rows = terms(5)
    assert count_by("{rows}", rows=rows[:most]) == number


def test_only_the_branch_that_is_taken_is_counted() -> None:
    rows = terms(3)
    formula = "CASE WHEN {few} <= 3 THEN {first} ELSE {rest} END"
    assert count_by(formula, rest=rows.none(), first=rows.filter(position=0), few=rows[:4]) == 1
    assert count_by(formula, rest=rows.none(), first=rows.filter(position=0), few=rows.all() | rows.filter(pk=0)) == 1
    make_term(blog_post(), name="Another", position=3)
    assert count_by(formula, rest=rows.none(), first=rows.filter(position=0), few=rows[:4]) == 0


def test_groups_are_counted_up_to_a_limit(django_assert_num_queries: Any) -> None:
    terms(5)
    members = Term.objects.filter(type=OuterRef("pk")).order_by("position")
    with django_assert_num_queries(1):
        found = dict(ContentType.objects.annotate(number=CountOf(members, 3)).values_list("slug", "number"))
    assert (found.pop(blog_post().slug), set(found.values())) == (3, {0} if found else set())
