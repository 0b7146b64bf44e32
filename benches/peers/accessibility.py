#!/usr/bin/env python3
"""Compares the rules on accessibility with oxlint and eslint-plugin-jsx-a11y on JSX, and with
html-validate on HTML, in one run.

    benches/peers/accessibility.py --aidd target/release/aidd --peers DIR REPOSITORY...

DIR contains `node_modules` with oxlint, eslint, eslint-plugin-jsx-a11y, @typescript-eslint/parser and
html-validate. For each shared rule, the table lists the findings of both tools, those of aidd alone and
those of the other tool alone; findings match if they are in the same file and at most three lines
apart. `--list RULE` prints the findings on which the tools disagree. CPU seconds are user + system,
including children; each is the median of three runs.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import tempfile

from compare import aidd, collect, cpu, eslint, oxlint, table

# Rules of jsx-a11y, and the rules of aidd on the same problem. `no-static-element-interactions` and
# `no-noninteractive-element-interactions` divide the elements that `click-only-element` checks, so each of
# them accepts what the other reports; `prefer-tag-over-role` is about style.
RULES = {
    "alt-text": ["missing-alt", "role-instead-of-alt"],
    "anchor-ambiguous-text": ["ambiguous-link-text"],
    "anchor-has-content": ["empty-link"],
    "anchor-is-valid": ["link-without-target"],
    "aria-activedescendant-has-tabindex": ["active-descendant-without-focus"],
    "aria-props": ["unknown-aria-attribute"],
    "aria-proptypes": ["invalid-aria-value"],
    "aria-role": ["unknown-role"],
    "aria-unsupported-elements": ["aria-on-invisible-element"],
    "autocomplete-valid": ["invalid-autocomplete"],
    "click-events-have-key-events": ["click-only-element"],
    "control-has-associated-label": ["unnamed-button", "unlabelled-control", "unnamed-widget", "empty-link", "empty-table-header"],
    "heading-has-content": ["empty-heading"],
    "html-has-lang": ["missing-lang"],
    "iframe-has-title": ["iframe-without-title"],
    "img-redundant-alt": ["redundant-alt"],
    "interactive-supports-focus": ["role-without-focus"],
    "label-has-associated-control": ["label-without-control"],
    "lang": ["invalid-lang", "missing-lang"],
    "media-has-caption": ["media-without-captions"],
    "mouse-events-have-key-events": ["mouse-only-event"],
    "no-access-key": ["access-key"],
    "no-aria-hidden-on-focusable": ["hidden-focusable"],
    "no-autofocus": ["autofocus"],
    "no-distracting-elements": ["distracting-element"],
    "no-interactive-element-to-noninteractive-role": ["interactive-element-role", "presentation-conflict"],
    "no-noninteractive-element-to-interactive-role": ["noninteractive-element-role", "list-structure"],
    "no-noninteractive-tabindex": ["focusable-static-element"],
    "no-redundant-roles": ["redundant-role"],
    "role-has-required-aria-props": ["missing-aria-state"],
    "role-supports-aria-props": ["unsupported-aria-attribute"],
    "scope": ["misplaced-scope"],
    "tabindex-no-positive": ["positive-tabindex"],
}

# Rules of html-validate, and the rules of aidd on the same problem.
HTML_RULES = {
    "area-alt": ["missing-alt"],
    "empty-heading": ["empty-heading"],
    "empty-title": ["empty-title"],
    "hidden-focusable": ["hidden-focusable"],
    "meta-refresh": ["meta-refresh"],
    "multiple-labeled-controls": ["label-of-several-controls"],
    "no-abstract-role": ["unknown-role"],
    "no-dup-attr": ["duplicate-attribute"],
    "no-dup-id": ["duplicate-id"],
    "no-implicit-button-type": ["implicit-button-type"],
    "no-redundant-aria-label": ["redundant-aria-label"],
    "no-redundant-for": ["redundant-for"],
    "no-redundant-role": ["redundant-role"],
    "prefer-native-element": ["role-instead-of-element"],
    "svg-focusable": ["svg-without-focusable"],
    "text-content": ["unnamed-button"],
    "valid-autocomplete": ["invalid-autocomplete"],
    "wcag/h30": ["empty-link"],
    "wcag/h32": ["form-without-submit"],
    "wcag/h36": ["missing-alt"],
    "wcag/h37": ["missing-alt"],
    "wcag/h63": ["misplaced-scope"],
    "wcag/h67": ["title-on-decorative-image"],
    "wcag/h71": ["fieldset-without-legend"],
}

def jsx_a11y_config():
    rules = {f"jsx-a11y/{rule}": "error" for rule in RULES}
    return f"""import a11y from "eslint-plugin-jsx-a11y";
