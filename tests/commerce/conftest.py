"""Every test of business modules observes how sales change."""

from collections.abc import Iterator

import pytest

from .sales.stages import observed


@pytest.fixture(autouse=True)
def _transitions_of_sales() -> Iterator[None]:
    with observed() as refused:
        yield
    assert not refused
