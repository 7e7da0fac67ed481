"""How much of what there is may be held by visitors who have not paid yet."""

#: One network may hold a quarter of what there is.
NETWORK_DIVISOR = 4


def most_unpaid(size: int, *, one_order: int, several: int) -> int:
    """Return how many of `size` pieces or seats visitors of one network may hold unpaid at a time.

    That is as many as `several` orders have, but no more than a share of all; and always what `one_order` may have. People who
    share an address can all buy, one after another: what is paid is held no longer.
    """
    return max(one_order, min(several, size // NETWORK_DIVISOR))
