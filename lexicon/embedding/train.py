"""Trains the rows of `table.bin` by pairs of texts, so that the vector of a question is similar to
that of its answer. README.md lists the sources; `distil.py` builds the table that is trained.

    python3 train.py passages FOLDER passages.jsonl     # unpacked documentation packages to pairs
    python3 train.py teach MODEL corpus.txt passages.jsonl studied.npz
    python3 train.py train MODEL corpus.txt passages.jsonl studied.npz table.bin trained.bin
    python3 train.py question MODEL table.bin question.bin      # of the table that was aligned again
"""

import argparse
import html
import json
import random
import re
from pathlib import Path

import numpy as np

import distil

SEED = 7
STEPS = 400
BATCH = 512  # pairs of documentation in a step
RATE = 0.01
SHARPNESS = 15  # factor of the similarities
DROPPED = 0.25  # share of the pieces that a step leaves out
WRITTEN = 0.7  # share of the steps with pairs of `pairs.jsonl`
TAUGHT = 1.5  # weight of the teacher's similarities in these
GLOSSES = 0.3  # weights of the parts of the loss
VECTORS = 2.0
SIMILARITIES = 1.0
CHANGE = 0.003
TEACHER_LINES = 60000
LONGEST = 46  # pieces of a passage that the teacher reads

# --- pairs --------------------------------------------------------------------------------------

# Directories; those of `distil.py` and of other documentation packages.
FOLDERS = ["nodejs", "postgresql", "python", "sqlite", "apache2", "cmake", "erlang", "python-aiohttp", "python-django"]
FOLDERS += ["python-flask", "python-kombu", "python-pytest", "python-requests", "python-scrapy", "python-sqlalchemy"]
FOLDERS += ["python-tornado", "python-werkzeug", "rust", "twisted"]
PAGES, HEADINGS, CONTINUED, TERMS = 700, 2500, 1500, 14000
LISTS = re.compile(
    r"genindex|search\.html|/(std|core|alloc|proc_macro|test|error_codes|unstable-book|clippy)/|print\.html|/man/"
    r"|/api/|javadoc|/dsl/|_modules|py-modindex|/objects/|changelog|whatsnew|releases/"
)
BLOCK = re.compile(r"(?s)<(h[1-6]|p|li|dd|dt)\b[^>]*>(.*?)(?=</?(?:h[1-6]|p|dd|li|ul|ol|dl|div|dt)\b)")


def blocks(text):
    text = re.sub(r"(?s)<(pre|script|style|table|nav|footer|header)\b.*?</\1>", " ", text)
    for kind, block in BLOCK.findall(text):
        block = html.unescape(re.sub(r"<[^>]+>", "", block)).replace("\u00b6", "").replace("\uf0c1", "")
        yield kind == "dt" or kind[0] == "h", re.sub(r"^[\d.]+\s*", "", " ".join(block.split()))


def documentation(folder, chance, seen):
    """Headings with their first two paragraphs, and first sentences with the rest of the paragraph."""
    pages = [path for path in sorted(folder.rglob("*.html")) if folder.name == "nodejs" or not LISTS.search(str(path))]
    chance.shuffle(pages)
    found = []
    for path in pages[:PAGES]:
        heading, used = None, 0
        for is_heading, block in blocks(path.read_text("utf-8", "replace")):
            words = block.split()
            if is_heading:
                heading, used = (block if 2 <= len(words) <= 12 and re.search("[a-z]{3}", block) else None), 0
            elif len(words) >= 8 and block[:60] not in seen:
                seen.add(block[:60])
                if heading and used < 2:
                    found.append((True, heading, " ".join(words[:50])))
                    used += 1
                first, *rest = re.split(r"(?<=[.!?])\s+(?=[A-Z])", block)
                if rest and len(first.split()) >= 5 and len(rest[0].split()) >= 5:
                    found.append((False, first, " ".join(" ".join(rest).split()[:50])))
    chance.shuffle(found)
    by_heading, continued = ([pair for is_heading, *pair in found if is_heading == wanted] for wanted in (True, False))
    return by_heading[:HEADINGS] + continued[:CONTINUED]


def terms(folder, chance):
    """The words and the first example of each sense of WordNet, with its definition."""
    found = []
    for path in sorted(folder.rglob("data.*")):
        for line in path.read_text("utf-8", "replace").splitlines():
            if "|" not in line or line.startswith("  "):
                continue
            fields, gloss = line.split("|", 1)
            fields = fields.split()
            words = [re.sub(r"\(.*\)", "", word.replace("_", " ")) for word in fields[4 : 4 + 2 * int(fields[3], 16) : 2]]
            definition, *examples = (part.strip(' "') for part in gloss.split(";"))
            if any(word[0].isupper() for word in words) or len(definition.split()) < 3:
                continue
            found.append((" , ".join(words[:3]), definition))
            found += [(example, definition) for example in examples if len(example.split()) >= 4][:1]
    chance.shuffle(found)
    return found[:TERMS]


