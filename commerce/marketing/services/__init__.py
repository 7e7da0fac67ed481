"""Writes of marketing, for every module that meets people who want mail."""

from .subscribers import unsubscribe, upsert_subscriber

__all__ = ["unsubscribe", "upsert_subscriber"]
