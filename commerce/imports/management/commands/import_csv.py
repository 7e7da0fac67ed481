"""`manage.py import_csv KIND FILE [--map column=header] [--option name=value]`"""

import time
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from cms_api.core import registry
from cms_api.core.commands import SiteCommand
from cms_api.core.errors import Invalid
from cms_api.core.management.progress_bar import ProgressBar
from cms_api.core.module import Import

from ...models import ImportRun
from ...selectors import kinds_on
from ...services.previewing import preview_rows
from ...services.runs import cancel, check_size, create_run, remember_mapping, start
from ...services.working import work
from ...types import State

TRUE = ("yes", "true", "1")


class Command(SiteCommand):
    help = "Imports a CSV file at once. The exit status is 1 if rows were refused."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("kind", help=f"one of {', '.join(registry.imports())}")
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--map", action="append", default=[], metavar="COLUMN=HEADER", help="map a column to a column of the file"
        )
        parser.add_argument(
            "--option", action="append", default=[], metavar="NAME=VALUE", help="such as confirmed=1 for subscribers"
        )

        parser.add_argument("--preview", action="store_true", help="show which records would change, and import nothing")

    def handle(self, *, kind: str, file: Path, map: list[str], option: list[str], preview: bool, **options: Any) -> None:
        declared = kinds_on().get(kind)
        if declared is None:
            raise CommandError(f"There is no import of {kind!r}, or its feature is off. There are: {', '.join(kinds_on())}.")
        run = None
        try:
            run = self._create_run(declared, file)
            if preview:
                self._show_preview(declared, run, _mapping(run, map))
                cancel(run=run)
                return
            start(run=run, mapping=_mapping(run, map), options=_options(declared, option), in_background=False)
        except Invalid as refusal:
            if run is not None:
                cancel(run=run)
            raise CommandError(" ".join(_messages(declared, refusal))) from None
        self._show_progress(run)

    def _create_run(self, kind: Import, file: Path) -> ImportRun:
        try:
            check_size(file.stat().st_size)
            content = file.read_bytes()
        except OSError as problem:
            raise CommandError(f"{file}: {problem.strerror}.") from None
        return create_run(kind=kind, filename=file.name, content=content)

    def _show_preview(self, kind: Import, run: ImportRun, mapping: dict[str, int]) -> None:
        remember_mapping(run=run, mapping=mapping)
        effect = preview_rows(run, kind)
        if effect is None:
            raise Invalid({"kind": f"There is no preview of {kind.title.lower()}. {kind.help}"})
        for line, match in effect.updates:
            parts = [f"{name}: {old or 'empty'} -> {new or 'empty'}" for name, (old, new) in match.changes.items()]
            changes = "; ".join(parts)
            self.stdout.write(f"Line {line} updates {match.title}: {changes}")
        for line, problem in effect.refusals:
            self.stderr.write(f"Line {line}: {problem}")
        self.stdout.write(
            f"The first {effect.rows:,} of {run.total:,} rows: {effect.created} new, {effect.updated} updated, "
            f"{effect.unchanged} unchanged, {effect.refused} refused. Nothing was imported."
        )

    def _show_progress(self, run: ImportRun) -> None:
        bar = ProgressBar(run.title, run.total)
        began = time.monotonic()
        try:
            while work(run.pk, bar, in_background=False):
                pass
        except BaseException:
            # Imported rows stay; the import must not continue in the background.
            cancel(run=run)
            raise
        finally:
            bar.end()
        seconds = time.monotonic() - began
        run.refresh_from_db()
        for refusal in run.refusals.iterator(chunk_size=500):
            self.stderr.write(f"Line {refusal.line}: {refusal.problem}")
        self.stdout.write(
            f"{run.title}: {run.done} of {run.total} rows in {seconds:.1f} s, {run.done / max(seconds, 0.001):.0f} a second: "
            f"{run.created} new, {run.updated} updated, {run.unchanged} unchanged, {run.refused} refused."
        )
        if run.state != State.FINISHED:
            raise CommandError(run.error or f"The import is {run.get_state_display().lower()}.")
        if run.refused:
            raise CommandError(f"{run.refused} rows were refused.")


def _mapping(run: ImportRun, given: list[str]) -> dict[str, int]:
    """Return the mapping detected from the header, overridden by the arguments. Raises Invalid."""
    mapping = dict(run.mapping)
    for pair in given:
        column, _, header = pair.partition("=")
        if header not in run.header:
            raise Invalid({column: f"The file has no column {header!r}. It has: {', '.join(run.header)}."})
        mapping[column] = run.header.index(header)
    return mapping


def _messages(kind: Import, refusal: Invalid) -> Iterator[str]:
    """Yield the error messages; for required confirmations also the option to pass and its meaning."""
    confirmed_by = {option.name: option for option in kind.options if option.must_be_ticked}
    for name, sentences in refusal.errors.items():
        yield from sentences
        if name in confirmed_by:
            yield f"Do so with --option {name}=1. {confirmed_by[name].help}".rstrip()


def _options(kind: Import, given: list[str]) -> dict[str, Any]:
    ticks = {option.name for option in kind.options if option.must_be_ticked}
    pairs = (pair.partition("=") for pair in given)
    return {name: value.lower() in TRUE if name in ticks else value for name, _, value in pairs}
