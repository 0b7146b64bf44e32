#!/usr/bin/env python3
"""Compares the verdicts of aidd on Mermaid diagrams with those of Mermaid itself.

The diagrams come from the sources in the cargo registry (files, Markdown fences, and the test cases
of crates for Mermaid, most of which repeat Mermaid's own demos and specifications) and from the npm
package of Mermaid's examples. A second set is generated from the valid diagrams by seeded mutations: a
character, word or line is deleted, duplicated, swapped or inserted.

    cargo build --release && benches/peers/mermaid.py [--list]
"""

import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict

HERE = pathlib.Path(__file__).resolve().parent
AIDD = pathlib.Path(os.environ.get("AIDD", HERE.parent.parent / "target/release/aidd"))
SCRATCH = pathlib.Path(os.environ.get("AIDD_PEERS", pathlib.Path(tempfile.gettempdir()) / "aidd-peers")) / "mermaid"
# Findings that mean: Mermaid would not render this.
REFUSALS = {"syntax", "unknown-diagram-type", "late-front-matter", "invalid-config"}
WORDS = (
    "flowchart graph sequenceDiagram classDiagram stateDiagram erDiagram gantt journey pie quadrantChart xychart "
    "requirementDiagram requirement C4 gitGraph mindmap timeline sankey packet block architecture radar treemap "
    "kanban venn wardley treeView ishikawa eventmodeling swimlane railroad cynefin info"
).split()
HEADER = re.compile(r"(?:---[\s\S]*?\n---\s*\n|%%[^\n]*\n|\s)*(?:" + "|".join(WORDS) + r")")
JUNK = list("()[]{}:;,\"'<>-=|%#@&.`~^*+/\\") + ["-->", "end", "::", "->", "%%", "  ", "\n", "1", "é", "subgraph x\n"]


def unescape(text):
    text = re.sub(r"\\\n\s*", "", text)
    text = re.sub(r"\\u\{([0-9a-fA-F]+)\}", lambda found: chr(int(found[1], 16)), text)
    for escaped, plain in (("\\n", "\n"), ("\\t", "\t"), ("\\r", "\r"), ('\\"', '"'), ("\\\\", "\\")):
        text = text.replace(escaped, plain)
    return text


def fences(text):
    for found in re.finditer(r"^( *)(`{3,}|~{3,}) *\{?mermaid[^\n]*\n([\s\S]*?)^\1\2", text, re.M):
        indent = len(found[1])
        yield "\n".join(line[indent:] if not line[:indent].strip() else line for line in found[3].split("\n"))


def texts(path):
    """The possible diagrams in a file."""
    suffix = path.suffix.lower()
    if suffix in (".mmd", ".mermaid", ".md") or (suffix in (".rs", ".mjs") and re.search("merm|mmdflux|selkie", str(path))):
        try:
            text = path.read_bytes().decode()
        except UnicodeDecodeError:
            return
        if suffix in (".mmd", ".mermaid"):
            yield text
        elif suffix == ".md":
            yield from fences(text)
        elif suffix == ".rs":
            yield from (found[2] for found in re.finditer(r'r(#*)"([\s\S]*?)"\1', text))
            for found in re.finditer(r'(?<![r#\\\'])"((?:[^"\\]|\\[\s\S])*)"', text):
                # A format string with placeholders is not a diagram.
                if "\\n" in found[1] and not re.search(r"\{\w*\}", found[1]):
                    yield unescape(found[1])
        else:
            for found in re.finditer(r"`((?:[^`\\]|\\[\s\S])*)`", text):
                if "${" not in found[1]:
                    yield unescape(found[1].replace("\\`", "`"))


def gather(folders):
    found = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.stat().st_size < 3_000_000:
                for text in texts(path):
                    if HEADER.match(text) and "\n" in text.strip() and len(text) < 50_000:
                        found.setdefault(text, None)
    return list(found)


