"""Moments as the text of an input, on the clock of one time zone, also where a change of the clock repeats or skips an hour."""

import datetime as dt
import re

#: Behind a time. "PM" and "p.m." are no zones.
_ZONE = re.compile(r"(.*[0-9][:.][0-9]{2}.*?)\s*([A-Za-z]{3,5}|[+-][0-9]{2}(?::?[0-9]{2})?)", re.ASCII)


def is_repeated(moment: dt.datetime) -> bool:
    """Return whether the time comes twice on its day, by the clock of its zone."""
    first, second = moment.replace(fold=0).utcoffset(), moment.replace(fold=1).utcoffset()
    return first is not None and second is not None and first > second


def zone_mark(moment: dt.datetime) -> str:
    """Return what tells two equal times apart: "CEST", or the offset "+02:00" where both have the same name."""
    names = {moment.replace(fold=fold).tzname() for fold in (0, 1)}
    return str(moment.tzname()) if len(names) == 2 else moment.isoformat(timespec="seconds")[19:]


def typed_moment(moment: dt.datetime) -> str:
    """ "2026-12-31 14:30", with seconds if they are not zero; "2026-10-25 02:30 CEST" in a repeated hour."""
    wall = moment.replace(tzinfo=None, microsecond=0)
    text = wall.isoformat(" ", "seconds" if wall.second else "minutes")
    return f"{text} {zone_mark(moment)}" if is_repeated(moment) else text


def split_zone(text: str) -> tuple[str, str]:
    """Return a typed time without the name or offset of a time zone behind it, and these, or an empty text."""
    found = _ZONE.fullmatch(text)
    if not found:
        return text, ""
    return found[1], found[2].upper()


def moments_at(wall: dt.datetime, zone: dt.tzinfo, mark: str = "") -> list[dt.datetime]:
    """Return the moments at which the clock of a zone shows a time: two in a repeated hour, none in a skipped one.

    A mark, as `split_zone` returns it, is one of the names of the zone, or any offset.
    """
    if mark[:1] in {"+", "-"}:
        return [dt.datetime.fromisoformat(f"{wall.isoformat()}{mark}")]
    both = [wall.replace(tzinfo=zone, fold=fold) for fold in (0, 1)]
    shown = both if is_repeated(both[0]) else [each for each in both[:1] if each.utcoffset() == both[1].utcoffset()]
    return [each for each in shown if not mark or mark == str(each.tzname()).upper()]
