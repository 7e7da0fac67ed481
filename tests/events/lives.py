"""Random lives of an event with guests, and the news that the contract has for each of them: a model without rows or tables."""

import datetime as dt
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

from cms_api.content.models import ContentItem
from cms_api.content.services.items import delete_item, update_item
from cms_api.fields.datetimes import to_utc
from cms_api.mail.models import OutgoingMail
from events.selectors.horizon import horizon
from events.services.dates import change_date
from events.types.plans import DateStatus
from events.types.recurrence import occurrences

from .rules import repeat

ZONES = ("Europe/Paris", "Europe/Rome", "Europe/London", "America/New_York", "Asia/Tokyo", "Africa/Lagos")
MOVED, OFF, BACK, JOINED, LEFT = "moved", "cancelled", "back", "joined", "left"
STEPS = 9
#: The news of emails, by template. An RSVP is confirmed again when its date is back.
KINDS = {
    "event_rsvp": BACK,
    "event_moved": MOVED,
    "event_cancelled": OFF,
    "event_rsvp_cancelled": LEFT,
    "tickets_bought": JOINED,
    "ticket_date_moved": MOVED,
    "ticket_date_cancelled": OFF,
    "ticket_date_restored": BACK,
    "ticket_order_cancelled": LEFT,
}

Value = dict[str, Any]


@dataclass
class Date:
    start: str
    seen: tuple[Any, ...]
    instant: dt.datetime


@dataclass
class Guest:
    email: str
    start: str
    zone: str
    #: Whether the date takes place, whether the rule has lost it, and whether the guest has cancelled.
    is_on: bool = True
    is_gone: bool = False
    has_left: bool = False
    news: list[str] = field(default_factory=list)

    @property
    def instant(self) -> dt.datetime:
        return to_utc(dt.datetime.fromisoformat(self.start), ZoneInfo(self.zone))


def dates_of(value: Value) -> list[Date]:
    zone, found = ZoneInfo(value["tz"]), []
    for each in occurrences(value, horizon=horizon()):
        assert isinstance(each.start, dt.datetime)
        end = each.end if isinstance(each.end, dt.datetime) else each.start
        instant = to_utc(each.start, zone)
        found.append(Date(each.start.isoformat(), (each.start, end, instant, to_utc(end, zone)), instant))
    return found


def matches(before: list[Date], after: list[Date], *, are_endless: bool) -> dict[int, int]:
    """The contract: the same instant; else, where there are as many, in their order; else the same local day."""
    places = {new.instant: j for j, new in enumerate(after)}
    same = {i: places[old.instant] for i, old in enumerate(before) if old.instant in places}
    if (are_endless or len(before) == len(after)) and all(i == j for i, j in same.items()):
        return {i: i for i in range(min(len(before), len(after)))}
    for i, old in enumerate(before):
        for j, new in enumerate(after):
            if i not in same and j not in same.values() and old.start[:10] == new.start[:10]:
                same[i] = j
    return same or ({0: 0} if len(before) == 1 and after else {})


def are_endless(one: Value, other: Value) -> bool:
    rules = [each["repeat"] for each in (one, other)]
    return all(rule and not rule["count"] for rule in rules) and rules[0]["interval"] == rules[1]["interval"]


@dataclass(frozen=True)
class World:
    """The steps of guests. `place` returns the local start of a guest's date, and whether it is cancelled."""

    make_event: Callable[..., ContentItem]
    join: Callable[[ContentItem, Guest], object]
    leave: Callable[[ContentItem, Guest], object]
    place: Callable[[ContentItem, Guest], tuple[str, bool]]
    #: Sends the emails that are due.
    send: Callable[[], None]


