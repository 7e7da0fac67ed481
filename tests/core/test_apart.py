"""Foreign content is read in a process of its own: limits, refusals and crashes become a sentence."""

import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from cms_api.core import apart
from cms_api.core.apart import Limits, ReadingFailed, read_upload, run_apart
from cms_api.core.errors import Invalid

from . import apart_functions


@pytest.fixture(autouse=True)
def _really_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests fork a process that waits for them."""
    monkeypatch.setattr(apart, "subprocess", subprocess)


def test_it_works() -> None:
    assert run_apart(apart_functions.count, b"\0\xff" * 100_000, "é", 1.5) == [200_000, "é", 1.5, False]


def test_a_signal_to_all_processes_of_the_site_ends_none_that_reads() -> None:
    """Its parent answers the request, or ends it."""
    assert run_apart(apart_functions.go_on, b"") == "done"


@pytest.mark.parametrize(
    ("function", "problem"),
    [
        (apart_functions.spin, "takes too long to read."),
        (apart_functions.take_memory, "needs too much memory to read."),
        (apart_functions.answer_at_length, "needs too much memory to read."),
        (apart_functions.nest, "can't be read."),
        (apart_functions.fail, "can't be read."),
        (apart_functions.die, "can't be read."),
    ],
)
def test_failures(function: Callable[..., Any], problem: str) -> None:
    with pytest.raises(ReadingFailed) as failure:
        run_apart(function, b"", limits=Limits(cpu_seconds=1))
    assert str(failure.value) == problem


def test_refusals() -> None:
    with pytest.raises(Invalid) as refusal:
        run_apart(apart_functions.refuse, b"")
    assert refusal.value.errors == {"file": ["It is no file of ours."]}


@pytest.mark.parametrize(
    ("function", "sentence"),
    [(apart_functions.refuse, "It is no file of ours."), (apart_functions.die, "The file can't be read.")],
)
def test_uploads_are_refused(function: Callable[..., Any], sentence: str) -> None:
    with pytest.raises(Invalid) as refusal:
        read_upload(function, b"")
    assert refusal.value.errors == {"file": [sentence]}
