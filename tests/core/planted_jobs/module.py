"""Jobs of the tests: each writes its name to a file when it begins."""

from cms_api.core.module import Job, Module

_HERE = "tests.core.planted_jobs.services"

MODULE = Module(
    name="planted_jobs",
    title="Planted jobs",
    description="Of the tests.",
    jobs=(
        Job("sleeping", f"{_HERE}.sleep", every=1, deadline_seconds=3),
        Job("spinning", f"{_HERE}.spin", every=1, deadline_seconds=3),
        Job("stubborn", f"{_HERE}.ignore_signals", every=1, deadline_seconds=3),
        Job("greedy", f"{_HERE}.take_memory", every=1),
        Job("failing", f"{_HERE}.fail", every=1),
        Job("killed", f"{_HERE}.die", every=1),
        Job("lasting", f"{_HERE}.last", every=1),
        Job("fine", f"{_HERE}.work", every=1),
    ),
)
