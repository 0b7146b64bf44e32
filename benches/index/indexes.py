"""Builds the index of a tool and reads its symbols and calls from its database."""

import dataclasses
import os
import pathlib
import resource
import shutil
import sqlite3
import subprocess
import sys

# No daemon, no telemetry, no question about a newer version.
QUIET = {"DO_NOT_TRACK": "1", "CODEGRAPH_TELEMETRY": "0", "CODEGRAPH_NO_DAEMON": "1", "CODEGRAPH_NO_UPDATE_CHECK": "1"}


@dataclasses.dataclass(frozen=True)
class Symbol:
    """A symbol of a tool: lines are 1-based."""

    id: object
    file: str
    name: str
    kind: str
    first: int
    last: int


@dataclasses.dataclass(frozen=True)
class Call:
    """A call of a tool: `source` is None at module level."""

    file: str
    line: int
    source: Symbol | None
    target: Symbol


def measured(command, cwd):
    """`(CPU seconds, resident MB, output)` of a command and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, **QUIET}
    rss = pathlib.Path(cwd) / ".git" / "bench-rss" if (pathlib.Path(cwd) / ".git").is_dir() else None
    prefix = ["time", "-f", "%M", "-o", rss] if rss else []
    done = subprocess.run(["/usr/bin/env", *prefix, *command], cwd=cwd, env=environment, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}: {done.stderr[-600:]}{done.stdout[-400:]}")
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    resident = int(rss.read_text().split()[-1]) / 1024 if rss else 0.0
    return used, resident, done.stdout


def read_only(path):
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)


class Aidd:
    name = "aidd"
    functions = {"function", "method", "class", "struct", "interface", "enum", "trait", "type", "macro", "module"}

    def __init__(self, program):
        self.program = program

    def database(self, root):
        return root / ".aidd/data.index.db"

    def build(self, root):
        for file in (root / ".aidd").glob("data.index.db*"):
            file.unlink()
        return measured([self.program, "index"], root)[:2]

    def update(self, root):
        return measured([self.program, "index"], root)[:2]

    def ask(self, root, name):
        return measured([self.program, "index", "callers", name], root)[:2]

    def read(self, root):
        database = read_only(self.database(root))
        rows = database.execute(
            "SELECT s.id, f.path, s.name, s.kind, s.start_line, s.end_line FROM symbols s JOIN files f ON f.id = s.file"
        )
        symbols = {row[0]: Symbol(*row) for row in rows}
        rows = database.execute(
            "SELECT f.path, r.line, r.source, r.target FROM refs r JOIN files f ON f.id = r.file"
            " WHERE r.kind IN ('call', 'new') AND r.certainty = 'proved' AND r.target IS NOT NULL"
        )
        calls = [Call(path, line, symbols.get(source), symbols[target]) for path, line, source, target in rows]
        return list(symbols.values()), calls


class Codegraph:
    name = "codegraph"
    functions = {"function", "method", "class", "struct", "interface", "enum", "trait", "type_alias", "component"}

    def __init__(self, program):
        self.program = program

    def database(self, root):
        return root / ".codegraph/codegraph.db"

    def build(self, root):
        shutil.rmtree(root / ".codegraph", ignore_errors=True)
        return measured([self.program, "init", "."], root)[:2]

    def update(self, root):
        return measured([self.program, "sync", "."], root)[:2]

    def ask(self, root, name):
        return measured([self.program, "callers", name], root)[:2]

    def read(self, root):
        database = read_only(self.database(root))
        symbols = {}
        for row in database.execute("SELECT id, file_path, name, kind, start_line, end_line FROM nodes"):
            symbols[row[0]] = Symbol(*row)
        calls = []
        rows = database.execute("SELECT source, target, line FROM edges WHERE kind IN ('calls', 'instantiates')")
        for source, target, line in rows:
            caller, callee = symbols.get(source), symbols.get(target)
            if caller and callee and callee.kind != "file":
                calls.append(Call(caller.file, line or 0, None if caller.kind == "file" else caller, callee))
        return list(symbols.values()), calls


def database_size(tool, root):
    """Megabytes of the database with its journals."""
    path = tool.database(root)
    return sum(file.stat().st_size for file in path.parent.glob(path.name + "*")) / 1e6


def copied(repository, scratch, name):
    """A copy of the repository that is a Git repository, so that its ignore files are applied."""
    root = scratch / name
    if not root.exists():
        root.parent.mkdir(parents=True, exist_ok=True)
        ignored = shutil.ignore_patterns("node_modules", ".git", ".codegraph", "data.index.db*")
        shutil.copytree(repository, root, symlinks=True, ignore=ignored)
        subprocess.run(["git", "init", "-q", "."], cwd=root, check=True)
    return root


def tools(names, environment=os.environ):
    """The tools: aidd by AIDD or below target/, codegraph by CODEGRAPH."""
    found = []
    if "aidd" in names:
        default = pathlib.Path(__file__).resolve().parents[2] / "target/release/aidd"
        program = pathlib.Path(environment.get("AIDD", default))
        if not program.exists():
            sys.exit(f"{program} does not exist; set AIDD")
        found.append(Aidd(program))
    if "codegraph" in names:
        program = environment.get("CODEGRAPH") or shutil.which("codegraph")
        if not program:
            sys.exit("install @colbymchenry/codegraph from npm and set CODEGRAPH")
        found.append(Codegraph(program))
    return found
