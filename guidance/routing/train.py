"""Learns `weights.bin`: how strongly the words and the meaning of a task indicate each row.

Requires `numpy` and `scipy`. The texts are the known tasks of `content/routing/tasks.txt`, the sets one to
six and the tuned titles of `tests/routing`, the invented titles of `titles.tsv`, and the titles of the
issues, pull requests and commits that `issues.tsv` and `commits.tsv` list with their rows. Steps, from the
root of the repository:

1. `python guidance/routing/train.py texts CLONES ISSUES OUT`: CLONES contains a clone of each repository of
   `commits.tsv`, under the name of the repository without its owner; ISSUES is a file with a line
   `address TAB title` for each address of `issues.tsv`. Writes the texts to OUT/texts.json.
2. `AIDD_TRAINING=OUT cargo test -p aidd-guidance features_are_exported -- --ignored`: writes the features
   of each text to OUT/features.jsonl.
3. `python guidance/routing/train.py check OUT`: five-fold cross-validation by set.
4. `python guidance/routing/train.py fit OUT`: writes `weights.bin`.
"""

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
# The sets that the cross-validation measures.
MEASURED = ("titles", "issues", "commits", "invented")
# Weights of the tuned titles, which resemble the tasks to classify most, of what is not a task, and of titles
# and commits of bugs, which are more frequent there than among tasks.
TITLES_WEIGHT, NO_TASK_WEIGHT, BUG_WEIGHT = 2.0, 3.0, 0.5
# Penalty of large weights, length of the vector, and share of the evidence that needs no learning. Chosen by
# cross-validation on the tuned titles and the titles of issues; other values change the result by at most 2 %.
PENALTY, DIRECTION, KNOWN = 1.0, 1.5, 0.8
# Factor of all scores, so that the confidence fits the titles in the cross-validation.
SPREAD = 0.95
# Minimum number of texts with a word, number of iterations, number of passes.
MIN_TEXTS, ITERATIONS, PASSES = 3, 60, 2


def yaml_cases(path):
    """The cases of a set: one map a line, whose values are strings, names or lists of names."""
    for line in path.read_text().splitlines():
        found = re.match(r'- \{ task: (.+?), row: (\[.+?\]|[\w-]+)(?:, held: (true|false))? \}$', line)
        if found:
            task, rows, held = found.groups()
            if held != "true":
                yield json.loads(task), re.findall(r"[\w-]+", rows)


def commit_title(repository, commit):
    """The title of a commit or of the pull request that it merges, without numbers."""
    command = ["git", "-C", str(repository), "log", "-1", "--format=%s%x01%b", commit]
    title, body = subprocess.check_output(command, text=True).split("\x01", 1)
    if title.startswith("Merge pull request"):
        title = next((line.strip() for line in body.splitlines() if line.strip()), "")
    title = re.sub(r"\s*\(#\d+\)$", "", title)
    return re.sub(r"\s*\(?#\d+\)?", "", title).strip()


def texts(clones, issues, out):
    cases = []
    row = None
    for line in (ROOT / "content/routing/tasks.txt").read_text().splitlines():
        if line.startswith("# "):
            row = line[2:]
        elif line:
            cases.append(("tasks", line, [row]))
    for name in ("first", "second", "third", "fourth", "fifth", "sixth", "titles"):
        for task, rows in yaml_cases(ROOT / f"tests/routing/{name}.yaml"):
            cases.append((name, task, rows))
    for line in (HERE / "titles.tsv").read_text().splitlines():
        row, title = line.split("\t")
        cases.append(("invented", title, [row]))
    for line in (HERE / "commits.tsv").read_text().splitlines():
        repository, commit, rows = line.split("\t")
        title = commit_title(Path(clones) / repository.split("/")[-1], commit)
        cases.append(("commits", title, rows.split()))
    titles = dict(line.split("\t") for line in Path(issues).read_text().splitlines())
    for line in (HERE / "issues.tsv").read_text().splitlines():
        address, rows = line.split("\t")
        cases.append(("issues", titles[address], rows.split()))
    (out / "texts.json").write_text(json.dumps(cases, ensure_ascii=False))
    print(Counter(name for name, *_ in cases))


class Data:
    """The features of the texts, and their rows."""

    def __init__(self, out):
        import numpy as np

        lines = [json.loads(line) for line in (out / "features.jsonl").read_text().splitlines()]
        head, cases = lines[0], lines[1:]
        # The last row is "not a task".
        self.table, self.rows, self.areas = head["table"], head["rows"], head["areas"]
        self.sets = np.array([case["set"] for case in cases])
        self.words = [case["words"] for case in cases]
        self.known = KNOWN * np.array([case["known"] for case in cases], np.float32)
        # The row that a marker of the title states, and whether the words can overrule it.
        self.stated = [case["stated"] for case in cases]
        vectors = np.array([case["vector"] for case in cases], np.float32)
        self.mean = vectors[self.sets == "tasks"].mean(0)
        away = np.where(vectors.any(1, keepdims=True), vectors - self.mean, 0)
        length = np.linalg.norm(away, axis=1, keepdims=True)
        self.directions = DIRECTION * away / np.where(length == 0, 1, length)
        index = {row: at for at, row in enumerate(self.rows)}
        self.allowed = np.zeros((len(cases), len(self.rows)), np.float32)
        for at, case in enumerate(cases):
            self.allowed[at, [index[row] for row in case["expected"]]] = 1
        self.weights = np.where(self.sets == "titles", TITLES_WEIGHT, 1).astype(np.float32)
        self.weights[self.allowed[:, index["-"]] > 0] *= NO_TASK_WEIGHT
        # The titles of the issues of one repository are in one part of the cross-validation.
        addresses = [line.split("\t")[0] for line in (HERE / "issues.tsv").read_text().splitlines()]
        owners = ["/".join(address.split("/")[3:5]) for address in addresses]
        self.groups = np.full(len(cases), -1)
        self.groups[self.sets == "issues"] = np.unique(owners, return_inverse=True)[1]
        is_bug = np.array([case["expected"] == ["bug"] for case in cases])
        self.weights[is_bug & np.isin(self.sets, ("invented", "commits"))] *= BUG_WEIGHT


