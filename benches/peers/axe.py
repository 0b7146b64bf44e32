#!/usr/bin/env python3
"""Compares the rules on accessibility with axe-core in jsdom, on axe-core's own integration tests.

    benches/peers/axe.py --aidd target/release/aidd --peers DIR [--source URL]

DIR contains `node_modules` with axe-core and jsdom. The tests are fetched when the script runs: each is
an HTML page with the elements that a rule must report, and those that it must not report. A finding of
aidd belongs to the innermost of these elements that contains its start or, if it is about two equal
elements, the other one. `--list` prints the elements on
which aidd is wrong. All tests have been used to tune aidd.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

# Rules of axe that the source decides, and the rules of aidd on the same problem.
RULES = {
    "accesskeys": ["access-key"],
    "area-alt": ["missing-alt"],
    "aria-allowed-attr": ["unsupported-aria-attribute"],
    "aria-allowed-role": ["interactive-element-role", "noninteractive-element-role", "role-not-allowed"],
    "aria-braille-equivalent": ["braille-without-equivalent"],
    "aria-command-name": ["unnamed-button", "unnamed-widget"],
    "aria-conditional-attr": ["conditional-aria-attribute"],
    "aria-deprecated-role": ["deprecated-role"],
    "aria-dialog-name": ["unnamed-widget"],
    "aria-hidden-focus": ["hidden-focusable"],
    "aria-input-field-name": ["unnamed-widget"],
    "aria-meter-name": ["unnamed-widget"],
    "aria-progressbar-name": ["unnamed-widget"],
    "aria-prohibited-attr": ["prohibited-name"],
    "aria-required-attr": ["missing-aria-state"],
    "aria-required-children": ["role-with-other-items"],
    "aria-required-parent": ["role-outside-container"],
    "aria-roledescription": ["unsupported-aria-attribute"],
    "aria-roles": ["unknown-role"],
    "aria-tab-name": ["unnamed-widget"],
    "aria-text": ["nested-interactive"],
    "aria-toggle-field-name": ["unnamed-widget"],
    "aria-tooltip-name": ["unnamed-widget"],
    "aria-treeitem-name": ["unnamed-widget"],
    "aria-valid-attr": ["unknown-aria-attribute"],
    "aria-valid-attr-value": ["invalid-aria-value"],
    "autocomplete-valid": ["invalid-autocomplete"],
    "avoid-inline-spacing": ["inline-spacing"],
    "blink": ["distracting-element"],
    "button-name": ["unnamed-button"],
    "definition-list": ["definition-list"],
    "dlitem": ["definition-list"],
    "duplicate-id": ["duplicate-id"],
    "duplicate-id-active": ["duplicate-id"],
    "duplicate-id-aria": ["duplicate-id"],
    "empty-heading": ["empty-heading"],
    "empty-table-header": ["empty-table-header"],
    "form-field-multiple-labels": ["multiple-labels"],
    "frame-title": ["iframe-without-title"],
    "frame-title-unique": ["repeated-frame-title"],
    "heading-order": ["skipped-heading-level"],
    "identical-links-same-purpose": [],
    "image-alt": ["missing-alt"],
    "image-redundant-alt": ["repeated-alt"],
    "input-button-name": ["unnamed-button"],
    "input-image-alt": ["missing-alt"],
    "label": ["unlabelled-control"],
    "label-content-name-mismatch": ["label-mismatch"],
    "label-title-only": ["title-as-label"],
    "landmark-unique": ["duplicate-landmark"],
    "link-name": ["empty-link"],
    "list": ["list-structure"],
    "listitem": ["stray-list-item"],
    "marquee": ["distracting-element"],
    "meta-refresh": ["meta-refresh"],
    "meta-viewport": ["zoom-disabled"],
    "meta-viewport-large": ["limited-zoom"],
    "nested-interactive": ["nested-interactive"],
    "object-alt": ["missing-alt"],
    "presentation-role-conflict": ["presentation-conflict"],
    "role-img-alt": ["unnamed-image-role"],
    "scope-attr-valid": ["misplaced-scope"],
    "select-name": ["unlabelled-control"],
    "server-side-image-map": ["image-map-on-server"],
    "summary-name": ["unnamed-button"],
    "svg-img-alt": ["unnamed-image-role"],
    "tabindex": ["positive-tabindex"],
    "table-duplicate-name": [],
    "td-headers-attr": ["invalid-table-headers"],
    "th-has-data-cells": ["header-without-cells"],
    "valid-lang": ["invalid-lang"],
    "video-caption": ["media-without-captions"],
}

# What a browser adds to the fragment of a test.
PAGE = "<!doctype html><html lang='en'><head><title>Test</title></head><body>…</body></html>"


def read_cases(source, scratch):
    """The tests of the rules, with their pages written to `scratch`."""
    clone = scratch / "axe-core"
    subprocess.run(["git", "clone", "-q", "--depth", "1", "--no-checkout", source, clone], check=True)
    git = ["git", "-C", clone]
    listed = subprocess.run([*git, "ls-tree", "-r", "--name-only", "HEAD", "test/integration/rules/"], check=True, capture_output=True, text=True)
    pages = scratch / "pages"
    cases = []
    for path in map(pathlib.PurePosixPath, listed.stdout.split()):
        if path.suffix != ".json":
            continue
        show = lambda path: subprocess.run([*git, "show", f"HEAD:{path}"], capture_output=True, text=True).stdout
        case, page = json.loads(show(path)), show(path.with_suffix(".html"))
        if page and case["rule"] in RULES:
            to = pages / path.parent.name / f"{path.stem}.html"
            to.parent.mkdir(parents=True, exist_ok=True)
            # Those of the test environment, which do not change the elements.
            page = re.sub(r"<script\b.*?</script>", "", page, flags=re.DOTALL)
            is_page = "<body" in page or "<html" in page
            to.write_text(page if is_page else PAGE.replace("…", page))
            cases.append({"rule": case["rule"], "page": str(to), "violations": case.get("violations", []), "passes": case.get("passes", [])})
    return pages, cases


def run_axe(args, scratch, cases):
    path = scratch / "cases.json"
    path.write_text(json.dumps(cases))
    done = subprocess.run(["node", pathlib.Path(__file__).with_name("axe.cjs"), args.peers, path], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def run_aidd(args, pages):
    """The ids of the findings and their offsets in UTF-16 units, as axe counts them, per page."""
    command = [args.aidd, "check", ".", "--format", "json"]
    for name in sorted({name for names in RULES.values() for name in names}):
        command += ["--only", f"a11y/{name}"]
    done = subprocess.run(command, cwd=pages, capture_output=True, text=True)
    found = collections.defaultdict(list)
    for finding in json.loads(done.stdout)["findings"]:
        lines = (pages / finding["path"]).read_text().split("\n")
        # Of two equal elements, axe reports the first, and aidd the second with a reference to the first.
        is_pair = "duplicate" in finding["rule"]
        # Of two controls, axe reports the outer one, and aidd the inner one with a reference to it.
        is_nested = finding["rule"] == "a11y/nested-interactive"
        places = finding["related"] if is_nested else [finding, *(finding["related"] if is_pair else [])]
        for place in places:
            line, column = place["start"]["line"], place["start"]["column"]
            before = "\n".join([*lines[: line - 1], lines[line - 1][: column - 1]])
            found[str(pages / finding["path"])].append((finding["rule"].removeprefix("a11y/"), len(before.encode("utf-16-le")) // 2))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--aidd", type=lambda path: pathlib.Path(path).resolve(), required=True)
    parser.add_argument("--peers", type=lambda path: pathlib.Path(path).resolve(), required=True)
    parser.add_argument("--source", default="https://github.com/dequelabs/axe-core")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    total = collections.Counter()
    rows = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        pages, cases = read_cases(args.source, scratch)
        subprocess.run(["git", "init", "-q", pages], check=True)
        found = run_aidd(args, pages)
        for case in run_axe(args, scratch, cases):
            reported = set()
            for rule, offset in found[case["page"]]:
                around = [each for each in case["elements"] if each["start"] <= offset < each["end"]]
                if rule in RULES[case["rule"]] and around:
                    reported.add(min(around, key=lambda each: each["end"] - each["start"])["selector"])
            row = rows[case["rule"]]
            for element in case["elements"]:
                is_ours, expected = element["selector"] in reported, element["expected"]
                row[expected] += 1
                row[f"aidd {expected}"] += is_ours
                row[f"axe {expected}"] += element["axe"] == "violations"
                if args.list and is_ours != (expected == "violations"):
                    text = pathlib.Path(case["page"]).read_text()[element["start"] : element["end"]]
                    print(f"{case['rule']} {expected} {element['selector']} axe={element['axe']}: {' '.join(text.split())[:200]}", file=sys.stderr)
    print("| Rule of axe | failures | aidd | axe | passes | aidd reports | axe reports |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    columns = ["violations", "aidd violations", "axe violations", "passes", "aidd passes", "axe passes"]
    for rule, row in sorted(rows.items()):
        total.update(row)
        mark = "" if RULES[rule] else " (none)"
        print(f"| `{rule}`{mark} | " + " | ".join(str(row[column]) for column in columns) + " |")
    print("| all | " + " | ".join(str(total[column]) for column in columns) + " |")


if __name__ == "__main__":
    main()
