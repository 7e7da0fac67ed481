"""Files become contacts and subscribers, row by row, and what cannot is said of its row alone."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from django_q.models import OrmQ

from cms_api.core.errors import Invalid
from cms_api.flags.services import switch_feature
from cms_api.webhooks.models import OutboxEvent
from commerce.crm.models import Company, Contact
from commerce.crm.services import upsert_contact
from commerce.imports import tasks
from commerce.imports.models import ImportFiles, ImportRun
from commerce.imports.services import runs, working
from commerce.imports.services.runs import cancel, drop_old, requeue_stranded, resume, start
from commerce.imports.services.working import claim, work
from commerce.imports.types import MAX_ATTEMPTS, RETENTION, UNUSED_RETENTION
from commerce.marketing.models import Subscriber
from commerce.marketing.services import unsubscribe, upsert_subscriber
from tests.builders import make_endpoint

from .files import guests, import_all, make_run, start_run, table

pytestmark = pytest.mark.django_db


def counts(run: ImportRun) -> tuple[int, ...]:
    """Rows of the file, rows that are done, and those that were new, existing and refused."""
    run.refresh_from_db()
    existing = run.updated + run.unchanged
    assert run.done == run.created + existing + run.refused
    return run.total, run.done, run.created, existing, run.refused


def files() -> list[str]:
    try:
        return ImportFiles().listdir("")[1]
    except FileNotFoundError:
        return []


@pytest.mark.both_databases
def test_it_works(django_capture_on_commit_callbacks: Any) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        run = import_all(table("Dana@Example.com,Dana,Reyes,Reyes Ceramics,fair; VIP", "omer@example.com,Ömer,Aydın,,"))
    assert (run.state, counts(run)) == ("finished", (2, 2, 2, 0, 0))
    dana = Contact.objects.get(email="dana@example.com")
    assert (dana.first_name, dana.company and dana.company.name, dana.tags, dana.source) == (
        "Dana",
        "Reyes Ceramics",
        ["fair", "VIP"],
        "import",
    )
    assert run.finished_at
    assert files() == []


@pytest.mark.both_databases
def test_the_same_file_twice_is_harmless() -> None:
    import_all(guests(3))
    again = import_all(guests(3))
    assert counts(again) == (3, 3, 0, 3, 0)
    assert (Contact.objects.count(), Company.objects.count()) == (3, 1)


def test_a_match_keeps_what_is_known_and_fills_what_is_blank() -> None:
    upsert_contact(values={"email": "dana@example.com", "first_name": "Dane"}, source="api")
    run = import_all(table("dana@example.com,Dana,Reyes,,"))
    assert counts(run) == (1, 1, 0, 1, 0)
    dana = Contact.objects.get()
    assert (dana.first_name, dana.last_name, dana.source) == ("Dane", "Reyes", "api")


@pytest.mark.both_databases
def test_an_address_twice_in_a_file_is_one_contact() -> None:
    run = import_all(table("dana@example.com,Dana,,,", "DANA@example.com,,Reyes,,"))
    assert counts(run) == (2, 2, 1, 1, 0)
    assert Contact.objects.get().name == "Dana Reyes"


def test_a_bad_row_refuses_itself_alone() -> None:
    run = import_all(
        table("a@example.com,,,,", "no address,Dana,,,", ",Dana,,,", f"b@example.com,{'x' * 101},,,", "c@example.com")
    )
    assert counts(run) == (5, 5, 2, 0, 3)
    assert list(run.refusals.values_list("line", "problem")) == [
        (3, "The email must be a valid email address."),
        (4, "The email field is required."),
        (5, "The first name may not be greater than 100 characters."),
    ]
    assert run.refusals.order_by("line")[0].cells == ["no address", "Dana", "", "", ""]


@pytest.mark.both_databases
def test_a_row_that_the_database_refuses_is_left_out_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    written = working.registry.load("commerce.crm.services.importing.write")

    def write(rows: Any, options: Any) -> list[bool]:
        if any(row["first_name"] == "Bad" for row in rows):
            raise Invalid({"first_name": "The first name is bad."})
        return list(written(rows, options))

    monkeypatch.setattr("commerce.crm.services.importing.write", write)
    run = import_all(table("a@example.com,A,,,", "b@example.com,Bad,,,", "c@example.com,C,,,"))
    assert counts(run) == (3, 3, 2, 0, 1)
    assert list(run.refusals.values_list("line", "problem")) == [(3, "The first name is bad.")]


def test_full_names_lifecycles_and_countries() -> None:
    run = import_all(table("a@example.com,Dana Reyes,Customer,France", header="E-Mail,Full Name,LIFECYCLE,country"))
    found = Contact.objects.get()
    assert (found.first_name, found.last_name, found.lifecycle, found.country) == ("Dana", "Reyes", "customer", "France")
    assert counts(import_all(table("b@example.com,king", header="Email,Lifecycle"))) == (1, 1, 0, 0, 1)
    assert run.mapping == {"email": 0, "name": 1, "lifecycle": 2, "country": 3}


@pytest.mark.both_databases
def test_subscribers_get_the_tags_for_all_and_stay_unsubscribed() -> None:
    gone = upsert_subscriber(values={"email": "gone@example.com"}, source="api").subscriber
    unsubscribe(subscriber=gone)
    upsert_subscriber(values={"email": "there@example.com", "tags": ["old"]}, source="api")
    content = table("new@example.com,fair", "gone@example.com,", "there@example.com,", header="Email,Tags")
    run = start_run(make_run(content, kind="subscribers"), all_tags="Spring, fair")
    work(run.pk)
    assert counts(run) == (3, 3, 1, 2, 0)
    found = {each.email: (each.status, each.tags) for each in Subscriber.objects.all()}
    assert found == {
        "new@example.com": ("active", ["fair", "Spring"]),
        "gone@example.com": ("unsubscribed", ["Spring", "fair"]),
        "there@example.com": ("active", ["old", "Spring", "fair"]),
    }


def test_without_their_consent_nobody_is_subscribed() -> None:
    run = make_run(guests(1), kind="subscribers")
    for options in (
        {},
        {"confirmed": False},
        {"confirmed": "yes"},
        {"confirmed": True, "all_tags": 3},
        {"confirmed": True, "x": ""},
    ):
        with pytest.raises(Invalid):
            start(run=run, mapping=run.mapping, options=options)
    assert run.state == "uploaded"
    assert not OrmQ.objects.exists()


def test_webhooks_are_told() -> None:
    switch_feature(name="webhooks", on=True)
    make_endpoint("*")
    import_all(guests(2))
    import_all(guests(2), kind="subscribers")
    kinds = sorted(OutboxEvent.objects.values_list("kind", flat=True))
    assert kinds == ["crm.contact.created"] * 2 + ["subscriber.created"] * 2


@pytest.mark.parametrize(
    "mapping",
    [
        {},
        {"first_name": 1},
        {"email": 9},
        {"email": -1},
        {"email": True},
        {"email": "0"},
        {"email": 0, "password": 1},
        {"email": 10**30},
    ],
    ids=str,
)
def test_a_mapping_must_fit_the_file(mapping: dict[str, Any]) -> None:
    run = make_run()
    with pytest.raises(Invalid):
        start(run=run, mapping=mapping, options={})
    assert counts(run) == (3, 0, 0, 0, 0)


@pytest.mark.both_databases
def test_a_run_is_started_once() -> None:
    run = start_run(make_run())
    with pytest.raises(Invalid):
        start_run(run)
    assert OrmQ.objects.count() == 1


def test_a_long_file_is_worked_off_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of which queues the next; none waits for the end of the file."""
    monkeypatch.setattr(working, "BATCH", 2)
    monkeypatch.setattr(working, "TASK_DURATION", timedelta(0))
    run = start_run(make_run(guests(5)))
    for done in (2, 4, 5):
        tasks.work_on(run.pk)
        assert counts(run) == (5, done, done, 0, 0)
        assert run.attempts == 0
    assert OrmQ.objects.count() == 4
    tasks.work_on(run.pk)
    run.refresh_from_db()
    assert (run.state, run.done) == ("finished", 5)


