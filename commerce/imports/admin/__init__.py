"""Imports in the admin: files are brought in, their columns named, and the rows followed while they are written.

Loaded with Wagtail's hooks: so the audit log knows the actions below wherever they are written.
"""

from typing import Any

from wagtail import hooks

from .access import import_buttons
from .viewset import ImportViewSet

IMPORTS = ImportViewSet("imports")


@hooks.register("register_log_actions")
def register_log_actions(actions: Any) -> None:
    actions.register_action("imports.start", "Start import", "Import started")
    actions.register_action("imports.resume", "Resume import", "Import resumed")
    actions.register_action("imports.cancel", "Cancel import", "Import cancelled")


__all__ = ["IMPORTS", "import_buttons"]
