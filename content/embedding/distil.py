"""Makes `table.bin`: one small vector for each word piece, such that their mean is near to what a
sentence encoder says of the whole text. README.md tells where model and corpus come from.

    python3 distil.py corpus FOLDER corpus.txt      # unpacked documentation packages to lines
    python3 distil.py teach MODEL corpus.txt taught.npz
    python3 distil.py fit MODEL corpus.txt taught.npz table.bin
    python3 distil.py check MODEL table.bin texts.txt check.json
"""

import argparse
import html
import json
import math
import random
import re
import struct
from pathlib import Path

import numpy as np

DIMENSIONS = 128
LONGEST = 64  # tokens of a line that the teacher sees
ENDS = 2  # [CLS] and [SEP]
SEED = 20261121

# --- corpus -------------------------------------------------------------------------------------

# Folder name, how many lines at most. The rest of each source is left out at random.
SOURCES = [("wordnet", 12000), ("python", 5000), ("nodejs", 5000), ("postgresql", 4000), ("sqlite", 4000)]


def glosses(folder):
    """Definitions and examples of a WordNet database."""
    for path in sorted(folder.rglob("data.*")):
        for line in path.read_text("utf-8", "replace").splitlines():
            if "|" in line and not line.startswith("  "):
                yield from (part.strip(' "') for part in line.split("|", 1)[1].split(";"))


def sentences(folder):
    """Sentences of the paragraphs and list items of HTML pages."""
    for path in sorted(folder.rglob("*.html")):
        text = path.read_text("utf-8", "replace")
        text = re.sub(r"(?s)<(pre|script|style|table)\b.*?</\1>", " ", text)
        for block in re.findall(r"(?s)<(?:p|dd|li)\b[^>]*>(.*?)(?=</?(?:p|dd|li|ul|ol|dl|div)\b)", text):
            block = html.unescape(re.sub(r"<[^>]+>", "", block))
            yield from re.split(r"(?<=[.!?])\s+(?=[A-Z])", " ".join(block.split()))


def corpus(folder, out):
    lines, chance = [], random.Random(SEED)
    for name, most in SOURCES:
        read = glosses if name == "wordnet" else sentences
        found = {line for line in read(folder / name) if 4 <= len(line.split()) <= 45}
        kept = sorted(found)
        chance.shuffle(kept)
        lines += kept[:most]
        print(name, len(found), "lines,", len(kept[:most]), "kept")
    out.write_text("\n".join(lines) + "\n")


# --- teacher ------------------------------------------------------------------------------------


