"""Models as they are while migrations are applied: a new one that is rendered alone is as if all were rendered anew."""

from typing import Any

from django.db import connection, models
from django.db.migrations import operations
from django.db.migrations.state import ProjectState

from cms_api.core.migrating import ForwardState

LABEL = "library"


def created(name: str, /, options: Any = None, bases: Any = None, **fields: models.Field) -> operations.CreateModel:
    key = {} if bases else {"id": models.AutoField(primary_key=True)}
    return operations.CreateModel(name, [*key.items(), *fields.items()], options, bases)


def to(name: str, /, **options: Any) -> models.ForeignKey:
    return models.ForeignKey(f"{LABEL}.{name}", models.CASCADE, **options)


def parent(name: str) -> models.OneToOneField:
    return models.OneToOneField(f"{LABEL}.{name}", models.CASCADE, primary_key=True, parent_link=True)


OPERATIONS = [
    created(
        "Author",
        {"constraints": [models.UniqueConstraint(fields=["name"], name="one_name")]},
        name=models.CharField(max_length=10),
    ),
    created("Book", {"verbose_name": "Volume"}, author=to("Author")),
    created("Novel", bases=(f"{LABEL}.book",), book_ptr=parent("Book")),
    created("Chapter", book=to("Book"), novel=to("Novel", related_name="parts")),
    created("Series", books=models.ManyToManyField(f"{LABEL}.Book", related_name="series")),
    operations.AddField("Author", "first", to("Book", null=True, related_name="+")),
    operations.AlterField("Author", "id", models.BigAutoField(primary_key=True)),
    operations.DeleteModel("Chapter"),
    created("Chapter", book=to("Book")),
]


def rendered(state: ProjectState) -> dict[str, Any]:
    return {model._meta.label: described(model) for model in state.apps.get_models(include_auto_created=True)}


def described(model: type[models.Model]) -> dict[str, Any]:
    meta = model._meta
    return {
        "columns": [(field.name, field.db_parameters(connection)["type"]) for field in meta.concrete_fields],
        "many": [field.name for field in meta.local_many_to_many],
        "related": sorted(
            f"{each.related_model._meta.label}.{each.field.name}"
            for each in meta.get_fields(include_hidden=True)
            if each.auto_created and not each.concrete
        ),
        "unique": [constraint.name for constraint in meta.total_unique_constraints],
    }


def test_new_models_are_as_if_all_were_rendered_again() -> None:
    state, stock = ForwardState.of(ProjectState()), ProjectState()
    assert rendered(state) == {}
    for operation in OPERATIONS:
        operation.state_forwards(LABEL, state)
        operation.state_forwards(LABEL, stock)
        anew = stock.clone()
        assert state == anew
        assert rendered(state) == rendered(anew), operation.describe()


def test_a_state_takes_over_what_is_rendered() -> None:
    state = ProjectState()
    OPERATIONS[0].state_forwards(LABEL, state)
    author = state.apps.get_model(LABEL, "Author")
    forward = ForwardState.of(state)
    assert forward.apps.get_model(LABEL, "Author") is author
    assert forward == state
