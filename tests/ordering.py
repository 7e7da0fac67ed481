"""The order of tests that several processes share.

Each process gets an equal part of the list, and takes tests from the end of another part when its own is finished. Browser
tests take longest, so they are spread over the beginnings of the parts: no process is left with one at the end.
"""

import math

import pytest


def browsers_first(items: list[pytest.Item], processes: int) -> None:
    """Sort the list in place; the order is the same in each process."""
    browsers = [item for item in items if item.get_closest_marker("browser")]
    others = [item for item in items if not item.get_closest_marker("browser")]
    stretch = math.ceil(len(others) / processes)
    items.clear()
    for number in range(processes):
        items += browsers[number::processes]
        items += others[number * stretch : (number + 1) * stretch]
