"""Demo pages: one of every type, rows of every kind, a row that several pages share, and record templates.

Everything is recognised by its slug or name, so that loading again only adds what is missing.
"""

from collections.abc import Callable, Iterable
from typing import Any

from wagtail.models import Page

from cms_api.content.demo import library
from cms_api.content.selectors import all_types
from cms_api.content.services.builtin import create as create_builtin_types
from cms_api.core.demo import data_beside, missing

from .models import HomePage, LandingPage, RecordTemplate, SharedRow, SitePage, StandardPage
from .services import create_home_page, starting_rows

#: The introduction of a new site's home page.
WELCOME = "<p>Welcome.</p>"

DATA = data_beside(__file__)
TYPES: dict[str, type[SitePage]] = {kind.__name__: kind for kind in (StandardPage, LandingPage, RecordTemplate)}


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Creates the pages, and fills in the home page unless it has been edited."""
    create_builtin_types()
    images = library.stock().images
    home: HomePage = create_home_page()
    for _, row in missing(DATA["shared_rows"], SharedRow.objects, "name"):
        SharedRow.objects.create(name=row["name"], rows=_rows(row["rows"], images))
    for _, row in missing(DATA["pages"], Page.objects, "slug"):
        values = {**row, "rows": _rows(row["rows"], images)}
        kind = TYPES[values.pop("type")]
        if "record_type" in values:
            values["record_type"] = all_types()[values["record_type"]]
        home.refresh_from_db()
        home.add_child(instance=kind(**values)).save_revision().publish()
    if home.introduction == WELCOME:
        given = DATA["home"]
        home.introduction = given["introduction"]
        home.rows = [*_rows(given["first_rows"], images), *starting_rows(), *_rows(given["last_rows"], images)]
        home.save_revision().publish()


def _rows(rows: Iterable[dict[str, Any]], images: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(row["type"], _with_records(row.get("value", {}), images)) for row in rows]


def _with_records(value: Any, images: dict[str, Any]) -> Any:
    """Replace the names of images and of shared rows."""
    if isinstance(value, list):
        return [_with_records(each, images) for each in value]
    if not isinstance(value, dict):
        return value
    found = {key: _with_records(each, images) for key, each in value.items()}
    found |= {key: images[name] for key, name in value.items() if key in {"image", "picture"} and name}
    return found | ({"row": SharedRow.objects.get(name=value["row"])} if "row" in value else {})
