"""CPU cost of creating and publishing many items through the services, compared with creating them one by one.

`python -m benchmarks.bulk`, on SQLite or, with --postgresql, on a database of its own there.
"""

import argparse
import sys
from typing import Any

from .dataset import article
from .imports import each
from .recurrence import POSTGRESQL, migrated_site

ITEMS, SAMPLE = 10_000, 500
#: The most CPU seconds of an item that is created with others.
BAR = 0.001


def main() -> int:
    options = arguments()
    with migrated_site(options.postgresql):
        from cms_api.content.models import ContentType
        from cms_api.content.services.items import create_item

        from .ours import add_images, create_many, seed_ours, values

        images = add_images()
        seed_ours(0, images)
        kind = ContentType.objects.get(slug="article")

        def alone(number: int) -> Any:
            return create_item(item_type=kind, values=values(article(number), images))

        numbers = range(options.items)
        cpu = each(f"{len(numbers):,} items, many at a time", len(numbers), lambda: create_many(kind, numbers, images))
        rest = range(numbers.stop, numbers.stop + SAMPLE)
        each(f"{SAMPLE:,} items, one by one", SAMPLE, lambda: [alone(number) for number in rest])
    print(f"CPU of an item {1000 * cpu:.2f} ms{'  MISSED' if cpu > BAR else ''}")
    return 1 if cpu > BAR else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bulk", description=__doc__)
    parser.add_argument("--items", type=int, default=ITEMS, help=f"items that are created ({ITEMS})")
    parser.add_argument("--postgresql", metavar="URL", nargs="?", const=POSTGRESQL, default="", help=f"on it ({POSTGRESQL})")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