@pytest.mark.both_databases
def test_rows_that_take_long_are_written_in_smaller_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Products and businesses take a hundred times as long as contacts, and nobody else can write meanwhile."""
    clock: list[int] = [0]
    sizes: list[int] = []

    def write(rows: Any, options: Any) -> list[bool]:
        sizes.append(len(rows))
        clock[0] += len(rows) * 40_000_000
        return [True] * len(rows)

    def load(path: str) -> Any:
        return write if path.endswith(".write") else whole(path)

    whole = working.registry.load
    monkeypatch.setattr(working.registry, "load", load)
    monkeypatch.setattr(working.time, "monotonic_ns", lambda: clock[0])
    run = import_all(guests(100))
    assert (run.state, run.done, sizes) == ("finished", 100, [25, 25, 25, 25])
    sizes.clear()
    monkeypatch.setattr(working, "WRITE_NANOSECONDS", 200_000_000)
    import_all(guests(50))
    assert sizes == [25, 5, 5, 5, 5, 5]
    sizes.clear()
    monkeypatch.setattr(working.time, "monotonic_ns", lambda: 0)
    import_all(guests(1200))
    assert sizes == [25, 100, 400, 500, 175]


@pytest.mark.both_databases
def test_a_crash_between_batches_neither_loses_nor_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working, "BATCH", 2)
    run = start_run(make_run(table("a@example.com,,,,", "bad,,,,", "b@example.com,,,,", "worse,,,,", "c@example.com,,,,")))
    read = working.registry.load("commerce.crm.services.importing.write")
    calls = []

    def write(rows: Any, options: Any) -> list[bool]:
        calls.append(len(rows))
        done = list(read(rows, options))
        if len(calls) == 2:
            raise RuntimeError("The worker dies after writing, before its transaction ends.")
        return done

    monkeypatch.setattr("commerce.crm.services.importing.write", write)
    with pytest.raises(RuntimeError):
        work(run.pk)
    assert counts(run) == (5, 2, 1, 0, 1)
    assert Contact.objects.count() == 1
    assert not work(run.pk), "its lease is not over"
    ImportRun.objects.update(leased_until=timezone.now())
    requeue_stranded()
    assert OrmQ.objects.count() == 2
    work(run.pk)
    assert counts(run) == (5, 5, 3, 0, 2)
    assert run.state == "finished"
    assert list(run.refusals.values_list("line", flat=True)) == [3, 5]


@pytest.mark.both_databases
def test_what_ends_its_worker_each_time_is_given_up() -> None:
    run = start_run(make_run())
    for _ in range(MAX_ATTEMPTS):
        assert claim(run.pk)
        ImportRun.objects.update(leased_until=timezone.now())
        requeue_stranded()
    assert claim(run.pk) is None
    run.refresh_from_db()
    assert (run.state, run.attempts) == ("failed", MAX_ATTEMPTS)
    assert "3 times after row 0" in run.error
    resume(run=run)
    work(run.pk)
    assert counts(run) == (3, 3, 3, 0, 0)


def test_a_task_that_was_lost_is_queued_again() -> None:
    run = start_run(make_run())
    OrmQ.objects.all().delete()
    requeue_stranded()
    assert not OrmQ.objects.exists()
    ImportRun.objects.update(leased_until=timezone.now())
    requeue_stranded()
    requeue_stranded()
    assert OrmQ.objects.count() == 1
    work(run.pk)
    assert counts(run) == (3, 3, 3, 0, 0)


@pytest.mark.both_databases
def test_cancelled_between_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working, "BATCH", 2)
    run = start_run(make_run(guests(5)))
    assert not work(run.pk, lambda count: cancel(run=run))
    assert (counts(run), run.state) == ((5, 2, 2, 0, 0), "cancelled")
    assert Contact.objects.count() == 2
    with pytest.raises(Invalid):
        cancel(run=run)
    with pytest.raises(Invalid):
        resume(run=run)
    requeue_stranded()
    assert not work(run.pk)


@pytest.mark.both_databases
def test_a_worker_whose_run_was_taken_writes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working, "BATCH", 2)
    run = start_run(make_run(guests(5)))

    def lose(count: int) -> None:
        ImportRun.objects.update(leased_by="somebody else")

    assert not work(run.pk, lose)
    assert (counts(run), run.state) == ((5, 2, 2, 0, 0), "running")


@pytest.mark.parametrize("moment", ["before", "between"])
@pytest.mark.both_databases
def test_a_feature_that_is_switched_off(moment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written while it is off; afterwards the import goes on."""
    monkeypatch.setattr(working, "BATCH", 2)
    run = start_run(make_run(guests(5)))

    def off(count: int = 0) -> None:
        switch_feature(name="crm", on=False)

    if moment == "before":
        off()
    work(run.pk, off)
    done = 0 if moment == "before" else 2
    assert Contact.objects.count() == done
    OrmQ.objects.all().delete()
    ImportRun.objects.update(leased_until=timezone.now())
    requeue_stranded()
    assert (OrmQ.objects.count(), work(run.pk)) == (0, False)
    switch_feature(name="crm", on=True)
    requeue_stranded()
    assert OrmQ.objects.count() == 1
    work(run.pk)
    assert counts(run) == (5, 5, 5, 0, 0)


