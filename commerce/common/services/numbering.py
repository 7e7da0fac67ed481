"""Numbers of orders, invoices and tickets: in sequence, without gaps or duplicates, however many are created at once."""

from django.db import connection, transaction

#: Both databases have `RETURNING`; the row stays locked until the transaction ends, so a rolled-back number is not lost.
_NEXT = """
    INSERT INTO common_counter (series, last) VALUES (%s, %s)
    ON CONFLICT (series) DO UPDATE SET last = common_counter.last + 1
    RETURNING last
"""


def next_number(series: str, *, first: int = 1) -> int:
    """Return the next number of a series, such as `ORD`, which starts at `first`.

    Must be called in the transaction that writes the record, as late as possible: others wait for it to end.
    """
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("A number is taken in the transaction of its record; otherwise a failure would leave a gap.")
    with connection.cursor() as cursor:
        cursor.execute(_NEXT, [series, first])
        (number,) = cursor.fetchone()
    return int(number)
