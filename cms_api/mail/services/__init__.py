"""The one way in which the product sends mail: `queue` writes it down, a worker sends it."""

from .queueing import queue

__all__ = ["queue"]
