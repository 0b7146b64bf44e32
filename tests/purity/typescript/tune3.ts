// Session store, response cache and HTTP handlers of the account service.
import type { Request, Response } from 'express';
import { createHash, randomUUID } from 'node:crypto';
import { Pool } from 'pg';

interface Session {
  id: string;
  userId: number;
  expiresAt: number;
  roles: string[];
}

interface Entry<T> {
  value: T;
  storedAt: number;
}

interface Row {
  id: number;
  label: string;
  active: boolean;
}

const pool = new Pool({ max: 4 });
const sessions = new Map<string, Session>();
const STATUS_TEXT: Record<number, string> = { 200: 'OK', 404: 'Not Found', 409: 'Conflict' };
const SESSION_TTL_MS = 30 * 60 * 1000;
let hits = 0;
let misses = 0;

export function isExpired(session: Session, now: number): boolean {
  return session.expiresAt <= now;
}

export function isLive(session: Session): boolean {
  return !isExpired(session, Date.now());
}

export function openSession(userId: number): Session {
  const session: Session = {
    id: randomUUID(),
    userId,
    expiresAt: Date.now() + SESSION_TTL_MS,
    roles: [],
  };
  sessions.set(session.id, session);
  return session;
}

export function renewed(session: Session, now: number): Session {
  return { ...session, expiresAt: now + SESSION_TTL_MS };
}

export function touch(session: Session, now: number): void {
  session.expiresAt = now + SESSION_TTL_MS;
}

export function grant(session: Session, role: string): Session {
  const next = { ...session };
  if (!next.roles.includes(role)) {
    next.roles.push(role);
  }
  return next;
}

export function granted(session: Session, role: string): Session {
  const next = structuredClone(session);
  if (!next.roles.includes(role)) {
    next.roles.push(role);
  }
  return next;
}

export function sessionCount(): number {
  return sessions.size;
}

export function purge(now: number): number {
  let removed = 0;
  for (const [id, session] of sessions) {
    if (isExpired(session, now)) {
      sessions.delete(id);
      removed++;
    }
  }
  return removed;
}

export function purgedList(all: Session[], now: number): Session[] {
  const kept: Session[] = [];
  for (const session of all) {
    if (!isExpired(session, now)) kept.push(session);
  }
  return kept;
}

export class TtlCache<T> {
  private entries = new Map<string, Entry<T>>();
  private ttlMs = 5_000;

  peek(key: string, now: number): T | undefined {
    const entry = this.entries.get(key);
    return entry && now - entry.storedAt < this.ttlMs ? entry.value : undefined;
  }

  put(key: string, value: T): void {
    this.entries.set(key, { value, storedAt: Date.now() });
  }

  get(key: string): T | undefined {
    return this.peek(key, Date.now());
  }

  get size(): number {
    return this.entries.size;
  }

  drop(predicate: (key: string) => boolean): number {
    const before = this.entries.size;
    for (const key of [...this.entries.keys()]) {
      if (predicate(key)) this.entries.delete(key);
    }
    return before - this.entries.size;
  }

  keys(): string[] {
    return Array.from(this.entries.keys()).sort();
  }
}

export function etag(body: string): string {
  const hash = createHash('sha1');
  hash.update(body);
  return `"${hash.digest('base64')}"`;
}

export function parseCookies(header: string): Map<string, string> {
  const jar = new Map<string, string>();
  for (const part of header.split(';')) {
    const [name, ...rest] = part.trim().split('=');
    if (name) jar.set(name, decodeURIComponent(rest.join('=')));
  }
  return jar;
}

export function lookupSession(header: string): Session | undefined {
  const id = parseCookies(header).get('sid');
  return id === undefined ? undefined : sessions.get(id);
}

export function countLookup<T>(found: T | undefined): T | undefined {
  if (found === undefined) misses++;
  else hits++;
  return found;
}

export function hitRatio(): number {
  return hits + misses === 0 ? 0 : hits / (hits + misses);
}

export function ratio(part: number, rest: number): number {
  return part + rest === 0 ? 0 : part / (part + rest);
}

export async function findRow(id: number): Promise<Row | undefined> {
  const result = await pool.query<Row>('select id, label, active from items where id = $1', [id]);
  return result.rows[0];
}

export async function rowLabel(id: number): Promise<string> {
  const row = await findRow(id);
  return row?.label ?? `#${id}`;
}

export function insertSql(table: string, columns: readonly string[]): string {
  const holes = columns.map((_, i) => `$${i + 1}`);
  return `insert into ${table} (${columns.join(', ')}) values (${holes.join(', ')})`;
}

export async function insertRow(label: string): Promise<void> {
  await pool.query(insertSql('items', ['label', 'active']), [label, true]);
}

export function rowToJson({ id, label, active }: Row): string {
  return JSON.stringify({ id, label: label.trim(), status: active ? 'on' : 'off' });
}

export function normalizeRow(row: Row): Row {
  row.label = row.label.trim().toLowerCase();
  return row;
}

export function normalizeRows(rows: Row[]): Row[] {
  return rows.map((row) => normalizeRow(row));
}

export function normalizedRows(rows: Row[]): Row[] {
  return rows.map((row) => normalizeRow({ ...row }));
}

export async function getItem(req: Request, res: Response): Promise<void> {
  const row = await findRow(Number(req.params.id));
  if (!row) {
    res.status(404).json({ error: statusLine(404) });
    return;
  }
  res.status(200).json(row);
}

export function statusLine(code: number): string {
  return `${code} ${STATUS_TEXT[code] ?? 'Unknown'}`;
}

export async function withSession<T>(
  session: Session,
  work: (session: Readonly<Session>) => Promise<T>,
): Promise<T> {
  return work(session);
}

export function pageOf<T>(rows: readonly T[], page: number, size: number): T[] {
  const start = Math.max(0, page - 1) * size;
  return rows.slice(start, start + size);
}

export function whereClause(filters: Record<string, unknown>): { sql: string; args: unknown[] } {
  const parts: string[] = [];
  const args: unknown[] = [];
  for (const [column, value] of Object.entries(filters)) {
    if (value === undefined) continue;
    args.push(value);
    parts.push(`${column} = $${args.length}`);
  }
  return { sql: parts.length ? `where ${parts.join(' and ')}` : '', args };
}
