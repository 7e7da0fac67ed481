"""Writes of site accounts: making and naming members; what signing in and its mails do beside allauth."""

from .members import create_member, rename_member

__all__ = ["create_member", "rename_member"]
