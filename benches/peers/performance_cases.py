#!/usr/bin/env python3
"""Compares the rules on performance with oxlint on the test cases in the sources of oxlint.

    benches/peers/performance_cases.py --aidd target/release/aidd --peers DIR [--source DIR_OR_URL]

DIR contains `node_modules` with oxlint. The cases are those of the shared rules in a Git repository with
the sources of oxlint; most are those of the original plugins. Cases with options are left out. A case
counts as reported if the tool reports the rule anywhere in it. Each case is a file of a package that
depends on React and Next. `--list` prints the cases on which aidd disagrees.

The second table leaves out the cases that aidd decides otherwise on purpose (DISPUTED).
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import compare
from performance import OXLINT, PLUGINS

SOURCE = "https://github.com/oxc-project/oxc"

# Rules that also need types or the compiler of React, or whose cases are mostly about other problems.
OTHER = {"react/exhaustive-deps", "react/set-state-in-effect"}

# Cases that aidd decides otherwise on purpose: the rule, whether the rule accepts the case, a pattern of
# its code, and the reason.
DISPUTED = [
    ("react-perf/.*", False, "", "new properties cost nothing unless the element is wrapped in `memo`, which the cases do not show"),
    ("react/jsx-no-constructed-context-values", False, r"^((?!use[A-Z]).)*$", "a component without hooks renders only together with the elements inside"),
    ("react/no-array-index-key", False, "", "an index is a correct key for a list that does not change; the cases show no change"),
    ("react/no-object-type-as-default-prop", False, "", "a new default costs nothing unless a hook depends on it; the cases have no hooks"),
    ("react/no-unstable-nested-components", False, r"(footer|notPrefixedWithRender|someMap|loading): ?(\(|function|\{)|(footer|notPrefixedWithRender)=\{ ?(\(|function)|someMap=", "a function in a property can be one that is called, not rendered"),
    ("react/static-components", False, r"createComponent\(\)", "a call can return the same component each time"),
    ("eslint/no-await-in-loop", False, "", "the order, the load on the server or the next round can require it; only loops that load something for each item are reported"),
    ("oxc/no-accumulating-spread", False, r"< 10|\[1, ?2, ?3\]", "a fixed number of rounds"),
    ("nextjs/no-html-link-for-pages", False, "", "the project has no such page"),
    ("nextjs/no-document-import-in-page|nextjs/no-before-interactive-script-outside-document", False, r"^case\d+/components/", "outside of `pages` and `app`, the document can import the file"),
    ("nextjs/google-font-display", False, "display=fallback", "the text is invisible for 0.1 s at most"),
    ("unicorn/no-invalid-remove-event-listener", True, r"tsx removeEventListener|\?\.", "the function of the window, and calls that are only made if the function exists"),
]


def is_disputed(case):
    # The directory of the case, its path and its code.
    code = " ".join([case["path"], *case["code"].split()])
    return any(re.fullmatch(rule, case["rule"]) and is_valid == case["isValid"] and re.search(pattern, code) for rule, is_valid, pattern, _ in DISPUTED)


STRING = re.compile(r'r(#*)"(.*?)"\1|"((?:[^"\\]|\\.)*)"', re.S)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\n": ""}


def tokens(text):
    """The strings and punctuation of a piece of Rust, up to the bracket that closes it."""
    at, depth = 0, 0
    while at < len(text):
        if match := COMMENT.match(text, at):
            at = match.end()
        elif match := STRING.match(text, at):
            raw = match.group(2)
            plain = match.group(3)
            yield "string", raw if raw is not None else re.sub(r"\\(\n\s*|.)", lambda it: ESCAPES.get(it[1][0], it[1]), plain, flags=re.S)
            at = match.end()
        elif match := re.compile(r"\w+").match(text, at):
            yield "word", match.group()
            at = match.end()
        else:
            mark = text[at]
            depth += (mark in "([{") - (mark in ")]}")
            if depth < 0:
                return
            if not mark.isspace():
                yield mark, mark
            at += 1


def vectors(text, name):
    """The cases of `let pass = vec![…]` or `let fail = vec![…]`: code, whether it has options, path."""
    for match in re.finditer(rf"let (?:mut )?{name}(?:: [^=]+)? = vec!\[", text):
        depth, parts = 0, []
        for kind, value in [*tokens(text[match.end() :]), (",", ",")]:
            if kind == "," and depth == 0:
                if parts:
                    yield read_case(parts)
                parts = []
                continue
            depth += (kind in "([{" and len(kind) == 1) - (kind in ")]}" and len(kind) == 1)
            parts.append((kind, value))


def read_case(parts):
    code = next((value for kind, value in parts if kind == "string"), None)
    words = [value for kind, value in parts if kind == "word"]
    paths = [parts[at + 5][1] for at, part in enumerate(parts[:-5]) if part == ("word", "PathBuf") and parts[at + 5][0] == "string"]
    return code, "json" in words, paths[0] if paths else None


def read_cases(repository):
    cases = []
    for rule in sorted(set(OXLINT) - OTHER):
        plugin, _, name = rule.partition("/")
        path = f"crates/oxc_linter/src/rules/{plugin.replace('-', '_')}/{name.replace('-', '_')}.rs"
        shown = subprocess.run(["git", "-C", repository, "show", f"HEAD:{path}"], capture_output=True, text=True)
        if shown.returncode:
            sys.exit(f"{path}: {shown.stderr.strip()}")
        seen = set()
        for kind in ("pass", "fail"):
            for code, has_options, at in vectors(shown.stdout, kind):
                if code and not has_options and (code, at) not in seen:
                    seen.add((code, at))
                    cases.append({"rule": rule, "code": code, "isValid": kind == "pass", "at": at})
    return cases


def write_cases(cases, root):
    manifest = json.dumps({"dependencies": {"next": "16.0.0", "react": "19.0.0", "react-dom": "19.0.0"}})
    for number, case in enumerate(cases):
        path = (case["at"] or "component.tsx").replace("\\", "/").split(":")[-1].lstrip("./")
        # `test.js` would be a test.
        path = re.sub(r"\btest(?=\.\w+$)", "order", path)
        # The package is the directory that contains `pages` or `app`.
        inner = re.match(r"(?P<package>(?:[^/]+/)*?)(?:src/)?(?:pages|app)/", path)
        package = inner["package"] if inner else ""
        case["path"] = f"case{number}/{path}"
        target = root / case["path"]
        target.parent.mkdir(parents=True, exist_ok=True)
        (root / f"case{number}" / package / "package.json").write_text(manifest)
        target.write_text(case["code"])


def print_table(title, table):
    print(f"\n{title}\n\n| Rule | invalid | aidd | oxlint | valid | aidd reports | oxlint reports |\n| --- |" + " ---: |" * 6)
    total, means = collections.Counter(), collections.defaultdict(list)
    for rule, row in sorted(table.items()):
        total.update(row)
        for tool in ("aidd", "oxlint"):
            right, wrong = row[f"{tool} right"], row[f"{tool} wrong"]
            means[tool, "recall"] += [right / row["invalid"]] if row["invalid"] else []
            means[tool, "precision"] += [right / (right + wrong)] if right + wrong else []
        columns = ("invalid", "aidd right", "oxlint right", "valid", "aidd wrong", "oxlint wrong")
        print(f"| `{rule}` | " + " | ".join(str(row[column]) for column in columns) + " |")
    print("| all | " + " | ".join(str(total[column]) for column in columns) + " |\n")
    for (tool, figure), values in means.items():
        print(f"{tool}: mean {figure} of {len(values)} rules {sum(values) / len(values):.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--aidd", type=lambda path: pathlib.Path(path).resolve(), required=True)
    parser.add_argument("--peers", type=lambda path: pathlib.Path(path).resolve(), required=True)
    parser.add_argument("--source", default=SOURCE)
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    every, undisputed = (collections.defaultdict(collections.Counter) for _ in range(2))
    with tempfile.TemporaryDirectory() as scratch:
        repository = args.source
        if "://" in repository:
            repository = f"{scratch}/source"
            subprocess.run(["git", "clone", "-q", "--depth", "1", args.source, repository], check=True)
        cases = read_cases(repository)
        root = pathlib.Path(scratch) / "cases"
        root.mkdir()
        subprocess.run(["git", "init", "-q", root], check=True)
        write_cases(cases, root)
        names = sorted({name for rule in OXLINT for name in OXLINT[rule]})
        _, ours = compare.aidd(args, root, "perf", names, runs=1)
        _, theirs = compare.oxlint(args, root, PLUGINS, OXLINT, runs=1)
        ours = {(path, name) for name, places in ours.items() for path, *_ in places}
        theirs = {(path, rule) for rule, places in theirs.items() for path, *_ in places}
        for case in cases:
            rule, kind = case["rule"], "valid" if case["isValid"] else "invalid"
            reported = {
                "aidd": any((case["path"], name) in ours for name in OXLINT[rule]),
                "oxlint": (case["path"], rule.partition("/")[2]) in theirs,
            }
            for table in [every] if is_disputed(case) else [every, undisputed]:
                table[rule][kind] += 1
                for tool, is_reported in reported.items():
                    table[rule][f"{tool} {'wrong' if case['isValid'] else 'right'}"] += is_reported
            if args.list and reported["aidd"] == case["isValid"]:
                mark = "disputed " if is_disputed(case) else ""
                print(f"{rule} {mark}{kind} {case['path']}: {' '.join(case['code'].split())}", file=sys.stderr)
    print_table("All cases", every)
    print_table("Without disputed cases", undisputed)


if __name__ == "__main__":
    main()
