"""Charts: days of the site's time zone, bars that can be told apart without colour, and the same numbers as a table."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import connection
from django.template.loader import render_to_string
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cms_api.adminkit.charts import MAX_DAYS, Chart, LineChart, Series, Trend, daily, last_days
from cms_api.flags.services import set_setting
from commerce.marketing.models import Subscriber
from tests.commerce.marketing.conftest import make_subscriber

DAYS = [date(2026, 11, 1) + timedelta(days=number) for number in range(4)]


@pytest.fixture(autouse=True)
def _in_britain(db: None) -> None:
    set_setting(key="site.country", value="GB")


def make_chart(*series: tuple[str, list[int]]) -> Chart:
    return Chart("visits", "Visits by day", DAYS, [Series(*each) for each in series])


def test_it_works() -> None:
    chart = make_chart(("new", [0, 3, 1, 0]), ("gone", [0, 0, 4, 0]))
    html = " ".join(render_to_string("adminkit/chart.html", {"chart": chart}).split())
    assert html.count('<rect class="chart__bar chart__bar--1" x="1') == 2
    assert "<title>2 Nov 2026: 3 new</title>" in html
    assert "<strong>4</strong> gone" in html
    assert 'role="img" aria-labelledby="chart-visits"' in html
    assert '<tr><th scope="row">3 Nov 2026</th><td>1</td><td>4</td></tr>' in html
    assert html.index("4 Nov 2026</th>") < html.index("1 Nov 2026</th>")
    assert "style=" not in html


def test_bars_stand_side_by_side_within_the_drawing() -> None:
    chart = make_chart(("new", [0, 3, 1, 0]), ("gone", [0, 2, 5, 0]))
    assert (chart.top, chart.width) == (5, 40)
    found = [(bar.series, float(bar.x), float(bar.y), float(bar.width), float(bar.height)) for bar in chart.bars()]
    assert found == [(1, 11, 40, 4, 60), (1, 21, 80, 4, 20), (2, 15, 60, 4, 40), (2, 25, 0, 4, 100)]
    assert chart.ends() == ("1 Nov 2026", "3 Nov 2026", "4 Nov 2026")


@pytest.mark.parametrize(
    ("highest", "top"), [(0, 1), (1, 1), (2, 2), (3, 5), (5, 5), (6, 10), (11, 20), (21, 50), (51, 100), (1_000_000, 1_000_000)]
)
def test_the_scale_ends_with_a_round_number(highest: int, top: int) -> None:
    assert make_chart(("new", [0, highest, 0, 0])).top == top


def test_small_numbers_beside_large_ones_can_be_seen() -> None:
    small, _ = make_chart(("new", [1, 1000, 0, 0])).bars()
    assert float(small.height) == 1.5


def test_nothing_is_drawn_without_numbers() -> None:
    assert not render_to_string("adminkit/chart.html", {"chart": make_chart(("new", [0] * 4))}).strip()
    assert not render_to_string("adminkit/chart.html", {}).strip()


def test_numbers_and_days_must_match() -> None:
    with pytest.raises(ValueError, match="a value for each day"):
        make_chart(("new", [1]))
    days = DAYS[:1] * (MAX_DAYS + 1)
    with pytest.raises(ValueError, match="at most 90 days"):
        Chart("visits", "Visits", days, [Series("new", [0] * len(days))])


@pytest.mark.both_databases
def test_days_are_those_of_the_site_and_empty_ones_count_as_0(monkeypatch: pytest.MonkeyPatch) -> None:
    set_setting(key="site.timezone", value="America/New_York")
    # The clocks go back on 1 November; midnight is at 4:00 UTC before, and at 5:00 UTC after.
    moments = (
        datetime(2026, 11, 1, 3, 59, tzinfo=UTC),
        datetime(2026, 11, 1, 4, tzinfo=UTC),
        datetime(2026, 11, 2, 4, 59, tzinfo=UTC),
        datetime(2026, 11, 4, 5, tzinfo=UTC),
        datetime(2026, 11, 5, 5, tzinfo=UTC),
    )
    for number, moment in enumerate(moments):
        Subscriber.objects.filter(pk=make_subscriber(f"{number}@example.com").pk).update(confirmed_at=moment)
    with CaptureQueriesContext(connection) as captured:
        assert daily(Subscriber.objects.all(), "confirmed_at", DAYS) == [2, 0, 0, 1]
    assert len(captured) == 1
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 11, 5, 4, tzinfo=UTC))
    assert last_days(4) == DAYS


def make_lines(*lines: tuple[str, list[int | None]]) -> LineChart:
    return LineChart("visitors", "Visitors by day", "Day", ["Mon", "Tue", "Wed", "Thu"], [Trend(*each) for each in lines])


def test_lines() -> None:
    chart = make_lines(("now", [0, 5, 10, None]), ("before", [2, 2, 4, 4]))
    assert chart.paths() == ["M0 100.00L10 50.00L20 0.00", "M0 80.00L10 80.00L20 60.00L30 60.00"]
    assert [(each.x, each.width) for each in chart.targets()] == [
        ("0.00", "5.00"),
        ("5.00", "10.00"),
        ("15.00", "10.00"),
        ("25.00", "5.00"),
    ]
    html = " ".join(render_to_string("adminkit/line_chart.html", {"chart": chart}).split())
    assert '<path class="chart__line chart__line--1" d="M0 100.00L10 50.00L20 0.00"/>' in html
    assert '<path class="chart__line chart__line--2" d="M0 80.00' in html
    assert "<title>Tue: 5 now, 2 before</title>" in html
    assert "<title>Thu: 4 before</title>" in html
    assert "<strong>15</strong> now" in html
    assert '<tr><th scope="row">Thu</th><td>–</td><td>4</td></tr>' in html
    assert html.index('"row">Thu') < html.index('"row">Mon')
    assert "style=" not in html


def test_a_line_of_one_number_is_a_dot() -> None:
    assert make_lines(("now", [3, None, None, None])).paths() == ["M0 40.00L0 40.00"]


def test_no_lines_are_drawn_without_numbers() -> None:
    assert not make_lines(("now", [0, 0, 0, None]))
    assert not LineChart("one", "One", "Day", ["Mon"], [Trend("now", [3])])


def test_lines_have_a_value_for_each_label() -> None:
    with pytest.raises(ValueError, match="a value for each label"):
        make_lines(("now", [1, 2]))
