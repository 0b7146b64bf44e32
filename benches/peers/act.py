#!/usr/bin/env python3
"""Compares the rules on accessibility with axe-core in jsdom, on the examples of the ACT rules of the W3C.

    benches/peers/act.py --aidd target/release/aidd --peers DIR [--source URL]

DIR contains `node_modules` with axe-core and jsdom. The rules are fetched when the script runs; each has
passed, failed and inapplicable examples of HTML. An example counts as reported if a rule on the same
problem reports something in it. `--list` prints the examples on which aidd is wrong.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

# ACT rules that the source decides, and the rules of aidd on the same problem.
RULES = {
    "09o5cg": ["low-contrast", "enhanced-contrast"],
    "23a2a8": ["missing-alt", "unnamed-image-role"],
    "24afc2": ["inline-spacing"],
    "2779a5": ["empty-title"],
    "2ee8b8": ["label-mismatch"],
    "2t702h": ["unnamed-button"],
    "307n5z": ["nested-interactive"],
    "3ea0c8": ["duplicate-id"],
    "46ca7f": ["presentation-conflict"],
    "4e8ab6": ["missing-aria-state"],
    "59796f": ["missing-alt", "unnamed-button"],
    "5b7ae0": ["invalid-lang"],
    "5c01ea": ["unsupported-aria-attribute", "prohibited-name"],
    "5f99a7": ["unknown-aria-attribute"],
    "674b10": ["unknown-role"],
    "6a7281": ["invalid-aria-value"],
    "6cfa84": ["hidden-focusable"],
    "73f2c2": ["invalid-autocomplete"],
    "78fd32": ["inline-spacing"],
    "7d6734": ["unnamed-image-role"],
    "80f0bf": ["autoplay"],
    "8fc3b6": ["missing-alt"],
    "97a4e1": ["unnamed-button"],
    "9e45ec": ["inline-spacing"],
    "a25f45": ["invalid-table-headers"],
    "akn7bn": ["unreachable-frame"],
    "b4f0c3": ["zoom-disabled"],
    "b5c3f8": ["missing-lang"],
    "bc4a75": ["role-with-other-items"],
    "bc659a": ["meta-refresh"],
    "bf051a": ["invalid-lang"],
    "bisz58": ["meta-refresh", "long-meta-refresh"],
    "c487ae": ["empty-link", "missing-alt"],
    "cae760": ["iframe-without-title"],
    "d0f69e": ["header-without-cells"],
    "de46e4": ["invalid-lang"],
    "e086e5": ["unlabelled-control", "unnamed-widget"],
    "e6952f": ["duplicate-attribute"],
    "eac66b": ["media-without-captions"],
    "f51b46": ["media-without-captions"],
    "ff89c9": ["role-outside-container"],
    "ffd0e9": ["empty-heading"],
    "in6db8": ["invalid-aria-value"],
    "m6b1q3": ["unnamed-widget"],
}

# What a browser adds to a fragment.
PAGE = "<!doctype html><html lang='en'><head><title>Test</title></head><body>…</body></html>"

EXAMPLE = re.compile(r"^#### (Passed|Failed|Inapplicable) [Ee]xample.*?^```html\n(.*?)^```", re.DOTALL | re.MULTILINE)


def read_cases(source, scratch):
    """The examples of the rules, with their pages written to `scratch`."""
    clone = scratch / "act"
    subprocess.run(["git", "clone", "-q", "--depth", "1", "--no-checkout", source, clone], check=True)
    git = ["git", "-C", clone]
    listed = subprocess.run([*git, "ls-tree", "-r", "--name-only", "HEAD", "_rules/"], check=True, capture_output=True, text=True)
    cases = []
    for path in listed.stdout.split():
        text = subprocess.run([*git, "show", f"HEAD:{path}"], check=True, capture_output=True, text=True).stdout
        act = re.search(r"^id: *(\S+)", text, re.MULTILINE)
        if not act or act[1] not in RULES:
            continue
        for number, (kind, code) in enumerate(EXAMPLE.findall(text)):
            page = scratch / "pages" / act[1] / f"{number}.html"
            page.parent.mkdir(parents=True, exist_ok=True)
            is_page = re.search(r"<(html|body|head)\b", code, re.IGNORECASE)
            page.write_text(code if is_page else PAGE.replace("…", code))
            cases.append({"act": act[1], "kind": kind, "page": str(page)})
    return cases


def run_axe(args, scratch, cases):
    path = scratch / "cases.json"
    path.write_text(json.dumps(cases))
    command = ["node", pathlib.Path(__file__).with_name("act.cjs"), args.peers, path]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def run_aidd(args, pages):
    """The rules with findings, per page."""
    subprocess.run(["git", "init", "-q", pages], check=True)
    command = [args.aidd, "check", ".", "--format", "json"]
    for name in sorted({name for names in RULES.values() for name in names}):
        command += ["--only", f"a11y/{name}"]
    done = subprocess.run(command, cwd=pages, capture_output=True, text=True)
    if not done.stdout.startswith("{"):
        sys.exit(done.stderr[-2000:])
    found = collections.defaultdict(set)
    for finding in json.loads(done.stdout)["findings"]:
        found[str(pages / finding["path"])].add(finding["rule"].removeprefix("a11y/"))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--aidd", type=lambda path: pathlib.Path(path).resolve(), required=True)
    parser.add_argument("--peers", type=lambda path: pathlib.Path(path).resolve(), required=True)
    parser.add_argument("--source", default="https://github.com/act-rules/act-rules.github.io")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    rows = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        cases = read_cases(args.source, scratch)
        found = run_aidd(args, scratch / "pages")
        for case, axe in zip(cases, run_axe(args, scratch, cases)):
            is_ours = any(name in found[case["page"]] for name in RULES[case["act"]])
            row = rows[case["act"]]
            kind = "failed" if case["kind"] == "Failed" else "other"
            row[kind] += 1
            row[f"aidd {kind}"] += is_ours
            row[f"axe {kind}"] += axe is True
            row["axe has no rule"] += axe is None
            if args.list and is_ours != (kind == "failed"):
                text = " ".join(pathlib.Path(case["page"]).read_text().split())
                print(f"{case['act']} {case['kind']} axe={axe}: {text[:300]}", file=sys.stderr)
    columns = ["failed", "aidd failed", "axe failed", "other", "aidd other", "axe other"]
    print("| ACT rule | failed | aidd | axe | passed or inapplicable | aidd reports | axe reports |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    total, shared = collections.Counter(), collections.Counter()
    for act, row in sorted(rows.items()):
        total.update(row)
        if not row["axe has no rule"]:
            shared.update(row)
        mark = " (not in axe)" if row["axe has no rule"] else ""
        print(f"| `{act}`{mark} | " + " | ".join(str(row[column]) for column in columns) + " |")
    print("| all | " + " | ".join(str(total[column]) for column in columns) + " |")
    print("| rules of both | " + " | ".join(str(shared[column]) for column in columns) + " |")


if __name__ == "__main__":
    main()
