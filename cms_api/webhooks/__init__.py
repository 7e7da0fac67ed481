"""Tells integrations of changes: an outbox that loses nothing, signed deliveries, a log of every attempt."""
