"""The bar of commands: on a terminal, and nowhere else."""

import io
import sys

import pytest

from cms_api.core.management.progress_bar import ProgressBar


class Terminal(io.StringIO):
    def __init__(self, *, is_one: bool) -> None:
        super().__init__()
        self.is_one = is_one

    def isatty(self) -> bool:
        return self.is_one


def drawn(monkeypatch: pytest.MonkeyPatch, *, is_one: bool, total: int = 2000) -> str:
    monkeypatch.setattr(sys, "stderr", Terminal(is_one=is_one))
    bar = ProgressBar("Contacts", total)
    bar(500)
    bar(500)
    bar.end()
    return sys.stderr.getvalue()  # type: ignore[attr-defined]


def test_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    said = drawn(monkeypatch, is_one=True)
    assert said.count("\r") == 2
    assert "Contacts [###############---------------]  50%  1,000 of 2,000 rows, " in said
    assert said.endswith("\n")


def test_a_total_that_was_wrong_harms_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "100%" in drawn(monkeypatch, is_one=True, total=0)
    assert "100%" in drawn(monkeypatch, is_one=True, total=10)


def test_elsewhere_it_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    assert drawn(monkeypatch, is_one=False) == ""
