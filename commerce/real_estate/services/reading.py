"""Reads the file of a run, batch by batch."""

from itertools import islice
from typing import BinaryIO, cast

from cms_api.core.leases import Stop

from ..models import Feed, FeedRun
from ..types.files import UnreadableFile, read_records
from ..types.reso import map_records
from .batches import BATCH_ROWS, rules_of, store_batch


def read_file(feed: Feed, run: FeedRun, stop: Stop) -> bool:
    """Store the records of a run's file from where it is; return False if it was stopped early. Raises UnreadableFile, Ended."""
    rules = rules_of(feed, needs_stamp=False)
    try:
        file = run.file.open("rb")
    except (OSError, ValueError):
        raise UnreadableFile("The file is gone. Upload it again.") from None
    with file:
        records = read_records(cast(BinaryIO, file))
        # Records that are stored already are read again, but not kept.
        for _ in islice(records, run.position):
            continue
        while (batch := map_records(islice(records, BATCH_ROWS), rules)).size:
            if stop():
                return False
            store_batch(feed, run, batch, position=run.position + batch.size)
    return True
