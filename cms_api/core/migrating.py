"""The state of models while migrations are applied, with the least rendered again.

Django renders a model, and all that are related to it, again for each operation. In a project where users and pages relate nearly
all models, that is most of the time that it takes to migrate an empty database.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.state import ModelState, ProjectState, StateApps
from django.db.models import BaseConstraint, Field, Index


class Executor(MigrationExecutor):
    """Django's executor, which applies migrations with a `ForwardState`."""

    def _migrate_all_forwards(self, state: ProjectState, *args: Any, **options: Any) -> ProjectState:
        forwards = super()._migrate_all_forwards  # type: ignore[misc]
        return forwards(ForwardState.of(state), *args, **options)


class ForwardState(ProjectState):
    """The state that migrations change while they are applied, one after the other.

    Only the last operation's state is needed then, so that rendered models can be changed instead of being rendered again. While
    migrations are unapplied, the states between them are kept, and Django's own class is needed.
    """

    _is_adding_field = False

    @classmethod
    def of(cls, state: ProjectState) -> "ForwardState":
        """Return the same state. It takes over what is rendered."""
        found = cls(state.models, state.real_apps)
        found.__dict__.update(state.__dict__)
        return found

    def add_model(self, model_state: ModelState) -> None:
        """Render the new model only: none refers to it yet, and those that it refers to learn that from itself."""
        with self._rendering_none() as apps:
            super().add_model(model_state)
        if apps is not None:
            apps.render_multiple([model_state])

    def add_field(self, app_label: str, model_name: str, name: str, field: Field[Any, Any], preserve_default: Any) -> None:
        """Render what the model is directly related to, as Django does for fields that relate it to nothing."""
        self._is_adding_field = True
        try:
            super().add_field(app_label, model_name, name, field, preserve_default)
        finally:
            self._is_adding_field = False

    def reload_model(self, app_label: str, model_name: str, delay: bool = False) -> None:
        super().reload_model(app_label, model_name, delay or self._is_adding_field)

    def alter_model_options(
        self, app_label: str, model_name: str, options: dict[str, Any], option_keys: Iterable[str] | None = None
    ) -> None:
        """Leave names, orders and permissions, which no table depends on, to the next time the model is rendered."""
        if option_keys is None or "managed" in (options.keys() | self.models[app_label, model_name].options.keys()):
            super().alter_model_options(app_label, model_name, options, option_keys)
            return
        with self._rendering_none():
            super().alter_model_options(app_label, model_name, options, option_keys)
        # A function of a migration gets models that are rendered anew.
        self.is_delayed = True

    def add_index(self, app_label: str, model_name: str, index: Index) -> None:
        with self._changing(app_label, model_name, "indexes"):
            super().add_index(app_label, model_name, index)

    def remove_index(self, app_label: str, model_name: str, index_name: str) -> None:
        with self._changing(app_label, model_name, "indexes"):
            super().remove_index(app_label, model_name, index_name)

    def add_constraint(self, app_label: str, model_name: str, constraint: BaseConstraint) -> None:
        with self._changing(app_label, model_name, "constraints"):
            super().add_constraint(app_label, model_name, constraint)

    def remove_constraint(self, app_label: str, model_name: str, constraint_name: str) -> None:
        with self._changing(app_label, model_name, "constraints"):
            super().remove_constraint(app_label, model_name, constraint_name)

    @contextmanager
    def _rendering_none(self) -> Iterator[StateApps | None]:
        """Keep the rendered models, if there are any, as they are."""
        apps = self.__dict__.pop("apps", None)
        try:
            yield apps
        finally:
            if apps is not None:
                self.__dict__["apps"] = apps

    @contextmanager
    def _changing(self, app_label: str, model_name: str, option: str) -> Iterator[None]:
        """Set a rendered model's indexes or constraints to what they become: no other model depends on them."""
        with self._rendering_none() as apps:
            yield
        if apps is not None:
            meta = apps.get_model(app_label, model_name)._meta
            setattr(meta, option, list(self.models[app_label, model_name].options[option]))
            meta.__dict__.pop("total_unique_constraints", None)
