// Command line front end: argument parsing, ini files, template expansion.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Options {
  verbose: boolean;
  files: string[];
  defines: Map<string, string>;
}

export type Section = Record<string, string>;
export type Visitor = (key: string, value: string) => void;

const DURATION = /^(\d+)(ms|s|m|h)$/;
const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const PLACEHOLDER = /\$\{(\w+)\}/g;
const ANY_HOLE = /[$]\{\w+\}/g;
const TOKEN = /\s*([A-Za-z_]\w*|\d+|[-+*/()])/y;

let warningCount = 0;

export function parseDuration(text: string): number {
  const match = DURATION.exec(text.trim());
  if (match === null) {
    throw new SyntaxError(`bad duration: ${text}`);
  }
  return Number(match[1]) * UNIT_MS[match[2]];
}

export function splitDefine(arg: string): [string, string] {
  const at = arg.indexOf('=');
  if (at < 0) return [arg, 'true'];
  return [arg.slice(0, at), arg.slice(at + 1)];
}

export function parseArgs(argv: readonly string[]): Options {
  const options: Options = { verbose: false, files: [], defines: new Map() };
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i];
    if (arg === '-v' || arg === '--verbose') {
      options.verbose = true;
    } else if (arg === '-D') {
      const [key, value] = splitDefine(argv[++i] ?? '');
      options.defines.set(key, value);
    } else {
      options.files.push(arg);
    }
  }
  return options;
}

export function consumeArgs(argv: string[], options: Options): void {
  while (argv.length > 0) {
    const arg = argv.shift()!;
    if (arg.startsWith('-D')) {
      const [key, value] = splitDefine(arg.slice(2));
      options.defines.set(key, value);
    } else {
      options.files.push(arg);
    }
  }
}

export function currentOptions(): Options {
  return parseArgs(process.argv.slice(2));
}

export function warn(message: string): void {
  warningCount++;
  process.stderr.write(`warning: ${message}\n`);
}

export function hasWarnings(): boolean {
  return warningCount > 0;
}

export function parseIni(text: string): Record<string, Section> {
  const out: Record<string, Section> = { '': {} };
  let current = out[''];
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.trim();
    if (line === '' || line.startsWith(';')) continue;
    if (line.startsWith('[') && line.endsWith(']')) {
      current = out[line.slice(1, -1)] ??= {};
    } else {
      const [key, value] = splitDefine(line);
      current[key.trim()] = value.trim();
    }
  }
  return out;
}

export function parseIniLenient(text: string): Section {
  const out: Section = {};
  for (const line of text.split('\n')) {
    if (!line.includes('=')) {
      warn(`skipped line "${line}"`);
      continue;
    }
    const [key, value] = splitDefine(line);
    out[key.trim()] = value.trim();
  }
  return out;
}

export function loadIni(path: string): Record<string, Section> {
  return existsSync(path) ? parseIni(readFileSync(path, 'utf8')) : {};
}

export function iniPath(name: string): string {
  return join(process.cwd(), '.settings', `${name}.ini`);
}

export function saveSection(path: string, section: Section): void {
  const body = serializeSection(section);
  writeFileSync(path, body);
}

export function serializeSection(section: Section): string {
  const keys = Object.keys(section);
  keys.sort();
  return keys.map((key) => `${key}=${section[key]}\n`).join('');
}

export function eachSetting(section: Section, visit: Visitor): void {
  for (const [key, value] of Object.entries(section)) {
    visit(key, value);
  }
}

export function inheritDefaults(section: Section, defaults: Section): Section {
  for (const key in defaults) {
    if (!(key in section)) section[key] = defaults[key];
  }
  return section;
}

export function mergedSections(...layers: Section[]): Section {
  const merged: Section = {};
  for (const layer of layers) {
    Object.assign(merged, layer);
  }
  return merged;
}

export function expand(template: string, vars: Section): string {
  return template.replace(PLACEHOLDER, (whole, name: string) => vars[name] ?? whole);
}

export function expandEnv(template: string): string {
  return template.replace(PLACEHOLDER, (whole, name: string) => process.env[name] ?? whole);
}

export function hasPlaceholder(template: string): boolean {
  return ANY_HOLE.test(template);
}

export function tokenize(source: string): string[] {
  const tokens: string[] = [];
  const pattern = /\s*([A-Za-z_]\w*|\d+|[-+*/()])/y;
  let match: RegExpExecArray | null;
  while ((match = pattern.exec(source)) !== null) {
    tokens.push(match[1]);
  }
  return tokens;
}

export function peekToken(source: string): string | null {
  const match = TOKEN.exec(source);
  return match ? match[1] : null;
}

function factor(tokens: string[]): number {
  const token = tokens.shift();
  if (token === undefined) throw new SyntaxError('unexpected end');
  if (token === '(') {
    const inner = sum(tokens);
    tokens.shift();
    return inner;
  }
  return Number(token);
}

function product(tokens: string[]): number {
  let value = factor(tokens);
  while (tokens[0] === '*' || tokens[0] === '/') {
    value = tokens.shift() === '*' ? value * factor(tokens) : value / factor(tokens);
  }
  return value;
}

function sum(tokens: string[]): number {
  let value = product(tokens);
  while (tokens[0] === '+' || tokens[0] === '-') {
    value = tokens.shift() === '+' ? value + product(tokens) : value - product(tokens);
  }
  return value;
}

export function evaluate(source: string): number {
  return sum(tokenize(source));
}

export class OutputBuffer {
  private parts: string[] = [];
  private depth = 0;

  line(text: string): this {
    this.parts.push('  '.repeat(this.depth) + text);
    return this;
  }

  indent(): void {
    this.depth += 1;
  }

  toString(): string {
    return this.parts.join('\n');
  }

  flush(): void {
    process.stdout.write(this.toString());
    this.parts.length = 0;
  }

  static usage(program: string): string {
    const buffer = new OutputBuffer();
    buffer.line(`usage: ${program} [options] file...`);
    buffer.indent();
    buffer.line('-v  verbose').line('-D  define a value');
    return buffer.toString();
  }
}

export function* chunks(text: string, size: number): Generator<string> {
  for (let i = 0; i < text.length; i += size) {
    yield text.slice(i, i + size);
  }
}

export function wrap(text: string, width: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length + 1 > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].join('\n');
}

export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
  }
  return row[b.length];
}

export function suggest(word: string, known: readonly string[]): string | undefined {
  const ranked = known.map((name) => ({ name, d: editDistance(word, name) }));
  ranked.sort((x, y) => x.d - y.d);
  return ranked[0]?.name;
}

export function firstMatching(lines: string[], test: (line: string) => boolean): string | null {
  for (const line of lines) {
    if (test(line)) return line;
  }
  return null;
}
