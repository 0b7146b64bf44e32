"""Warehouse stock keeping on top of sqlite."""
from __future__ import annotations

import csv
import io
import os
import sqlite3
import subprocess
import time
from collections import Counter, defaultdict
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from random import randint, sample
from typing import Callable, Iterator

COLUMNS = ("sku", "bin", "quantity")
REORDER = {"A": 40, "B": 15, "C": 5}

_pool: list[sqlite3.Connection] = []
_settings = {"unit": "piece", "strict": False}


class StockError(Exception):
    pass


@dataclass
class Bin:
    code: str
    stock: dict[str, int] = field(default_factory=dict)

    def put(self, sku: str, quantity: int) -> None:
        self.stock[sku] = self.stock.get(sku, 0) + quantity

    def take(self, sku: str, quantity: int) -> int:
        available = self.stock.get(sku, 0)
        if available < quantity:
            raise StockError(f"{self.code}: {available} of {sku}, wanted {quantity}")
        self.stock[sku] = available - quantity
        return quantity

    def can_take(self, sku: str, quantity: int) -> bool:
        trial = deepcopy(self)
        try:
            trial.take(sku, quantity)
        except StockError:
            return False
        return True

    def transfer(self, target: "Bin", sku: str, quantity: int) -> None:
        target.put(sku, self.take(sku, quantity))

    def rows(self) -> list[tuple[str, str, int]]:
        return [(sku, self.code, count) for sku, count in sorted(self.stock.items())]


@dataclass
class PickList:
    lines: list[tuple[str, int]] = field(default_factory=list)
    on_done: Callable[[int], None] | None = None

    def __len__(self) -> int:
        return len(self.lines)

    def __iadd__(self, line: tuple[str, int]) -> "PickList":
        self.lines.append(line)
        return self

    def __add__(self, other: "PickList") -> "PickList":
        return PickList(self.lines + other.lines, self.on_done)

    def pop_line(self) -> tuple[str, int]:
        return self.lines.pop()

    def finish(self) -> int:
        total = sum(quantity for _, quantity in self.lines)
        if self.on_done is not None:
            self.on_done(total)
        return total


def database_path() -> str:
    return os.environ.get("STOCK_DB", "/var/lib/stock/stock.db")


def connect() -> sqlite3.Connection:
    if _pool:
        return _pool.pop()
    return sqlite3.connect(database_path())


def release(connection: sqlite3.Connection) -> None:
    _pool.append(connection)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Cursor]:
    cursor = connection.cursor()
    try:
        yield cursor
        connection.commit()
    except Exception:
        connection.rollback()
        raise


def stock_of(connection: sqlite3.Connection, sku: str) -> int:
    row = connection.execute("SELECT SUM(quantity) FROM stock WHERE sku = ?", (sku,)).fetchone()
    return row[0] or 0


def shortage(connection: sqlite3.Connection, wanted: dict[str, int]) -> dict[str, int]:
    missing = {}
    for sku, quantity in wanted.items():
        gap = quantity - stock_of(connection, sku)
        if gap > 0:
            missing[sku] = gap
    return missing


def shortage_against(stock: dict[str, int], wanted: dict[str, int]) -> dict[str, int]:
    gap = Counter(wanted)
    gap.subtract(stock)
    return {sku: count for sku, count in gap.items() if count > 0}


def build_query(table: str, filters: dict[str, object]) -> tuple[str, list[object]]:
    clauses, values = [], []
    for column in sorted(filters):
        clauses.append(f"{column} = ?")
        values.append(filters[column])
    where = " WHERE " + " AND ".join(clauses) if clauses else ""
    return f"SELECT {', '.join(COLUMNS)} FROM {table}{where}", values


def make_filters(**options) -> dict[str, object]:
    limit = options.pop("limit", None)
    options.setdefault("active", True)
    if limit is not None:
        options["limit"] = int(limit)
    return options


