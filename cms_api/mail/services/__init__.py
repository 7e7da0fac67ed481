"""The only way to send mail: it is written to a queue, and a worker sends it."""

from .queueing import queue, queue_to_business

__all__ = ["queue", "queue_to_business"]
