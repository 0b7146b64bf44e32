// Tile map game: vectors, collisions, world state, drawing.

const GRAVITY = 0.4;
const ORIGIN = Object.freeze({ x: 0, y: 0 });
const TILE = 16;
const SOLID = new Set(['#', '=']);
const spriteCache = {};
const best = { score: 0 };
let entityCount = 0;
let debug = false;

export const add = (a, b) => ({ x: a.x + b.x, y: a.y + b.y });

export const scale = (v, k) => ({ x: v.x * k, y: v.y * k });

export const addTo = (a, b) => {
  a.x += b.x;
  a.y += b.y;
  return a;
};

export const sumVectors = (vectors) => vectors.reduce(addTo, { x: 0, y: 0 });

export const length = (v) => Math.hypot(v.x, v.y);

export function normalize(v) {
  const len = length(v);
  if (len === 0) return v;
  v.x /= len;
  v.y /= len;
  return v;
}

export function direction(from, to) {
  const delta = { x: to.x - from.x, y: to.y - from.y };
  return normalize(delta);
}

export function unitVectors(vectors) {
  return vectors.map(normalize);
}

export function distanceToOrigin(v) {
  return Math.hypot(v.x - ORIGIN.x, v.y - ORIGIN.y);
}

export function centroid(points) {
  let x = 0;
  let y = 0;
  for (const p of points) {
    x += p.x;
    y += p.y;
  }
  return { x: x / points.length, y: y / points.length };
}

export function polygonArea(points) {
  return Math.abs(
    points.reduce((sum, p, i) => {
      const q = points[(i + 1) % points.length];
      return sum + p.x * q.y - q.x * p.y;
    }, 0) / 2,
  );
}

export function closePolygon(points) {
  const first = points[0];
  points.push({ ...first });
  return points;
}

export function intersects(a, b) {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

export function parseMap(text) {
  const rows = text.split('\n').map((row) => [...row]);
  const width = Math.max(...rows.map((row) => row.length));
  for (const row of rows) {
    while (row.length < width) row.push('.');
  }
  return rows;
}

export function tileAt(map, x, y) {
  return map[Math.floor(y / TILE)]?.[Math.floor(x / TILE)] ?? '#';
}

export function isSolid(map, x, y) {
  return SOLID.has(tileAt(map, x, y));
}

export function carve(map, col, row) {
  const line = map[row];
  line[col] = '.';
  return map;
}

export function carved(map, col, row) {
  return map.with(row, map[row].with(col, '.'));
}

export function floodFill(map, col, row) {
  const grid = map.map((line) => line.slice());
  const stack = [[col, row]];
  let filled = 0;
  while (stack.length) {
    const [c, r] = stack.pop();
    if (grid[r]?.[c] !== '.') continue;
    grid[r][c] = '~';
    filled++;
    stack.push([c + 1, r], [c - 1, r], [c, r + 1], [c, r - 1]);
  }
  return filled;
}

export function flood(map, col, row) {
  if (map[row]?.[col] !== '.') return 0;
  map[row][col] = '~';
  return 1 + flood(map, col + 1, row) + flood(map, col - 1, row) + flood(map, col, row + 1);
}

export function spawn(kind, at) {
  entityCount += 1;
  return { id: entityCount, kind, pos: { ...at }, vel: { x: 0, y: 0 }, hp: 3 };
}

export function spawnRow(kind, n) {
  return Array.from({ length: n }, (_, i) => spawn(kind, { x: i * TILE, y: 0 }));
}

export function rollLoot(table) {
  return table[Math.floor(Math.random() * table.length)];
}

export function lootFor(entity, table) {
  return entity.kind === 'chest' ? rollLoot(table) : null;
}

export function lcg(seed) {
  return (Math.imul(seed, 1664525) + 1013904223) >>> 0;
}

export function seededShuffle(items, seed) {
  const out = [...items];
  let state = seed;
  for (let i = out.length - 1; i > 0; i--) {
    state = lcg(state);
    const j = state % (i + 1);
    [out[i], out[j]] = [out[j], out[i]];
  }
  return out;
}

export function fall(entity) {
  const { vel, pos } = entity;
  vel.y += GRAVITY;
  addTo(pos, vel);
}

export function falling(entity) {
  const vel = { ...entity.vel, y: entity.vel.y + GRAVITY };
  return { ...entity, vel, pos: add(entity.pos, vel) };
}

export function step(entities, behave) {
  return entities.map((entity) => behave(entity));
}

export function simulate(entities, ticks) {
  let current = entities;
  for (let i = 0; i < ticks; i++) current = step(current, falling);
  return current;
}

export function hurt(entity, amount) {
  entity.hp = Math.max(0, entity.hp - amount);
  if (debug) console.log('hurt', entity.id, amount);
  return entity.hp === 0;
}

export function toggleDebug() {
  debug = !debug;
}

export function submitScore(score) {
  if (score > best.score) best.score = score;
  return best.score;
}

export function bestScore() {
  return best.score;
}

export function sprite(name, load) {
  if (!(name in spriteCache)) spriteCache[name] = load(name);
  return spriteCache[name];
}

export function frameIndex(frames, fps) {
  return Math.floor((performance.now() / 1000) * fps) % frames.length;
}

export function frameAt(frames, fps, seconds) {
  return frames[Math.floor(seconds * fps) % frames.length];
}
