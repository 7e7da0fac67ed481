"""Writes of the webhooks module: the outbox, the subscriptions and the sending."""

from .outbox import emit

__all__ = ["emit"]
