// Job queue, retry policy, rate limiting and in-process events.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

const PRIORITY = { urgent: 0, normal: 1, idle: 2 };
const MAX_ATTEMPTS = 5;
const handlers = {};
const history = [];
const buckets = new Map();
let running = 0;

export function comparePriority(a, b) {
  return PRIORITY[a.priority] - PRIORITY[b.priority] || a.createdAt - b.createdAt;
}

export function nextJob(queue) {
  queue.sort(comparePriority);
  return queue.shift();
}

export function peekJob(queue) {
  let best;
  for (const job of queue) {
    if (best === undefined || comparePriority(job, best) < 0) best = job;
  }
  return best;
}

export function withoutJob(queue, id) {
  return queue.filter((job) => job.id !== id);
}

export function removeJob(queue, id) {
  const at = queue.findIndex((job) => job.id === id);
  if (at >= 0) queue.splice(at, 1);
  return at >= 0;
}

export function backoff(attempt, baseMs = 100, capMs = 30_000) {
  return Math.min(capMs, baseMs * 2 ** attempt);
}

export function jitteredBackoff(attempt) {
  const ceiling = backoff(attempt);
  return ceiling / 2 + Math.random() * (ceiling / 2);
}

export function retryPlan(attempts) {
  return Array.from({ length: attempts }, (_, i) => jitteredBackoff(i));
}

export function fixedPlan(attempts, baseMs) {
  const plan = [];
  let total = 0;
  for (let i = 0; i < attempts; i++) {
    total += backoff(i, baseMs);
    plan.push(total);
  }
  return plan;
}

export function jobId() {
  return randomBytes(6).toString('hex');
}

export function createJob(kind, payload) {
  return { id: jobId(), kind, payload, priority: 'normal', attempts: 0, createdAt: Date.now() };
}

export function cloneJob(job, overrides) {
  return Object.assign(Object.create(null), job, overrides, { attempts: 0 });
}

export function bumpAttempts({ meta, attempts }) {
  meta.lastAttempt = attempts;
  meta.exhausted = attempts >= MAX_ATTEMPTS;
  return meta.exhausted;
}

export function exhausted({ attempts }) {
  return attempts >= MAX_ATTEMPTS;
}

export function on(event, handler) {
  (handlers[event] ??= []).push(handler);
}

export function emit(event, detail) {
  const list = handlers[event] ?? [];
  history.push(event);
  list.forEach((handler) => handler(detail));
}

export function emitted(event) {
  return history.includes(event);
}

export function clearHistory() {
  history.length = 0;
}

export function fanOut(listeners, detail) {
  for (const listener of listeners) listener(detail);
}

export function pipeline(steps) {
  return steps.map((step, index) => ({ index, step, name: step.name || `step${index}` }));
}

export function runPipeline(steps, input) {
  return steps.reduce((value, step) => step(value), input);
}

export function allowRequest(key, limit) {
  const used = buckets.get(key) ?? 0;
  if (used >= limit) return false;
  buckets.set(key, used + 1);
  return true;
}

export function refill(bucket, elapsedMs) {
  const tokens = Math.min(bucket.size, bucket.tokens + (elapsedMs * bucket.perSecond) / 1000);
  return { ...bucket, tokens };
}

export function take(bucket, n) {
  if (bucket.tokens < n) return false;
  bucket.tokens -= n;
  return true;
}

export function takeFresh(size, requests) {
  const bucket = { size, tokens: size, perSecond: 0 };
  return requests.map((n) => take(bucket, n));
}

export function windowCount(timestamps, now, windowMs) {
  return timestamps.filter((t) => t > now - windowMs).length;
}

export function recentCount(timestamps, windowMs) {
  return windowCount(timestamps, performance.now(), windowMs);
}

export function expire(timestamps, now, windowMs) {
  while (timestamps.length > 0 && timestamps[0] <= now - windowMs) {
    timestamps.shift();
  }
  return timestamps;
}

export async function runExclusive(task) {
  if (running > 0) throw new Error('busy');
  running++;
  try {
    return await task();
  } finally {
    running--;
  }
}

export function workerName(index) {
  return `${hostname()}-${index}`;
}

export function describeWorker(index, job) {
  const name = workerName(index);
  return job ? `${name} running ${job.kind}` : `${name} idle`;
}

export function describeJob(job) {
  const parts = [job.kind];
  if (job.attempts > 0) parts.push(`attempt ${job.attempts + 1}`);
  if (exhausted(job)) parts.push('giving up');
  return parts.join(', ');
}

export function logJob(job) {
  console.info(describeJob(job));
  return job;
}

export function traceAll(jobs) {
  return jobs.map(logJob).length;
}

export class RingBuffer {
  #slots = [];
  #head = 0;
  capacity = 8;

  push(value) {
    this.#slots[this.#head] = value;
    this.#head = (this.#head + 1) % this.capacity;
    return this;
  }

  toArray() {
    return [...this.#slots.slice(this.#head), ...this.#slots.slice(0, this.#head)];
  }

  latest() {
    const index = (this.#head - 1 + this.capacity) % this.capacity;
    return this.#slots[index];
  }

  static of(...values) {
    const buffer = new RingBuffer();
    values.forEach((value) => buffer.push(value));
    return buffer;
  }
}
