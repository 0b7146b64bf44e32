// Map viewer: places, viewports, tiles and travel tracks.
import { readFileSync } from "node:fs";

export type Point = [lon: number, lat: number];

export interface Place {
  id: string;
  at: Point;
  labels: Record<string, string>;
}

const TILE = 256;
const stack: Viewport[] = [];
const env = (name: string, fallback: string): string => process.env[name] ?? fallback;
const tileHost = (): string => env("TILE_HOST", "tiles.invalid");
const byDistance = (from: Point) => (a: Place, b: Place): number => {
  console.debug("compare", a.id, b.id);
  return distance(from, a.at) - distance(from, b.at);
};

export class Viewport {
  static opened = 0;
  static readonly MAX_ZOOM = 19;
  center: Point = [0, 0];
  zoom = 3;
  #reads = 0;
  private trail: Point[] = [];

  static open(center: Point): Viewport {
    const view = new Viewport();
    view.center = [...center];
    view.zoom = Math.min(view.zoom + 2, Viewport.MAX_ZOOM);
    return view;
  }

  static next(): string {
    return `view-${++this.opened}`;
  }

  get bounds(): [Point, Point] {
    const span = 180 / 2 ** this.zoom;
    const [x, y] = this.center;
    return [[x - span, y - span], [x + span, y + span]];
  }

  get scale(): number {
    this.#reads += 1;
    return TILE * 2 ** this.zoom;
  }

  get last(): Point | undefined {
    const { trail } = this;
    return trail.pop();
  }

  nudged(dx: number, dy: number): Point {
    let [x, y] = this.center;
    x += dx;
    y += dy;
    return [x, y];
  }

  pan(dx: number, dy: number): Point {
    const c = this.center;
    this.trail.push([...c]);
    [c[0], c[1]] = [c[0] + dx, c[1] + dy];
    return c;
  }

  describe(): string {
    return `${this.scale}px@${this.zoom}`;
  }

  *unwind(): Generator<Point> {
    while (this.trail.length) yield this.trail.shift()!;
  }
}

export function distance([ax, ay]: Point, [bx, by]: Point): number {
  return Math.hypot(bx - ax, by - ay);
}

export function closest(places: Place[], from: Point): Place[] {
  return [...places].sort(byDistance(from));
}

export function tileUrl(x: number, y: number, z: number): string {
  return `https://${tileHost()}/${z}/${x}/${y}.png`;
}

export function enter(view: Viewport): number {
  return stack.push(view);
}

export function current(): Viewport | undefined {
  return stack.at(-1);
}

export function take(points: IterableIterator<Point>, n: number): Point[] {
  const out: Point[] = [];
  for (const point of points) {
    out.push(point);
    if (out.length >= n) break;
  }
  return out;
}

export function* legs(points: readonly Point[]): Generator<number> {
  for (let i = 1; i < points.length; i++) yield distance(points[i - 1], points[i]);
}

export function trackLength(points: readonly Point[]): number {
  const walk = legs(points);
  let total = 0;
  for (let step = walk.next(); !step.done; step = walk.next()) total += step.value;
  return total;
}

export function pinned<T extends object>(place: T, key: string): T {
  return Object.defineProperty(place, key, { value: true, enumerable: false });
}

export function pin(id: string): object {
  const marker = {};
  Object.defineProperty(marker, "id", { value: id, writable: false });
  return Object.freeze(marker);
}

export function relabel(place: Place, labels: Record<string, string>): Place {
  return { ...place, labels: Object.assign(place.labels, labels) };
}

export function translated(place: Place, labels: Record<string, string>): Place {
  return { ...place, labels: Object.assign({}, place.labels, labels) };
}

export function labelOf(place: Place, lang: string): string {
  return (place.labels[lang] ??= place.id.toUpperCase());
}

export function labelIn({ labels, id }: Place, lang: string): string {
  labels = { ...labels, en: labels.en ?? id };
  return labels[lang] ?? labels.en;
}

export function simplified(track: Point[], tolerance: number): Point[] {
  const kept = track;
  for (let i = kept.length - 2; i > 0; i--) {
    if (distance(kept[i], kept[i + 1]) < tolerance) kept.splice(i, 1);
  }
  return kept;
}

export function bearingNames(): string[] {
  const names = new Array<string>(4).fill("");
  ["N", "E", "S", "W"].forEach((name, i) => { names[i] = name; });
  return names;
}

export function visitCounts(ids: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

export function tally(view: { counts: Map<string, number> }, id: string): number {
  const { counts } = view;
  return counts.set(id, (counts.get(id) ?? 0) + 1).get(id)!;
}

export function blurred([lon, lat]: Point, radius: number, roll = Math.random()): Point {
  return [lon + radius * roll, lat];
}

export function placesFrom(file: string): Place[] {
  const parse = (text: string): Place[] => JSON.parse(text);
  return parse(readFileSync(file, "utf8"));
}

export function dayOfTrack(name: string): number {
  return Date.parse(`${name.slice(0, 10)}T00:00:00Z`);
}
