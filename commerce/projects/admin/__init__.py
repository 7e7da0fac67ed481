"""Projects in the admin."""

from cms_api.adminkit.history import register_log_actions

from .choosers import CLIENT_CHOOSER
from .projects import ProjectViewSet

__all__ = ["CLIENT_CHOOSER", "PROJECTS"]

PROJECTS = ProjectViewSet()

register_log_actions(
    {
        "projects.complete": ("Complete", "Completed"),
        "projects.reopen": ("Reopen", "Reopened"),
        "projects.activate": ("Start", "Made active"),
        "projects.pause": ("Put on hold", "Put on hold"),
        "projects.cancel": ("Cancel", "Cancelled"),
        "projects.tick_milestone": ("Finish milestone", lambda data: f"“{data['title']}” is done"),
        "projects.untick_milestone": ("Reopen milestone", lambda data: f"“{data['title']}” is not done"),
        "projects.add_update": ("Add update", "Added an update"),
        "projects.add_note": ("Add note", "Added an internal note"),
        "projects.delete_update": ("Delete update", "Deleted an update"),
        "projects.delete_note": ("Delete note", "Deleted an internal note"),
        "projects.add_file": ("Upload file", lambda data: f"Uploaded {data['name']}"),
        "projects.delete_file": ("Delete file", lambda data: f"Deleted {data['name']}"),
    }
)