class Model:
    """A multinomial logistic regression on words and directions, in addition to the known evidence."""

    def __init__(self, data, of):
        import numpy as np
        from scipy.optimize import minimize

        counts = Counter(word for at in of for word in data.words[at])
        self.words = sorted(word for word, count in counts.items() if count >= MIN_TEXTS)
        self.index = {word: at for at, word in enumerate(self.words)}
        counted, dense = self.features(data, of)
        allowed, known = data.allowed[of], data.known[of]
        weight = data.weights[of][:, None]
        shape = (len(self.words) + dense.shape[1], len(data.rows))
        turned = counted.T.tocsr()

        def shares(values):
            self.weights = values.reshape(shape).astype(np.float32)
            scores = self.scores(counted, dense, known)
            scores -= scores.max(1, keepdims=True)
            exponents = np.exp(scores)
            total = exponents.sum(1, keepdims=True)
            return scores - np.log(total), exponents / total

        def loss(values):
            logs, share = shares(values)
            error = weight * (share - target)
            gradient = np.vstack([turned @ error, dense.T @ error]) + PENALTY * self.weights
            value = -(weight * target * logs).sum() + PENALTY / 2 * (self.weights**2).sum()
            return float(value), gradient.ravel().astype(np.float64)

        target = allowed / allowed.sum(1, keepdims=True)
        values = np.zeros(shape[0] * shape[1])
        # A text with several rows counts for each according to the previous pass.
        for _ in range(PASSES):
            options = {"maxiter": ITERATIONS}
            values = minimize(loss, values, jac=True, method="L-BFGS-B", options=options).x
            target = shares(values)[1] * allowed
            target /= target.sum(1, keepdims=True)
        shares(values)

    def features(self, data, of):
        import numpy as np
        import scipy.sparse as sparse

        rows, columns, values = [], [], []
        for at, case in enumerate(of):
            known = [self.index[word] for word in data.words[case] if word in self.index]
            rows += [at] * len(known)
            columns += known
            values += [2 / max(1, len(known)) ** 0.5] * len(known)
        shape = (len(of), len(self.words))
        counted = sparse.csr_matrix((np.array(values, np.float32), (rows, columns)), shape=shape)
        ones = np.ones((len(of), 1), np.float32)
        return counted, np.hstack([data.directions[of], ones]).astype(np.float32)

    def scores(self, counted, dense, known):
        at = len(self.words)
        return counted @ self.weights[:at] + dense @ self.weights[at:] + known


def right(data, case, scores):
    """Whether the role and workflow of the most likely row are right, by the rule for markers."""
    import numpy as np

    share = np.exp(scores - scores.max())
    share /= share.sum()
    best = int(share.argmax())
    stated = data.stated[case]
    if stated is not None and (stated["decides"] or share[best] < 0.6):
        best = data.rows.index(stated["row"])
    return data.areas[best] in {data.areas[row] for row in np.flatnonzero(data.allowed[case])}


def check(out):
    import numpy as np

    data = Data(out)
    every = np.arange(len(data.sets))
    results = {name: [] for name in MEASURED}
    for seed in range(5):
        fold = np.full(len(every), -1)
        for name in MEASURED:
            members = np.flatnonzero(data.sets == name)
            parts = data.groups[members] if name == "issues" else np.arange(len(members))
            order = np.random.default_rng(seed).permutation(parts.max() + 1)
            fold[members] = order[parts] % 5
        found = {name: [] for name in MEASURED}
        for part in range(5):
            model = Model(data, every[fold != part])
            of = every[fold == part]
            for case, scores in zip(of, model.scores(*model.features(data, of), data.known[of])):
                found[data.sets[case]].append(right(data, case, scores))
        for name in MEASURED:
            results[name].append(float(np.mean(found[name])))
        print(seed, {name: round(values[-1], 3) for name, values in results.items()}, flush=True)
    for name, values in results.items():
        known = [right(data, case, data.known[case]) for case in every[data.sets == name]]
        print(f"{name}: {np.mean(values):.3f} ± {np.std(values):.3f}, without {np.mean(known):.3f}")


def quantized(values):
    import numpy as np

    scale = float(np.abs(values).max()) / 127
    return np.float32(scale).tobytes(), np.rint(values / scale).astype(np.int8).tobytes()


def fit(out):
    import numpy as np

    data = Data(out)
    model = Model(data, np.arange(len(data.sets)))
    at = len(model.words)
    weights = SPREAD * model.weights
    word_scale, words = quantized(weights[:at])
    direction_scale, directions = quantized(DIRECTION * weights[at:-1])
    head = "\n".join([data.table, " ".join(data.rows), " ".join(model.words), ""]).encode()
    numbers = [[SPREAD * KNOWN], data.mean, weights[-1]]
    numbers = [np.array(values, "<f4").tobytes() for values in numbers]
    parts = [head, *numbers, word_scale, direction_scale, directions, words]
    (HERE / "weights.bin").write_bytes(b"".join(parts))
    print(len(model.words), "words,", sum(map(len, parts)), "bytes")


if __name__ == "__main__":
    step, *rest = sys.argv[1:]
    if step == "texts":
        texts(rest[0], rest[1], Path(rest[2]))
    else:
        {"check": check, "fit": fit}[step](Path(rest[0]))
