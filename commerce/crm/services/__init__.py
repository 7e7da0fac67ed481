"""Writes of the CRM, for every module that meets people."""

from .contacts import upsert_contact
from .timeline import record_activities, record_activity

__all__ = ["record_activities", "record_activity", "upsert_contact"]