def passages(folder, out):
    chance, seen = random.Random(SEED), set()
    found = [("text", pair) for name in FOLDERS for pair in documentation(folder / name, chance, seen)]
    found += [("term", pair) for pair in terms(folder / "wordnet", chance)]
    out.write_text("".join(json.dumps([kind, *pair], ensure_ascii=False) + "\n" for kind, pair in found))
    print(len(found), "pairs")


def written():
    """The pairs of this directory: a question and its answer, in Latin script, as the teacher reads."""
    lines = map(json.loads, Path(__file__).with_name("pairs.jsonl").read_text().splitlines())
    pairs = [(line["q"], line["d"]) for line in lines]
    return [pair for pair in pairs if not distil.CJK.search("".join(pair))]


# --- teacher ------------------------------------------------------------------------------------


def studied(corpus_path, passages_path):
    """The texts that the teacher encodes: the corpus, the first texts of the pairs, the second ones."""
    pairs = [json.loads(line) for line in passages_path.read_text().splitlines()]
    columns = [pair[side] for side in (1, 2) for pair in pairs if pair[0] == "text"]
    return list(dict.fromkeys(corpus_path.read_text().splitlines() + columns))[:TEACHER_LINES]


def teach(model, corpus_path, passages_path, out):
    teacher = distil.Teacher(model)
    lists = [studied(corpus_path, passages_path), *map(list, zip(*written()))]
    vectors = (teacher.encode_all([teacher.ids(text)[:LONGEST] for text in texts]) for texts in lists)
    np.savez(out, **dict(zip(("lines", "questions", "answers"), vectors)))


# --- training -----------------------------------------------------------------------------------


def unit(vectors):
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-6)


def softmax(scores):
    scores = np.exp(scores - scores.max(1, keepdims=True))
    return scores / scores.sum(1, keepdims=True)


class Student:
    """The rows during training; each part of the loss adds to the gradient of the next step."""

    def __init__(self, rows, fixed):
        self.start, self.rows, self.fixed = rows, rows.copy(), fixed
        self.mean, self.square = np.zeros_like(rows), np.zeros_like(rows)
        self.steps = np.zeros(len(rows), np.float32)
        self.parts, self.chance = [], np.random.default_rng(SEED)

    def encode(self, texts):
        """The vectors of texts without some of their pieces, with what `learn` needs."""
        texts = texts.copy()
        texts.data = texts.data * (self.chance.random(len(texts.data)) >= DROPPED)
        vectors = texts @ self.rows
        length = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
        return texts, vectors / length, length

    def learn(self, encoded, gradient):
        texts, vectors, length = encoded
        self.parts.append((texts, (gradient - (gradient * vectors).sum(1, keepdims=True) * vectors) / length))

    def rank(self, questions, answers, weight=1.0, taught=None):
        """The answer of each question is the most similar of all answers, and the reverse."""
        left, right = self.encode(questions), self.encode(answers)
        scores, own = SHARPNESS * left[1] @ right[1].T, np.eye(questions.shape[0], dtype=np.float32)
        gradient = np.zeros_like(scores)
        for turn in (lambda x: x, np.transpose):
            wanted = own if taught is None else (own + TAUGHT * softmax(SHARPNESS * turn(taught))) / (1 + TAUGHT)
            gradient += turn(softmax(turn(scores)) - wanted) * (weight * SHARPNESS / len(own) / 2)
        self.learn(left, gradient @ right[1])
        self.learn(right, gradient.T @ left[1])

    def imitate(self, texts, target, weight):
        """The vector of each text is similar to `target`."""
        self.learn(self.encode(texts), -weight * target / len(target))

    def relate(self, texts, taught, weight):
        """Each text is as similar to the others as the teacher's vectors are."""
        encoded = self.encode(texts)
        scores, wanted = (SHARPNESS * vectors @ vectors.T for vectors in (encoded[1], taught))
        np.fill_diagonal(scores, -1e4)
        np.fill_diagonal(wanted, -1e4)
        gradient = (softmax(scores) - softmax(wanted)) / len(taught) * (weight * SHARPNESS)
        self.learn(encoded, gradient @ encoded[1] + gradient.T @ encoded[1])

    def step(self, rate):
        """Adam for the rows that occur in the texts of this step."""
        from scipy.sparse import vstack

        texts = vstack([texts for texts, _ in self.parts], format="csc")
        at = np.flatnonzero((np.diff(texts.indptr) > 0) & ~self.fixed)
        gradient = texts[:, at].T @ np.concatenate([part for _, part in self.parts]).astype(np.float32)
        gradient += CHANGE * (self.rows[at] - self.start[at])
        self.parts.clear()
        self.steps[at] += 1
        steps = self.steps[at][:, None]
        self.mean[at] = 0.9 * self.mean[at] + 0.1 * gradient
        self.square[at] = 0.99 * self.square[at] + 0.01 * gradient**2
        self.rows[at] -= rate * self.mean[at] / (1 - 0.9**steps) / (np.sqrt(self.square[at] / (1 - 0.99**steps)) + 1e-7)