@pytest.mark.both_databases
def test_a_file_that_is_gone_fails_the_import_with_a_sentence() -> None:
    run = start_run(make_run())
    ImportFiles().delete(run.file.name)
    assert not work(run.pk)
    run.refresh_from_db()
    assert (run.state, run.error) == ("failed", "The file no longer exists. Upload it again.")


@pytest.mark.both_databases
def test_what_is_old_is_forgotten(django_capture_on_commit_callbacks: Any) -> None:
    make_run()
    with django_capture_on_commit_callbacks(execute=True):
        kept, done = make_run(), import_all(table("bad"))
        drop_old()
    assert (ImportRun.objects.count(), len(files())) == (3, 2)
    start_run(kept)
    ImportRun.objects.update(created_at=timezone.now() - UNUSED_RETENTION)
    with django_capture_on_commit_callbacks(execute=True):
        drop_old()
    assert set(ImportRun.objects.all()) == {kept, done}
    assert len(files()) == 1
    ImportRun.objects.update(created_at=timezone.now() - RETENTION)
    drop_old()
    assert list(ImportRun.objects.all()) == [kept], "one that is under way stays"


@pytest.mark.both_databases
def test_a_file_that_no_import_has_is_cleared_away(monkeypatch: pytest.MonkeyPatch) -> None:
    make_run()
    ImportRun.objects.all().delete()
    drop_old()
    assert len(files()) == 1
    monkeypatch.setattr(runs, "UNUSED_RETENTION", timedelta(0))
    drop_old()
    assert files() == []
