"""Definitions and call sites of source files, read by parsers that share no code with aidd: Python's `ast`,
the TypeScript compiler, and universal-ctags."""

import ast
import dataclasses
import json
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass(frozen=True)
class Definition:
    """A function, method, class or type. Lines are 1-based; `column` is that of the name, in UTF-16 units.

    `first` is the line of the first decorator or modifier, `line` the line of the name, `last` the last line of
    the definition. A `soft` definition is one that tools can well leave out of an outline: a member of an
    object literal, a signature in an interface, a declaration without a body."""

    file: str
    name: str
    kind: str
    first: int
    line: int
    column: int
    last: int
    soft: bool = False


@dataclasses.dataclass(frozen=True)
class Site:
    """A call. `line` and `column` are those of the last name of the callee; `caller` is the innermost definition
    around it that is not soft, or None. `optional` calls are correct in an answer but not required of it."""

    file: str
    name: str
    line: int
    column: int
    caller: Definition | None
    optional: bool = False


def utf16(line, column):
    """The column in UTF-16 units of a column in UTF-8 bytes."""
    return len(line.encode()[:column].decode(errors="replace").encode("utf-16-le")) // 2


class PythonFile(ast.NodeVisitor):
    """The definitions and calls of a Python file."""

    def __init__(self, file, text):
        self.file, self.lines = file, text.split("\n")
        self.definitions, self.sites, self.stack = [], [], []

    def column(self, line, column):
        return utf16(self.lines[line - 1], column)

    def define(self, node, kind):
        first = min([node.lineno, *(entry.lineno for entry in node.decorator_list)])
        # The name follows `def`, `async def` or `class`, on the same line in all but artificial code.
        text = self.lines[node.lineno - 1].encode()
        start = text.find(node.name.encode(), node.col_offset + len("def"))
        column = self.column(node.lineno, max(start, 0))
        found = Definition(self.file, node.name, kind, first, node.lineno, column, node.end_lineno)
        self.definitions.append(found)
        # Tools differ in whose call a decorator, a default value or a base class with a call is.
        outside = [*node.decorator_list, *getattr(node, "bases", []), *getattr(node, "keywords", [])]
        inside = list(node.body)
        if kind != "class":
            outside.append(node.args)
            outside.extend(entry for entry in (node.returns,) if entry)
        self.optional, before = True, getattr(self, "optional", False)
        for entry in outside:
            self.visit(entry)
        self.optional = before
        self.stack.append(found)
        for entry in inside:
            self.visit(entry)
        self.stack.pop()

    def visit_FunctionDef(self, node):
        is_method = self.stack and self.stack[-1].kind == "class"
        self.define(node, "method" if is_method else "function")

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node):
        self.define(node, "class")

    def visit_Call(self, node):
        callee, place = node.func, None
        if isinstance(callee, ast.Name):
            place = (callee.id, callee.lineno, callee.col_offset)
        elif isinstance(callee, ast.Attribute):
            place = (callee.attr, callee.end_lineno, callee.end_col_offset - len(callee.attr.encode()))
        if place:
            name, line, column = place
            caller = self.stack[-1] if self.stack else None
            optional = getattr(self, "optional", False)
            self.sites.append(Site(self.file, name, line, self.column(line, column), caller, optional))
        self.generic_visit(node)


def python(root, files):
    """`(definitions, sites, unread)` of the Python files."""
    definitions, sites, unread = [], [], []
    for file in sorted(files):
        try:
            text = (root / file).read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
            visitor = PythonFile(file, text)
            visitor.visit(ast.parse(text))
        except (SyntaxError, ValueError, OSError, RecursionError):
            unread.append(file)
            continue
        definitions += visitor.definitions
        sites += visitor.sites
    return definitions, sites, unread


def typescript(root, files, compiler):
    """`(definitions, sites, unread)` of TypeScript and JavaScript files; `compiler` is the path of `typescript.js`."""
    program = ["node", HERE / "typescript.mjs", compiler, root]
    done = subprocess.run(program, input="\n".join(sorted(files)), capture_output=True, text=True, check=True)
    definitions, sites = [], []
    for line in done.stdout.splitlines():
        entry = json.loads(line)
        here = [Definition(entry["file"], *values) for values in entry["definitions"]]
        definitions += here
        for name, row, column, caller, optional in entry["sites"]:
            sites.append(Site(entry["file"], name, row, column, None if caller < 0 else here[caller], optional))
    return definitions, sites, []


