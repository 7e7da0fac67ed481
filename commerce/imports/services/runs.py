"""Import runs: upload, start, cancel, resume, and deletion of old ones."""

from collections.abc import Mapping
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django_q.tasks import async_task
from wagtail.log_actions import log

from cms_api.core import batches
from cms_api.core.apart import Limits, read_upload
from cms_api.core.errors import Invalid, invalid_choice
from cms_api.core.leases import free_parked, ours
from cms_api.core.module import Import
from cms_api.media.services.private import delete_after_commit, delete_strays

from ..models import ImportRun, import_files
from ..selectors import kinds_on
from ..types import (
    DELIMITERS,
    ENCODINGS,
    LEASE,
    MAX_ATTEMPTS,
    MAX_FILE_BYTES,
    MIB,
    REQUEUE_AFTER,
    RETENTION,
    UNDER_WAY,
    UNUSED_RETENTION,
    State,
    check_mapping,
    check_options,
    match_columns,
)
from .reading import Layout, preview, survey

TASK = "commerce.imports.tasks.work_on"
LIMITS = Limits(cpu_seconds=30)


def create_run(*, kind: Import, filename: str, content: bytes, user: Any = None) -> ImportRun:
    """Read and store a file; nothing is imported until it is started. Raises Invalid (`file`)."""
    layout = _survey(content)
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


def _survey(content: bytes, *settings: str) -> Layout:
    return Layout(**read_upload(survey, content, *settings, limits=LIMITS))


def first_rows(run: ImportRun) -> list[list[str]]:
    """Return the beginnings of the cells of the first rows. Raises Invalid (`file`)."""
    rows: list[list[str]] = read_upload(preview, read_file(run), run.encoding, run.delimiter, limits=LIMITS)
    return rows


def check_size(size: int | None) -> None:
    """Check the size before a file is read into memory. Raises Invalid (`file`)."""
    if (size or 0) > MAX_FILE_BYTES:
        raise Invalid({"file": f"The file may not be larger than {MAX_FILE_BYTES // MIB} MB."})


def bare_name(filename: str) -> str:
    """Return a file name without folders and non-printing characters."""
    bare = PurePosixPath(PureWindowsPath(filename).name).name
    return "".join(character for character in bare if character.isprintable())[:200] or "file.csv"


def read_again(*, run: ImportRun, encoding: str, delimiter: str) -> None:
    """Read a file that was not started yet with other settings. Raises Invalid (`encoding`, `delimiter`, `file`)."""
    if encoding not in ENCODINGS or delimiter not in DELIMITERS:
        path = "delimiter" if encoding in ENCODINGS else "encoding"
        raise Invalid({path: invalid_choice(path)})
    layout = _survey(read_file(run), encoding, delimiter)
    kind = _find_declared(run)
    mapping = match_columns(kind, layout.header)
    values = {"encoding": encoding, "delimiter": delimiter, "header": layout.header, "total": layout.total, "mapping": mapping}
    _change(run, (State.UPLOADED,), **values)


def remember_mapping(*, run: ImportRun, mapping: Mapping[str, Any]) -> None:
    """Store the mapping of a file that was not started yet, so that its effect can be shown. Raises Invalid by column."""
    _change(run, (State.UPLOADED,), mapping=check_mapping(_find_declared(run), mapping, len(run.header)))


def start(
    *, run: ImportRun, mapping: Mapping[str, Any], options: Mapping[str, Any], user: Any = None, in_background: bool = True
) -> None:
    """Start the import of an uploaded file. Raises Invalid: by column, by option, or if it was already started."""
    kind = _find_declared(run)
    values = {"mapping": check_mapping(kind, mapping, len(run.header)), "options": check_options(kind, options)}
    with transaction.atomic():
        _change(run, (State.UPLOADED,), state=State.WAITING, started_at=timezone.now(), **values, **get_queued_values())
        log(instance=run, action="imports.start", user=user)
        if in_background:
            queue_task(run.pk)


def resume(*, run: ImportRun, user: Any = None) -> None:
    """Resume a failed import after the rows that are done. Raises Invalid if it did not fail."""
    _find_declared(run)
    with transaction.atomic():
        _change(run, (State.FAILED,), state=State.WAITING, attempts=0, error="", finished_at=None, **get_queued_values())
        log(instance=run, action="imports.resume", user=user)
        queue_task(run.pk)


