"""Writes of marketing, for every module that meets people who want mail."""

from .mailing import mail_subscriber
from .subscribers import unsubscribe, upsert_subscriber

__all__ = ["mail_subscriber", "unsubscribe", "upsert_subscriber"]