def clean_filters(options: dict) -> dict:
    for name in ("page", "size"):
        options.pop(name, None)
    return options


def parse_delivery(text: str) -> list[dict[str, str]]:
    reader = csv.DictReader(io.StringIO(text), delimiter=";")
    return [dict(row) for row in reader if row.get("sku")]


def to_csv(rows: list[tuple]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow(row)
    return buffer.getvalue()


def export_bin(shelf: Bin, path: str) -> int:
    content = to_csv(shelf.rows())
    with open(path, "w", encoding="utf-8", newline="") as handle:
        return handle.write(content)


def print_label(shelf: Bin, copies: int) -> bool:
    command = ["lp", "-n", str(copies), f"/var/labels/{shelf.code}.pdf"]
    return subprocess.run(command, check=False).returncode == 0


def abc_class(turnover: int) -> str:
    if turnover >= 1000:
        return "A"
    return "B" if turnover >= 100 else "C"


def reorder_point(turnover: int, lead_days: int) -> int:
    return REORDER[abc_class(turnover)] + turnover * lead_days // 365


def configure(**options) -> None:
    _settings.update(options)


def describe_quantity(quantity: int) -> str:
    unit = _settings["unit"]
    return f"{quantity} {unit}" if quantity == 1 else f"{quantity} {unit}s"


def describe_shelf(shelf: Bin) -> str:
    parts = [f"{sku}: {describe_quantity(count)}" for sku, count, in shelf.stock.items()]
    return f"{shelf.code} [{'; '.join(parts)}]"


def with_defaults(record: dict) -> dict:
    result = dict(record)
    result.setdefault("quantity", 0)
    result["tags"] = sorted(result.get("tags", ()))
    return result


def tagged(record: dict, tag: str) -> dict:
    result = dict(record)
    result["tags"].append(tag)
    return result


def index_by_bin(rows: list[tuple[str, str, int]]) -> dict[str, list[str]]:
    index: defaultdict[str, list[str]] = defaultdict(list)
    for sku, code, _ in rows:
        index[code].append(sku)
    return dict(index)


def bin_for(index: defaultdict, code: str) -> list[str]:
    return index[code]


def apply_adjustments(stock: dict[str, int], changes: list[tuple[str, int]]) -> dict[str, int]:
    for sku, delta in changes:
        stock[sku] = stock.get(sku, 0) + delta
    return stock


def adjusted(stock: dict[str, int], changes: list[tuple[str, int]]) -> dict[str, int]:
    return apply_adjustments({**stock}, changes)


def extend_route(route: list[str], stops: list[str]) -> list[str]:
    route += stops
    return route


def joined_route(route: list[str], stops: list[str]) -> list[str]:
    route = route + stops
    route.append("dock")
    return route


def stock_take_sample(skus: list[str], share: float) -> list[str]:
    size = max(1, int(len(skus) * share))
    return sorted(sample(skus, size))


def count_plan(shelves: list[Bin], share: float) -> dict[str, list[str]]:
    return {shelf.code: stock_take_sample(sorted(shelf.stock), share) for shelf in shelves}


def parcel_number() -> str:
    return f"{int(time.time()):x}{randint(0, 0xFFFF):04x}"


def pack(lines: list[tuple[str, int]], limit: int) -> list[list[str]]:
    boxes: list[list[str]] = [[]]
    used = 0

    def place(sku: str, weight: int) -> None:
        nonlocal used
        if used + weight > limit and boxes[-1]:
            boxes.append([])
            used = 0
        boxes[-1].append(sku)
        used += weight

    for sku, weight in sorted(lines, key=lambda line: -line[1]):
        place(sku, weight)
    return boxes


def retag(shelf: Bin, **changes) -> Bin:
    for name, value in changes.items():
        setattr(shelf, name, value)
    return shelf


def partition(rows: list, predicate) -> tuple[list, list]:
    yes, no = [], []
    for row in rows:
        (yes if predicate(row) else no).append(row)
    return yes, no
