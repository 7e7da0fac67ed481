"""The pure rules: seats, sale windows, fees and codes."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from commerce.ticketing.types.orders import ALPHABET, code_key, new_code
from commerce.ticketing.types.sales import Limits, SaleState, does_fit, fee_of, seats_left, window

NOW = datetime(2027, 3, 1, 12, tzinfo=UTC)
SIZES = st.none() | st.integers(0, 6)
COUNTS = st.dictionaries(st.integers(0, 3), st.integers(0, 6))


@st.composite
def limits(draw: st.DrawFn) -> dict[int, Limits]:
    """Up to four types, some of which share one of two quotas."""
    quotas = {1: draw(st.integers(0, 8)), 2: draw(st.integers(0, 8))}
    found = {}
    for pk in range(draw(st.integers(1, 4))):
        quota = draw(st.sampled_from([None, 1, 2]))
        found[pk] = Limits(draw(SIZES), quota, quotas[quota] if quota else None)
    return found


def exceeds(taken: dict[int, int], given_limits: dict[int, Limits]) -> bool:
    """Whether more seats are taken than there are: an independent count."""
    over = any(each.size is not None and taken.get(pk, 0) > each.size for pk, each in given_limits.items())
    for quota in (1, 2):
        members = [pk for pk, each in given_limits.items() if each.quota == quota]
        size = given_limits[members[0]].quota_size if members else None
        over = over or (size is not None and sum(taken.get(pk, 0) for pk in members) > size)
    return over


@given(limits(), COUNTS, COUNTS)
def test_it_works(given_limits: dict[int, Limits], taken: dict[int, int], wanted: dict[int, int]) -> None:
    taken = {pk: taken.get(pk, 0) for pk in given_limits}
    wanted = {pk: number for pk, number in wanted.items() if pk in given_limits and number}
    after = {pk: taken[pk] + wanted.get(pk, 0) for pk in given_limits}
    if not exceeds(taken, given_limits):
        assert does_fit(wanted, given_limits, taken) == (not exceeds(after, given_limits))


@given(limits(), COUNTS)
def test_what_is_left_fits_and_one_more_does_not(given_limits: dict[int, Limits], taken: dict[int, int]) -> None:
    taken = {pk: taken.get(pk, 0) for pk in given_limits}
    for pk, left in seats_left(given_limits, taken).items():
        if left is None:
            assert does_fit({pk: 1000}, given_limits, taken)
        else:
            assert not left or does_fit({pk: left}, given_limits, taken)
            assert not does_fit({pk: left + 1}, given_limits, taken)


def test_windows() -> None:
    hour = timedelta(hours=1)
    sale = window(opens_at=NOW - hour, closes_at=NOW + 5 * hour, starts_at=NOW + 3 * hour, closes_before=hour)
    states = [sale.state(NOW + hours * hour) for hours in (-2, -1, 1, 2)]
    assert states == [SaleState.NOT_YET, SaleState.ON_SALE, SaleState.ON_SALE, SaleState.ENDED]
    assert sale.next_change(NOW) == NOW + 2 * hour
    assert window(opens_at=None, closes_at=None, starts_at=None, closes_before=hour).state(NOW) == SaleState.ON_SALE


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, 9)), max_size=5), st.integers(0, 10**6), st.integers(0, 5000))
def test_fees(prices: list[tuple[int, int]], taken_off: int, basis_points: int) -> None:
    subtotal = sum(cents * quantity for cents, quantity in prices)
    fee = fee_of(prices, taken_off=min(taken_off, subtotal), basis_points=basis_points, fixed_cents=30)
    if taken_off >= subtotal:
        assert fee == 0
    else:
        fixed = 30 * sum(quantity for cents, quantity in prices if cents)
        assert abs(fee - fixed - (subtotal - taken_off) * basis_points / 10_000) <= 0.5


def test_codes() -> None:
    codes = {new_code() for _ in range(2000)}
    assert len(codes) == 2000
    assert all(set(code) <= set(ALPHABET) and len(code) == 8 and not code.isdigit() for code in codes)
    assert code_key(" k7pw-m4 xr ") == "K7PWM4XR"
