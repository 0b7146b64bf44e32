"""Text tools behind the `note` command line program."""
from __future__ import annotations

import os
import random
import re
import sys
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Iterator, Mapping

TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?)|(.))")
PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2}

_symbols: dict[str, int] = {}
_verbose = False


@dataclass
class Scanner:
    text: str
    pos: int = 0

    def peek(self) -> str:
        return self.text[self.pos] if self.pos < len(self.text) else ""

    def advance(self) -> str:
        char = self.peek()
        if char:
            self.pos += 1
        return char

    def take_until(self, stops: str) -> str:
        start = self.pos
        while self.peek() and self.peek() not in stops:
            self.advance()
        return self.text[start : self.pos]

    def location(self) -> tuple[int, int]:
        before = self.text[: self.pos]
        return before.count("\n") + 1, self.pos - (before.rfind("\n") + 1)


def read_pair(scanner: Scanner) -> tuple[str, str]:
    key = scanner.take_until("=")
    if scanner.advance() != "=":
        raise ValueError(f"expected '=' at {scanner.location()}")
    return key.strip(), scanner.take_until(";\n").strip()


def parse_pairs(text: str) -> dict[str, str]:
    scanner = Scanner(text)
    pairs = {}
    while scanner.peek():
        key, value = read_pair(scanner)
        pairs[key] = value
        scanner.advance()
    return pairs


def tokenize(expression: str) -> Iterator[str]:
    for match in TOKEN.finditer(expression.rstrip()):
        number, other = match.groups()
        yield number or other


def to_postfix(expression: str) -> list[str]:
    output: list[str] = []
    stack: list[str] = []
    for token in tokenize(expression):
        if token in PRECEDENCE:
            while stack and PRECEDENCE.get(stack[-1], 0) >= PRECEDENCE[token]:
                output.append(stack.pop())
            stack.append(token)
        elif token == "(":
            stack.append(token)
        elif token == ")":
            while stack[-1] != "(":
                output.append(stack.pop())
            stack.pop()
        else:
            output.append(token)
    return output + stack[::-1]


def reduce_stack(stack: list[float], operator: str) -> None:
    right = stack.pop()
    left = stack.pop()
    if operator == "+":
        stack.append(left + right)
    elif operator == "-":
        stack.append(left - right)
    elif operator == "*":
        stack.append(left * right)
    else:
        stack.append(left / right)


def evaluate(expression: str) -> float:
    stack: list[float] = []
    for token in to_postfix(expression):
        if token in PRECEDENCE:
            reduce_stack(stack, token)
        else:
            stack.append(float(token))
    return stack[0]


def parse_ini(text: str) -> dict[str, dict[str, str]]:
    sections: dict[str, dict[str, str]] = {"": {}}
    current = sections[""]
    for line in text.splitlines():
        line = line.split("#", 1)[0].strip()
        if line.startswith("[") and line.endswith("]"):
            current = sections.setdefault(line[1:-1].strip(), {})
        elif "=" in line:
            key, value = line.split("=", 1)
            current[key.strip()] = value.strip()
    return sections


def config_path() -> Path:
    base = os.environ.get("NOTE_CONFIG_DIR")
    return Path(base or "/etc/note") / "note.ini"


def load_settings() -> dict[str, dict[str, str]]:
    path = config_path()
    if not path.exists():
        return {"": {}}
    return parse_ini(path.read_text(encoding="utf-8"))


def expand(text: str, env: Mapping[str, str]) -> str:
    def lookup(match: re.Match) -> str:
        return env.get(match.group(1), match.group(0))

    return re.sub(r"\$\{(\w+)\}", lookup, text)


def expand_setting(text: str) -> str:
    return expand(text, os.environ)


def drop_blank(lines: list[str]) -> list[str]:
    lines[:] = [line for line in lines if line.strip()]
    return lines


def wrap(text: str, width: int) -> list[str]:
    lines, current = [], ""
    for word in text.split():
        if current and len(current) + 1 + len(word) > width:
            lines.append(current)
            current = word
        else:
            current = f"{current} {word}" if current else word
    if current:
        lines.append(current)
    return lines


def slugify(title: str, limit: int = 60) -> str:
    cleaned = re.sub(r"[^a-z0-9]+", "-", title.lower())
    return cleaned.strip("-")[:limit].rstrip("-")


def unique_slugs(titles: list[str]) -> list[str]:
    used: dict[str, int] = {}
    slugs = []
    for title in titles:
        slug = slugify(title)
        used[slug] = used.get(slug, 0) + 1
        slugs.append(slug if used[slug] == 1 else f"{slug}-{used[slug]}")
    return slugs


def column_widths(rows: list[list[str]]) -> list[int]:
    return [max(len(cell) for cell in column) for column in zip(*rows)]


def pad_rows(rows: list[list[str]]) -> list[list[str]]:
    width = max((len(row) for row in rows), default=0)
    padded = list(rows)
    for row in padded:
        row.extend([""] * (width - len(row)))
    return padded


def format_table(rows: list[list[str]]) -> str:
    squared = pad_rows([list(row) for row in rows])
    widths = column_widths(squared)
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(row, widths)) for row in squared)


def print_table(rows: list[list[str]]) -> None:
    print(format_table(rows))


def complain(message: str) -> None:
    sys.stderr.write(f"note: {message}\n")


def coerce(key: str, value: str):
    if value in ("yes", "no"):
        return value == "yes"
    if value.isdigit():
        return int(value)
    if not value:
        complain(f"option {key} has no value")
    return value


def coerce_all(options: dict[str, str]) -> dict:
    return {key: coerce(key, value) for key, value in options.items()}


def set_verbose(flag: bool) -> None:
    global _verbose
    _verbose = flag


def describe(path: str, size: int) -> str:
    if _verbose:
        return f"{path} ({size} bytes)"
    return path.rsplit("/", 1)[-1]


def intern_symbol(name: str) -> int:
    return _symbols.setdefault(name, len(_symbols))


def map_lines(text: str, convert) -> str:
    return "\n".join([convert(line) for line in text.splitlines()])


def indent(text: str, depth: int) -> str:
    return map_lines(text, lambda line: "    " * depth + line)


def chunks(items: list, size: int) -> Iterator[list]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def parse_day(value: str) -> date:
    if value == "today":
        return date.today()
    if value == "yesterday":
        return date.today() - timedelta(days=1)
    return date.fromisoformat(value)


def parse_range(value: str) -> tuple[date, date]:
    first, _, last = value.partition("..")
    start = parse_day(first)
    return start, parse_day(last) if last else start


def sample_lines(text: str, count: int) -> list[str]:
    lines = text.splitlines()
    random.shuffle(lines)
    return lines[:count]


def take_flag(argv: list[str], flag: str) -> bool:
    if flag in argv:
        argv.remove(flag)
        return True
    return False


def collect_tags(text: str, tags: set[str] | None = None) -> set[str]:
    if tags is None:
        tags = set()
    for match in re.finditer(r"#(\w+)", text):
        tags.add(match.group(1))
    return tags


def note_tags(notes: list[str]) -> list[str]:
    found: set[str] = set()
    for note in notes:
        collect_tags(note, found)
    return sorted(found)
