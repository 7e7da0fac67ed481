"""Columns of lists: moments, statuses with notes, and numbers that lead to other records."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.utils import timezone

from cms_api.adminkit.columns import CountColumn, MomentColumn, StatusColumn, SwitchColumn, person


def cell(column: Any, **record: Any) -> str:
    instance = SimpleNamespace(**record)
    context = column.get_cell_context_data(instance, {"row": None, "table": None, "request": None})
    return " ".join(render_to_string(column.cell_template_name, context).split())


def test_it_works() -> None:
    column = SwitchColumn("enabled", on="Running", off="Paused", note=lambda record: record.reason)
    assert column.label == "State"
    running, paused = cell(column, enabled=True, reason=""), cell(column, enabled=False, reason="<Too slow>")
    assert "Running" in running
    assert "records__tag--positive" in running
    assert "records__quiet" not in running
    assert "Paused" in paused
    assert "records__tag--positive" not in paused
    assert '<div class="records__quiet">&lt;Too slow&gt;</div>' in paused


def test_a_status_is_shown_by_its_label() -> None:
    column = StatusColumn("status", label="Status", primary=lambda record: record.status == "paid")
    paid = cell(column, status="paid", get_status_display=lambda: "Paid")
    assert "Paid" in paid
    assert "records__tag--positive" in paid


@pytest.mark.parametrize(
    ("moment", "shown"), [(datetime(2026, 7, 1, 12, tzinfo=UTC), "<td>Jul 1, 2026, 9:00 PM</td>"), (None, "<td>Never</td>")]
)
@pytest.mark.django_db
def test_a_moment(moment: datetime | None, shown: str) -> None:
    column = MomentColumn("used_at", label="Used", empty="Never")
    with timezone.override("Asia/Tokyo"):
        assert (column.sort_key, cell(column, used_at=moment)) == ("used_at", shown)


def test_a_count_leads_to_what_is_counted() -> None:
    column = CountColumn("size", label="Size", url=lambda record: f"/list/?of={record.pk}&more", empty="")
    assert column.get_value(SimpleNamespace(pk=7, size=3)) == '<a href="/list/?of=7&amp;more">3</a>'
    assert column.get_value(SimpleNamespace(pk=7, size=0)) == ""


def test_a_person_is_called_by_name() -> None:
    user = SimpleNamespace(get_full_name=lambda: "", get_username=lambda: "ann@example.com")
    assert (person(user), person(None)) == ("ann@example.com", "")
