"""Models as they are while migrations are applied: those that were changed are as if all were rendered anew."""

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
    created("Author", name=models.CharField(max_length=10)),
    created("Book", {"verbose_name": "Volume"}, author=to("Author")),
    created("Novel", bases=(f"{LABEL}.book",), book_ptr=parent("Book")),
    created("Chapter", book=to("Book"), novel=to("Novel", related_name="parts")),
    operations.AddIndex("Author", models.Index(fields=["name"], name="by_name")),
    operations.AddConstraint("Author", models.UniqueConstraint(fields=["name"], name="one_name")),
    operations.AddField("Book", "pages", models.IntegerField(default=1)),
    operations.AddField("Author", "first", to("Book", null=True, related_name="+")),
    operations.AddField("Book", "editors", models.ManyToManyField(f"{LABEL}.Author", related_name="edited")),
    operations.AlterField("Author", "id", models.BigAutoField(primary_key=True)),
    operations.AlterModelOptions("Book", {"verbose_name": "Work", "ordering": ["pages"]}),
    operations.RemoveIndex("Author", "by_name"),
    operations.RemoveConstraint("Author", "one_name"),
    operations.AlterModelOptions("Chapter", {"managed": False}),
    operations.RenameField("Book", "pages", "length"),
    operations.DeleteModel("Chapter"),
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
        "indexes": [index.name for index in meta.indexes],
        "constraints": [constraint.name for constraint in meta.constraints],
        "unique": [constraint.name for constraint in meta.total_unique_constraints],
        "managed": meta.managed,
    }


def test_changed_models_are_as_if_rendered_again() -> None:
    state, stock = ForwardState.of(ProjectState()), ProjectState()
    assert rendered(state) == {}
    for operation in OPERATIONS:
        operation.state_forwards(LABEL, state)
        operation.state_forwards(LABEL, stock)
        anew = stock.clone()
        assert state == anew
        assert rendered(state) == rendered(anew), operation.describe()


def test_functions_of_migrations_get_all_options() -> None:
    state = ForwardState.of(ProjectState())
    for operation in OPERATIONS:
        operation.state_forwards(LABEL, state)
        assert state.apps
    before = state.clone()
    before.clear_delayed_apps_cache()
    assert before.apps.get_model(LABEL, "Book")._meta.verbose_name == "Work"


def test_a_state_takes_over_what_is_rendered() -> None:
    state = ProjectState()
    OPERATIONS[0].state_forwards(LABEL, state)
    author = state.apps.get_model(LABEL, "Author")
    forward = ForwardState.of(state)
    assert forward.apps.get_model(LABEL, "Author") is author
    assert forward == state
