"""How much one network may hold unpaid."""

import pytest

from commerce.common.types.shares import most_unpaid


@pytest.mark.parametrize(
    ("size", "one_order", "several", "most"),
    [
        (1000, 10, 50, 50),
        (110, 10, 50, 27),
        # An order may always have what it may have.
        (12, 10, 50, 10),
        (12, 2, 10, 3),
        (1, 10, 50, 10),
    ],
)
def test_it_works(size: int, one_order: int, several: int, most: int) -> None:
    assert most_unpaid(size, one_order=one_order, several=several) == most
