#!/usr/bin/env python3
"""Compares the rules on performance with oxlint and with plugins of ESLint, in one run.

    benches/peers/performance.py --aidd target/release/aidd --peers DIR REPOSITORY...

DIR contains `node_modules` with the packages that PACKAGES lists. The components of the repositories
(JSX, Vue, Svelte, templates of Angular) are copied with their manifests into one directory. For each
shared rule, the table lists the findings of both tools, those of aidd alone and those of the other tool
alone; findings match if they are in the same file and at most three lines apart. `--list RULE` prints
the findings on which the tools disagree. CPU seconds are user + system, including children; each is the
median of the runs, in which aidd and oxlint alternate.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import tempfile

from compare import aidd, collect, eslint, oxlint, table

PACKAGES = [
    "oxlint@1.94.0",
    "eslint@9",
    "typescript@5.9",
    "@typescript-eslint/parser",
    "@next/eslint-plugin-next",
    "eslint-plugin-react-perf",
    "eslint-plugin-react-hooks",
    "eslint-plugin-react-web-api",
    "eslint-plugin-react-you-might-not-need-an-effect",
    "@tanstack/eslint-plugin-query",
    "eslint-plugin-vue",
    "vue-eslint-parser",
    "eslint-plugin-svelte",
    "svelte",
    "@angular-eslint/eslint-plugin-template",
    "@angular-eslint/template-parser",
    "eslint-plugin-unicorn",
]

NEXT = {
    "google-font-display": ["font-display"],
    "google-font-preconnect": ["font-preconnect"],
    "inline-script-id": ["next-inline-script-id"],
    "next-script-for-ga": ["next-analytics-script"],
    "no-async-client-component": ["next-async-client-component"],
    "no-before-interactive-script-outside-document": ["next-before-interactive"],
    "no-css-tags": ["next-style-link"],
    "no-document-import-in-page": ["next-document-import"],
    "no-duplicate-head": ["next-duplicate-head"],
    "no-head-element": ["next-head-element"],
    "no-head-import-in-document": ["next-head-in-document"],
    "no-html-link-for-pages": ["next-html-link"],
    "no-img-element": ["next-img-element"],
    "no-page-custom-font": ["next-page-font"],
    "no-script-component-in-head": ["next-script-in-head"],
    "no-styled-jsx-in-document": ["next-document-style"],
    "no-sync-scripts": ["blocking-script"],
    "no-title-in-document-head": ["next-document-title"],
    "no-typos": ["next-data-function-name"],
}

REACT_PERF = {f"jsx-{name}-as-prop": ["unstable-memo-prop"] for name in ("no-jsx", "no-new-array", "no-new-function", "no-new-object")}

# Rules of oxlint, and the rules of aidd on the same problem.
OXLINT = {
    "eslint/no-await-in-loop": ["await-in-loop", "query-in-loop"],
    **{f"nextjs/{rule}": names for rule, names in NEXT.items()},
    "oxc/no-accumulating-spread": ["accumulating-spread"],
    "react/exhaustive-deps": ["unstable-dependency", "memo-without-dependencies"],
    "react/jsx-no-constructed-context-values": ["constructed-context-value"],
    "react/no-array-index-key": ["index-key"],
    "react/no-deriving-state-in-effects": ["derived-state"],
    "react/no-object-type-as-default-prop": ["unstable-default"],
    "react/no-unstable-nested-components": ["nested-component", "inline-components"],
    "react/set-state-in-effect": ["derived-state", "endless-effect"],
    "react/static-components": ["nested-component"],
    **{f"react-perf/{rule}": names for rule, names in REACT_PERF.items()},
    "unicorn/no-invalid-remove-event-listener": ["ineffective-listener-removal"],
    "unicorn/prefer-array-find": ["filter-first"],
    "unicorn/prefer-array-flat-map": ["map-flat"],
}

# Rules for which oxlint runs the React Compiler.
COMPILER = {"react/no-deriving-state-in-effects", "react/set-state-in-effect", "react/static-components"}

# Rules of plugins of ESLint, and the rules of aidd on the same problem.
ESLINT = {
    **{f"@next/next/{rule}": names for rule, names in NEXT.items()},
    "@angular-eslint/template/use-track-by-function": ["untracked-list"],
    "@tanstack/query/stable-query-client": ["created-in-render"],
    "react-hooks/exhaustive-deps": ["unstable-dependency", "memo-without-dependencies"],
    "react-hooks/set-state-in-effect": ["derived-state", "endless-effect"],
    "react-hooks/static-components": ["nested-component"],
    "react-web-api/no-leaked-event-listener": ["leaking-effect"],
    "react-web-api/no-leaked-interval": ["leaking-effect"],
    "react-web-api/no-leaked-resize-observer": ["leaking-effect"],
    "react-you-might-not-need-an-effect/no-derived-state": ["derived-state"],
    "vue/no-use-v-if-with-v-for": ["v-if-with-v-for"],
    "vue/require-v-for-key": ["unkeyed-list"],
}

# Rules that also report other problems: the pattern of the messages that count.
ABOUT = {"exhaustive-deps": re.compile(r"chang\w* (on )?every render|only one argument|does nothing when called with")}

CONFIG = """import next from "@next/eslint-plugin-next";
import query from "@tanstack/eslint-plugin-query";
import hooks from "eslint-plugin-react-hooks";
import api from "eslint-plugin-react-web-api";
import effect from "eslint-plugin-react-you-might-not-need-an-effect";
import vue from "eslint-plugin-vue";
import vueParser from "vue-eslint-parser";
import angular from "@angular-eslint/eslint-plugin-template";
import angularParser from "@angular-eslint/template-parser";
import parser from "@typescript-eslint/parser";
const rules = RULES;
const select = (...plugins) => Object.fromEntries(Object.entries(rules).filter(([name]) => plugins.some((plugin) => name.startsWith(plugin + "/"))));
const linterOptions = { reportUnusedDisableDirectives: "off" };
const parserOptions = { ecmaFeatures: { jsx: true }, parser, extraFileExtensions: [".vue"] };
export default [
  { files: ["**/*.jsx", "**/*.tsx"], linterOptions, languageOptions: { parser, parserOptions },
    plugins: { "@next/next": next, "@tanstack/query": query, "react-hooks": hooks, "react-web-api": api, "react-you-might-not-need-an-effect": effect },
    rules: select("@next/next", "@tanstack/query", "react-hooks", "react-web-api", "react-you-might-not-need-an-effect") },
  { files: ["**/*.vue"], linterOptions, languageOptions: { parser: vueParser, parserOptions }, plugins: { vue }, rules: select("vue") },
  { files: ["**/*.component.html"], languageOptions: { parser: angularParser }, plugins: { "@angular-eslint/template": angular }, rules: select("@angular-eslint/template") },
];
"""

PLUGINS = ["react", "react-perf", "nextjs", "oxc", "unicorn"]

EXTENSIONS = (".jsx", ".tsx", ".vue", ".svelte", ".component.html", "package.json")


def selected(found):
    """The findings by rule, without those of ABOUT on other problems."""
    chosen = collections.defaultdict(list)
    for rule, places in found.items():
        about = ABOUT.get(rule.rpartition("/")[2])
        # Some rules report a place several times.
        chosen[rule] += sorted({place[:2] for place in places if not about or about.search(place[2])})
    return chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--aidd", type=lambda path: pathlib.Path(path).resolve(), required=True)
    parser.add_argument("--peers", type=lambda path: pathlib.Path(path).resolve(), required=True)
    parser.add_argument("--list", action="append", default=[])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--without-eslint", action="store_true")
    parser.add_argument("repositories", nargs="+")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch) / "components"
        collect(args.repositories, EXTENSIONS, root)
        subprocess.run(["git", "init", "-q", root], check=True)
        count = sum(1 for path in root.rglob("*") if path.is_file() and path.name.endswith(EXTENSIONS[:-1]))
        names = sorted({name for rules in (OXLINT, ESLINT) for each in rules.values() for name in each})
        for what, rules in (("without the React Compiler", OXLINT.keys() - COMPILER), ("all", OXLINT.keys())):
            pairs, load = [], []
            for _ in range(args.runs):
                our_cpu, _ = aidd(args, root, "perf", sorted({name for rule in rules for name in OXLINT[rule]}), runs=1)
                ox_cpu, ox = oxlint(args, root, PLUGINS, sorted(rules), runs=1)
                pairs.append((our_cpu / ox_cpu, our_cpu, ox_cpu))
                load.append(os.getloadavg()[0])
            ratio, our_cpu, ox_cpu = sorted(pairs)[len(pairs) // 2]
            figures = f"aidd {our_cpu:.2f} s, oxlint {ox_cpu:.2f} s CPU: {ratio:.2f} times"
            print(f"{count} components, {len(rules)} rules ({what}): {figures} (median of {len(pairs)} pairs, load average {sum(load) / len(load):.1f})")
        _, ours = aidd(args, root, "perf", names, runs=1)
        ox = {rule: selected({rule: ox[rule.rpartition("/")[2]]})[rule] for rule in OXLINT}
        table("oxlint", OXLINT, ours, ox, args.list)
        if not args.without_eslint:
            settings = json.dumps({rule: "error" for rule in ESLINT})
            es_cpu, es = eslint(args, root, CONFIG.replace("RULES", settings, 1))
            print(f"\nESLint with the plugins: {es_cpu:.1f} s CPU")
            table("ESLint", ESLINT, ours, selected(es), args.list)


if __name__ == "__main__":
    main()
