"""Every test of business modules observes how sales change."""

from collections.abc import Iterator

import pytest

from .sales.stages import observed


@pytest.fixture(autouse=True)
def refused_transitions() -> Iterator[list[str]]:
    with observed() as refused:
        yield refused
    assert not refused
