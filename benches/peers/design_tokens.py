#!/usr/bin/env python3
"""Compares the verdicts of aidd on design tokens with those of Terrazzo and Style Dictionary.

The documents are in validators/src/tokens/cases.txt; each follows or breaks a sentence of the
specification. A tool rejects a document if it reports an error or a warning; for aidd, any
finding that is not on style counts. Also prints the CPU seconds and the memory for one good
document.

    cargo build --release && benches/peers/design_tokens.py [--list]
"""

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
SCRATCH = pathlib.Path(os.environ.get("AIDD_PEERS", pathlib.Path(tempfile.gettempdir()) / "aidd-peers")) / "tokens"
PACKAGES = ["@terrazzo/cli@2.7.1", "style-dictionary@5.5.5"]
RUNS = 5
# Rules on style, which do not reject a document.
NOTES = "tokens/deprecated-reference,tokens/duplicate-value,tokens/similar-name"


def cases():
    text = (ROOT / "validators/src/tokens/cases.txt").read_text()
    for part in text.split("\n=== ")[1:]:
        header, document = part.split("\n", 1)
        kind, name = re.match(r"(good|bad) ([\w-]+)", header).groups()
        yield kind, name, document


def install():
    tools = SCRATCH / "npm"
    if not (tools / "node_modules/.bin/tz").exists() and shutil.which("npm"):
        tools.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--prefix", tools, *PACKAGES], capture_output=True)
    return tools / "node_modules/.bin"


def run(command, folder):
    """CPU seconds, peak memory in MiB, and the result of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    memory = folder / "rss"
    done = subprocess.run(
        ["/usr/bin/env", "time", "-f", "%M", "-o", memory, *command], cwd=folder, capture_output=True, text=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return used, int(memory.read_text().split()[-1]) / 1024, done


def write(document, is_resolver):
    folder = SCRATCH / "case"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    name = "a.resolver.json" if is_resolver else "a.tokens.json"
    (folder / name).write_text(document)
    (folder / "terrazzo.config.mjs").write_text(
        f'export default {{ tokens: ["./{name}"], outDir: "./out/", plugins: [] }};\n'
    )
    platform = {"css": {"transformGroup": "css", "buildPath": "out/", "files": [{"destination": "a.css", "format": "css/variables"}]}}
    # With this file next to the document, aidd would check the document as one of Style Dictionary.
    (SCRATCH / "sd.json").write_text(json.dumps({"source": [name], "platforms": platform}))
    return folder, name


def main():
    binaries = install()
    tools = {"aidd": lambda name: [AIDD, "check", name, "--only", "tokens/*", "--skip", NOTES, "--no-baseline", "--fail-on", "info", "-q"]}
    if (binaries / "tz").exists():
        tools["Terrazzo 2.7.1"] = lambda _: [binaries / "tz", "check"]
        tools["Style Dictionary 5.5.5"] = lambda _: [binaries / "style-dictionary", "build", "--config", "../sd.json"]
    counts = {tool: {"bad": 0, "good": 0} for tool in tools}
    totals = {"bad": 0, "good": 0}
    for kind, name, document in cases():
        totals[kind] += 1
        folder, path = write(document, "resolver" in name)
        for tool, command in tools.items():
            _, _, done = run(command(path), folder)
            output = done.stdout + done.stderr
            is_rejected = done.returncode != 0 or tool.startswith("Terrazzo") and bool(re.search(r"✗|⚠|warn", output))
            is_right = is_rejected == (kind == "bad")
            counts[tool][kind] += is_right
            if not is_right and "--list" in sys.argv:
                print(f"{tool}: {kind} {name}")
    document = next(document for kind, name, document in cases() if name == "all-types")
    folder, path = write(document, False)
    print("| Tool | Bad documents rejected | Good documents accepted | One document: CPU s | MiB |\n|---|---|---|---|---|")
    for tool, command in tools.items():
        samples = [run(command(path), folder)[:2] for _ in range(RUNS + 1)][1:]
        used, memory = (sorted(column)[RUNS // 2] for column in zip(*samples))
        right = counts[tool]
        print(f"| {tool} | {right['bad']} of {totals['bad']} | {right['good']} of {totals['good']} | {used:.2f} | {memory:.0f} |")


main()
