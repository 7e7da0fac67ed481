"""Writes of the webhooks module: the outbox, the subscriptions and the sending."""

from .outbox import emit, emit_all

__all__ = ["emit", "emit_all"]
