// Household ledger: accounts, budgets, bank imports, statements.
import { DatabaseSync } from 'node:sqlite';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';

const CATEGORY_RULES = [
  [/rent|lease/i, 'housing'],
  [/market|bakery/i, 'food'],
  [/bus|train|fuel/i, 'transport'],
];
const ROUND_TO = 5;
const db = new DatabaseSync('ledger.sqlite');
const auditTrail = [];
const balances = {};
let locale = 'en-GB';
let importBatch = 0;

/** Picks the first matching category. */
export function categorize(memo) {
  for (const [pattern, category] of CATEGORY_RULES) {
    if (pattern.test(memo)) return category;
  }
  return 'other';
}

export function parseAmount(text) {
  const cleaned = text.replace(/[^\d.,-]/g, '').replace(',', '.');
  const value = Number.parseFloat(cleaned);
  if (Number.isNaN(value)) throw new Error(`not an amount: ${text}`);
  return Math.round(value * 100);
}

export function parseStatement(text) {
  const entries = [];
  for (const line of text.split('\n')) {
    const [date, memo, amount] = line.split(';');
    if (amount === undefined) continue;
    entries.push({ date, memo, cents: parseAmount(amount), category: categorize(memo) });
  }
  return entries;
}

export function importStatement(file) {
  importBatch++;
  return parseStatement(readFileSync(file, 'latin1')).map((entry) => ({
    ...entry,
    batch: importBatch,
  }));
}

export function recategorize(entries, from, to) {
  const affected = entries.filter((entry) => entry.category === from);
  for (const entry of affected) entry.category = to;
  return affected.length;
}

export function renamedCategory(entries, from, to) {
  return entries.map((entry) => (entry.category === from ? { ...entry, category: to } : entry));
}

export function post(account, cents) {
  balances[account] = (balances[account] ?? 0) + cents;
  return balances[account];
}

export function audit(message) {
  auditTrail.push(message);
  return message;
}

export function postAudited(account, cents) {
  const label = audit(`${account} ${cents < 0 ? 'debit' : 'credit'} ${Math.abs(cents)}`);
  return { label, cents };
}

export function move(balance, { from, to, cents }) {
  const next = { ...balance };
  next[from] = (next[from] ?? 0) - cents;
  next[to] = (next[to] ?? 0) + cents;
  return next;
}

export function moveAll(balance, transfers) {
  let current = balance;
  for (const transfer of transfers) current = move(current, transfer);
  return current;
}

export function settle(balance, transfers) {
  for (const { from, to, cents } of transfers) {
    balance[from] -= cents;
    balance[to] += cents;
  }
  return balance;
}

export function settled(balance, transfers) {
  return settle(structuredClone(balance), transfers);
}

export function totalsByMonth(entries) {
  const totals = {};
  for (const { date, cents } of entries) {
    const month = date.slice(0, 7);
    totals[month] = (totals[month] ?? 0) + cents;
  }
  return totals;
}

export function thisMonth(entries) {
  const month = new Date().toISOString().slice(0, 7);
  return totalsByMonth(entries)[month] ?? 0;
}

export function overBudget(totals, budget) {
  return Object.keys(budget)
    .filter((category) => (totals[category] ?? 0) > budget[category])
    .sort();
}

export function lockBudget(budget) {
  budget.lines.forEach((line) => Object.freeze(line));
  return Object.freeze(budget);
}

export function roundUp(cents, step = ROUND_TO) {
  return Math.ceil(cents / step) * step;
}

export function useLocale(next) {
  locale = next;
}

export function money(cents) {
  return new Intl.NumberFormat(locale, { minimumFractionDigits: 2 }).format(cents / 100);
}

export function moneyIn(cents, currency) {
  const format = new Intl.NumberFormat('en-GB', { style: 'currency', currency });
  return format.format(cents / 100);
}

export function statementLine(entry) {
  return `${entry.date}  ${entry.memo.padEnd(24)}${money(entry.cents)}`;
}

export function installments(cents, n) {
  const base = Math.trunc(cents / n);
  const parts = new Array(n).fill(base);
  let rest = cents - base * n;
  for (let i = 0; rest > 0; i++, rest--) parts[i] += 1;
  return parts;
}

export function sumWhere(entries, predicate) {
  let cents = 0;
  for (const entry of entries) {
    if (predicate(entry)) cents += entry.cents;
  }
  return cents;
}

export function spent(entries) {
  return -sumWhere(entries, (entry) => entry.cents < 0);
}

export function loggedSpent(entries) {
  return sumWhere(entries, (entry) => {
    console.debug(entry.memo);
    return entry.cents < 0;
  });
}

export function storedEntries(category) {
  return db.prepare('select date, memo, cents from entries where category = ?').all(category);
}

export function categoryTotal(category) {
  return storedEntries(category).reduce((sum, row) => sum + row.cents, 0);
}

export async function confirm(question) {
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await prompt.question(`${question} [y/N] `);
  prompt.close();
  return answer.trim().toLowerCase() === 'y';
}

export class Account {
  entries = [];
  name = 'current';

  deposit(cents, date) {
    const { entries } = this;
    entries.push({ cents, date });
    return this;
  }

  get balance() {
    return this.entries.reduce((sum, { cents }) => sum + cents, 0);
  }

  set label(text) {
    this.name = text.trim();
  }

  forecast(monthlyCents, months) {
    const out = [];
    let running = this.balance;
    for (let i = 0; i < months; i++) out.push((running += monthlyCents));
    return out;
  }

  statement() {
    return this.entries.map(({ date, cents }) => `${date} ${money(cents)}`).join('\n');
  }

  static compare(a, b) {
    return b.balance - a.balance;
  }
}
