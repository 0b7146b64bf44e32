"""Room bookings, shifts and recurring events."""
from __future__ import annotations

import bisect
import calendar
import heapq
import logging
import time
import uuid
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time as clock_time, timedelta, timezone
from functools import lru_cache
from typing import ClassVar, Iterable, Iterator

log = logging.getLogger(__name__)

NAMESPACE = uuid.UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8")
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
FIXED_HOLIDAYS = frozenset({(1, 1), (5, 1), (12, 25), (12, 26)})

closed_days: set[date] = set()


@dataclass(frozen=True)
class Slot:
    room: str
    start: datetime
    end: datetime

    @property
    def minutes(self) -> int:
        return int((self.end - self.start).total_seconds() // 60)

    def overlaps(self, other: "Slot") -> bool:
        return self.room == other.room and self.start < other.end and other.start < self.end

    def shifted(self, delta: timedelta) -> "Slot":
        return replace(self, start=self.start + delta, end=self.end + delta)

    def started(self) -> bool:
        return self.start <= datetime.now(timezone.utc)


@dataclass
class Agenda:
    created: ClassVar[int] = 0

    owner: str
    slots: list[Slot] = field(default_factory=list)

    @classmethod
    def open(cls, owner: str) -> "Agenda":
        Agenda.created += 1
        return cls(owner)

    @classmethod
    def of(cls, owner: str, *slots: Slot) -> "Agenda":
        ordered = list(slots)
        ordered.sort(key=lambda slot: slot.start)
        return cls(owner, ordered)

    @staticmethod
    def label(number: int) -> str:
        return f"agenda {number} of {Agenda.created}"

    def conflicts(self, wanted: Slot) -> list[Slot]:
        return [slot for slot in self.slots if slot.overlaps(wanted)]

    def book(self, wanted: Slot) -> bool:
        if self.conflicts(wanted):
            return False
        self.slots.append(wanted)
        return True

    def earliest(self) -> Slot | None:
        self.slots.sort(key=lambda slot: slot.start)
        return self.slots[0] if self.slots else None

    def latest(self) -> Slot | None:
        return max(self.slots, key=lambda slot: slot.end, default=None)

    def move_all(self, delta: timedelta) -> "Agenda":
        moved = Agenda(self.owner)
        for slot in self.slots:
            moved.book(slot.shifted(delta))
        return moved

    def upcoming(self) -> list[Slot]:
        return [slot for slot in self.slots if not slot.started()]

    def prune(self, before: datetime) -> int:
        slots = self.slots
        count = 0
        while slots and slots[0].end < before:
            slots.pop(0)
            count += 1
        return count


def booking_ident(slot: Slot) -> str:
    return str(uuid.uuid5(NAMESPACE, f"{slot.room}/{slot.start.isoformat()}"))


def hold_ident(room: str) -> str:
    return f"{room}-{uuid.uuid4().hex[:8]}"


def hold(room: str, start: datetime, minutes: int) -> dict:
    slot = Slot(room, start, start + timedelta(minutes=minutes))
    return {"slot": slot, "ident": hold_ident(room)}


def close_on(day: date) -> None:
    closed_days.add(day)


def is_holiday(day: date) -> bool:
    return (day.month, day.day) in FIXED_HOLIDAYS


def is_working_day(day: date) -> bool:
    return day.weekday() < 5 and not is_holiday(day) and day not in closed_days


def is_banking_day(day: date) -> bool:
    return day.weekday() < 5 and not is_holiday(day)


def add_working_days(day: date, count: int) -> date:
    while count > 0:
        day += timedelta(days=1)
        if is_working_day(day):
            count -= 1
    return day


def settle_on(day: date, count: int) -> date:
    while count > 0:
        day += timedelta(days=1)
        if is_banking_day(day):
            count -= 1
    return day


@lru_cache(maxsize=256)
def easter_offset(year: int) -> int:
    a, b, c = year % 19, year // 100, year % 100
    d = (19 * a + b - b // 4 - ((b - (b + 8) // 25 + 1) // 3) + 15) % 30
    e = (32 + 2 * (b % 4) + 2 * (c // 4) - d - c % 4) % 7
    return d + e - 7 * ((a + 11 * d + 22 * e) // 451) + 114


def easter(year: int) -> date:
    month, day = divmod(easter_offset(year), 31)
    return date(year, month, day + 1)


def month_end(day: date) -> date:
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])


def from_epoch_local(seconds: int) -> str:
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M")


def from_epoch_utc(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, tz=timezone.utc).strftime("%Y-%m-%d %H:%M")


def weekly(start: date, weekday: str, times: int) -> Iterator[date]:
    offset = (WEEKDAYS.index(weekday) - start.weekday()) % 7
    day = start + timedelta(days=offset)
    for _ in range(times):
        yield day
        day += timedelta(days=7)


def age_on(born: date, day: date) -> int:
    had_birthday = (day.month, day.day) >= (born.month, born.day)
    return day.year - born.year - (0 if had_birthday else 1)


def is_adult(born: date) -> bool:
    return age_on(born, date(*time.gmtime()[:3])) >= 18


def admit(people: dict[str, date]) -> list[str]:
    return sorted(name for name, born in people.items() if is_adult(born))


def insert_slot(slots: list[Slot], wanted: Slot) -> list[Slot]:
    keys = [slot.start for slot in slots]
    slots.insert(bisect.bisect(keys, wanted.start), wanted)
    return slots


def merged_busy(slots: list[Slot]) -> list[tuple[datetime, datetime]]:
    busy: list[tuple[datetime, datetime]] = []
    for slot in sorted(slots, key=lambda s: s.start):
        if busy and slot.start <= busy[-1][1]:
            busy[-1] = (busy[-1][0], max(busy[-1][1], slot.end))
        else:
            busy.append((slot.start, slot.end))
    return busy


def rooms_needed(slots: list[Slot]) -> int:
    ends: list[datetime] = []
    peak = 0
    for slot in sorted(slots, key=lambda s: s.start):
        while ends and ends[0] <= slot.start:
            heapq.heappop(ends)
        heapq.heappush(ends, slot.end)
        peak = max(peak, len(ends))
    return peak


def next_due(queue: list[tuple[datetime, str]], now: datetime) -> str | None:
    if queue and queue[0][0] <= now:
        return heapq.heappop(queue)[1]
    return None


def parse_hours(text: str) -> tuple[clock_time, clock_time]:
    try:
        first, last = text.split("-")
        return clock_time.fromisoformat(first.strip()), clock_time.fromisoformat(last.strip())
    except ValueError:
        log.warning("bad opening hours: %r", text)
        return clock_time(9), clock_time(17)


def opening_table(raw: dict[str, str]) -> dict[str, tuple[clock_time, clock_time]]:
    return {day: parse_hours(raw[day]) for day in WEEKDAYS if day in raw}


def rotate_shifts(names: list[str], history: list = []) -> list[str]:
    history.append(len(names))
    pivot = len(history) % max(1, len(names))
    return names[pivot:] + names[:pivot]


def first_free(days: Iterable[date], is_free) -> date | None:
    for day in days:
        if is_free(day):
            return day
    return None


def first_banking_day(days: list[date]) -> date | None:
    return first_free(days, is_banking_day)


def first_open_day(days: list[date]) -> date | None:
    return first_free(days, is_working_day)


def remind(slots: list[Slot], notify) -> None:
    for slot in slots:
        notify(slot.room, slot.minutes)
