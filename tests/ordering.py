"""The order of tests where several processes share the suite.

Each process is given an equal stretch of the list, and takes from the end of another's when its own is done. Browser tests take
longest: they stand at the beginning of the stretches, in turn, so that no process is left alone with one at the end.
"""

import math

import pytest


def browsers_first(items: list[pytest.Item], processes: int) -> None:
    """Sort the list itself; each process comes to the same order."""
    browsers = [item for item in items if item.get_closest_marker("browser")]
    others = [item for item in items if not item.get_closest_marker("browser")]
    stretch = math.ceil(len(others) / processes)
    items.clear()
    for number in range(processes):
        items += browsers[number::processes]
        items += others[number * stretch : (number + 1) * stretch]
