"""Webhooks for integrations: an outbox that loses no event, signed deliveries, and a log of every attempt."""