class Life:
    """An event, its guests, and the news that the contract has for them."""

    def __init__(self, chance: random.Random, event: ContentItem, world: "World") -> None:
        self.chance, self.event, self.join_by, self.leave_by = chance, event, world.join, world.leave
        self.value: Value = event.data["event_date"]
        self.first_status = ""
        self.statuses: dict[str, str] = {}
        self.guests: list[Guest] = []

    def status(self, number: int, start: str) -> str:
        return self.first_status if number == 0 else self.statuses.get(start, "")

    def join(self) -> None:
        offered = [date.start for number, date in enumerate(dates_of(self.value)[:6]) if not self.status(number, date.start)]
        if not offered:
            return
        guest = Guest(f"guest{len(self.guests)}@example.org", self.chance.choice(offered), self.value["tz"])
        if any(each.is_gone and each.start == guest.start for each in self.guests):
            return
        self.join_by(self.event, guest)
        guest.news.append(JOINED)
        self.guests.append(guest)

    def leave(self) -> None:
        staying = [guest for guest in self.guests if not guest.has_left]
        if staying:
            guest = self.chance.choice(staying)
            self.leave_by(self.event, guest)
            guest.has_left = True
            guest.news.append(LEFT if guest.is_on else "")

    def change_one(self) -> None:
        dates = dates_of(self.value)
        number = self.chance.randrange(min(6, len(dates)))
        start = dates[number].start
        here = [guest for guest in self.guests if guest.start == start and not guest.is_gone]
        wanted = self.chance.choice(("", "cancelled") if here or len(dates) < 3 else ("", "cancelled", "skipped"))
        others = [each for each in enumerate(dates) if each[0] != number and self.status(each[0], each[1].start) != "skipped"]
        if wanted == self.status(number, start) or (wanted == "skipped" and not others):
            return
        if wanted == "skipped" and any(guest.start == start for guest in self.guests):
            return
        change_date(item=self.event, start=start, status=DateStatus(wanted) if wanted else None)
        if number == 0:
            self.first_status = wanted
        elif wanted:
            self.statuses[start] = wanted
        else:
            self.statuses.pop(start, None)
        for guest in here:
            if guest.is_on == bool(wanted) and not guest.has_left:
                guest.news.append(OFF if wanted else BACK)
            guest.is_on = not wanted

    def edited(self) -> Value:
        """Return another value: shifted, in another zone, by another rule, or with another end."""
        value, chance = {key: part for key, part in self.value.items() if key not in {"cancelled", "skipped"}}, self.chance
        start = dt.datetime.fromisoformat(value["start"])
        rule = value["repeat"]
        kind = chance.choice(("clock", "days", "zone", "count", "interval", "end", "repeat", "title"))
        if kind == "clock":
            value["start"] = (start + dt.timedelta(minutes=chance.choice((30, -30, 90)))).isoformat()
        if kind == "days":
            value["start"] = (start + dt.timedelta(days=chance.choice((1, 2, 3, 7, -1, 14)))).isoformat()
        if kind == "zone":
            value["tz"] = chance.choice(ZONES)
        if kind == "count" and rule and rule["count"]:
            value["repeat"] = {**rule, "count": max(1, rule["count"] + chance.choice((-2, -1, 1, 2)))}
        if kind == "interval" and rule:
            value["repeat"] = {**rule, "interval": chance.choice((1, 2))}
        if kind == "repeat":
            value["repeat"] = None if rule else repeat("weekly", count=chance.randint(2, 5))
        end = dt.datetime.fromisoformat(value["start"]) + dt.timedelta(hours=chance.choice((1, 2))) if kind == "end" else None
        value["end"] = end.isoformat() if end else None
        return value

    def foresee(self, value: Value) -> None:
        """Note what an edit does to every guest."""
        before, after = dates_of(self.value), dates_of(value)
        goes = matches(before, after, are_endless=are_endless(self.value, value))
        carried = {before[i].start: after[j].start for i, j in goes.items()}
        key = ("start", "tz", "all_day")
        is_kept = bool(before) and all(self.value[part] == value[part] for part in key)
        first = self.first_status if is_kept else ""
        if self.value["repeat"] and value["repeat"]:
            # The date that becomes the first one of a series stays what it is.
            sources = [i for i, j in goes.items() if j == 0]
            first = self.status(sources[0], before[sources[0]].start) if sources else ""
        dormant = {start: status for start, status in self.statuses.items() if start not in carried}
        later = {**dormant, **{carried[start]: status for start, status in self.statuses.items() if start in carried}}
        if goes.get(0) and self.first_status:
            later[after[goes[0]].start] = self.first_status
        later.pop(after[0].start, None)
        first = "cancelled" if first == "skipped" and not value["repeat"] else first

        free = [j for j in range(len(after)) if j not in goes.values()]
        places = {date.start: number for number, date in enumerate(before)}
        gone_to = self._back(free, after)
        for guest in self.guests:
            j = gone_to.get(guest.start) if guest.is_gone else goes.get(places[guest.start])
            status = "" if j is None else (first if j == 0 else later.get(after[j].start, ""))
            if j is None or status == "skipped":
                self._notify(guest, OFF if guest.is_on else "")
                guest.is_on, guest.is_gone = False, True
                continue
            differs = not guest.is_gone and before[places[guest.start]].seen != after[j].seen
            guest.start, guest.zone, guest.is_gone = after[j].start, value["tz"], False
            if status:
                self._notify(guest, OFF if guest.is_on else "")
            else:
                self._notify(guest, (MOVED if differs else "") if guest.is_on else BACK)
            guest.is_on = not status
        self.value, self.first_status, self.statuses = value, first, later

    def _back(self, free: list[int], after: list[Date]) -> dict[str, int]:
        """The dates that had left the rule and are back: at their local start, or at their instant."""
        found: dict[str, int] = {}
        for guest in self.guests:
            if guest.is_gone and guest.start not in found:
                by_start = [j for j in free if after[j].start == guest.start]
                by_instant = [j for j in free if after[j].instant == guest.instant]
                if (places := by_start or by_instant) and places[0] not in found.values():
                    found[guest.start] = places[0]
        return found

    def _notify(self, guest: Guest, what: str) -> None:
        if what and not guest.has_left:
            guest.news.append(what)

    def is_ambiguous(self, value: Value) -> bool:
        """Whether a date would come to where one is that has left the rule for good: tickets are stored by local start."""
        before, after = dates_of(self.value), dates_of(value)
        goes = matches(before, after, are_endless=are_endless(self.value, value))
        taken = {after[j].start for j in goes.values()}
        gone = {guest.start for guest in self.guests if guest.is_gone}
        vanishing = {date.start for i, date in enumerate(before) if i not in goes}
        instants = {guest.instant for guest in self.guests if guest.is_gone}
        twice = len(instants) < len(gone)
        return bool(taken & (gone | vanishing)) or twice


