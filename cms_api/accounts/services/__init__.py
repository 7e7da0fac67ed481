"""Writes of site accounts: creating, inviting and renaming members, and what this project adds to allauth."""

from .members import create_member, invite_member, rename_member

__all__ = ["create_member", "invite_member", "rename_member"]
