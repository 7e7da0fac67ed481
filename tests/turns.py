"""Which tests begin first where several processes share the suite.

Each process is given an equal stretch of the list, and takes from the end of another's when its own is done. What takes long
stands at the beginning of the stretches, in turn, so that no process is left alone with it at the end.
"""

import math
from itertools import chain

import pytest


def arrange(items: list[pytest.Item], processes: int) -> None:
    """Sorts the list itself; each process comes to the same order."""
    long: list[list[pytest.Item]] = []
    others = []
    for item in items:
        together = item.get_closest_marker("long") is not None
        if together and long and long[-1][-1].path == item.path:
            # They share a server that takes seconds to start.
            long[-1].append(item)
        elif together or item.get_closest_marker("browser"):
            long.append([item])
        else:
            others.append(item)
    stretch = math.ceil(len(others) / processes)
    items.clear()
    for number in range(processes):
        items += chain.from_iterable(long[number::processes])
        items += others[number * stretch : (number + 1) * stretch]