class Mailbox:
    """The calendar files that guests have got."""

    def __init__(self, send: Callable[[], None]) -> None:
        self.send, self.last, self.files = send, 0, dict[str, tuple[str, int]]()

    def read(self) -> dict[str, list[tuple[str, str, str]]]:
        """Return what each guest got news of since the last time: the template, the METHOD and DTSTART of the file."""
        self.send()
        found: dict[str, list[tuple[str, str, str]]] = {}
        for mail in OutgoingMail.objects.filter(pk__gt=self.last).order_by("pk"):
            self.last = mail.pk
            text = "".join(bytes(each.content).decode() for each in mail.attachments.all() if each.name == "invite.ics")
            head, _, entry = text.partition("BEGIN:VEVENT")
            names = (("METHOD", head), ("UID", entry), ("SEQUENCE", entry), ("DTSTART", entry))
            parts = [re.search(f"^{name}[^:\r]*:(.*?)\r", lines, re.MULTILINE) for name, lines in names]
            method, uid, sequence, start = (part[1] if part else "" for part in parts)
            if uid:
                known, number = self.files.get(mail.recipient, (uid, -1))
                assert uid == known
                assert int(sequence) > number
                self.files[mail.recipient] = uid, int(sequence)
            found.setdefault(mail.recipient, []).append((mail.template, method, start))
        return found


def check(life: Life, world: World, news: dict[str, list[tuple[str, str, str]]]) -> None:
    """Compare what guests were told, and where they are, with the model."""
    life.event.refresh_from_db()
    for guest in life.guests:
        expected = [what for what in guest.news if what]
        was_leaving = "" in guest.news
        guest.news = []
        mails = news.pop(guest.email, [])
        kinds = [JOINED if expected == [JOINED] and KINDS[kind] == BACK else KINDS[kind] for kind, *_ in mails]
        # Guests who give up a cancelled date get an email, and have it in no calendar.
        assert kinds == ([LEFT] if was_leaving else expected), guest
        for kind, method, start in mails:
            assert method == ("" if was_leaving else "CANCEL" if KINDS[kind] in {OFF, LEFT} else "REQUEST")
            assert was_leaving or start == re.sub("[-:]", "", guest.start)
        if not guest.has_left:
            assert world.place(life.event, guest) == (guest.start, not guest.is_on), guest
    assert not news


def live_many(lives: int, world: World) -> None:
    for seed in range(lives):
        try:
            live(seed, world)
        except AssertionError as problem:
            raise AssertionError(f"seed {seed}: {problem}") from problem


def live(seed: int, world: World) -> None:
    """Live one life, the same for each seed."""
    chance = random.Random(seed)
    rule: Any = chance.choice(
        [None, repeat("weekly", count=3), repeat("weekly", count=5), repeat("daily", count=4), repeat("weekly")]
    )
    start = f"{dt.date.today() + dt.timedelta(days=60)}T18:30"
    event = world.make_event(start, repeat=rule)
    life, mailbox = Life(chance, event, world), Mailbox(world.send)
    for _ in range(STEPS):
        kind = chance.choice(["join", "join", "edit", "edit", "edit", "one", "leave"])
        if kind == "edit":
            value = life.edited()
            if life.is_ambiguous(value):
                continue
            update_item(item=event, values={"data": {"event_date": value}})
            stored = ContentItem.objects.get(pk=event.pk).data["event_date"]
            life.foresee({key: part for key, part in stored.items() if key not in {"cancelled", "skipped"}})
        else:
            {"join": life.join, "one": life.change_one, "leave": life.leave}[kind]()
        check(life, world, mailbox.read())
    # An event with tickets can't be deleted.
    for guest in life.guests:
        if not guest.has_left:
            world.leave(event, guest)
    delete_item(item=event)
    OutgoingMail.objects.all().delete()
