"""The pure rules: seats, sale windows, fees and codes."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commerce.ticketing.types.orders import ALPHABET, code_key, new_code
from commerce.ticketing.types.sales import Limits, Party, SaleState, Seats, SoldUntil, Times, fee_of, window

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
@pytest.mark.both_databases
def test_it_works(given_limits: dict[int, Limits], taken: dict[int, int], wanted: dict[int, int]) -> None:
    taken = {pk: taken.get(pk, 0) for pk in given_limits}
    wanted = {pk: number for pk, number in wanted.items() if pk in given_limits and number}
    after = {pk: taken[pk] + wanted.get(pk, 0) for pk in given_limits}
    if not exceeds(taken, given_limits):
        assert Seats(given_limits, taken).fits(wanted) == (not exceeds(after, given_limits))


@given(limits(), COUNTS)
def test_what_is_left_fits_and_one_more_does_not(given_limits: dict[int, Limits], taken: dict[int, int]) -> None:
    taken = {pk: taken.get(pk, 0) for pk in given_limits}
    seats = Seats(given_limits, taken)
    for pk, left in seats.all_left().items():
        if left is None:
            assert seats.fits({pk: 1000})
        else:
            assert not left or seats.fits({pk: left})
            assert not seats.fits({pk: left + 1})


@given(limits(), COUNTS, st.lists(st.builds(Party, st.integers(0, 3), st.integers(1, 6)), max_size=6))
def test_a_line_is_served_in_turn_by_who_fits(given_limits: dict[int, Limits], taken: dict[int, int], line: list[Party]) -> None:
    before = {pk: taken.get(pk, 0) for pk in given_limits}
    line = [party for party in line if party.ticket_type in given_limits]
    now, expected = before, []
    for place, party in enumerate(line):
        after = {**now, party.ticket_type: now[party.ticket_type] + party.quantity}
        if _fits_alone(after, given_limits, party.ticket_type):
            now = after
            expected.append(place)
    seats = Seats(given_limits, before)
    assert seats.serve(line) == expected
    # Somebody who is passed over takes nothing away.
    assert seats.taken == now
    assert seats.all_left() == Seats(given_limits, now).all_left()


def _fits_alone(taken: dict[int, int], given_limits: dict[int, Limits], pk: int) -> bool:
    """Whether the seats of one type are within its limits: an independent count."""
    each = given_limits[pk]
    shared = sum(taken[other] for other, limit in given_limits.items() if limit.quota == each.quota)
    return (each.size is None or taken[pk] <= each.size) and (each.quota_size is None or shared <= each.quota_size)


HOUR = timedelta(hours=1)
CONCERT = Times(NOW + 3 * HOUR, NOW + 5 * HOUR)
FESTIVAL = Times(NOW + 3 * HOUR, NOW + 27 * HOUR, is_all_day=True)
EXHIBITION = Times(NOW + 3 * HOUR, NOW + 30 * 24 * HOUR)


def test_windows() -> None:
    sale = window(CONCERT, opens_at=NOW - HOUR, closes_at=NOW + 5 * HOUR, closes_before=HOUR)
    states = [sale.state(NOW + hours * HOUR) for hours in (-2, -1, 1, 2)]
    assert states == [SaleState.NOT_YET, SaleState.ON_SALE, SaleState.ON_SALE, SaleState.ENDED]
    assert sale.next_change(NOW) == NOW + 2 * HOUR
    assert window(Times(None), opens_at=None, closes_at=None, closes_before=HOUR).state(NOW) == SaleState.ON_SALE


@pytest.mark.parametrize(
    ("times", "sold_until", "closes_before", "closes_at"),
    [
        (CONCERT, SoldUntil.AUTOMATIC, 0, CONCERT.starts_at),
        (CONCERT, SoldUntil.END, 0, CONCERT.ends_at),
        (CONCERT, SoldUntil.END, 1, NOW + 4 * HOUR),
        (FESTIVAL, SoldUntil.AUTOMATIC, 0, FESTIVAL.ends_at),
        (FESTIVAL, SoldUntil.START, 0, FESTIVAL.starts_at),
        # Staff who close the sales an hour before mean the beginning.
        (FESTIVAL, SoldUntil.AUTOMATIC, 1, NOW + 2 * HOUR),
        (EXHIBITION, SoldUntil.AUTOMATIC, 0, EXHIBITION.ends_at),
        (EXHIBITION, SoldUntil.START, 0, EXHIBITION.starts_at),
        (Times(NOW + 3 * HOUR), SoldUntil.END, 0, NOW + 3 * HOUR),
    ],
)
def test_sales_end_with_the_start_or_the_end(times: Times, sold_until: str, closes_before: int, closes_at: datetime) -> None:
    given = {"opens_at": None, "sold_until": sold_until, "closes_before": closes_before * HOUR}
    assert window(times, closes_at=None, **given).closes_at == closes_at
    # "On sale until", where it is earlier.
    assert window(times, closes_at=closes_at - HOUR, **given).closes_at == closes_at - HOUR
    assert window(times, closes_at=closes_at + HOUR, **given).closes_at == closes_at


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


@pytest.mark.parametrize(
    "typed",
    [
        " k7lw-m4 xr ",
        "K7LW\N{EN DASH}M4XR",
        "K7LW\N{NON-BREAKING HYPHEN}M4XR",
        "K7LW\N{MINUS SIGN}M4XR",
        "K7LW\N{NO-BREAK SPACE}M4XR",
        "K7LW\N{NARROW NO-BREAK SPACE}M4XR",
        "K7LW\N{ZERO WIDTH SPACE}M4XR\N{SOFT HYPHEN}",
        "\N{FULLWIDTH LATIN CAPITAL LETTER K}7\N{FULLWIDTH LATIN SMALL LETTER L}wm\N{FULLWIDTH DIGIT FOUR}xr",
        "K71WM4XR",
        "K7IWM4XR",
        "k7iw.m4xr\n",
        "(K7LW M4XR)",
    ],
)
def test_codes_are_read_as_people_type_them(typed: str) -> None:
    assert code_key(typed) == "K7LWM4XR"


@pytest.mark.parametrize("typed", ["", "K7LWM4X", "K7LWM4XRR", "K70WM4XR", "K7OWM4XR", "\0"])
def test_what_cannot_be_a_code(typed: str) -> None:
    """0 and O could be more than one letter of a code."""
    assert code_key(typed) == ""
