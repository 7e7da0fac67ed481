"""CRM writes for use by other modules."""

from .contacts import record_customer, upsert_contact
from .timeline import record_activities, record_activity

__all__ = ["record_activities", "record_activity", "record_customer", "upsert_contact"]
