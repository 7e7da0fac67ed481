"""Progress of a command on standard error: a bar on a terminal, nothing elsewhere."""

import sys
import time

BAR_CHARACTERS = 30


class ProgressBar:
    """Called with the number of items just processed; `end` finishes the line."""

    def __init__(self, title: str, total: int, *, unit: str = "rows") -> None:
        self.title, self.total, self.unit = title, total, unit
        self.done = 0
        self._began = time.monotonic()

    def __call__(self, more: int) -> None:
        self.done += more
        self._show()

    @property
    def per_second(self) -> float:
        return self.done / max(time.monotonic() - self._began, 0.001)

    def end(self) -> None:
        if self.done and sys.stderr.isatty():
            sys.stderr.write("\n")

    def _show(self) -> None:
        if not sys.stderr.isatty():
            return
        part = min(self.done / self.total, 1) if self.total else 1
        bar = ("#" * round(part * BAR_CHARACTERS)).ljust(BAR_CHARACTERS, "-")
        counted = f"{self.done:,} of {self.total:,} {self.unit}, {self.per_second:,.0f} a second"
        sys.stderr.write(f"\r{self.title} [{bar}] {part:4.0%}  {counted} ")
        sys.stderr.flush()
