// Spreadsheet engine: cells, ranges, formats and change tracking.
import { randomUUID } from "node:crypto";

export interface Cell {
  ref: string;
  raw: string;
  value: number | null;
  style?: { bold: boolean; color: string };
  notes: string[];
}

export interface Sheet {
  name: string;
  cells: Map<string, Cell>;
  rows: Cell[][];
  meta: { dirty: Set<string>; owner: string; updated?: Date };
}

type Range = readonly [from: number, to: number];

const ERRORS: Readonly<Record<string, string>> = { div: "#DIV/0!", ref: "#REF!" };
const undoStack: Array<() => void> = [];
const parsed = new WeakMap<Cell, string[]>();
const REF = /[A-Z]+[0-9]+/g;
let locale = "en";
let recalcs = 0;

export function useLocale(next: string): string {
  [locale, next] = [next, locale];
  return next;
}

export function display(cell: Cell): string {
  const text = cell.value === null ? cell.raw : cell.value.toFixed(2);
  return locale === "de" ? text.replace(".", ",") : text;
}

export function errorText(code: string, detail = ""): string {
  let text = ERRORS[code] ?? "#N/A";
  if (detail) text += ` ${detail}`;
  return text;
}

export function columnName(index: number): string {
  let out = "";
  while (index > 0) {
    index -= 1;
    out = String.fromCharCode(65 + (index % 26)) + out;
    index = Math.floor(index / 26);
  }
  return out;
}

export function refsIn(cell: Cell): string[] {
  return (cell.raw.match(/[A-Z]+[0-9]+/g) ?? []).sort();
}

export function hasRef(formula: string): boolean {
  return REF.test(formula);
}

export function cachedRefs(cell: Cell): string[] {
  const known = parsed.get(cell);
  if (known) return known;
  const refs = refsIn(cell);
  parsed.set(cell, refs);
  return refs;
}

export function cellAt(sheet: Sheet, ref: string): Cell {
  let cell = sheet.cells.get(ref);
  if (!cell) sheet.cells.set(ref, (cell = { ref, raw: "", value: null, notes: [] }));
  return cell;
}

export function peekCell({ cells }: Sheet, ref: string): Cell {
  const blank: Cell = { ref, raw: "", value: null, notes: [] };
  blank.notes.push("blank");
  return cells.get(ref) ?? blank;
}

export function touched({ meta: { dirty } }: Sheet, ref: string): number {
  dirty.add(ref);
  return dirty.size;
}

export function renamed(sheet: Sheet, name: string): Sheet {
  const next = { ...sheet };
  next.name = name.trim();
  next.meta = { ...sheet.meta, owner: "nobody" };
  return next;
}

export function handedOver(sheet: Sheet, owner: string): Sheet {
  const next = { ...sheet };
  next.meta.owner = owner;
  return next;
}

export function bolded(cell: Cell): Cell {
  const { style = { bold: false, color: "black" } } = cell;
  style.bold = true;
  return { ...cell, style };
}

export function styled(cell: Cell, color: string): Cell {
  const copy = structuredClone(cell);
  (copy.style ??= { bold: false, color }).color = color;
  return copy;
}

export const annotated = (cells: Cell[], note: string): Cell[] =>
  cells.map((cell) => (cell.notes.push(note), cell));

export const annotatedCopies = (cells: Cell[], note: string): Cell[] =>
  cells.map((cell) => ({ ...cell, notes: cell.notes.concat(note) }));

export function sortedRow(row: Cell[]): Cell[] {
  return row.sort((a, b) => (a.value ?? 0) - (b.value ?? 0));
}

export function largest(row: readonly Cell[]): Cell | undefined {
  return row.slice().sort((a, b) => (b.value ?? 0) - (a.value ?? 0)).shift();
}

export function transposed(rows: Cell[][]): Cell[][] {
  const out: Cell[][] = [];
  rows.forEach((row, r) => row.forEach((cell, c) => ((out[c] ??= [])[r] = cell)));
  return out;
}

export function flipped(sheet: Sheet): Cell[][] {
  const { rows } = sheet;
  for (const row of rows) row.reverse();
  return rows;
}

export function sumRange(values: Float64Array, [from, to]: Range): number {
  const view = values.subarray(from, to);
  return view.reduce((sum, v) => sum + v, 0);
}

export function scaledRange(values: Float64Array, [from, to]: Range, by: number): Float64Array {
  const view = values.subarray(from, to);
  view.forEach((v, i) => (view[i] = v * by));
  return view;
}

export function stamped(sheet: Sheet, at: Date = new Date()): Sheet {
  return { ...sheet, meta: { ...sheet.meta, updated: at } };
}

export function nextQuarter(day: Date): Date {
  const next = new Date(day.getTime());
  next.setUTCMonth(next.getUTCMonth() + 3);
  return next;
}

export function recalc(cells: Cell[]): number {
  const total = cells.reduce((sum, c) => {
    recalcs++;
    return sum + (c.value ?? 0);
  }, 0);
  return Math.round(total * 100) / 100;
}

export function edit(cell: Cell, raw: string): Cell {
  undoStack.push(() => edit(cell, cell.raw));
  return { ...cell, raw, value: Number.parseFloat(raw) };
}

export function duplicate(cell: Cell, ref = `copy-${randomUUID()}`): Cell {
  return { ...cell, ref, notes: [] };
}
