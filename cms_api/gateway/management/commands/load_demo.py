"""`manage.py load_demo [--scale N]`"""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from cms_api.core import registry
from cms_api.core.commands import SiteCommand


class Progress:
    """Reports the number of bulk records made so far on standard error, if that is a terminal."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.made = 0

    def __call__(self, more: int) -> None:
        self.made += more
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{self.title}: {self.made} records ")
            sys.stderr.flush()

    def end(self) -> None:
        if self.made and sys.stderr.isatty():
            sys.stderr.write("\n")


class Command(SiteCommand):
    help = "Loads demo data for every module. Deterministic, safe to repeat, and leaves every feature as it found it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--scale", type=int, default=1, help="multiplies the bulk")

    def handle(self, *, scale: int, **options: Any) -> None:
        if scale < 1:
            raise CommandError("The scale must be at least 1.")
        for module in registry.modules():
            if module.records.demo:
                progress = Progress(module.title)
                registry.load(module.records.demo)(scale, progress)
                progress.end()
                self.stdout.write(f"{module.title}: demo data loaded.")
