"""Writes of the webhooks module: the outbox, subscriptions and deliveries."""

from .outbox import emit, emit_all

__all__ = ["emit", "emit_all"]