import parser from "@typescript-eslint/parser";
export default [{{ files: ["**/*.jsx", "**/*.tsx"], plugins: {{ "jsx-a11y": a11y }}, linterOptions: {{ reportUnusedDisableDirectives: "off" }},
  languageOptions: {{ parser, parserOptions: {{ ecmaFeatures: {{ jsx: true }} }} }}, rules: {json.dumps(rules)} }}];
"""


def html_validate(args, root):
    config = {"root": True, "rules": {rule: "error" for rule in HTML_RULES}}
    (root / ".htmlvalidate.json").write_text(json.dumps(config))
    used, done = cpu([args.peers / "node_modules/.bin/html-validate", "-f", "json", "."], cwd=root, runs=1)
    found = collections.defaultdict(list)
    for file in json.loads(done.stdout or "[]"):
        path = str(pathlib.Path(file["filePath"]).resolve().relative_to(root.resolve()))
        for message in file["messages"]:
            found[message["ruleId"]].append((path, message["line"]))
    return used, found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--aidd", type=lambda path: pathlib.Path(path).resolve(), required=True)
    parser.add_argument("--peers", type=lambda path: pathlib.Path(path).resolve(), required=True)
    parser.add_argument("--list", action="append", default=[])
    parser.add_argument("--without-eslint", action="store_true")
    parser.add_argument("repositories", nargs="+")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch) / "jsx"
        count = collect(args.repositories, (".jsx", ".tsx"), root)
        subprocess.run(["git", "init", "-q", root], check=True)
        names = [name for each in RULES.values() for name in each]
        our_cpu, ours = aidd(args, root, "a11y", names)
        ox_cpu, ox = oxlint(args, root, ["jsx-a11y"], [f"jsx-a11y/{rule}" for rule in RULES])
        print(f"{count} files of JSX: aidd {our_cpu:.2f} s, oxlint {ox_cpu:.2f} s CPU: {our_cpu / ox_cpu:.2f} times")
        table("oxlint", RULES, ours, ox, args.list)
        if not args.without_eslint:
            es_cpu, es = eslint(args, root, jsx_a11y_config(), "--no-inline-config")
            es = collections.defaultdict(list, {rule.removeprefix("jsx-a11y/"): places for rule, places in es.items()})
            print(f"\neslint-plugin-jsx-a11y: {es_cpu:.1f} s CPU")
            table("jsx-a11y", RULES, ours, es, args.list)
        root = pathlib.Path(scratch) / "html"
        count = collect(args.repositories, (".html",), root)
        if count:
            subprocess.run(["git", "init", "-q", root], check=True)
            names = sorted({name for each in HTML_RULES.values() for name in each})
            our_cpu, ours = aidd(args, root, "a11y", names)
            hv_cpu, hv = html_validate(args, root)
            print(f"\n{count} files of HTML: aidd {our_cpu:.2f} s, html-validate {hv_cpu:.2f} s CPU")
            table("html-validate", HTML_RULES, ours, hv, args.list)


if __name__ == "__main__":
    main()
