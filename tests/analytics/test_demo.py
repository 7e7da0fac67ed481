"""Thirty days of demo visits, which are loaded once."""

from typing import Any

import pytest

from cms_api.analytics.demo import DEMO_DAYS, load
from cms_api.analytics.models import Event, RollUp, Visit
from cms_api.analytics.selectors import reports
from cms_api.analytics.selectors.ranges import read_range
from cms_api.analytics.types.goals import LABELS

pytestmark = pytest.mark.django_db


def test_every_report_has_something_to_show_and_loading_again_changes_nothing() -> None:
    load(1, lambda count: None)
    found = read_range(None, None)
    days = reports.timeseries(found)
    assert len(days) == DEMO_DAYS
    assert all(each["visitors"] for each in days[:-1])
    assert {each["goal"] for each in reports.conversions(found)} == LABELS.keys()
    assert len(reports.pages(found)) == 9
    assert {each["source"] for each in reports.sources(found)} >= {"direct", "Google", "newsletter"}
    before = [_all(model) for model in (Event, Visit, RollUp)]
    load(1, lambda count: None)
    assert [_all(model) for model in (Event, Visit, RollUp)] == before


def _all(model: Any) -> list[Any]:
    return list(model.objects.order_by("pk").values_list())
