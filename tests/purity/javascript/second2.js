// Home automation: devices, scenes, rules and energy readings.
import { appendFileSync } from 'node:fs';

const DEFAULTS = Object.freeze({ brightness: 80, color: [255, 240, 220] });
const registry = new Map();
const overrides = new WeakMap();
const shared = { color: [0, 0, 0], scenes: 0 };

const option = (name) => process.env[`HOUSE_${name.toUpperCase()}`];
const unitOf = (kind) => (kind === 'temp' ? option('unit') ?? 'C' : '%');
const clamp = (value, low = 0, high = 100) => Math.min(high, Math.max(low, value));
export const uid = () => Math.floor(Math.random() * 0xffff).toString(16);

export class Device {
  static kinds = new Set();
  static limits = { lamp: 60, oven: 3000 };
  state = { on: false, brightness: 0 };
  log = [];

  static of(kind) {
    Device.kinds.add(kind);
    return Object.assign(new Device(), { kind });
  }

  static limitOf(kind) {
    const { [kind]: watts = 100 } = this.limits;
    return watts;
  }

  get brightness() {
    const { state, log } = this;
    log.push('read');
    return state.brightness;
  }

  get summary() {
    const parts = [];
    for (const [k, v] of Object.entries(this.state)) parts.push(`${k}=${v}`);
    return parts.join(' ');
  }

  dimmed(by) {
    const state = { ...this.state };
    state.brightness = clamp(state.brightness - by);
    return state;
  }

  toggled() {
    const { state } = this;
    state.on = !state.on;
    return state;
  }

  toJSON() {
    return { kind: this.kind, level: this.brightness };
  }
}

export function deviceNamed(name) {
  return registry.get(name.trim());
}

export function enrolled(name, device) {
  return registry.set(name, device).size;
}

export function lampDefaults(extra = {}) {
  const merged = { ...DEFAULTS, ...extra };
  merged.color = [...merged.color];
  merged.color[0] = clamp(merged.color[0], 0, 255);
  return merged;
}

export function tinted(red) {
  const light = { ...shared };
  light.color[0] = red;
  return light;
}

export function label({ kind, unit = unitOf(kind) }, value) {
  return `${value}${unit}`;
}

export function overridden(device, level) {
  overrides.set(device, level);
  return { ...device.state, brightness: level };
}

export function normalized(readings) {
  const { values, values: { length } } = readings;
  for (let i = 0; i < length; i += 1) values[i] = Number(values[i]) || 0;
  return readings;
}

export function averaged(readings, span) {
  const ring = [];
  return readings.map((r) => {
    ring.push(r);
    if (ring.length > span) ring.shift();
    return ring.reduce((a, b) => a + b, 0) / ring.length;
  });
}

export function peaks(readings, count) {
  return readings.toSorted((a, b) => b - a).splice(0, count);
}

export function lowest(readings, count) {
  return readings.splice(0, count).sort((a, b) => a - b);
}

export function encoded(readings) {
  const view = new DataView(new ArrayBuffer(readings.length * 2));
  readings.forEach((r, i) => view.setInt16(i * 2, r));
  return new Uint8Array(view.buffer);
}

export function stampHeader(frame, kind) {
  const head = new Uint8Array(frame.buffer, frame.byteOffset, 2);
  head.set([kind, head[1] ^ 0xff]);
  return head;
}

export function firstOver(samples, limit) {
  const next = () => samples.next();
  for (let s = next(); !s.done; s = next()) if (s.value > limit) return s.value;
  return undefined;
}

export function* countdown(from) {
  while (from > 0) yield from--;
}

export function countdownSum(from) {
  const steps = countdown(from);
  let sum = 0;
  for (const s of steps) sum += s;
  return sum;
}

export function tracked(device) {
  let reads = 0;
  return { get level() { reads += 1; return device.state.brightness; }, get reads() { return reads; } };
}

export function aliased(device, name) {
  Object.defineProperty(device, 'alias', { get: () => name, configurable: true });
  return device;
}

export function sceneNumber(step = shared.scenes++) {
  return step * 10;
}

export function loudest(rooms) {
  return [...rooms].sort((a, b) => console.log(a.name, b.name) ?? b.level - a.level)[0];
}

export function noted(file, readings) {
  const write = (line) => appendFileSync(file, `${line}\n`);
  readings.forEach(write);
  return readings.length;
}

export function shortestPath(rooms, start) {
  const seen = new Map([[start, 0]]);
  const queue = [start];
  while (queue.length) {
    const room = queue.shift();
    for (const next of rooms[room] ?? []) {
      if (seen.has(next)) continue;
      seen.set(next, seen.get(room) + 1);
      queue.push(next);
    }
  }
  return Object.fromEntries(seen);
}
