// Small HTTP toolkit: routes, URLs, headers, client wrapper, metrics.
import http from 'node:http';
import process, { env } from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

const MIME = { html: 'text/html', json: 'application/json', txt: 'text/plain' };
const DEFAULT_HEADERS = Object.freeze({ accept: 'application/json' });
const routes = [];
const metrics = new Map();
const inflight = {};
let traceCounter = 0;

export function compilePath(pattern) {
  const names = [];
  const source = pattern.replace(/:(\w+)/g, (_, name) => {
    names.push(name);
    return '([^/]+)';
  });
  return { regex: new RegExp(`^${source}$`), names };
}

export function matchPath(pattern, path) {
  const { regex, names } = compilePath(pattern);
  const match = regex.exec(path);
  if (!match) return null;
  return Object.fromEntries(names.map((name, i) => [name, decodeURIComponent(match[i + 1])]));
}

export function route(method, pattern, handler) {
  routes.push({ method, pattern, handler });
  return routes.length;
}

export function resolve(method, path) {
  for (const { pattern, handler, method: allowed } of routes) {
    if (allowed !== method) continue;
    const params = matchPath(pattern, path);
    if (params) return { handler, params };
  }
  return undefined;
}

export function resolveIn(table, method, path) {
  for (const entry of table) {
    const params = entry.method === method ? matchPath(entry.pattern, path) : null;
    if (params) return { handler: entry.handler, params };
  }
  return undefined;
}

export function withQuery(base, params) {
  const url = new URL(base);
  for (const [key, value] of Object.entries(params)) url.searchParams.set(key, value);
  return url.href;
}

export function addQuery(url, params) {
  const { searchParams } = url;
  for (const [key, value] of Object.entries(params)) searchParams.set(key, value);
  return url.href;
}

export function parseQuery(query) {
  const out = Object.create(null);
  for (const [key, value] of new URLSearchParams(query)) {
    if (key in out) out[key] = [].concat(out[key], value);
    else out[key] = value;
  }
  return out;
}

export function parseAccept(header) {
  return header
    .split(',')
    .map((part) => {
      const [type, ...params] = part.trim().split(';');
      const q = params.map((p) => p.trim()).find((p) => p.startsWith('q='));
      return { type, q: q ? Number(q.slice(2)) : 1 };
    })
    .sort((a, b) => b.q - a.q);
}

export function negotiate(accepts, offered) {
  return accepts.sort((a, b) => b.q - a.q).find(({ type }) => offered.includes(type))?.type;
}

export function mimeOf(file) {
  const ext = file.slice(file.lastIndexOf('.') + 1);
  return MIME[ext] ?? 'application/octet-stream';
}

export function lowerHeaders(headers) {
  for (const name of Object.keys(headers)) {
    const lower = name.toLowerCase();
    if (lower === name) continue;
    headers[lower] = headers[name];
    delete headers[name];
  }
  return headers;
}

export function requestHeaders(extra) {
  return lowerHeaders({ ...DEFAULT_HEADERS, ...extra });
}

export function tracedHeaders(extra) {
  const headers = requestHeaders(extra);
  headers['x-trace'] = nextTrace();
  return headers;
}

function nextTrace() {
  return `${process.pid}-${++traceCounter}`;
}

export function count(name, by = 1) {
  metrics.set(name, (metrics.get(name) ?? 0) + by);
}

export function observed(name, value) {
  count(`${name}.count`);
  return value;
}

export function exposition() {
  let out = '';
  for (const [name, value] of metrics) out += `${name} ${value}\n`;
  return out;
}

export function histogram(samples, bounds) {
  const counts = bounds.map(() => 0);
  for (const sample of samples) {
    const i = bounds.findIndex((bound) => sample <= bound);
    if (i >= 0) counts[i] += 1;
  }
  return counts;
}

export async function timed(fn) {
  const start = performance.now();
  const value = await fn();
  return { value, ms: performance.now() - start };
}

/** @param {http.ServerResponse} res */
export function sendJson(res, status, body) {
  res.writeHead(status, { 'content-type': MIME.json });
  res.end(JSON.stringify(body));
}

/** @param {http.ServerResponse} res */
export function notFound(res, path) {
  sendJson(res, 404, problem(404, path));
}

export function problem(status, detail) {
  return { type: 'about:blank', title: http.STATUS_CODES[status] ?? 'Error', status, detail };
}

/** @param {http.IncomingMessage} req */
export async function readBody(req) {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

export async function getJson(url) {
  const response = await fetch(url, { headers: requestHeaders({}) });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.json();
}

export async function getShared(url) {
  inflight[url] ??= getJson(url);
  try {
    return await inflight[url];
  } finally {
    delete inflight[url];
  }
}

export async function retrying(attempts, call) {
  let last;
  for (let i = 0; i < attempts; i++) {
    try {
      return await call(i);
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

export async function pollUntil(url, done) {
  for (;;) {
    const body = await getJson(url);
    if (done(body)) return body;
    await delay(250);
  }
}

export const port = () => Number(env.PORT ?? 3000);

export const selfUrl = (path) => `http://127.0.0.1:${port()}${path}`;

export const joinPath = (...parts) => parts.map((part) => part.replace(/^\/|\/$/g, '')).join('/');

export const chain = (middlewares, context) => {
  for (const middleware of middlewares) {
    if (middleware(context) === false) return false;
  }
  return true;
};

export const requestId = () => Math.random().toString(36).slice(2, 10);

export const tag = (request) => ({ ...request, id: request.id ?? requestId() });

export const redact = (headers, names) => {
  const copy = Object.assign({}, headers);
  for (const name of names) delete copy[name];
  return copy;
};

export const strip = (headers, names) => {
  const view = headers;
  for (const name of names) delete view[name];
  return view;
};

export function parseRange(header, size) {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header);
  if (!match || size === 0) return null;
  const start = match[1] === '' ? size - Number(match[2]) : Number(match[1]);
  const end = match[1] === '' || match[2] === '' ? size - 1 : Number(match[2]);
  return start <= end && end < size ? { start, end } : null;
}

export function serializeCookie(name, value, options = {}) {
  const parts = [`${name}=${encodeURIComponent(value)}`];
  if (options.maxAge !== undefined) parts.push(`Max-Age=${options.maxAge}`);
  if (options.path) parts.push(`Path=${options.path}`);
  if (options.expires) parts.push(`Expires=${options.expires.toUTCString()}`);
  return parts.join('; ');
}

export function mergeParams(...queries) {
  const merged = new URLSearchParams();
  for (const query of queries) {
    for (const [key, value] of query) merged.append(key, value);
  }
  return merged;
}

export class RouteTree {
  children = new Map();
  value = null;

  insert(path, value) {
    let node = this;
    for (const part of path.split('/').filter(Boolean)) {
      if (!node.children.has(part)) node.children.set(part, new RouteTree());
      node = node.children.get(part);
    }
    node.value = value;
  }

  find(path) {
    let node = this;
    for (const part of path.split('/').filter(Boolean)) {
      node = node.children.get(part) ?? node.children.get('*');
      if (node === undefined) return null;
    }
    return node.value;
  }

  static build(table) {
    const tree = new RouteTree();
    for (const [path, value] of Object.entries(table)) tree.insert(path, value);
    return tree;
  }
}
