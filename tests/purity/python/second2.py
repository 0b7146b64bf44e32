"""Dependency resolution for a small package manager."""
from __future__ import annotations

import hashlib
import sys
import time
import uuid
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

_pending: deque[str] = deque(["setup"])


@dataclass(order=True, frozen=True)
class Version:
    major: int
    minor: int = 0
    patch: int = 0

    @classmethod
    def parse(cls, text: str) -> Version:
        parts = text.strip().lstrip("v").split(".")
        numbers = []
        while parts and parts[0].isdigit():
            numbers.append(int(parts.pop(0)))
        return cls(*numbers[:3])


@dataclass
class Constraint:
    clauses: list[tuple[str, Version]] = field(default_factory=list)

    def __and__(self, other: Constraint) -> Constraint:
        joined = Constraint()
        joined.clauses.extend(self.clauses)
        joined.clauses.extend(other.clauses)
        return joined

    def __neg__(self) -> Constraint:
        flip = {">=": "<", "<": ">="}
        clauses = self.clauses
        for i, (op, version) in enumerate(clauses):
            clauses[i] = (flip.get(op, op), version)
        return self

    def allows(self, version: Version) -> bool:
        checks = {">=": lambda v: version >= v, "<": lambda v: version < v}
        return all(checks[op](bound) for op, bound in self.clauses)


class SpecTable(dict):
    def __missing__(self, name: str) -> Constraint:
        self[name] = Constraint()
        return self[name]


class Index:
    hits = 0

    @property
    def url(self) -> str:
        type(self).hits += 1
        return "https://index.invalid/simple"


@dataclass
class Transaction:
    depth: int = 0
    steps: list[str] = field(default_factory=list)

    def __enter__(self) -> Transaction:
        self.depth += 1
        return self

    def __exit__(self, *exc) -> bool:
        self.depth -= 1
        return False


def stage(tx: Transaction, names: Sequence[str]) -> int:
    with tx as open_tx:
        done = open_tx.steps
        done.extend(names)
    return len(names)


def requirements_of(manifest: dict[str, list[str]], name: str) -> list[str]:
    return manifest.setdefault(name.lower(), [])


def requirements_in(manifest: dict[str, list[str]], name: str) -> list[str]:
    return manifest.get(name.lower(), [])[:]


def dependents(graph: defaultdict[str, set[str]], name: str) -> list[str]:
    return sorted(graph[name])


def install_order(graph: dict[str, list[str]]) -> list[str]:
    order: list[str] = []
    seen: set[str] = set()

    def visit(name: str) -> None:
        if name in seen:
            return
        seen.add(name)
        for dep in graph.get(name, []):
            visit(dep)
        order.append(name)

    for root in graph:
        visit(root)
    return order


def conflict_count(pairs: Sequence[tuple[str, str]]) -> int:
    count = 0

    def check(left: str, right: str) -> None:
        nonlocal count
        if left != right:
            count += 1

    for pair in pairs:
        check(*pair)
    return count


def make_numberer(prefix: str):
    last = 0

    def number() -> str:
        nonlocal last
        last += 1
        return f"{prefix}{last}"

    return number


def has_marker(rows: Iterator[str]) -> bool:
    return any(";" in row for row in rows)


def paired(fields: Sequence[str]) -> list[tuple[str, str]]:
    walker = iter(fields)
    return list(zip(walker, walker))


def merge_extras(base: set[str], extra: set[str]) -> set[str]:
    base |= {name.lower() for name in extra}
    return base


def merged_markers(base: tuple[str, ...], extra: tuple[str, ...]) -> tuple[str, ...]:
    base += tuple(sorted(extra))
    return base


def lock_digest(lock: dict[str, str]) -> str:
    digest = hashlib.sha256()
    for name in sorted(lock):
        digest.update(f"{name}=={lock[name]}\n".encode())
    return digest.hexdigest()


def lock_header(lock: dict[str, str]) -> str:
    return f"# {len(lock)} packages, locked {time.strftime('%Y-%m-%d')}"


def build_ident(name: str) -> str:
    return f"{name}-{uuid.uuid4().hex[:8]}"


def stable_ident(name: str, version: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{name}@{version}"))


def pending_names():
    while _pending:
        yield _pending.popleft()


def deprecation(message: str) -> str:
    if message in deprecation.seen:
        return ""
    deprecation.seen.add(message)
    return f"deprecated: {message}"


deprecation.seen = set()


@lru_cache(maxsize=256)
def split_requirement(text: str) -> tuple[str, str]:
    name, _, bound = text.partition(">=")
    return name.strip(), bound.strip()


def lock_path(root: str) -> Path:
    return (Path(root) / "project").with_suffix(".lock")


def locked_lines(root: str) -> list[str]:
    return lock_path(root).read_text().splitlines() if root else []


def summary(lock: dict[str, str], verbose: bool = False) -> str:
    tool = sys.argv[0] if verbose else "pkg"
    return f"{tool}: {len(lock)} locked"
