// Warehouse topology, stock ledger and route planning.
import { appendFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Client } from 'pg';

export interface Bin {
  code: string;
  stock: Map<string, number>;
}

export interface Edge {
  from: string;
  to: string;
  cost: number;
}

export interface Move {
  sku: string;
  qty: number;
  source?: string;
  target?: string;
}

export type Graph = Map<string, Edge[]>;
export type CostFn = (edge: Edge) => number;

export interface Allocator {
  pick(bins: readonly Bin[], sku: string): Bin | undefined;
}

const REORDER_LEVELS = { fast: 40, slow: 8 } as const;
const journal: Move[] = [];
const distanceMemo: Record<string, number> = {};

export function addEdge(graph: Graph, edge: Edge): void {
  const list = graph.get(edge.from);
  if (list) list.push(edge);
  else graph.set(edge.from, [edge]);
}

export function buildGraph(edges: readonly Edge[]): Graph {
  const graph: Graph = new Map();
  for (const edge of edges) {
    addEdge(graph, edge);
    addEdge(graph, { from: edge.to, to: edge.from, cost: edge.cost });
  }
  return graph;
}

export function shortest(graph: Graph, from: string, to: string): number {
  const best = new Map<string, number>([[from, 0]]);
  const open = [from];
  while (open.length > 0) {
    open.sort((a, b) => best.get(b)! - best.get(a)!);
    const here = open.pop()!;
    if (here === to) break;
    for (const edge of graph.get(here) ?? []) {
      const cost = best.get(here)! + edge.cost;
      if (cost < (best.get(edge.to) ?? Infinity)) {
        best.set(edge.to, cost);
        open.push(edge.to);
      }
    }
  }
  return best.get(to) ?? Infinity;
}

export function shortestMemo(graph: Graph, from: string, to: string): number {
  const key = `${from}>${to}`;
  return (distanceMemo[key] ??= shortest(graph, from, to));
}

export function tourLength(graph: Graph, stops: readonly string[]): number {
  let length = 0;
  for (let i = 1; i < stops.length; i++) {
    length += shortestMemo(graph, stops[i - 1], stops[i]);
  }
  return length;
}

export function pathCost(edges: readonly Edge[], cost: CostFn): number {
  return edges.reduce((total, edge) => total + cost(edge), 0);
}

export function flatCost(edges: readonly Edge[]): number {
  return edges.map((edge) => edge.cost).reduce((a, b) => a + b, 0);
}

export function reachable(graph: Graph, from: string, seen = new Set<string>()): Set<string> {
  if (seen.has(from)) return seen;
  seen.add(from);
  for (const edge of graph.get(from) ?? []) reachable(graph, edge.to, seen);
  return seen;
}

export function isConnected(graph: Graph): boolean {
  const [first] = graph.keys();
  return first === undefined || reachable(graph, first, new Set()).size === graph.size;
}

export function dropDeadEnds(graph: Graph): Graph {
  for (const [node, edges] of graph) {
    if (edges.length < 2) graph.delete(node);
  }
  return graph;
}

export function stockOf(bins: readonly Bin[], sku: string): number {
  return bins.reduce((n, bin) => n + (bin.stock.get(sku) ?? 0), 0);
}

export function needsReorder(bins: readonly Bin[], sku: string, speed: 'fast' | 'slow'): boolean {
  return stockOf(bins, sku) < REORDER_LEVELS[speed];
}

export function adjust(bin: Bin, sku: string, delta: number): number {
  const next = (bin.stock.get(sku) ?? 0) + delta;
  if (next < 0) throw new RangeError(`negative stock of ${sku} in ${bin.code}`);
  bin.stock.set(sku, next);
  return next;
}

export function transfer(source: Bin, target: Bin, { sku, qty }: Move): void {
  adjust(source, sku, -qty);
  adjust(target, sku, qty);
  journal.push({ sku, qty, source: source.code, target: target.code });
}

export function simulate(bin: Bin, moves: readonly Move[]): Bin {
  const scratch: Bin = { code: bin.code, stock: new Map(bin.stock) };
  for (const move of moves) adjust(scratch, move.sku, move.qty);
  return scratch;
}

export function simulateShallow(bin: Bin, moves: readonly Move[]): Bin {
  const scratch: Bin = { ...bin };
  for (const move of moves) adjust(scratch, move.sku, move.qty);
  return scratch;
}

export function allocate(bins: readonly Bin[], skus: string[], allocator: Allocator): string[] {
  const codes: string[] = [];
  for (const sku of skus) {
    const bin = allocator.pick(bins, sku);
    if (bin) codes.push(bin.code);
  }
  return codes;
}

export function recentMoves(n: number): Move[] {
  return journal.slice(-n);
}

export function lastMoves(moves: readonly Move[], n: number): Move[] {
  return moves.slice(-n);
}

export function takeMoves(moves: Move[], n: number): Move[] {
  return moves.splice(-n);
}

export function netBySku(moves: readonly Move[]): Map<string, number> {
  const net = new Map<string, number>();
  for (const { sku, qty } of moves) net.set(sku, (net.get(sku) ?? 0) + qty);
  return net;
}

export function encodeMove(move: Move): string {
  const fields = [move.sku, String(move.qty)];
  if (move.source) fields.push(`from=${move.source}`);
  if (move.target) fields.push(`to=${move.target}`);
  return fields.join('\t');
}

export function decodeMove(line: string): Move {
  const [sku, qty, ...rest] = line.split('\t');
  const move: Move = { sku, qty: parseInt(qty, 10) };
  for (const field of rest) {
    const [key, value] = field.split('=');
    if (key === 'from') move.source = value;
    if (key === 'to') move.target = value;
  }
  return move;
}

export function logMove(path: string, move: Move): void {
  appendFileSync(path, `${Date.now()}\t${encodeMove(move)}\n`);
}

export async function replay(path: string): Promise<Map<string, number>> {
  const text = await readFile(path, 'utf8');
  return netBySku(text.trimEnd().split('\n').map(decodeMove));
}

export class StockRepo {
  private client = new Client();
  private known = new Set<string>();

  async load(code: string): Promise<Bin> {
    const { rows } = await this.client.query('select sku, qty from stock where bin = $1', [code]);
    return this.toBin(code, rows);
  }

  toBin(code: string, rows: { sku: string; qty: number }[]): Bin {
    const stock = new Map<string, number>();
    for (const row of rows) stock.set(row.sku, row.qty);
    return { code, stock };
  }

  remember(bin: Bin): this {
    this.known.add(bin.code);
    return this;
  }

  knows(code: string): boolean {
    return this.known.has(code);
  }

  static upsertSql(moves: readonly Move[]): string {
    const values = moves.map((_, i) => `($${2 * i + 1}, $${2 * i + 2})`);
    return `insert into stock (sku, qty) values ${values.join(', ')} on conflict do nothing`;
  }
}
