"""CPU cost of creating and publishing many items through the services, compared with creating them one by one.

`python -m benchmarks.bulk`, on SQLite or, with --postgresql, on a database of its own there.
"""

import argparse
import sys

from .dataset import article
from .imports import each
from .recurrence import POSTGRESQL, migrated_site

ITEMS, SAMPLE_ITEMS = 10_000, 500
#: The most CPU seconds of an item that is created with others.
MAX_CPU_SECONDS = 0.001


def main() -> int:
    options = arguments()
    with migrated_site(options.postgresql):
        from cms_api.content.models import ContentType
        from cms_api.content.services.bulk import create_items
        from cms_api.content.services.items import create_item

        from .ours import BATCH_ITEMS, add_images, seed_ours, values

        images = add_images()
        seed_ours(0, images)
        kind = ContentType.objects.get(slug="article")
        rows = [values(article(number), images) for number in range(options.items + SAMPLE_ITEMS)]
        many, rest = rows[: options.items], rows[options.items :]

        def create_many() -> None:
            for start in range(0, len(many), BATCH_ITEMS):
                create_items(item_type=kind, rows=many[start : start + BATCH_ITEMS])

        def create_one_by_one() -> None:
            for sent in rest:
                create_item(item_type=kind, values=sent)

        cpu = each(f"{len(many):,} items, {BATCH_ITEMS:,} at a time", len(many), create_many)
        each(f"{len(rest):,} items, one by one", len(rest), create_one_by_one)
    print(f"CPU of an item {1000 * cpu:.2f} ms{'  MISSED' if cpu > MAX_CPU_SECONDS else ''}")
    return 1 if cpu > MAX_CPU_SECONDS else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bulk", description=__doc__)
    parser.add_argument("--items", type=int, default=ITEMS, help=f"items that are created ({ITEMS})")
    parser.add_argument("--postgresql", metavar="URL", nargs="?", const=POSTGRESQL, default="", help=f"on it ({POSTGRESQL})")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
