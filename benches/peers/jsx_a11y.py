#!/usr/bin/env python3
"""Compares the rules on accessibility with oxlint on the test cases of eslint-plugin-jsx-a11y.

    benches/peers/jsx_a11y.py --aidd target/release/aidd --peers DIR [--source URL]

DIR contains `node_modules` with oxlint, eslint-plugin-jsx-a11y and typescript. The cases are those in the
package of the plugin, or in the repository at URL; those with options other than the recommended ones are
left out. A case counts as
reported if the tool reports the rule anywhere in it. `--list` prints the cases on which aidd disagrees.
All cases have been used to tune aidd.

The rule `unseen-attribute` of aidd, which is disabled by default and reports what attributes from an
expression may lack, counts in a column of its own. The second table leaves out the cases on which the
specifications differ from the plugin (DISPUTED).
"""

import argparse
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from accessibility import RULES

# The rules of the plugin that also report elements that get attributes from an expression.
UNSEEN = ["alt-text", "click-events-have-key-events", "html-has-lang", "iframe-has-title", "mouse-events-have-key-events"]

# Roles that prohibit names, and the global attributes that do not name an element, in WAI-ARIA.
NAMELESS = "caption|code|definition|deletion|emphasis|generic|insertion|mark|none|presentation|paragraph|strong|subscript|suggestion|superscript|term|time"
GLOBAL = "atomic|busy|controls|current|describedby|description|details|disabled|dropeffect|errormessage|flowto|grabbed|haspopup|hidden|invalid|keyshortcuts|live|owns|relevant|roledescription|brailleroledescription"

# Cases on which the specifications differ from the plugin: the rule, whether the plugin accepts the case,
# a pattern of its code, and the reason.
DISPUTED = [
    ("alt-text", False, r"^<area (?!.*(href|\.\.\.|alt />))|^<area />", "HTML, the area element: without `href`, `alt` must be omitted"),
    ("alt-text", True, r'type="image" alt=""', "HTML, Image Button state: `alt` must not be empty"),
    ("alt-text", True, r"alt=\" \"", "HTML, the img element: only an empty `alt` marks an image as decorative; white space names nothing"),
    ("anchor-is-valid", False, r"^<a />", "HTML, the a element: without `href`, it is a placeholder for a link"),
    ("aria-proptypes", False, r"aria-label=\{\d+\}", "WAI-ARIA 1.2, value type string: a number is rendered as text"),
    ("aria-proptypes", False, r"\$\{", "JSX: the value is that of a variable, which can be valid"),
    ("aria-proptypes", True, r"aria-level=\{-", "WAI-ARIA 1.2, aria-level: an integer greater than or equal to 1"),
    ("aria-role", False, r"role=\{null\}", "JSX: the attribute is not rendered"),
    ("aria-role", False, r"^<Foo ", "JSX: a property of a component is not an attribute of an element"),
    ("control-has-associated-label", False, r"^<(td|menuitem) />|role=\"gridcell\"", "WAI-ARIA 1.2: cells can be empty; browsers do not know `<menuitem>`"),
    ("control-has-associated-label", False, r"<span title=", "Accessible Name and Description Computation, 2I: the title of an element inside is part of the name"),
    ("control-has-associated-label", True, r"role=\"(combobox|progressbar|searchbox|slider|spinbutton|textbox)\">Save", "WAI-ARIA 1.2: the content does not name these roles"),
    ("control-has-associated-label", True, r"^<(meter|progress|dialog) />|role=\"(alertdialog|dialog|listbox|tooltip)\" />", "WAI-ARIA 1.2: these roles require a name"),
    ("control-has-associated-label", True, r"<input type=\"button\" />", "WAI-ARIA 1.2, button: a name is required"),
    ("html-has-lang", True, r"<html lang />", "HTML, the lang attribute: a language tag or empty; React does not render `true`"),
    ("iframe-has-title", False, r"title=\{\d+\}", "HTML, the title attribute: a number is rendered as text"),
    ("media-has-caption", False, r"<audio|<Audio|as=\"audio\"", "WCAG 2.2, 1.2.1 and 1.2.2: captions are required of synchronized media, not of sound alone"),
    ("no-autofocus", False, r"=\{(undefined|false)\}", "JSX: the attribute is not rendered"),
    ("no-interactive-element-to-noninteractive-role", False, r"<menuitem", "HTML, obsolete features: browsers and HTML-AAM do not know the element"),
    ("no-noninteractive-element-to-interactive-role", True, r"<header role=\"button\"", "ARIA in HTML, header: only group, none and presentation"),
    ("no-redundant-roles", False, r"<body", "HTML-AAM, body: the role is generic"),
    ("no-redundant-roles", True, r"<nav role=\"navigation\"", "ARIA in HTML, nav: the role is redundant"),
    ("role-has-required-aria-props", False, r"role=\"option\"", "WAI-ARIA 1.3, option: aria-selected is supported, not required"),
    ("role-supports-aria-props", False, r"aria-description |role=\"(?!generic\").*aria-brailleroledescription |role=\"(?!(" + NAMELESS + r")\").*aria-braillelabel ", "WAI-ARIA 1.3: for all elements, apart from roles that prohibit names"),
    ("role-supports-aria-props", False, r"role=\"(none|doc-pullquote)\" aria-(" + GLOBAL + r") |role=\"doc-pullquote\" aria-(label|labelledby|braillelabel) ", "WAI-ARIA 1.2, none, and DPUB-ARIA 1.1, doc-pullquote: the global attributes apply"),
    ("role-supports-aria-props", False, r"<menuitem [^>]*aria-invalid", "HTML-AAM: the element has no role, and the attribute is global"),
    ("role-supports-aria-props", True, r"role=\"mark\" aria-braillelabel", "WAI-ARIA 1.3, aria-braillelabel: not for mark"),
    ("role-supports-aria-props", True, r"<menu (type=\"toolbar\" )?aria-(activedescendant|checked) ", "HTML-AAM, menu: the role is list"),
    ("role-supports-aria-props", True, r"<img alt=\"\" aria-checked", "HTML-AAM, img with empty `alt`: the role is none"),
    ("role-supports-aria-props", True, r"role=\"generic\" aria-roledescription", "WAI-ARIA 1.2, aria-roledescription: not for generic"),
]


