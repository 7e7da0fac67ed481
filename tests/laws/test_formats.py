"""Dates, times and amounts are written by `site_formats()` alone, so that they look the same everywhere."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: Filters of Django that follow a format of their own. Single names, numbers and ISO dates are the same in every country.
TEMPLATE = re.compile(r"""\|(?:time\b|date(?!:["'](?:c|Y-m-d|[DjlFMY])["']))|floatformat|intcomma""")
PYTHON = re.compile(r"\b(?:date_format|time_format|number_format|localize)\(|\.strftime\((?!\"media/)")
PATTERNS = {".py": PYTHON, ".html": TEMPLATE, ".txt": TEMPLATE}
#: Where people do not read it: names of files, and the formats of protocols.
BESIDE = {"cms_api/gateway/backup"}


def written_by_hand() -> Iterator[tuple[str, str]]:
    for folder in ("cms_api", "commerce", "events", "home", "templates"):
        for path in sorted((ROOT / folder).rglob("*")):
            pattern = {".py": PYTHON, ".html": TEMPLATE, ".txt": TEMPLATE, ".html-tpl": TEMPLATE, ".py-tpl": PYTHON}.get(
                path.suffix
            )
            name = path.relative_to(ROOT).as_posix()
            if pattern and not any(name.startswith(beside) for beside in BESIDE):
                yield from ((name, found[0]) for found in pattern.finditer(path.read_text()))


def test_it_works() -> None:
    assert list(written_by_hand()) == []


@pytest.mark.parametrize(
    "planted", ['{{ day|date:"j M Y" }}', "{{ day|date }}", "{{ at|time:'H:i' }}", "{{ price|floatformat:2 }}"]
)
def test_a_template_is_found(planted: str) -> None:
    assert TEMPLATE.search(planted)


@pytest.mark.parametrize("planted", ["formats.date_format(day)", 'day.strftime("%d.%m.%Y")'])
def test_code_is_found(planted: str) -> None:
    assert PYTHON.search(planted)


def test_what_is_the_same_everywhere_is_left() -> None:
    assert not TEMPLATE.search("""{{ at|date:'c' }} {{ day|date:"Y-m-d" }} {{ day|date:"j" }} {{ dates }}""")
