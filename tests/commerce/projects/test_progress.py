"""The rule of progress, and the views of lists, for any project."""

from datetime import date, timedelta

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commerce.projects.models import Project
from commerce.projects.selectors import is_overdue, of_status, today
from commerce.projects.types import OPEN, OVERDUE, ProjectStatus, progress_percent

PERCENT = st.integers(0, 100)
MILESTONES = st.lists(st.booleans(), max_size=100)


@pytest.mark.both_databases
def test_it_works() -> None:
    assert progress_percent(is_completed=False, progress=40, milestones=[]) == 40
    assert progress_percent(is_completed=False, progress=40, milestones=[True, False]) == 50
    assert progress_percent(is_completed=True, progress=40, milestones=[True, False]) == 100
    assert [
        progress_percent(is_completed=False, progress=0, milestones=[True] * done + [False] * (3 - done)) for done in range(4)
    ] == [
        0,
        33,
        67,
        100,
    ]


@given(is_completed=st.booleans(), progress=PERCENT, milestones=MILESTONES)
def test_the_rule(is_completed: bool, progress: int, milestones: list[bool]) -> None:
    percent = progress_percent(is_completed=is_completed, progress=progress, milestones=milestones)
    assert 0 <= percent <= 100
    if is_completed:
        assert percent == 100
    elif not milestones:
        assert percent == progress
    else:
        exact = 100 * sum(milestones) / len(milestones)
        assert abs(percent - exact) <= (0.5 if 0.5 < exact < 99.5 else 1)
        assert (percent == 100) == all(milestones)
        assert (percent == 0) == (not any(milestones))


@given(progress=PERCENT, milestones=st.lists(st.booleans(), min_size=1, max_size=100), place=st.integers(0, 99))
def test_a_finished_milestone_never_lowers_it(progress: int, milestones: list[bool], place: int) -> None:
    finished = list(milestones)
    finished[place % len(finished)] = True
    before, after = (progress_percent(is_completed=False, progress=progress, milestones=each) for each in (milestones, finished))
    assert after >= before
    assert progress_percent(is_completed=False, progress=100 - progress, milestones=milestones) == before


@pytest.mark.django_db
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.sampled_from(ProjectStatus), st.one_of(st.none(), st.integers(-2, 2))), min_size=1, max_size=6),
)
def test_derived_states(made: list[tuple[ProjectStatus, int | None]]) -> None:
    """The database and Python agree about which are open and overdue."""
    Project.objects.all().delete()
    now = timezone.now()

    def due(days: int | None) -> date | None:
        return None if days is None else today() + timedelta(days=days)

    Project.objects.bulk_create(
        Project(
            name="Mural",
            status=status,
            due_at=due(days),
            completed_at=now if status == ProjectStatus.COMPLETED else None,
            created_at=now,
            updated_at=now,
        )
        for status, days in made
    )
    projects = list(Project.objects.all())
    ended = {ProjectStatus.COMPLETED, ProjectStatus.CANCELLED}
    assert set(of_status(Project.objects.all(), OPEN)) == {each for each in projects if each.status not in ended}
    late = {each for each in projects if each.is_open and each.due_at and each.due_at < today()}
    assert set(of_status(Project.objects.all(), OVERDUE)) == late == {each for each in projects if is_overdue(each)}