def is_disputed(case):
    code = " ".join(case["code"].split())
    return any(rule == case["rule"] and is_valid == case["isValid"] and re.search(pattern, code) for rule, is_valid, pattern, _ in DISPUTED)


TOOLS = ["aidd", "with unseen-attribute", "oxlint"]


def read_cases(args, scratch):
    clone = scratch / "clone"
    if args.source:
        subprocess.run(["git", "clone", "-q", "--depth", "1", args.source, clone], check=True)
    else:
        package = args.peers / "node_modules/eslint-plugin-jsx-a11y"
        clone.mkdir()
        shutil.copy(package / "package.json", clone)
        for directory, name in [("__tests__", "__tests__"), ("__mocks__", "__mocks__"), ("lib", "src")]:
            shutil.copytree(package / directory, clone / name)
    command = ["node", pathlib.Path(__file__).with_name("jsx_a11y.cjs"), args.peers, clone]
    document = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    return [case for case in document["cases"] if case["rule"] in RULES], document["recommended"]


def run_aidd(args, root, settings):
    names = {"components": settings.get("components", {}), "polymorphic": [settings.get("polymorphicPropName", "")]}
    config = {"accessibility": names}
    (root / ".aidd").mkdir()
    (root / ".aidd/config.json").write_text(json.dumps(config))
    command = [args.aidd, "check", ".", "--format", "json"]
    for name in sorted({name for names in RULES.values() for name in names} | {"unseen-attribute"}):
        command += ["--only", f"a11y/{name}"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if not done.stdout.startswith("{"):
        sys.exit(done.stderr[-2000:])
    found = set()
    for finding in json.loads(done.stdout)["findings"]:
        rule = finding["rule"].removeprefix("a11y/")
        found.add((finding["path"], rule))
        # An element that the keyboard does not reach, and whose handlers of keys are missing too.
        if rule == "role-without-focus" and "Enter and Space" in json.dumps(finding):
            found.add((finding["path"], "click-only-element"))
        # A link that only handles clicks is a link without a target for the plugin, other elements are not.
        if rule == "click-only-element" and "<a>" in finding["message"]:
            found.add((finding["path"], "link-without-target"))
    return found


def run_oxlint(args, root, settings, recommended):
    options = lambda rule: ["error", *(recommended.get(f"jsx-a11y/{rule}") or [])[1:]] if isinstance(recommended.get(f"jsx-a11y/{rule}"), list) else "error"
    rules = {f"jsx-a11y/{rule}": options(rule) for rule in RULES}
    for rule in rules.values():
        # oxlint has no such option, and rejects a configuration with it.
        if isinstance(rule, list) and rule[1:]:
            rule[1] = {name: value for name, value in rule[1].items() if name != "includeRoles"}
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
    parser.add_argument("--source", default="")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    groups = collections.defaultdict(list)
    every, undisputed = (collections.defaultdict(collections.Counter) for _ in range(2))
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
                own = RULES[case["rule"]]
                with_unseen = [*own, "unseen-attribute"] if case["rule"] in UNSEEN else own
                names = {"aidd": own, "with unseen-attribute": with_unseen, "oxlint": [case["rule"]]}
                kind = "valid" if case["isValid"] else "invalid"
                tables = [every] if is_disputed(case) else [every, undisputed]
                for tool in TOOLS:
                    found = reported["oxlint" if tool == "oxlint" else "aidd"]
                    is_reported = any((case["path"], name) in found for name in names[tool])
                    for rows in tables:
                        rows[case["rule"]][f"{tool} {'wrong' if case['isValid'] else 'right'}"] += is_reported
                    if args.list and tool == "aidd" and is_reported == case["isValid"]:
                        mark = "disputed " if is_disputed(case) else ""
                        print(f"{case['rule']} {mark}{kind} {json.dumps(settings)}: {' '.join(case['code'].split())}", file=sys.stderr)
                for rows in tables:
                    rows[case["rule"]][kind] += 1
    print_table("All cases", every)
    print_table("Without disputed cases", undisputed)


def print_table(title, table):
    print(f"\n{title}\n\n| Rule | invalid | " + " | ".join(TOOLS) + " | valid | " + " | ".join(f"{tool} reports" for tool in TOOLS) + " |")
    print("| --- |" + " ---: |" * (2 * len(TOOLS) + 2))
    columns = ["invalid", *(f"{tool} right" for tool in TOOLS), "valid", *(f"{tool} wrong" for tool in TOOLS)]
    total = collections.Counter()
    means = collections.defaultdict(list)
    for rule, row in sorted(table.items()):
        total.update(row)
        for tool in TOOLS:
            right, wrong = row[f"{tool} right"], row[f"{tool} wrong"]
            means[tool, "recall"].append(right / row["invalid"] if row["invalid"] else 1)
            means[tool, "precision"].append(right / (right + wrong) if right + wrong else 1)
        print(f"| `{rule}` | " + " | ".join(str(row[column]) for column in columns) + " |")
    print("| all | " + " | ".join(str(total[column]) for column in columns) + " |\n")
    for (tool, figure), values in means.items():
        print(f"{tool}: mean {figure} of the rules {sum(values) / len(values):.3f}")


if __name__ == "__main__":
    main()
