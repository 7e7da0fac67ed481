"""Writes of site accounts: creating, inviting, renaming and deleting members, and what this project adds to allauth."""

from .accounts import delete_account, set_active
from .members import create_member, invite_member, rename_member

__all__ = ["create_member", "delete_account", "invite_member", "rename_member", "set_active"]
