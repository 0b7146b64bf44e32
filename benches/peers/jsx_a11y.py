#!/usr/bin/env python3
"""Compares the rules on accessibility with oxlint on the test cases of eslint-plugin-jsx-a11y.

    benches/peers/jsx_a11y.py --aidd target/release/aidd --peers DIR [--source URL]

DIR contains `node_modules` with oxlint, eslint-plugin-jsx-a11y and typescript. The cases are fetched when
the script runs; those with options other than the recommended ones are left out. A case counts as
reported if the tool reports the rule anywhere in it. `--list` prints the cases on which aidd disagrees.
All cases have been used to tune aidd.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

from accessibility import RULES


def read_cases(args, scratch):
    clone = scratch / "clone"
    subprocess.run(["git", "clone", "-q", "--depth", "1", args.source, clone], check=True)
    command = ["node", pathlib.Path(__file__).with_name("jsx_a11y.cjs"), args.peers, clone]
    document = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    return [case for case in document["cases"] if case["rule"] in RULES], document["recommended"]


def run_aidd(args, root, settings):
    config = {"accessibility": {"components": settings["components"]}} if settings.get("components") else {}
    (root / ".aidd").mkdir()
    (root / ".aidd/config.json").write_text(json.dumps(config))
    command = [args.aidd, "check", ".", "--format", "json"]
    for name in sorted({name for names in RULES.values() for name in names}):
        command += ["--only", f"a11y/{name}"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if not done.stdout.startswith("{"):
        sys.exit(done.stderr[-2000:])
    return {(finding["path"], finding["rule"].removeprefix("a11y/")) for finding in json.loads(done.stdout)["findings"]}


def run_oxlint(args, root, settings, recommended):
    options = lambda rule: ["error", *(recommended.get(f"jsx-a11y/{rule}") or [])[1:]] if isinstance(recommended.get(f"jsx-a11y/{rule}"), list) else "error"
    rules = {f"jsx-a11y/{rule}": options(rule) for rule in RULES}
    config = {"plugins": ["jsx-a11y"], "categories": {"correctness": "off"}, "rules": rules, "settings": {"jsx-a11y": settings}}
    (root / "oxlint.json").write_text(json.dumps(config))
    # The output of a run is a file, because oxlint ends before a pipe has taken all of it.
    with tempfile.TemporaryFile("w+") as out:
        subprocess.run([args.peers / "node_modules/.bin/oxlint", "-c", "oxlint.json", "--format", "json", "."], cwd=root, stdout=out, check=False)
        out.seek(0)
        document = json.load(out)
    name = lambda diagnostic: (diagnostic.get("code") or "").partition("(")[2].rstrip(")")
    return {(diagnostic["filename"].removeprefix("./"), name(diagnostic)) for diagnostic in document["diagnostics"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--aidd", type=lambda path: pathlib.Path(path).resolve(), required=True)
    parser.add_argument("--peers", type=lambda path: pathlib.Path(path).resolve(), required=True)
    parser.add_argument("--source", default="https://github.com/jsx-eslint/eslint-plugin-jsx-a11y")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    groups = collections.defaultdict(list)
    rows = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        cases, recommended = read_cases(args, scratch)
        for case in cases:
            groups[json.dumps(case["settings"].get("jsx-a11y", {}))].append(case)
        for number, (settings, group) in enumerate(groups.items()):
            root, settings = scratch / f"group{number}", json.loads(settings)
            root.mkdir()
            subprocess.run(["git", "init", "-q", root], check=True)
            for at, case in enumerate(group):
                case["path"] = f"{case['rule']}-{at}.tsx" if " as " in case["code"] else f"{case['rule']}-{at}.jsx"
                (root / case["path"]).write_text(case["code"])
            reported = {"aidd": run_aidd(args, root, settings), "oxlint": run_oxlint(args, root, settings, recommended)}
            for case in group:
                names = {"aidd": RULES[case["rule"]], "oxlint": [case["rule"]]}
                row = rows[case["rule"]]
                row["valid" if case["isValid"] else "invalid"] += 1
                for tool, found in reported.items():
                    is_reported = any((case["path"], name) in found for name in names[tool])
                    row[f"{tool} {'wrong' if case['isValid'] else 'right'}"] += is_reported
                    if args.list and tool == "aidd" and is_reported == case["isValid"]:
                        kind = "valid" if case["isValid"] else "invalid"
                        print(f"{case['rule']} {kind} {json.dumps(settings)}: {' '.join(case['code'].split())}", file=sys.stderr)
    print("| Rule | invalid | aidd | oxlint | valid | aidd reports | oxlint reports |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    columns = ["invalid", "aidd right", "oxlint right", "valid", "aidd wrong", "oxlint wrong"]
    total = collections.Counter()
    means = collections.defaultdict(list)
    for rule, row in sorted(rows.items()):
        total.update(row)
        for tool in ("aidd", "oxlint"):
            right, wrong = row[f"{tool} right"], row[f"{tool} wrong"]
            means[tool, "recall"].append(right / row["invalid"] if row["invalid"] else 1)
            means[tool, "precision"].append(right / (right + wrong) if right + wrong else 1)
        print(f"| `{rule}` | " + " | ".join(str(row[column]) for column in columns) + " |")
    print("| all | " + " | ".join(str(total[column]) for column in columns) + " |")
    for (tool, figure), values in means.items():
        print(f"{tool}: mean {figure} of the rules {sum(values) / len(values):.3f}")


if __name__ == "__main__":
    main()
