"""Rows of the table: ratios of rounds, and targets that were not measured."""

from benchmarks.cases import Case
from benchmarks.load import Sample
from benchmarks.report import Row, rows, table

CASE = Case(("rival", "payload", "ours"), {"v2": 1 / 10, "payload": 1}, lambda servers: {})


def samples(*cpu: float) -> list[Sample]:
    return [Sample(cpu_ms=each, per_second=100, p50_ms=2, p99_ms=3) for each in cpu]


def test_a_ratio_is_the_median_of_the_ratios_of_the_rounds() -> None:
    ours, payload = rows("list", CASE, {"payload": samples(4, 2, 10), "ours": samples(1, 1, 5)})
    assert (ours.target, ours.cpu_ms, ours.ratio, ours.met) == ("ours", 1, None, None)
    assert (payload.target, payload.cpu_ms, payload.ratio, payload.met) == ("payload", 4, 0.5, True)


def test_targets_that_were_not_measured_have_no_row() -> None:
    assert [row.target for row in rows("list", CASE, {"v2": samples(9), "floor": samples(1)})] == ["v2", "floor"]


def test_a_ratio_over_its_bar_is_marked_in_a_table_of_markdown() -> None:
    found = rows("list", CASE, {"v2": samples(8), "ours": samples(2), "floor": samples(0.5)})
    assert [row.met for row in found] == [None, False, None]
    lines = table(found).splitlines()
    assert {line.count("|") for line in lines} == {10}
    cells = [cell.strip() for cell in lines[3].split("|")[1:-1]]
    assert cells == ["list", "v2", "8.00", "100", "2.0", "3.0", "1/4.0", "1/10.0", "**NO**"]


def test_a_ratio_needs_ours() -> None:
    assert rows("list", CASE, {"v2": samples(8)}) == [Row("list", "v2", 8, 100, 2, 3, None, 1 / 10)]