def erf(x):
    """Abramowitz and Stegun 7.1.26, exact to 1.5e-7."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.sign(x) * (1 - tail * np.exp(-x * x))


class Teacher:
    """A BERT encoder: forward pass only, mean pooling over all positions, length 1."""

    def __init__(self, folder):
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        self.config = json.loads((folder / "config.json").read_text())
        self.weights = {k: v.astype(np.float32) for k, v in load_file(folder / "model.safetensors").items() if v.dtype != np.int64}
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.vocabulary = self.tokenizer.get_vocab()

    def ids(self, text):
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x /= np.sqrt((x * x).mean(-1, keepdims=True) + self.config["layer_norm_eps"])
        return x * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def linear(self, x, name):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def layer(self, x, mask, name):
        batch, length, width = x.shape
        heads = self.config["num_attention_heads"]
        q, k, v = (
            self.linear(x, f"{name}attention.self.{part}").reshape(batch, length, heads, -1).transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        scores = q @ k.transpose(0, 1, 3, 2) / math.sqrt(width // heads) + mask
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        mixed = (scores @ v).transpose(0, 2, 1, 3).reshape(batch, length, width)
        x = self.norm(x + self.linear(mixed, name + "attention.output.dense"), name + "attention.output.LayerNorm")
        wide = self.linear(x, name + "intermediate.dense")
        wide = 0.5 * wide * (1 + erf(wide / math.sqrt(2)))
        return self.norm(x + self.linear(wide, name + "output.dense"), name + "output.LayerNorm")

    def encode(self, rows, unit=True):
        """Token ids of some texts to one vector each; the ends are added here."""
        first, last = self.vocabulary["[CLS]"], self.vocabulary["[SEP]"]
        rows = [[first, *row[: LONGEST - ENDS], last] for row in rows]
        longest = max(map(len, rows))
        ids = np.array([row + [0] * (longest - len(row)) for row in rows])
        real = np.array([[1.0] * len(row) + [0.0] * (longest - len(row)) for row in rows], np.float32)
        x = self.weights["embeddings.word_embeddings.weight"][ids]
        x = x + self.weights["embeddings.position_embeddings.weight"][:longest]
        x = self.norm(x + self.weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        mask = ((real - 1) * 1e9)[:, None, None, :]
        for number in range(self.config["num_hidden_layers"]):
            x = self.layer(x, mask, f"encoder.layer.{number}.")
        mean = (x * real[:, :, None]).sum(1) / real.sum(1, keepdims=True)
        return mean / np.linalg.norm(mean, axis=1, keepdims=True) if unit else mean

    def encode_all(self, rows, unit=True, batch=32):
        out = np.zeros((len(rows), self.config["hidden_size"]), np.float32)
        order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
        for start in range(0, len(order), batch):
            chosen = order[start : start + batch]
            out[chosen] = self.encode([rows[i] for i in chosen], unit)
            if start % (batch * 50) == 0:
                print(f"{start} of {len(rows)}", flush=True)
        return out


def teach(model, corpus_path, out):
    teacher = Teacher(model)
    lines = corpus_path.read_text().splitlines()
    prior = teacher.encode_all([[i] for i in range(len(teacher.vocabulary))], unit=False, batch=256)
    targets = teacher.encode_all([teacher.ids(line) for line in lines])
    np.savez(out, prior=prior, targets=targets)


# --- student ------------------------------------------------------------------------------------


def fit(model, corpus_path, taught, out, ridge=0.3, common=1e-3, held_out=0.05, steps=25):
    """Solves for the token rows, prints the error on lines it has not seen, writes the table."""
    teacher = Teacher(model)
    rows = [teacher.ids(line)[: LONGEST - ENDS] for line in corpus_path.read_text().splitlines()]
    data = np.load(taught)
    prior, targets = data["prior"], data["targets"]

    counts = np.ones(len(prior))
    for row in rows:
        np.add.at(counts, row, 1)
    weight = (common / (common + counts / counts.sum())).astype(np.float32)

    mean = targets.mean(0)
    _, _, basis = np.linalg.svd(targets - mean, full_matrices=False)
    basis = basis[:DIMENSIONS].T
    wanted = (targets - mean) @ basis
    start = prior / np.linalg.norm(prior, axis=1, keepdims=True)
    start = (start - start.mean(0)) @ basis

    line_of = np.concatenate([np.full(len(row), i) for i, row in enumerate(rows)])
    token_of = np.concatenate([np.array(row, int) for row in rows])
    share = weight[token_of] / np.array([max(len(row), 1) for row in rows])[line_of]

    unseen = np.random.default_rng(SEED).random(len(rows)) < held_out
    seen = (~unseen)[line_of]

    def mean_rows(table, chosen):
        result = np.zeros((len(rows), DIMENSIONS), np.float64)
        np.add.at(result, line_of[chosen], share[chosen, None] * table[token_of[chosen]])
        return result

    def transposed(lines, chosen):
        result = np.zeros((len(prior), DIMENSIONS), np.float64)
        np.add.at(result, token_of[chosen], share[chosen, None] * lines[line_of[chosen]])
        return result

    def error(table, which):
        found = mean_rows(table, which[line_of])[which]
        return np.linalg.norm(found - wanted[which]) / np.linalg.norm(wanted[which])

    plain = mean_rows(start, seen)
    start = start * ((plain * wanted).sum() / (plain * plain).sum())
    print(f"start: seen {error(start, ~unseen):.3f}, unseen {error(start, unseen):.3f}")

    # Conjugate gradients on (A'A + r) D = A'(Y - A W0), the change D from the start W0.
    change = np.zeros_like(start, dtype=np.float64)
    rest = transposed(np.where(unseen[:, None], 0, wanted - mean_rows(start, seen)), seen)
    direction, size = rest.copy(), (rest * rest).sum(0)
    for _ in range(steps):
        image = transposed(mean_rows(direction, seen), seen) + ridge * direction
        step = size / (direction * image).sum(0)
        change += step * direction
        rest -= step * image
        new = (rest * rest).sum(0)
        direction, size = rest + new / size * direction, new
    table = start + change
    print(f"fitted: seen {error(table, ~unseen):.3f}, unseen {error(table, unseen):.3f}")
    write(teacher.vocabulary, table * weight[:, None], out)


# --- table --------------------------------------------------------------------------------------


def kept(piece):
    return not re.fullmatch(r"\[(unused\d+|PAD|UNK|CLS|SEP|MASK)\]", piece)


def write(vocabulary, table, out):
    """Magic, row count, dimensions, piece ends (u32), scales (f32), pieces, rows (i8); pieces in
    byte order. All numbers little-endian."""
    pieces = sorted((piece.encode(), number) for piece, number in vocabulary.items() if kept(piece))
    ends = np.cumsum([len(piece) for piece, _ in pieces]).astype("<u4")
    rows = table[[number for _, number in pieces]]
    scale = np.maximum(np.abs(rows).max(1), 1e-12) / 127
    packed = np.clip(np.rint(rows / scale[:, None]), -127, 127).astype(np.int8)
    with open(out, "wb") as file:
        file.write(b"AIDDVEC1" + struct.pack("<II", len(pieces), DIMENSIONS))
        file.write(ends.tobytes() + scale.astype("<f4").tobytes())
        file.write(b"".join(piece for piece, _ in pieces) + packed.tobytes())
    print(out, Path(out).stat().st_size, "bytes,", len(pieces), "pieces")


class Table:
    """The reference reader: what the engine's own reader must agree with."""

    def __init__(self, path, model):
        data = Path(path).read_bytes()
        count, width = struct.unpack_from("<II", data, 8)
        ends = np.frombuffer(data, "<u4", count, 16)
        scale = np.frombuffer(data, "<f4", count, 16 + 4 * count)
        text = 16 + 8 * count
        pieces = [data[text + (ends[i - 1] if i else 0) : text + ends[i]].decode() for i in range(count)]
        rows = np.frombuffer(data, np.int8, count * width, text + int(ends[-1])).reshape(count, width)
        self.rows = rows * scale[:, None]
        from tokenizers import Tokenizer

        self.tokenizer = Tokenizer.from_file(str(Path(model) / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.number = {piece: i for i, piece in enumerate(pieces)}

    def pieces(self, text):
        tokens = self.tokenizer.encode(text, add_special_tokens=False).tokens
        return [token for token in tokens if token in self.number]

    def vector(self, text):
        rows = self.rows[[self.number[piece] for piece in self.pieces(text)]]
        total = rows.sum(0) if len(rows) else np.zeros(self.rows.shape[1])
        return total / max(np.linalg.norm(total), 1e-12)


def check(model, table, texts, out):
    """Pieces and vector of each text, for the test of the engine's reader."""
    reader = Table(table, model)
    lines = texts.read_text().splitlines()
    found = [{"text": line, "pieces": reader.pieces(line), "vector": [round(float(x), 4) for x in reader.vector(line)]} for line in lines]
    out.write_text("\n".join(json.dumps(item, ensure_ascii=False) for item in found) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("step", choices=["corpus", "teach", "fit", "check"])
    parser.add_argument("paths", nargs="+", type=Path)
    given = parser.parse_args()
    {"corpus": corpus, "teach": teach, "fit": fit, "check": check}[given.step](*given.paths)


if __name__ == "__main__":
    main()
