"""Runs aidd, oxlint and ESLint on copies of files, and compares the places of their findings."""

import collections
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

# Findings match if they are in the same file and at most this number of lines apart.
TOLERANCE = 3


def cpu(command, cwd=None, runs=3):
    """Median CPU seconds of the runs, and the output of the last."""
    used = []
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        # Some tools end before a pipe has taken all of their output.
        with tempfile.TemporaryFile("w+", errors="replace") as out:
            done = subprocess.run(command, cwd=cwd, stdout=out, stderr=subprocess.PIPE, text=True, errors="replace")
            out.seek(0)
            done.stdout = out.read()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return sorted(used)[len(used) // 2], done


def files_of(repository, extensions):
    paths = (path.relative_to(repository).as_posix() for path in repository.rglob("*") if path.is_file())
    listed = [path for path in paths if "node_modules/" not in path and not path.startswith(".git/")]
    tests = (".test.", ".spec.", ".stories.", "__tests__/", "/tests/", "/test/", "/e2e/", ".min.")
    return [path for path in listed if path.endswith(extensions) and not any(part in f"/{path}" for part in tests)]


def collect(repositories, extensions, target):
    """Copies the files into one directory, so that no tool reads the settings of a project."""
    count = 0
    for repository in map(pathlib.Path, repositories):
        for path in files_of(repository, extensions):
            to = target / repository.name / path
            to.parent.mkdir(parents=True, exist_ok=True)
            try:
                to.write_bytes((repository / path).read_bytes())
                count += 1
            except OSError:
                pass
    return count


def aidd(args, root, family, rules, runs=3):
    """CPU seconds of aidd with these rules of a family, and the path and lines of their findings: the
    finding itself, then related places in the file."""
    command = [args.aidd, "check", ".", "--format", "json", "--fail-on", "never"]
    for rule in rules:
        command += ["--only", f"{family}/{rule}"]
    used, done = cpu(command, cwd=root, runs=runs)
    if not done.stdout.startswith("{"):
        sys.exit(done.stderr[-2000:])
    found = collections.defaultdict(list)
    for finding in json.loads(done.stdout)["findings"]:
        related = tuple(it["start"]["line"] for it in finding["related"] if it["path"] == finding["path"])
        found[finding["rule"].removeprefix(f"{family}/")].append((finding["path"], finding["start"]["line"], *related))
    return used, found


def oxlint(args, root, plugins, rules, runs=3):
    """CPU seconds of oxlint with these rules, and the places of their findings by the name without plugin."""
    config = {"plugins": plugins, "categories": {"correctness": "off"}, "rules": {rule: "error" for rule in rules}}
    (root / "oxlint.json").write_text(json.dumps(config))
    used, done = cpu([args.peers / "node_modules/.bin/oxlint", "-c", "oxlint.json", "--format", "json", "."], cwd=root, runs=runs)
    found = collections.defaultdict(list)
    for diagnostic in json.loads(done.stdout)["diagnostics"]:
        rule = (diagnostic.get("code") or "").partition("(")[2].rstrip(")")
        line = diagnostic["labels"][0]["span"]["line"] if diagnostic["labels"] else 1
        found[rule].append((diagnostic["filename"].removeprefix("./"), line, diagnostic["message"]))
    return used, found


def eslint(args, root, config, *options):
    """CPU seconds of ESLint with the text of a configuration (a module), and the places of its findings."""
    peers = args.peers.resolve()
    # Below the packages that it imports.
    path = peers / "eslint.compare.config.mjs"
    path.write_text(config)
    used, done = cpu(["node", peers / "node_modules/.bin/eslint", *options, "-c", path, "-f", "json", "."], cwd=root, runs=1)
    path.unlink()
    if not done.stdout.startswith("["):
        sys.exit(done.stderr[-2000:])
    found = collections.defaultdict(list)
    for file in json.loads(done.stdout):
        name = str(pathlib.Path(file["filePath"]).relative_to(root.resolve()))
        for message in file["messages"]:
            found[message["ruleId"] or ""].append((name, message["line"], message["message"]))
    return used, found


def compare(ours, theirs):
    """The findings of both, of ours alone and of theirs alone."""
    rest = collections.defaultdict(list)
    for path, line, *_ in theirs:
        rest[path].append(line)
    both, only = 0, []
    # Tools report either the cause or the effect, so that a related place counts as well.
    places = {(path, line): lines for path, line, *lines in ours}
    for (path, line), lines in sorted(places.items()):
        near = [other for other in rest[path] if min(abs(other - each) for each in (line, *lines)) <= TOLERANCE]
        if near:
            both += 1
            rest[path].remove(min(near, key=lambda other: abs(other - line)))
        else:
            only.append((path, line))
    return both, only, [(path, line) for path, lines in rest.items() for line in lines]


def table(name, rules, ours, theirs, listed):
    """Prints how many findings both tools have, and each of them alone."""
    print(f"\n| Rule of {name} | both | aidd only | {name} only |\n| --- | ---: | ---: | ---: |")
    for rule, names in rules.items():
        own = [found for each in names for found in ours[each]]
        both, only, missing = compare(own, theirs[rule])
        if both or only or missing:
            print(f"| `{rule}` | {both} | {len(only)} | {len(missing)} |")
        if rule in listed:
            for mark, places in (("+", only), ("-", missing)):
                for path, line in places:
                    print(f"{mark} {rule} {path}:{line}", file=sys.stderr)
