"""The state of models while migrations are applied, which renders new models alone.

Django renders all models again that a new one is related to. In a project where users and pages relate nearly all models, that is
most of the time that it takes to migrate an empty database.
"""

from typing import Any

from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.state import ModelState, ProjectState


class Executor(MigrationExecutor):
    """Django's executor, which applies migrations with a `ForwardState`."""

    def migrate(
        self, targets: Any, plan: Any = None, state: ProjectState | None = None, *args: Any, **options: Any
    ) -> ProjectState:
        migrated: ProjectState = super().migrate(targets, plan, state and ForwardState.of(state), *args, **options)
        return migrated


class ForwardState(ProjectState):
    """The state of the models, of which new ones are rendered alone: no model refers to them yet."""

    @classmethod
    def of(cls, state: ProjectState) -> "ForwardState":
        """Return the same state. It takes over what is rendered."""
        copied = cls(state.models, state.real_apps)
        vars(copied).update(vars(state))
        return copied

    def add_model(self, model_state: ModelState) -> None:
        apps = vars(self).pop("apps", None)
        super().add_model(model_state)
        if apps is not None:
            apps.render_multiple([model_state])
            vars(self)["apps"] = apps
