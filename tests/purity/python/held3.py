"""Telemetry series, dependency graphs and a small grid simulation."""
from __future__ import annotations

import asyncio
import math
import os
import random
import time
from array import array
from collections import deque
from dataclasses import dataclass, field
from functools import partial, reduce
from itertools import accumulate, groupby
from operator import attrgetter

LEVELS = {"info": 0, "warn": 1, "fail": 2}

totals = {"samples": 0, "dropped": 0}
_memo: dict[tuple[int, int], int] = {}


@dataclass(order=True)
class Sample:
    at: int
    value: float
    level: str = "info"

    def scaled(self, factor: float) -> "Sample":
        copy = Sample(self.at, self.value, self.level)
        copy.value *= factor
        return copy

    def clamp(self, low: float, high: float) -> "Sample":
        self.value = min(high, max(low, self.value))
        return self


@dataclass
class Series:
    samples: list[Sample] = field(default_factory=list)
    window: deque = field(default_factory=deque)

    @property
    def mean(self) -> float:
        values = [sample.value for sample in self.samples]
        return sum(values) / len(values) if values else math.nan

    @property
    def last(self) -> Sample | None:
        if self.samples and len(self.window) < 8:
            self.window.append(self.samples[-1])
        return self.samples[-1] if self.samples else None

    def clamped(self, low: float, high: float) -> list[Sample]:
        return [sample.clamp(low, high) for sample in self.samples]

    def rescaled(self, factor: float) -> "Series":
        return Series([sample.scaled(factor) for sample in self.samples])

    def record(self, value: float) -> None:
        self.samples.append(Sample(int(time.monotonic() * 1000), value))
        totals["samples"] += 1

    def drain(self):
        while self.samples:
            yield self.samples.pop(0)


def moving_average(values: list[float], width: int) -> list[float]:
    window: deque[float] = deque(maxlen=width)
    smoothed = []
    for value in values:
        window.append(value)
        smoothed.append(sum(window) / len(window))
    return smoothed


def quantile(values: list[float], share: float) -> float:
    values.sort()
    return values[min(len(values) - 1, int(share * len(values)))]


def spread(values: list[float]) -> float:
    return quantile(values, 0.9) - quantile(values, 0.1)


def robust_spread(values: list[float]) -> float:
    return spread(values[:])


def level_counts(samples: list[Sample]) -> dict[str, int]:
    ordered = sorted(samples, key=attrgetter("level"))
    return {level: len(list(group)) for level, group in groupby(ordered, attrgetter("level"))}


def worst(samples: list[Sample]) -> str:
    return reduce(lambda a, b: a if LEVELS[a] >= LEVELS[b] else b, (s.level for s in samples), "info")


def drop_rate() -> float:
    return totals["dropped"] / totals["samples"] if totals["samples"] else 0.0


def health(samples: list[Sample]) -> str:
    if drop_rate() > 0.05:
        return "warn"
    return worst(samples)


def topological(edges: dict[str, list[str]]) -> list[str]:
    order: list[str] = []
    state: dict[str, int] = {}

    def visit(node: str) -> None:
        if state.get(node) == 1:
            raise ValueError(f"cycle through {node}")
        if node in state:
            return
        state[node] = 1
        for target in sorted(edges.get(node, ())):
            visit(target)
        state[node] = 2
        order.append(node)

    for node in sorted(edges):
        visit(node)
    return order


def reachable(edges: dict[str, list[str]], start: str, seen: set[str] = set()) -> set[str]:
    if start not in seen:
        seen.add(start)
        for target in edges.get(start, ()):
            reachable(edges, target, seen)
    return seen


def invert(edges: dict[str, list[str]]) -> dict[str, list[str]]:
    result: dict[str, list[str]] = {node: [] for node in edges}
    for node, targets in edges.items():
        for target in targets:
            result.setdefault(target, []).append(node)
    return result


def grid_paths(width: int, height: int) -> int:
    if width == 1 or height == 1:
        return 1
    key = (width, height)
    if key not in _memo:
        _memo[key] = grid_paths(width - 1, height) + grid_paths(width, height - 1)
    return _memo[key]


def step(grid: list[list[int]]) -> list[list[int]]:
    rows, columns = len(grid), len(grid[0])
    following = [[0] * columns for _ in range(rows)]
    for y in range(rows):
        for x in range(columns):
            near = [grid[(y + j) % rows][(x + i) % columns] for j in (-1, 0, 1) for i in (-1, 0, 1)]
            alive = sum(near) - grid[y][x]
            following[y][x] = int(alive == 3 or (alive == 2 and grid[y][x] == 1))
    return following


def seed_cells(grid: list[list[int]], density: float) -> list[list[int]]:
    for row in grid:
        for x in range(len(row)):
            row[x] = int(random.random() < density)
    return grid


def fresh_grid(width: int, height: int, density: float) -> list[list[int]]:
    return seed_cells([[0] * width for _ in range(height)], density)


def checksum(buffer: bytearray) -> int:
    total = 0
    for byte in buffer:
        total = (total * 31 + byte) & 0xFFFF
    return total


def seal(buffer: bytearray) -> int:
    value = checksum(buffer)
    buffer.extend(value.to_bytes(2, "big"))
    return value


def pack_values(values: list[float]) -> bytes:
    packed = array("d")
    packed.extend(values)
    packed.byteswap()
    return packed.tobytes()


def take_header(lines) -> str:
    header = next(lines, "")
    return header.strip().lower()


def log_path(name: str) -> str:
    return os.path.join(os.environ["TELEMETRY_DIR"], f"{name}.log")


def append_log(name: str, samples: list[Sample]) -> None:
    with open(log_path(name), "a", encoding="utf-8") as handle:
        for sample in samples:
            handle.write(f"{sample.at} {sample.value:.3f} {sample.level}\n")


def timed(task) -> tuple[float, object]:
    started = time.perf_counter()
    outcome = task()
    return time.perf_counter() - started, outcome


def compose(value, *stages):
    for stage in stages:
        value = stage(value)
    return value


def normalised(values: list[float]) -> list[float]:
    peak = max(map(abs, values), default=1.0) or 1.0
    scale = partial(lambda factor, value: value / factor, peak)
    return [scale(value) for value in values]


def trend(values: list[float]) -> str:
    sums = list(accumulate(values))
    half = sums[len(sums) // 2] if sums else 0.0
    return "rising" if sums and sums[-1] - half > half else "steady"


async def poll(host: str, port: int) -> str:
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(b"STATUS\n")
    line = await reader.readline()
    writer.close()
    return line.decode().strip()


async def poll_all(hosts: list[str]) -> list[str]:
    return list(await asyncio.gather(*(poll(host, 7070) for host in hosts)))
