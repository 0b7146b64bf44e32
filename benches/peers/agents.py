#!/usr/bin/env python3
"""Compares aidd with agnix on files that steer agents.

Recall: the projects of validators/src/agents/defects.txt, each with one defect. A tool finds a
defect if it reports something that it does not report on the project without defects; for aidd, with
the rule of the defect. The count for agnix is an upper limit, because any new finding counts.

Cost: CPU seconds (user + system) and memory on one small file and on the given repositories, aidd
with its rules on agent files. Also prints the age of the lists of vendors.

    cargo build --release && benches/peers/agents.py [--misses] [REPOSITORY ...]
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
AIDD = pathlib.Path(os.environ.get("AIDD", ROOT / "target/release/aidd")).resolve()
SCRATCH = pathlib.Path(os.environ.get("AIDD_PEERS", pathlib.Path(tempfile.gettempdir()) / "aidd-peers")) / "agents"
AGNIX = "agnix==0.59.3"
AGENTS = ROOT / "validators/src/agents"
RUNS = 3


def sections():
    """The base and the defects: header, files, paths of the history, removed paths."""
    for section in ("\n" + AGENTS.joinpath("defects.txt").read_text()).split("\n=== ")[1:]:
        header, *parts = section.split("\n--- ")
        files, past, absent = {}, [], []
        for part in parts:
            name, _, text = part.partition("\n")
            match name.split(" "):
                case ["past", path]:
                    past.append(path)
                case [path, "absent"]:
                    absent.append(path)
                case [path, *times]:
                    count = int(times[0].removeprefix("times=")) if times else 1
                    # The mark keeps scanners from reporting the invented key.
                    files[path] = (text.rstrip("\n") + "\n").replace("\u2040", "") * count
        yield header, files, past, absent


def write(folder, files, past):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)

    def git(*arguments):
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
        subprocess.run(["git", *identity, *arguments], cwd=folder, capture_output=True, check=True)

    git("init", "-q")
    for texts in ({path: "" for path in past}, files):
        for path, text in texts.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        git("add", "-A", "-f")
        git("commit", "-q", "--allow-empty", "-m", "files")
        for path in past if texts is not files else []:
            (folder / path).unlink()


def run(command, folder):
    """CPU seconds, peak memory in MiB, and the result of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    memory = SCRATCH / "rss"
    done = subprocess.run(
        ["/usr/bin/env", "time", "-f", "%M", "-o", memory, *command], cwd=folder, capture_output=True, text=True, errors="replace"
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return used, int(memory.read_text().split()[-1]) / 1024, done


def aidd(folder, *paths, rules="agents/*"):
    only = ["--only", rules, "--no-baseline", "--fail-on", "never"]
    return run([AIDD, "check", *paths, *only, "--format", "concise", "--all"], folder)


def aidd_findings(folder):
    done = aidd(folder, rules="agents/*,secrets/*")[2]
    return {line for line in done.stdout.splitlines() if re.search(r": (error|warning|info)\[", line)}


def agnix_findings(program, folder):
    done = run([program, "--format", "json", "."], folder)[2]
    found = json.loads(done.stdout or "{}").get("diagnostics", [])
    return {f"{it['rule']} {it['file']} {it['message']}" for it in found}


def install():
    """agnix from the registry of Python packages; None if that fails."""
    folder = SCRATCH / "venv"
    if not (folder / "bin/agnix").exists():
        subprocess.run([sys.executable, "-m", "venv", folder], capture_output=True)
        subprocess.run([folder / "bin/pip", "install", "-q", AGNIX], capture_output=True)
    return folder / "bin/agnix" if (folder / "bin/agnix").exists() else None


def recall(agnix, show_misses):
    (_, base, _, _), *defects = sections()
    folder = SCRATCH / "project"
    write(folder, base, [])
    clean = aidd_findings(folder)
    clean_agnix = agnix_findings(agnix, folder) if agnix else set()
    counts = {"peers": [0, 0, 0], "own": [0, 0, 0]}
    for header, files, past, absent in defects:
        kind, rule, _ = re.split("[ :]", header, maxsplit=2)
        whole = {path: text for path, text in (base | files).items() if path not in absent}
        write(folder, whole, past)
        count = counts[kind]
        count[0] += 1
        found = any(f"[{rule}" in line for line in aidd_findings(folder) - clean)
        count[1] += found
        if not found and show_misses:
            print("missed:", header)
        count[2] += bool(agnix and agnix_findings(agnix, folder) - clean_agnix)
    print("| Defects | aidd | agnix 0.59.3 (upper limit) |\n|---|---|---|")
    for kind, (total, own, other) in counts.items():
        print(f"| {kind}, {total} | {own} | {other} |")
    print(f"| project without defects: findings | {len(clean)} | {len(clean_agnix)} |")


def cost(agnix, repositories):
    print("\n| Checked | aidd: CPU s | MiB | agnix: CPU s | MiB |\n|---|---|---|---|---|")
    folder = SCRATCH / "one"
    write(folder, {"AGENTS.md": "# Shop\n\nRun `npm test`.\n"}, [])
    for name, path, arguments in [("one file", folder, ["AGENTS.md"]), *((it.name, it, []) for it in repositories)]:
        row = [name]
        tools = [lambda: aidd(path, *arguments)]
        if agnix:
            tools.append(lambda: run([agnix, *(arguments or ["."])], path))
        for tool in tools:
            tool()
            used, memory, _ = sorted((tool() for _ in range(RUNS)), key=lambda it: it[0])[RUNS // 2]
            row += [f"{used:.3f}", f"{memory:.0f}"]
        print("| " + " | ".join(row) + " |")
    print("load average:", os.getloadavg())


def ages():
    today = datetime.date.today()
    lists = re.findall(r"^\[(\S+) (\S+) (\S+) \S+\]$", AGENTS.joinpath("vendors.txt").read_text(), re.M)
    old = [f"{client} {name} ({read})" for client, name, read in lists if (today - datetime.date.fromisoformat(read)).days > 60]
    print(f"\n{len(lists)} lists of vendors; older than 60 days: {', '.join(old) or 'none'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--misses", action="store_true", help="list the defects that aidd does not find")
    parser.add_argument("repositories", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    SCRATCH.mkdir(parents=True, exist_ok=True)
    agnix = install()
    recall(agnix, arguments.misses)
    cost(agnix, [it.resolve() for it in arguments.repositories])
    ages()


if __name__ == "__main__":
    main()
