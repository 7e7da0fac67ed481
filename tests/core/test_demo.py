"""Demo records as data: files that are read once, rows that are missing, days that are counted from another."""

from datetime import date
from pathlib import Path

import pytest
from django.contrib.auth.models import Group

from cms_api.core import demo
from cms_api.core.demo import data_beside, date_text, missing, pick


def test_it_works(tmp_path: Path) -> None:
    source = tmp_path / "demo.py"
    data = data_beside(str(source))
    (tmp_path / "demo.yaml").write_text("rooms:\n  - {name: Café, opens: '09:00', size: 12}\n")
    assert data["rooms"] == [{"name": "Café", "opens": "09:00", "size": 12}]
    (tmp_path / "demo.yaml").unlink()
    assert len(data["rooms"]) == 1


def test_a_demo_may_have_several_files(tmp_path: Path) -> None:
    (tmp_path / "posts.yaml").write_text("[first, second]")
    assert list(data_beside(str(tmp_path / "__init__.py"), "posts.yaml")) == ["first", "second"]


def test_files_hold_values_and_no_objects(tmp_path: Path) -> None:
    (tmp_path / "demo.yaml").write_text("!!python/object/apply:os.getcwd []")
    with pytest.raises(demo.yaml.YAMLError):
        len(data_beside(str(tmp_path / "demo.py")))


@pytest.mark.django_db
def test_rows_are_missing_whose_value_no_record_has() -> None:
    Group.objects.create(name="Potters")
    rows = [{"name": "Weavers"}, {"name": "Potters"}, {"name": "Printers"}]
    assert list(missing(rows, Group.objects, "name")) == [(0, {"name": "Weavers"}), (2, {"name": "Printers"})]
    assert len(list(missing(rows, Group.objects.none(), "name"))) == 3


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"days": 9, "time": "20:00"}, "2026-12-09T20:00"),
        ({"days": -11}, "2026-11-19"),
        # The first Thursday on or after that day.
        ({"weeks": -6, "weekday": 3}, "2026-10-22"),
        ({"day": 31, "days": -6, "weekday": 4}, "2026-11-27"),
        ({"month": 12, "day": 1, "weekday": 5}, "2026-12-05"),
    ],
)
def test_days_are_counted_from_another(given: dict[str, int], expected: str) -> None:
    assert date_text(date(2026, 11, 30), **given) == expected


def test_values_are_picked_in_turn() -> None:
    assert [pick(["a", "b", "c"], number) for number in range(5)] == ["a", "b", "c", "a", "b"]
