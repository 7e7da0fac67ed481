"""No page contains code: the Content-Security-Policy lets browsers run script files of the site, and nothing else."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps
from django.template.loader import get_template

from cms_api.gateway import module as gateway

from .scripts import code_in

ROOT = Path(gateway.__file__).resolve().parents[2]
OWN = ("templates", "cms_api", "commerce", "events", "home")
#: Installed applications whose templates are used. The others have only pages for Django's admin, which is not installed.
LIBRARIES = ("wagtail", "allauth.account", "taggit")


def templates_of(*folders: Path) -> Iterator[Path]:
    for folder in folders:
        yield from sorted(folder.rglob("*.html"))


@pytest.mark.parametrize("own", OWN)
def test_own_templates_contain_no_code(own: str) -> None:
    found = {str(path.relative_to(ROOT)): [*code_in(path.read_text())] for path in templates_of(ROOT / own)}
    assert {path: code for path, code in found.items() if code} == {}


def test_templates_of_libraries_with_code_are_replaced() -> None:
    used = {}
    for app in apps.get_app_configs():
        if not app.name.startswith(LIBRARIES):
            continue
        folder = Path(app.path, "templates")
        for path in templates_of(folder):
            name = str(path.relative_to(folder))
            if [*code_in(path.read_text())]:
                origin = Path(get_template(name).origin.name)  # type: ignore[attr-defined]
                used[name] = [*code_in(origin.read_text())]
    assert {name: code for name, code in used.items() if code} == {}
    assert len(used) == 5
