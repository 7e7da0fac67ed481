"""Demo records of the shop."""

from collections.abc import Callable

from . import orders, products, selling


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the demo records that are missing."""
    products.load(scale, progress)
    selling.load(scale, progress)
    orders.load(scale, progress)
