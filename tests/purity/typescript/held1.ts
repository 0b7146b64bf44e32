// Calendar, shifts and reminders for a clinic scheduling tool.

export interface Slot {
  start: number;
  end: number;
  room: string;
  attendees: string[];
}

export interface Recurrence {
  every: 'day' | 'week' | 'month';
  count: number;
}

export interface Clock {
  now(): number;
}

type Interval = readonly [number, number];

const DAY_MS = 86_400_000;
const WEEKDAYS = Object.freeze(['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']);
const holidays: Set<string> = new Set();
const settings = { weekStart: 1, slotMinutes: 30 };
let reminderQueue: Slot[] = [];

export function isoDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

export function todayIso(): string {
  return isoDay(Date.now());
}

export function isPast(slot: Slot): boolean {
  return isoDay(slot.end) < todayIso();
}

export function startOfUtcDay(date: Date): Date {
  const copy = new Date(date.getTime());
  copy.setUTCHours(0, 0, 0, 0);
  return copy;
}

export function snapToUtcDay(date: Date): Date {
  date.setUTCHours(0, 0, 0, 0);
  return date;
}

export function sameUtcDay(a: Date, b: Date): boolean {
  return snapToUtcDay(a).getTime() === snapToUtcDay(b).getTime();
}

export function equalUtcDay(a: Date, b: Date): boolean {
  return startOfUtcDay(a).getTime() === startOfUtcDay(b).getTime();
}

export function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

export function weekdayName(ms: number): string {
  return WEEKDAYS[new Date(ms).getUTCDay()];
}

export function weekOffset(ms: number): number {
  const day = new Date(ms).getUTCDay();
  return (day - settings.weekStart + 7) % 7;
}

export function configureWeek(weekStart: number): void {
  if (weekStart < 0 || weekStart > 6) throw new RangeError('weekStart');
  settings.weekStart = weekStart;
}

export function addHoliday(day: string): void {
  holidays.add(day);
}

export function isWorkday(ms: number): boolean {
  const weekday = new Date(ms).getUTCDay();
  return weekday !== 0 && weekday !== 6 && !holidays.has(isoDay(ms));
}

export function nextWorkday(ms: number): number {
  let cursor = ms + DAY_MS;
  while (!isWorkday(cursor)) cursor += DAY_MS;
  return cursor;
}

export function nextOpenDay(ms: number, closed: ReadonlySet<string>): number {
  let cursor = ms + DAY_MS;
  while (closed.has(isoDay(cursor))) cursor += DAY_MS;
  return cursor;
}

export function overlaps(a: Slot, b: Slot): boolean {
  return a.start < b.end && b.start < a.end;
}

export function mergeIntervals(intervals: readonly Interval[]): Interval[] {
  const sorted = [...intervals].sort((a, b) => a[0] - b[0]);
  const out: [number, number][] = [];
  for (const [start, end] of sorted) {
    const last = out[out.length - 1];
    if (last && start <= last[1]) {
      last[1] = Math.max(last[1], end);
    } else {
      out.push([start, end]);
    }
  }
  return out;
}

export function mergeSlots(slots: Slot[]): Slot[] {
  const out: Slot[] = [];
  for (const slot of slots) {
    const last = out[out.length - 1];
    if (last && slot.start <= last.end) {
      last.end = Math.max(last.end, slot.end);
    } else {
      out.push(slot);
    }
  }
  return out;
}

export function* occurrences(first: number, rule: Recurrence): Generator<number> {
  const cursor = new Date(first);
  for (let i = 0; i < rule.count; i++) {
    yield cursor.getTime();
    if (rule.every === 'month') cursor.setUTCMonth(cursor.getUTCMonth() + 1);
    else cursor.setUTCDate(cursor.getUTCDate() + (rule.every === 'week' ? 7 : 1));
  }
}

export function lastOccurrence(first: number, rule: Recurrence): number | undefined {
  const all = Array.from(occurrences(first, rule));
  return all.pop();
}

export function minutesUntil(slot: Slot, clock: Clock): number {
  return Math.round((slot.start - clock.now()) / 60_000);
}

export function minutesBetween(slot: Slot, ms: number): number {
  return Math.round((slot.start - ms) / 60_000);
}

export function minutesLeft(slot: Slot): number {
  return minutesBetween(slot, new Date().getTime());
}

export function queueReminder(slot: Slot): number {
  reminderQueue = [...reminderQueue, slot];
  return reminderQueue.length;
}

export function dueReminders(ms: number): Slot[] {
  return reminderQueue.filter((slot) => slot.start - ms < DAY_MS);
}

export function jitter(ms: number, spread: number): number {
  return ms + Math.floor((Math.random() - 0.5) * spread);
}

export function staggered(slots: readonly Slot[]): number[] {
  return slots.map((slot) => jitter(slot.start, 60_000));
}

export function spaced(slots: readonly Slot[], gap: number): number[] {
  let offset = 0;
  return slots.map((slot) => {
    const at = slot.start + offset;
    offset += gap;
    return at;
  });
}

export class Agenda {
  private slots: Slot[] = [];
  readonly label: string = 'agenda';

  book(slot: Slot): boolean {
    if (this.slots.some((other) => overlaps(other, slot))) return false;
    this.slots.push(slot);
    return true;
  }

  busyMs(): number {
    return this.slots.reduce((ms, slot) => ms + slot.end - slot.start, 0);
  }

  ordered(): Slot[] {
    return this.slots.sort((a, b) => a.start - b.start);
  }

  rooms(): string[] {
    const seen = new Set<string>();
    for (const slot of this.slots) seen.add(slot.room);
    return [...seen];
  }

  print(): void {
    for (const slot of this.slots) {
      console.log(this.label, isoDay(slot.start), slot.room);
    }
  }

  static from(slots: readonly Slot[]): Agenda {
    const agenda = new Agenda();
    for (const slot of slots) agenda.book({ ...slot });
    return agenda;
  }
}

export const clockFace = (minutes: number): string => {
  const hours = Math.floor(minutes / 60) % 24;
  const pad = (n: number) => n.toString().padStart(2, '0');
  return `${pad(hours)}:${pad(minutes % 60)}`;
};

export const parseClock = (text: string): number | null => {
  const match = /^(\d{1,2}):(\d{2})$/.exec(text);
  if (!match) return null;
  const [hours, minutes] = [Number(match[1]), Number(match[2])];
  return hours < 24 && minutes < 60 ? hours * 60 + minutes : null;
};

export const zoneName = (): string => process.env.TZ || 'UTC';

export const zonedLabel = (slot: Slot): string => `${isoDay(slot.start)} (${zoneName()})`;

export const invite = (slot: Slot, ...names: string[]): Slot => {
  const { attendees } = slot;
  for (const name of names) {
    if (!attendees.includes(name)) attendees.push(name);
  }
  return slot;
};

export const invited = (slot: Slot, ...names: string[]): Slot => {
  const attendees = new Set(slot.attendees);
  names.forEach((name) => attendees.add(name));
  return { ...slot, attendees: [...attendees] };
};
