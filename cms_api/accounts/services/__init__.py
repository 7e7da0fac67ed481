"""Writes of site accounts: making, inviting and naming members; what signing in and its mails do beside allauth."""

from .members import create_member, invite_member, rename_member

__all__ = ["create_member", "invite_member", "rename_member"]
