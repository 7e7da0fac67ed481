"""Writes calendar files as the site hands them out, with the dates in its tables: `python -m tests.events.our_feeds FILE`.

For `second_opinion.py`, which reads each with another library. On a database of its own, which is gone afterwards.
"""

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import django
from django.core.management import call_command
from django.test import Client

#: Every so many of the table's values.
STEP = 19


def main(target: Path) -> None:
    from cms_api.content.models import ContentItem
    from cms_api.content.services.items import create_item
    from events.services.builtin import create
    from tests.events.builders import events_type
    from tests.events.rules import all_values

    create()
    values = [value for of_zone in all_values().values() for value in of_zone][::STEP]
    written = []
    for number, value in enumerate(values):
        data = {"title": f"Event {number}", "event_date": value}
        item = create_item(item_type=events_type(), values={"data": data, "status": "published"})
        rows = [item, *ContentItem.objects.filter(owner=item).order_by("starts_at")]
        text = Client(headers={"host": "localhost"}).get(f"/calendar/events/{item.slug}.ics").content.decode()
        written.append({"value": value, "text": text, "dates": sorted(span(row) for row in rows)})
    target.write_text(json.dumps(written))


def span(row: Any) -> list[str]:
    """Start and end of a row: instants, or days."""
    date = row.data["event_date"]
    if date["all_day"]:
        return [date["start"], date["end"] or date["start"]]
    return [row.starts_at.isoformat(), row.ends_at.isoformat()]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="feeds-") as folder:
        os.environ |= {"VAR_DIR": folder, "DJANGO_SETTINGS_MODULE": "config.settings.dev", "DATABASE_URL": ""}
        django.setup()
        call_command("migrate", verbosity=0)
        call_command("setup_site", stdout=sys.stderr)
        call_command("feature", "on", "events", stdout=sys.stderr)
        main(Path(sys.argv[1]).resolve())
