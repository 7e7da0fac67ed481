"""Writes of projects."""

from .files import add_file, delete_file
from .milestones import tick_milestone, untick_milestone
from .statuses import activate_project, cancel_project, complete_project, pause_project, reopen_project
from .updates import add_update, delete_update
from .writing import delete_project, save_project

__all__ = [
    "activate_project",
    "add_file",
    "add_update",
    "cancel_project",
    "complete_project",
    "delete_file",
    "delete_project",
    "delete_update",
    "pause_project",
    "reopen_project",
    "save_project",
    "tick_milestone",
    "untick_milestone",
]