def train(model, corpus_path, passages_path, taught_path, shipped, out):
    from scipy.sparse import csr_matrix, vstack

    reader, taught = distil.Table(shipped, model), np.load(taught_path)
    fixed = np.array([bool(distil.CJK.match(piece)) for piece in reader.pieces])

    def counts(texts):
        found = [reader.tokens.numbers(text) for text in texts]
        ends = np.concatenate([[0], np.cumsum([len(row) for row in found])])
        numbers = np.concatenate([np.array(row, int) for row in found])
        return csr_matrix((np.ones(len(numbers), np.float32), numbers, ends), shape=(len(found), len(reader.pieces)))

    pairs = [json.loads(line) for line in passages_path.read_text().splitlines()]
    sides = {kind: [counts([pair[side] for pair in pairs if pair[0] == kind]) for side in (1, 2)] for kind in ("text", "term")}
    questions, answers = map(counts, zip(*written()))
    lines, vectors = counts(studied(corpus_path, passages_path)), taught["lines"].astype(np.float32)
    student = Student(reader.rows.astype(np.float32), fixed)

    # The teacher's vectors in the space of the table: principal components of the corpus, turned.
    size = len(corpus_path.read_text().splitlines())
    _, _, basis = np.linalg.svd(vectors[:size] - vectors[:size].mean(0), full_matrices=False)
    targets = (vectors - vectors[:size].mean(0)) @ basis[: distil.DIMENSIONS].T
    own = lines[:size] @ student.start / np.maximum(np.diff(lines[:size].indptr), 1)[:, None]
    left, _, right = np.linalg.svd(targets[:size].T @ own)
    targets = unit(targets @ left @ right)
    # The texts of the pairs are lines too, in the words of those who ask.
    spoken = vstack([questions, answers]).tocsr()
    spoken_vectors = np.concatenate([taught["questions"], taught["answers"]]).astype(np.float32)
    spoken_targets = unit((spoken_vectors - vectors[:size].mean(0)) @ basis[: distil.DIMENSIONS].T @ left @ right)

    def agreement():
        return (unit(lines[:size] @ student.rows) * targets[:size]).sum(1).mean()

    chance = student.chance
    print(f"agreement with the teacher: {agreement():.3f}")
    for step in range(STEPS):
        for kind, count, weight in (("text", BATCH, 1.0), ("term", BATCH // 2, GLOSSES)):
            at = chance.integers(0, sides[kind][0].shape[0], count)
            student.rank(sides[kind][0][at], sides[kind][1][at], weight)
        if chance.random() < WRITTEN:
            at = chance.choice(questions.shape[0], BATCH, replace=False)
            student.rank(questions[at], answers[at], 1.0, taught["questions"][at] @ taught["answers"][at].T)
        for texts, wanted, known in ((lines, targets, vectors), (spoken, spoken_targets, spoken_vectors)):
            at = chance.integers(0, len(known), BATCH)
            student.imitate(texts[at], wanted[at], VECTORS)
            at = chance.integers(0, len(known), BATCH)
            student.relate(texts[at], known[at], SIMILARITIES)
        student.step(RATE * min(1, (step + 1) / 50) * (1 - step / STEPS))
    print(f"after training: {agreement():.3f}")

    # The rows of Hangul, kana and Han follow by the linear map that is nearest to the change.
    used = np.asarray(lines.sum(0)).ravel()
    common = ~fixed & (used > 5)
    weight = np.sqrt(np.minimum(used[common], 1000))[:, None]
    old, new = student.start[common] * weight, student.rows[common] * weight
    change = np.linalg.solve(old.T @ old + 1e-3 * np.eye(distil.DIMENSIONS), old.T @ new)
    student.rows[fixed] = student.start[fixed] @ change
    distil.write(reader.pieces, student.rows, out)


def question(model, shipped, out):
    """The mean of the vectors of the questions of `pairs.jsonl`, as 32-bit floating-point numbers."""
    reader = distil.Table(shipped, model)
    mean = np.mean([reader.vector(question) for question, _ in written()], axis=0)
    out.write_bytes(mean.astype("<f4").tobytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("step", choices=["passages", "teach", "train", "question"])
    parser.add_argument("paths", nargs="+", type=Path)
    given = parser.parse_args()
    {"passages": passages, "teach": teach, "train": train, "question": question}[given.step](*given.paths)


if __name__ == "__main__":
    main()
