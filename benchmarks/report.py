"""Makes rows of samples: medians over the rounds, and the median of each round's ratio, since its blocks ran side by side."""

from dataclasses import dataclass
from statistics import median

from .cases import Case
from .load import Sample

Samples = dict[str, list[Sample]]

HEADINGS = ("case", "target", "CPU ms", "requests/s", "p50 ms", "p99 ms", "ours : it", "bar", "met")
OURS, FLOOR = "ours", "floor"


@dataclass(frozen=True)
class Row:
    """A target of a case. The ratio is of our CPU to its CPU; it is None for ours, and if ours was not measured."""

    case: str
    target: str
    cpu_ms: float
    per_second: float
    p50_ms: float
    p99_ms: float
    ratio: float | None
    bar: float | None

    @property
    def met(self) -> bool | None:
        return None if self.bar is None or self.ratio is None else self.ratio <= self.bar

    def cells(self) -> tuple[str, ...]:
        return (
            self.case,
            self.target,
            f"{self.cpu_ms:.2f}",
            f"{self.per_second:.0f}",
            f"{self.p50_ms:.1f}",
            f"{self.p99_ms:.1f}",
            ratio_text(self.ratio),
            ratio_text(self.bar),
            {True: "yes", False: "**NO**", None: ""}[self.met],
        )


def rows(name: str, case: Case, samples: Samples) -> list[Row]:
    """Return the rows of a case: ours, its rivals that were measured, and the floor."""
    order = [target for target in (OURS, *case.rivals, FLOOR) if target in samples]
    return [
        Row(
            case=name,
            target=target,
            cpu_ms=middle(samples[target], "cpu_ms"),
            per_second=middle(samples[target], "per_second"),
            p50_ms=middle(samples[target], "p50_ms"),
            p99_ms=middle(samples[target], "p99_ms"),
            ratio=None if target == OURS else ratio(samples, target),
            bar=case.rivals.get(target),
        )
        for target in order
    ]


def middle(samples: list[Sample], name: str) -> float:
    return median(getattr(sample, name) for sample in samples)


def ratio(samples: Samples, other: str) -> float | None:
    """Return the ratio of our CPU to the other target's."""
    if OURS not in samples:
        return None
    return median(ours.cpu_ms / its.cpu_ms for ours, its in zip(samples[OURS], samples[other], strict=True))


def table(found: list[Row]) -> str:
    """Return the rows as a table of Markdown."""
    lines = [HEADINGS, *(row.cells() for row in found)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    texts = [
        "| " + " | ".join(cell.ljust(width) if column < 2 else cell.rjust(width) for column, (cell, width) in aligned) + " |"
        for aligned in (enumerate(zip(line, widths, strict=True)) for line in lines)
    ]
    rule = "|" + "|".join("-" * (width + 1) + ("-" if column < 2 else ":") for column, width in enumerate(widths)) + "|"
    return "\n".join([texts[0], rule, *texts[1:]])


def ratio_text(value: float | None) -> str:
    """Format a ratio: up to one half as `1/15.2`, above as `1.30`."""
    if value is None:
        return ""
    return f"1/{1 / value:.1f}" if value <= 0.5 else f"{value:.2f}"
