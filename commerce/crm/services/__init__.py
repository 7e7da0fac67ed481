"""CRM writes for use by other modules."""

from .contacts import upsert_contact
from .timeline import record_activities, record_activity

__all__ = ["record_activities", "record_activity", "upsert_contact"]
