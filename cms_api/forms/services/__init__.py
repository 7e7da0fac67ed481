"""Writes of forms, and the single way to submit one, whatever the source."""

from .submissions import submit

__all__ = ["submit"]
