"""`manage.py import_properties FEED [FILE] [--complete] [--kind KIND] [--allow-removals]`"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from cms_api.core.commands import SiteCommand
from cms_api.core.errors import Invalid

from ...models import Feed, FeedRun
from ...services import import_file, run_feed
from ...types.listings import RunKind, RunStatus


class Command(SiteCommand):
    help = "Imports property listings from a feed, or from a JSON or CSV file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("feed", help="the name of the feed")
        parser.add_argument("file", type=Path, nargs="?")
        parser.add_argument("--complete", action="store_true", help="the file has all listings: remove the others")
        parser.add_argument(
            "--kind", choices=[str(kind) for kind in RunKind if kind != RunKind.FILE], help="instead of what is due"
        )
        parser.add_argument("--allow-removals", action="store_true", help="remove also more than a fifth of the listings")

    def handle(
        self, *, feed: str, file: Path | None, complete: bool, kind: str | None, allow_removals: bool, **options: Any
    ) -> None:
        found = Feed.objects.filter(name=feed).first()
        if found is None:
            raise CommandError(f"There is no feed “{feed}”.")
        if complete and file is None:
            raise CommandError("Only a file can be complete.")
        try:
            run = _import(found, file, complete, allow_removals) if file else _run(found, kind, allow_removals)
        except Invalid as refusal:
            raise CommandError(refusal.message) from None
        self.stdout.write(", ".join(f"{count:,} {name}" for name, count in run.figures.items()) + ".")
        for problem in run.problems["named"]:
            self.stdout.write(f"{problem['key'] or 'A record'}: {problem['message']}")
        if run.status != RunStatus.FINISHED:
            raise CommandError(run.error or f"The import is {run.get_status_display().lower()}.")


def _import(feed: Feed, file: Path, is_complete: bool, allow_removals: bool) -> FeedRun:
    try:
        with file.open("rb") as content:
            return import_file(feed=feed, file=content, name=file.name, is_complete=is_complete, allow_removals=allow_removals)
    except OSError as problem:
        raise CommandError(f"{file}: {problem.strerror}.") from None


def _run(feed: Feed, kind: str | None, allow_removals: bool) -> FeedRun:
    return run_feed(feed=feed, kind=kind, allow_removals=allow_removals)
