"""The tool that changes functions to learn which faults the tests notice."""

from pathlib import Path
from types import FunctionType

import pytest

from tests import mutants

SOURCE = """
from functools import cache


def is_free(taken: int, places: int) -> bool:
    if taken < places and places:
        notify(taken)
        return True
    return taken - 1 == places


class Shelf:
    @cache
    def has_room(self) -> None:
        return None
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    (tmp_path / "places.py").write_text(SOURCE)
    return tmp_path


def test_each_small_fault_is_one_mutant(package: Path) -> None:
    found = mutants.find_mutants(package)
    assert sorted(each.change for each in found) == sorted(
        [
            "if taken < places and places: -> if not (taken < places and places):",
            "taken < places and places -> taken < places or places",
            "taken < places -> taken <= places",
            "notify(taken) -> left out",
            "return True -> return None",
            "True -> False",
            "return taken - 1 == places -> return None",
            "taken - 1 == places -> taken - 1 != places",
            "taken - 1 -> taken + 1",
            "1 -> 2",
        ]
    )
    assert {each.function for each in found} == {"is_free"}
    assert {each.line for each in found if "notify" in each.change} == {7}


def test_a_mutant_behaves_as_it_says(package: Path) -> None:
    heard: list[int] = []
    answers = {}
    for each in mutants.find_mutants(package):
        changed = FunctionType(mutants.compile_mutant(each), {"notify": heard.append})
        heard.clear()
        answers[each.change] = (changed(1, 1), changed(0, 1), changed(2, 1), changed(0, 0), len(heard))
    unchanged = (False, True, True, False, 1)
    assert unchanged not in answers.values()
    assert answers["taken < places -> taken <= places"] == (True, True, True, False, 2)
    assert answers["notify(taken) -> left out"] == (False, True, True, False, 0)
    assert answers["1 -> 2"] == (False, True, False, False, 1)
