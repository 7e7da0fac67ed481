"""Writes: forms themselves, and the one way in which something is sent in with them, whoever sends it."""

from .submissions import submit

__all__ = ["submit"]
