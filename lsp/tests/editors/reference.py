"""The Python reference client, pytest-lsp, with the capabilities of an editor: opens the files,
prints the shown findings, applies a fix. See README.md for inputs and outputs.

    reference.py CLIENT       such as neovim@v0.10.0; the clients are those of pytest-lsp
"""

import asyncio
import os
import pathlib
import sys

from lsprotocol import types as lsp
from pytest_lsp import client_capabilities, make_test_lsp_client

ROOT = pathlib.Path(os.environ["AIDD_ROOT"])
SEVERITIES = {1: "error", 2: "warning", 3: "info", 4: "hint"}
WIDTHS = {"utf-8": lambda c: len(c.encode()), "utf-16": lambda c: 1 + (c > "\uffff"), "utf-32": lambda _: 1}


def index(text, character, encoding):
    """The index of the character at a position; a position inside a character is an error."""
    at = 0
    for number, c in enumerate(text):
        if at >= character:
            break
        at += WIDTHS[encoding](c)
    else:
        number = len(text)
    if at != character:
        raise ValueError(f"{character} is not a position of {encoding} in {text!r}")
    return number


class Session:
    def __init__(self, client, encoding, pulls):
        self.client, self.encoding, self.pulls = client, encoding, pulls
        self.texts, self.versions = {}, {}

    def uri(self, file):
        return (ROOT / file).as_uri()

    async def open(self, file):
        self.texts[file], self.versions[file] = (ROOT / file).read_bytes().decode(), 1
        self.client.text_document_did_open(
            lsp.DidOpenTextDocumentParams(
                lsp.TextDocumentItem(self.uri(file), "plaintext", 1, self.texts[file])
            )
        )
        return await self.settled(file)

    async def found(self, file):
        """The diagnostics of the open version, pulled or pushed."""
        if self.pulls:
            params = lsp.DocumentDiagnosticParams(lsp.TextDocumentIdentifier(self.uri(file)))
            return (await self.client.text_document_diagnostic_async(params)).items
        while self.uri(file) not in self.client.diagnostics:
            await asyncio.sleep(0.005)
        return self.client.diagnostics[self.uri(file)]

    async def settled(self, file):
        items = await asyncio.wait_for(self.found(file), 15)
        lines = self.texts[file].split("\n")
        shown = []
        for item in items:
            start, end = item.range.start, item.range.end
            line = lines[start.line]
            first = index(line, start.character, self.encoding)
            last = index(line, end.character, self.encoding) if end.line == start.line else None
            data = item.data if isinstance(item.data, dict) else {}
            shown.append(
                f"{file}:{start.line + 1}:{first + 1} {item.code} {SEVERITIES[item.severity]} "
                f"{data.get('id', '-')} {line[first:last]}"
            )
        return sorted(shown)

    async def fix(self, file, line):
        items = [item for item in await self.found(file) if item.range.start.line == line - 1]
        place = min((item.range for item in items), key=lambda range: range.start.character)
        here = lsp.Range(place.start, place.start)
        actions = await self.client.text_document_code_action_async(
            lsp.CodeActionParams(
                lsp.TextDocumentIdentifier(self.uri(file)), here, lsp.CodeActionContext(items)
            )
        )
        preferred = [a for a in actions or [] if isinstance(a, lsp.CodeAction) and a.is_preferred]
        if not preferred:
            raise ValueError(f"no preferred action among {len(actions or [])}")
        action = preferred[0]
        if action.edit is None:
            action = await self.client.code_action_resolve_async(action)
        self.apply(file, self.edits(file, action.edit))
        self.versions[file] += 1
        self.client.diagnostics.pop(self.uri(file), None)
        self.client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(
                lsp.VersionedTextDocumentIdentifier(self.versions[file], self.uri(file)),
                [lsp.TextDocumentContentChangeWholeDocument(self.texts[file])],
            )
        )
        (ROOT / file).write_bytes(self.texts[file].encode())

    def edits(self, file, edit):
        """The edits of the only file that a fix may change, for the open version."""
        if edit.document_changes is None:
            ((uri, edits),) = edit.changes.items()
            version = None
        else:
            (change,) = edit.document_changes
            uri, edits, version = change.text_document.uri, change.edits, change.text_document.version
        if uri != self.uri(file) or version not in (None, self.versions[file]):
            raise ValueError(f"an edit of {uri}, version {version}")
        return edits

    def apply(self, file, edits):
        lines = self.texts[file].splitlines(keepends=True) + [""]
        starts = [sum(map(len, lines[:number])) for number in range(len(lines))]
        place = lambda at: starts[at.line] + index(lines[at.line], at.character, self.encoding)
        for edit in sorted(edits, key=lambda edit: place(edit.range.start), reverse=True):
            text = self.texts[file]
            self.texts[file] = text[: place(edit.range.start)] + edit.new_text + text[place(edit.range.end) :]


async def run(say, name):
    client = make_test_lsp_client()
    await client.start_io(*os.environ["AIDD_SERVER"].split("\n"))
    capabilities = client_capabilities(name)
    answer = await client.initialize_session(
        lsp.InitializeParams(
            capabilities, process_id=os.getpid(), root_uri=ROOT.as_uri(),
            workspace_folders=[lsp.WorkspaceFolder(ROOT.as_uri(), "fixture")],
        )
    )
    offered = capabilities.general and capabilities.general.position_encodings or ["utf-16"]
    encoding = answer.capabilities.position_encoding or "utf-16"
    if encoding not in offered:
        raise ValueError(f"{encoding} was not offered")
    pulls = bool(capabilities.text_document.diagnostic and answer.capabilities.diagnostic_provider)
    session = Session(client, encoding, pulls)

    for file in os.environ["AIDD_FILES"].split("\n"):
        say(await session.open(file))
    file, line = os.environ["AIDD_FIX"].rsplit(":", 1)
    await session.fix(file, int(line))
    say(["-- fixed", session.texts[file].split("\n")[int(line) - 1]])
    say(await session.settled(file))
    await client.shutdown_session()
    code = await asyncio.wait_for(client._server.wait(), 10)
    if code != 0:
        raise ValueError(f"the server ended with {code}")


def main():
    out = []
    try:
        asyncio.run(asyncio.wait_for(run(out.extend, sys.argv[1]), 60))
    except Exception as problem:
        out.append(f"failed: {type(problem).__name__}: {problem}")
    pathlib.Path(os.environ["AIDD_OUT"]).write_text("".join(line + "\n" for line in out))


main()
