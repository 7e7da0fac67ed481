"""The only way to send mail: `queue` writes it, a worker sends it."""

from .queueing import queue

__all__ = ["queue"]
