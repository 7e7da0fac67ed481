"""Writes of the CRM, for every module that meets people."""

from .contacts import upsert_contact
from .timeline import tell, tell_all

__all__ = ["tell", "tell_all", "upsert_contact"]