# The kinds of ctags that are functions and types, by its name of the language.
CTAGS = {
    "TypeScript": {"function", "class", "interface", "enum", "alias", "method", "generator"},
    "Go": {"func", "struct", "interface", "talias", "type", "methodSpec"},
    "Rust": {"function", "struct", "enum", "interface", "method", "typedef", "macro"},
    "Java": {"class", "interface", "enum", "method", "annotation"},
    "Python": {"class", "function", "member"},
    "Kotlin": {"class", "interface", "object", "method", "typealias"},
    "C#": {"class", "interface", "struct", "enum", "method"},
    "Ruby": {"class", "module", "method", "singletonMethod"},
    "PHP": {"class", "interface", "trait", "function"},
}
SOFT = {"methodSpec", "alias", "talias", "typedef", "macro", "type", "typealias"}


# Words that ctags takes for the name of a function in constructs it does not know.
NO_NAMES = {"assert", "catch", "bool", "for", "foreach", "if", "lock", "nameof", "new", "return", "self", "switch", "try", "typeof", "using", "when", "while", "_", "Companion"}


def is_name(language, name):
    """Whether a name of ctags can be declared: calls and anonymous parts are not."""
    is_anonymous = name.startswith(("__anon", "AnonymousClass", "<"))
    # These are ordinary names in Rust, Go and Python.
    is_word = name in NO_NAMES and language not in ("Rust", "Go", "Python")
    return not is_word and not is_anonymous and "." not in name and "(" not in name


def is_declared(language, kind, name, line):
    """Whether the line can declare a function: ctags takes some calls and lambdas of C# and Kotlin for functions."""
    before = line.partition(name)[0].strip()
    if language == "Kotlin" and kind == "method":
        return before.split(" ")[-1].endswith("fun") or "fun " in before
    if language == "Java" and kind == "method":
        is_call = before.endswith((".", "return", "new", "throw", "else", "=", "(", ",", "!", "&&", "||"))
        return not is_call and (bool(before) or line.rstrip().endswith("{"))
    if language == "C#" and kind == "method":
        is_call = before.endswith((".", "await", "return", "new", "=>", "(", "=", ","))
        return not is_call and (bool(before) or line.rstrip().endswith(")") or "{" in line)
    return True


# What a line contains that declares NAME, for the definitions that ctags misses: it stops at some
# literals of Rust, and does not read local types, generic interfaces of Go and some annotations of Java.
DECLARED = {
    "Rust": r"(?:\b(?:fn|struct|enum|trait|mod|type|union)|macro_rules!)\s+(?:r#)?NAME\b",
    "Go": r"^func\s.*\bNAME\s*[\[(]|^\s*(?:type\s+)?NAME\s*(?:\[.*\])?\s*(?:=\s*)?(?:struct|interface|func|map|\[|\*|\w)|^\s*NAME\(.*\)",
    "Java": r"(?:\b(?:class|interface|enum|record)\s+NAME\b|[\w>\]]\s+(?<!return )(?<!new )(?<!throw )NAME\s*\()",
}


def declares(language, name, lines):
    """Whether one of the lines declares a name that ctags did not find."""
    pattern = DECLARED.get(language)
    found = pattern and re.compile(pattern.replace("NAME", re.escape(name)))
    return bool(found) and any(found.search(line.split("//")[0]) for line in lines)


def ctags(root, files, language):
    """`(definitions, others)` by universal-ctags: functions and types, and the places of all other tags."""
    command = ["ctags", "--output-format=json", "--fields=+neKl", "--kinds-all=*", "--sort=no", "-f", "-", "-L", "-"]
    command[4:4] = [f"--languages={language}"]
    done = subprocess.run(command, cwd=root, input="\n".join(sorted(files)), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"ctags ended with {done.returncode}: {done.stderr[-400:]}")
    definitions, others, texts = [], set(), {}
    for line in done.stdout.splitlines():
        tag = json.loads(line)
        if tag.get("_type") != "tag":
            continue
        if tag["path"] not in texts:
            texts = {tag["path"]: (root / tag["path"]).read_text(errors="replace").split("\n")}
        kind, at = tag["kind"], tag["line"]
        line = texts[tag["path"]][at - 1] if at <= len(texts[tag["path"]]) else ""
        if kind in CTAGS[language] and (not is_name(language, tag["name"]) or not is_declared(language, kind, tag["name"], line)):
            continue
        if kind in CTAGS[language]:
            soft = kind in SOFT
            name = tag["name"]
            definitions.append(Definition(tag["path"], name, kind, at, at, 0, tag.get("end", at), soft))
        else:
            others.add((tag["path"], tag["name"], at))
    return definitions, others
