"""Turns samples into rows: medians over the rounds, and the median of each round's ratio, since its blocks ran side by side."""

from dataclasses import dataclass
from statistics import median

from .cases import Case
from .load import Sample

Samples = dict[str, list[Sample]]

HEADINGS = (
    *("case", "beside", "its ms", "its /s", "its p99", "floor ms", "ours ms", "ours /s", "ours p99"),
    *("ours : it", "ours : floor", "bar", "met"),
)
OURS = "ours"


@dataclass(frozen=True)
class Row:
    """A case compared with a rival; figures that could not be measured are None."""

    case: str
    beside: str
    rival_ms: float
    rival_per_second: float
    rival_p99_ms: float
    floor_ms: float | None
    ours_ms: float | None
    ours_per_second: float | None
    ours_p99_ms: float | None
    ratio: float | None
    ratio_to_floor: float | None
    bar: float | None

    @property
    def met(self) -> bool | None:
        return None if self.bar is None or self.ratio is None else self.ratio <= self.bar

    def cells(self) -> tuple[str, ...]:
        return (
            self.case,
            self.beside,
            number(self.rival_ms, 2),
            number(self.rival_per_second, 0),
            number(self.rival_p99_ms, 0),
            number(self.floor_ms, 2),
            number(self.ours_ms, 2),
            number(self.ours_per_second, 0),
            number(self.ours_p99_ms, 0),
            ratio_text(self.ratio),
            ratio_text(self.ratio_to_floor),
            ratio_text(self.bar),
            {True: "yes", False: "NO", None: ""}[self.met],
        )


def rows(name: str, case: Case, samples: Samples) -> list[Row]:
    return [
        Row(
            case=name,
            beside=rival,
            rival_ms=middle(samples[rival], "cpu_ms"),
            rival_per_second=middle(samples[rival], "per_second"),
            rival_p99_ms=middle(samples[rival], "p99_ms"),
            floor_ms=middle(samples["floor"], "cpu_ms") if "floor" in samples else None,
            ours_ms=middle(samples[OURS], "cpu_ms") if OURS in samples else None,
            ours_per_second=middle(samples[OURS], "per_second") if OURS in samples else None,
            ours_p99_ms=middle(samples[OURS], "p99_ms") if OURS in samples else None,
            ratio=ratio(samples, rival),
            ratio_to_floor=ratio(samples, "floor"),
            bar=bar,
        )
        for rival, bar in case.rivals.items()
    ]


def middle(samples: list[Sample], name: str) -> float:
    return median(getattr(sample, name) for sample in samples)


def ratio(samples: Samples, rival: str) -> float | None:
    """Return the ratio of our CPU to the rival's."""
    if not {OURS, rival} <= samples.keys():
        return None
    return median(ours.cpu_ms / other.cpu_ms for ours, other in zip(samples[OURS], samples[rival], strict=True))


def table(found: list[Row]) -> str:
    lines = [HEADINGS, *(row.cells() for row in found)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )


def number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def ratio_text(value: float | None) -> str:
    """Format a ratio: up to one half as `1/15.2`, above as `1.30`."""
    if value is None:
        return ""
    return f"1/{1 / value:.1f}" if value <= 0.5 else f"{value:.2f}"