def cancel(*, run: ImportRun, user: Any = None) -> None:
    """Cancel an import; rows that are done stay. Raises Invalid if it has ended."""
    with transaction.atomic():
        _change(run, (State.UPLOADED, *UNDER_WAY, State.FAILED), **get_ended_values(State.CANCELLED))
        forget_file(run)
        log(instance=run, action="imports.cancel", user=user)


def requeue_stranded() -> None:
    """Requeue imports whose worker died or whose task was lost; fail those that have killed their worker too often."""
    free_parked(ImportRun.objects.filter(state__in=UNDER_WAY), max(LEASE, REQUEUE_AFTER))
    stranded = ImportRun.objects.filter(state__in=UNDER_WAY, leased_until__lte=timezone.now(), kind__in=kinds_on())
    batches.each(stranded.order_by("leased_until", "pk"), _requeue_or_fail)


def _requeue_or_fail(run: ImportRun) -> None:
    same = ours(run).filter(state__in=UNDER_WAY, leased_until=run.leased_until)
    if run.attempts >= MAX_ATTEMPTS:
        stopped = f"The import failed {MAX_ATTEMPTS} times after row {run.done:,} and was stopped."
        same.update(**get_ended_values(State.FAILED), error=f"{stopped} Rows imported so far are kept.")
    else:
        requeue(same, run.pk)


@transaction.atomic
def requeue(same: QuerySet[ImportRun], pk: int, *, in_background: bool = True, **changes: Any) -> bool:
    """End the lease of a run and queue a task for it, if it still matches `same`; return whether it did."""
    is_same = same.update(**get_queued_values(), **changes) == 1
    if is_same and in_background:
        queue_task(pk)
    return is_same


def drop_old() -> None:
    """Delete files that were never started, old imports with their refused rows, and files without an import."""
    now = timezone.now()
    unused = Q(started_at=None, created_at__lt=now - UNUSED_RETENTION)
    old = ImportRun.objects.exclude(state__in=UNDER_WAY).filter(unused | Q(created_at__lt=now - RETENTION))
    try:
        batches.each(old.order_by("pk"), _drop)
    finally:
        _clear_stray_files()


@transaction.atomic
def _drop(run: ImportRun) -> None:
    forget_file(run)
    run.delete()


def _clear_stray_files() -> None:
    """Delete files without a row, left by processes that died between writing the two."""
    delete_strays(
        import_files(),
        lambda names: ImportRun.objects.filter(file__in=names).values_list("file", flat=True),
        age=UNUSED_RETENTION,
    )


def get_ended_values(state: State) -> dict[str, Any]:
    """Return the columns of a run that has ended."""
    return {"state": state, "leased_by": "", "leased_until": None, "finished_at": timezone.now()}


def forget_file(run: ImportRun) -> None:
    """Delete the file of a run after commit: it contains personal data and is no longer needed."""
    delete_after_commit(import_files(), run.file.name or "")
    ImportRun.objects.filter(pk=run.pk).update(file="")


def read_file(run: ImportRun) -> bytes:
    """Return the file's content. Raises Invalid (`file`) if it is gone."""
    try:
        with run.file.open("rb") as file:
            content: bytes = file.read()
            return content
    except (FileNotFoundError, ValueError):
        raise Invalid({"file": "The file no longer exists. Upload it again."}) from None


def _find_declared(run: ImportRun) -> Import:
    if run.kind not in kinds_on():
        raise Invalid({"kind": invalid_choice("kind")})
    return kinds_on()[run.kind]


def get_queued_values() -> dict[str, Any]:
    """Return the columns of a queued run."""
    return {"leased_by": "", "leased_until": timezone.now() + REQUEUE_AFTER}


def queue_task(pk: int) -> None:
    """Queue the task in the caller's transaction, so that both are committed or neither."""
    async_task(TASK, pk, group="imports")


def _change(run: ImportRun, states: tuple[State, ...], **values: Any) -> None:
    """Set columns while the run is in one of these states. Raises Invalid if it no longer is."""
    rows: QuerySet[ImportRun] = ImportRun.objects.filter(pk=run.pk, state__in=states)
    if rows.update(**values) == 0:
        raise Invalid({"state": "This import has changed in the meantime. Reload the page."})
    run.refresh_from_db()