def damaged(text, rng):
    lines, words, kind = text.split("\n"), list(re.finditer(r"\S+", text)), rng.random()
    if kind < 0.2 and len(lines) > 2:
        del lines[rng.randrange(1, len(lines))]
        return "\n".join(lines)
    at = rng.randrange(len(text))
    if kind < 0.45:
        return text[:at] + text[at + 1 :]
    if kind < 0.75:
        return text[:at] + rng.choice(JUNK) + text[at:]
    if kind < 0.85 and len(lines) > 2:
        line = rng.randrange(1, len(lines))
        return "\n".join(lines[: line + 1] + lines[line:])
    one, other = sorted(rng.sample(range(len(words)), 2)) if len(words) > 1 else (0, 0)
    if kind < 0.93 or one == other:
        return text[: words[one].start()] + text[words[one].end() :]
    a, b = words[one], words[other]
    return text[: a.start()] + b[0] + text[a.end() : b.start()] + a[0] + text[b.end() :]


def reference(name, diagrams):
    """The verdicts of Mermaid, and the CPU seconds it used."""
    given, answer = SCRATCH / f"{name}.json", SCRATCH / f"{name}.verdicts.json"
    given.write_text(json.dumps(diagrams))
    subprocess.run(["node", HERE / "mermaid.mjs", given, answer], cwd=SCRATCH / "npm", check=True)
    result = json.loads(answer.read_text())
    return result["verdicts"], result["seconds"]


def ours(name, diagrams):
    """The diagrams that aidd rejects: index to finding."""
    folder = SCRATCH / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for index, text in enumerate(diagrams):
        # MultiMarkdown files also have the extension `mmd`, and are not checked.
        (folder / f"{index}.mermaid").write_bytes(text.encode())
    command = [AIDD, "check", ".", "--only", "mermaid/*", "--format", "json", "--no-baseline", "--no-ignore"]
    done = subprocess.run([*command, "--fail-on", "never"], cwd=folder, capture_output=True, text=True)
    refused = {}
    for finding in json.loads(done.stdout)["findings"]:
        kind, rule = finding["rule"].split("/")
        if kind == "mermaid" and rule in REFUSALS:
            refused.setdefault(int(finding["path"].removesuffix(".mermaid")), finding)
    return refused


def compare(name, diagrams, verdicts, listed):
    refused = ours(name, diagrams)
    counts = defaultdict(lambda: [0, 0, 0, 0])
    for index, verdict in enumerate(verdicts):
        count = counts[verdict.get("type", "refused")]
        if verdict["ok"]:
            count[0] += 1
            count[1] += index not in refused
            if listed and index in refused:
                print(f"{name}/{index}.mermaid: only aidd rejects: {refused[index]['message']}")
        else:
            count[2] += 1
            count[3] += index in refused
            if listed and index not in refused:
                print(f"{name}/{index}.mermaid: only Mermaid rejects: {verdict['message'].splitlines()[0]}")
    valid, accepted, invalid, rejected = (sum(count[at] for count in counts.values()) for at in range(4))
    share = lambda part, whole: f"{part} of {whole} ({100 * part / max(whole, 1):.2f} %)"
    print(f"| {name} | {share(accepted, valid)} | {share(rejected, invalid)} |")


def main():
    npm = SCRATCH / "npm"
    npm.mkdir(parents=True, exist_ok=True)
    node = int(subprocess.run(["node", "-p", "process.versions.node"], capture_output=True, text=True).stdout.split(".")[0])
    if not (npm / "node_modules/mermaid").exists():
        packages = ["mermaid@12" if node >= 22 else "mermaid@11", "jsdom", "@mermaid-js/examples"]
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--prefix", npm, *packages], check=True)
    version = json.loads((npm / "node_modules/mermaid/package.json").read_text())["version"]
    home = pathlib.Path(os.environ.get("CARGO_HOME", pathlib.Path.home() / ".cargo"))
    found = gather([home / "registry/src", npm / "node_modules/@mermaid-js/examples"])
    verdicts, seconds = reference("found", found)
    rng = random.Random(int(os.environ.get("SEED", "1")))
    by_type = defaultdict(list)
    for text, verdict in zip(found, verdicts):
        if verdict["ok"] and len(text) < 3_000:
            by_type[verdict["type"]].append(text)
    hurt = [damaged(rng.choice(kind), rng) for _, kind in sorted(by_type.items()) for _ in range(200)]
    print(f"\n### Mermaid: verdicts compared with mermaid {version}\n")
    print("| set | accepts valid | rejects invalid |\n|---|---|---|")
    listed = "--list" in sys.argv
    compare("found", found, verdicts, listed)
    compare("damaged", hurt, reference("damaged", hurt)[0], listed)
    print(f"\nmermaid uses {1000 * seconds / len(found):.1f} ms of CPU per diagram.")


main()
