// CSV import, access-log parsing and reporting.
import fs from 'node:fs';
import path from 'node:path';

const QUOTE = '"';
const LEVELS = ['debug', 'info', 'warn', 'error'];
const LOG_LINE = /^(\S+) (\w+) (\d+) (.*)$/;
const WORD = /[\p{L}\p{N}]+/gu;
const seenHosts = new Set();
const counters = { parsed: 0, rejected: 0 };
let threshold = 1;
let outputDir;

export function splitCsvLine(line, separator = ',') {
  const cells = [];
  let cell = '';
  let quoted = false;
  for (const ch of line) {
    if (ch === QUOTE) {
      quoted = !quoted;
    } else if (ch === separator && !quoted) {
      cells.push(cell);
      cell = '';
    } else {
      cell += ch;
    }
  }
  cells.push(cell);
  return cells;
}

export function parseCsv(text) {
  const [header, ...lines] = text.trim().split('\n');
  const names = splitCsvLine(header);
  return lines.map((line) => {
    const record = {};
    splitCsvLine(line).forEach((cell, i) => {
      record[names[i]] = cell;
    });
    return record;
  });
}

export function readCsv(file) {
  return parseCsv(fs.readFileSync(file, 'utf8'));
}

export function readCsvDir(dir) {
  const out = [];
  for (const name of fs.readdirSync(dir)) {
    if (path.extname(name) === '.csv') out.push(...readCsv(path.join(dir, name)));
  }
  return out;
}

export function toCsv(records) {
  if (records.length === 0) return '';
  const names = Object.keys(records[0]);
  const rows = records.map((record) => names.map((name) => quoteCell(record[name])).join(','));
  return [names.join(','), ...rows].join('\n');
}

function quoteCell(value) {
  const text = value === null || value === undefined ? '' : String(value);
  return /[",\n]/.test(text) ? QUOTE + text.replaceAll(QUOTE, QUOTE + QUOTE) + QUOTE : text;
}

export function trimCells(records) {
  for (const record of records) {
    for (const key of Object.keys(record)) {
      record[key] = record[key].trim();
    }
  }
  return records;
}

export function trimmedCells(records) {
  return records.map((record) =>
    Object.fromEntries(Object.entries(record).map(([key, cell]) => [key, cell.trim()])),
  );
}

export function importCsv(text) {
  return trimCells(parseCsv(text));
}

export function castColumn(records, column, cast) {
  return records.map((record) => ({ ...record, [column]: cast(record[column]) }));
}

export function numericColumn(records, column) {
  return castColumn(records, column, Number).map((record) => record[column]);
}

export function parseLogLine(line) {
  const match = line.match(LOG_LINE);
  if (!match) return null;
  const [, host, level, bytes, message] = match;
  return { host, level, bytes: +bytes, message };
}

export function countedParse(line) {
  const entry = parseLogLine(line);
  if (entry) counters.parsed += 1;
  else counters.rejected += 1;
  return entry;
}

export function parseLog(text) {
  return text.split('\n').map(countedParse).filter(Boolean);
}

export function parseLogQuietly(text) {
  const entries = [];
  text.split('\n').forEach((line) => {
    const entry = parseLogLine(line);
    if (entry) entries.push(entry);
  });
  return entries;
}

export function setThreshold(level) {
  const index = LEVELS.indexOf(level);
  if (index === -1) throw new TypeError(`unknown level ${level}`);
  threshold = index;
}

export function isNoisy(entry) {
  return LEVELS.indexOf(entry.level) < threshold;
}

export function withoutNoise(entries) {
  return entries.filter((entry) => !isNoisy(entry));
}

export function atLeast(entries, level) {
  const floor = LEVELS.indexOf(level);
  return entries.filter((entry) => LEVELS.indexOf(entry.level) >= floor);
}

export function newHosts(entries) {
  return entries
    .map((entry) => entry.host)
    .filter((host) => {
      const isNew = !seenHosts.has(host);
      seenHosts.add(host);
      return isNew;
    });
}

export function uniqueHosts(entries) {
  const seen = new Set();
  return entries
    .map((entry) => entry.host)
    .filter((host) => {
      const isNew = !seen.has(host);
      seen.add(host);
      return isNew;
    });
}

export function bytesByHost(entries) {
  const totals = new Map();
  for (const { host, bytes } of entries) {
    totals.set(host, (totals.get(host) ?? 0) + bytes);
  }
  return totals;
}

export function addTotals(totals, entries) {
  for (const { host, bytes } of entries) {
    totals.set(host, (totals.get(host) ?? 0) + bytes);
  }
  return totals;
}

export function topHosts(entries, n) {
  const totals = addTotals(new Map(), entries);
  return [...totals].sort((a, b) => b[1] - a[1]).slice(0, n);
}

export function median(values) {
  values.sort((a, b) => a - b);
  const mid = values.length >> 1;
  return values.length % 2 ? values[mid] : (values[mid - 1] + values[mid]) / 2;
}

export function medianOf(values) {
  return median(Array.from(values));
}

export function medianBytes(entries) {
  const sizes = entries.map((entry) => entry.bytes);
  return median(sizes);
}

export function spread(values) {
  return median(values) - Math.min(...values);
}

export function words(text) {
  return text.toLowerCase().match(WORD) ?? [];
}

export const reportName = (stem) => `${stem}-${new Date().toISOString().slice(0, 10)}.txt`;

export const reportPath = (stem) => path.join(outputDir ?? '.', reportName(stem));

export const joinName = (stem, ext) => path.join('reports', `${stem}.${ext}`);

export function chooseOutput() {
  outputDir = process.env.REPORT_DIR || 'out';
  return outputDir;
}

export function printTable(rows) {
  for (const row of rows) {
    console.log(formatRow(row));
  }
}

function formatRow(row) {
  return row.map((cell) => String(cell).padStart(10)).join(' | ');
}

export function table(rows) {
  let out = '';
  for (const row of rows) out += `${formatRow(row)}\n`;
  return out;
}
