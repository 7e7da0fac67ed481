"""Imports in the admin: upload a file, map its columns, and follow the progress."""

from cms_api.adminkit.history import register_log_actions

from .viewset import ImportViewSet

IMPORTS = ImportViewSet("imports")

register_log_actions(
    {
        "imports.start": ("Start import", "Import started"),
        "imports.resume": ("Resume import", "Import resumed"),
        "imports.cancel": ("Cancel import", "Import cancelled"),
    }
)

__all__ = ["IMPORTS"]
