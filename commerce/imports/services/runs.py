"""Imports as people handle them: uploaded, started, cancelled, resumed, and deleted after a while."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django_q.tasks import async_task
from wagtail.log_actions import log

from cms_api.core.errors import Invalid, invalid_choice
from cms_api.core.leases import ours
from cms_api.core.module import Import

from ..models import ImportFiles, ImportRun
from ..selectors import kinds_on
from ..types import (
    DELIMITERS,
    ENCODINGS,
    KEPT,
    MAX_ATTEMPTS,
    MAX_FILE,
    MIB,
    REQUEUE_AFTER,
    UNDER_WAY,
    UNUSED,
    State,
    check_mapping,
    check_options,
    match_columns,
)
from .reading import survey

TASK = "commerce.imports.tasks.work_on"


def bring_in(*, kind: Import, filename: str, content: bytes, user: Any = None) -> ImportRun:
    """Reads a file and keeps it; nothing of it is imported before it is started. Raises Invalid (`file`)."""
    layout = survey(content)
    run = ImportRun(
        kind=kind.name,
        filename=bare_name(filename),
        encoding=layout.encoding,
        delimiter=layout.delimiter,
        header=layout.header,
        mapping=match_columns(kind, layout.header),
        total=layout.total,
        user=user,
        created_at=timezone.now(),
    )
    run.file.save("", ContentFile(content), save=False)
    try:
        run.save()
    except BaseException:
        run.file.delete(save=False)
        raise
    return run


def check_size(size: int | None) -> None:
    """Before a file is read into memory. Raises Invalid (`file`)."""
    if (size or 0) > MAX_FILE:
        raise Invalid({"file": f"The file may not be larger than {MAX_FILE // MIB} MB."})


def bare_name(filename: str) -> str:
    """What a file was called, without folders and what is not printed."""
    bare = PurePosixPath(PureWindowsPath(filename).name).name
    return "".join(character for character in bare if character.isprintable())[:200] or "file.csv"


def read_again(*, run: ImportRun, encoding: str, delimiter: str) -> None:
    """Reads a file that was not started yet in another way. Raises Invalid (`encoding`, `delimiter`, `file`)."""
    if encoding not in ENCODINGS or delimiter not in DELIMITERS:
        path = "delimiter" if encoding in ENCODINGS else "encoding"
        raise Invalid({path: invalid_choice(path)})
    layout = survey(read_file(run), encoding=encoding, delimiter=delimiter)
    kind = _declared(run)
    mapping = match_columns(kind, layout.header)
    values = {"encoding": encoding, "delimiter": delimiter, "header": layout.header, "total": layout.total, "mapping": mapping}
    _change(run, (State.UPLOADED,), **values)


def start(
    *, run: ImportRun, mapping: Mapping[str, Any], options: Mapping[str, Any], user: Any = None, in_background: bool = True
) -> None:
    """Begins the import of a file that was brought in. Raises Invalid: by column, by option, or where it was started before."""
    kind = _declared(run)
    values = {"mapping": check_mapping(kind, mapping, len(run.header)), "options": check_options(kind, options)}
    with transaction.atomic():
        _change(run, (State.UPLOADED,), state=State.WAITING, started_at=timezone.now(), **values, **queued())
        log(instance=run, action="imports.start", user=user)
        if in_background:
            queue_task(run.pk)


def resume(*, run: ImportRun, user: Any = None) -> None:
    """Resumes an import that failed, after the rows that are done. Raises Invalid where it did not fail."""
    _declared(run)
    with transaction.atomic():
        _change(run, (State.FAILED,), state=State.WAITING, attempts=0, error="", finished_at=None, **queued())
        log(instance=run, action="imports.resume", user=user)
        queue_task(run.pk)


def cancel(*, run: ImportRun, user: Any = None) -> None:
    """Ends an import after the rows that are done, which stay. Raises Invalid where it is over."""
    with transaction.atomic():
        _change(run, (State.UPLOADED, *UNDER_WAY, State.FAILED), **ended(State.CANCELLED))
        forget_file(run)
        log(instance=run, action="imports.cancel", user=user)


def requeue_stranded() -> None:
    """Queues imports whose worker has died, or whose task was lost; ends those that have ended their workers too often."""
    stranded = ImportRun.objects.filter(state__in=UNDER_WAY, leased_until__lte=timezone.now(), kind__in=kinds_on())
    for run in stranded.order_by("leased_until"):
        same = ours(run).filter(state__in=UNDER_WAY, leased_until=run.leased_until)
        if run.attempts >= MAX_ATTEMPTS:
            stopped = f"The import failed {MAX_ATTEMPTS} times after row {run.done:,} and was stopped."
            same.update(**ended(State.FAILED), error=f"{stopped} Rows imported so far are kept.")
        else:
            requeue(same, run.pk)


@transaction.atomic
def requeue(same: QuerySet[ImportRun], pk: int, *, in_background: bool = True, **changes: Any) -> bool:
    """Ends the lease of a run, if it is still the `same`, and queues a task for it; whether it was."""
    is_same = same.update(**queued(), **changes) == 1
    if is_same and in_background:
        queue_task(pk)
    return is_same


def drop_old() -> None:
    """Forgets files that nobody started to import, old imports with their refused rows, and files without an import."""
    now = timezone.now()
    unused = Q(started_at=None, created_at__lt=now - UNUSED)
    for run in ImportRun.objects.exclude(state__in=UNDER_WAY).filter(unused | Q(created_at__lt=now - KEPT)):
        with transaction.atomic():
            forget_file(run)
            run.delete()
    _clear_stray_files(now)


def _clear_stray_files(now: datetime) -> None:
    """A file without a row is what a process left that died between the two."""
    storage = ImportFiles()
    try:
        names = storage.listdir("")[1]
    except FileNotFoundError:
        return
    old = [name for name in names if storage.get_modified_time(name) < now - UNUSED]
    referenced = set(ImportRun.objects.filter(file__in=old).values_list("file", flat=True))
    for name in set(old) - referenced:
        storage.delete(name)


def ended(state: State) -> dict[str, Any]:
    """The columns of a run that is over."""
    return {"state": state, "leased_by": "", "leased_until": None, "finished_at": timezone.now()}


def forget_file(run: ImportRun) -> None:
    """Deletes the file of a run once that is certain: it holds people's data, and is not needed any more."""
    if name := run.file.name:
        transaction.on_commit(partial(ImportFiles().delete, name))
    ImportRun.objects.filter(pk=run.pk).update(file="")


def read_file(run: ImportRun) -> bytes:
    """Raises Invalid (`file`) where it is gone."""
    try:
        with run.file.open("rb") as file:
            content: bytes = file.read()
            return content
    except (FileNotFoundError, ValueError):
        raise Invalid({"file": "The file no longer exists. Upload it again."}) from None


def _declared(run: ImportRun) -> Import:
    if run.kind not in kinds_on():
        raise Invalid({"kind": invalid_choice("kind")})
    return kinds_on()[run.kind]


def queued() -> dict[str, Any]:
    """The columns of a run that waits for a task."""
    return {"leased_by": "", "leased_until": timezone.now() + REQUEUE_AFTER}


def queue_task(pk: int) -> None:
    """In the caller's transaction: the task enters the queue with it, or not at all."""
    async_task(TASK, pk, group="imports")


def _change(run: ImportRun, states: tuple[State, ...], **values: Any) -> None:
    """Sets columns while the run is in one of these states. Raises Invalid where somebody was faster."""
    rows: QuerySet[ImportRun] = ImportRun.objects.filter(pk=run.pk, state__in=states)
    if rows.update(**values) == 0:
        raise Invalid({"state": "This import has changed in the meantime. Reload the page."})
    run.refresh_from_db()
