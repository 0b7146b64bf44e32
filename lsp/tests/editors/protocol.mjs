// The reference client of Node, vscode-languageserver-protocol: opens the files, prints the shown
// findings, applies a fix. See README.md for inputs and outputs.
//
//   protocol.mjs ENCODING push|pull      ENCODING: utf-8, utf-16 or utf-32, the only one offered

import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const lsp = createRequire(path.join(process.env.AIDD_EDITORS, 'package.json'))(
  'vscode-languageserver-protocol/node',
)
const [encoding, way] = process.argv.slice(2)
const root = process.env.AIDD_ROOT
const severities = { 1: 'error', 2: 'warning', 3: 'info', 4: 'hint' }
const widths = {
  'utf-8': (c) => Buffer.byteLength(c),
  'utf-16': (c) => c.length,
  'utf-32': () => 1,
}
const uri = (file) => pathToFileURL(path.join(root, file)).href
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))

/** The number of characters before a position in a line; a position inside a character is an error. */
function before(text, character) {
  const characters = [...text]
  let at = 0
  let count = 0
  while (at < character && count < characters.length) at += widths[encoding](characters[count++])
  if (at !== character) throw new Error(`${character} is no position of ${encoding} in ${text}`)
  return count
}

/** The offset of a position in a text, in UTF-16 units. */
function place(text, position) {
  const lines = text.split('\n')
  const line = lines[position.line]
  const start = lines.slice(0, position.line).reduce((sum, each) => sum + each.length + 1, 0)
  return start + [...line].slice(0, before(line, position.character)).join('').length
}

/** The inverse: the position after `count` characters of a line. */
function position(line, text, count) {
  const width = [...text].slice(0, count).reduce((sum, c) => sum + widths[encoding](c), 0)
  return { line, character: width }
}

class Session {
  texts = new Map()
  versions = new Map()
  published = new Map()

  constructor(connection) {
    this.connection = connection
    connection.onNotification(lsp.PublishDiagnosticsNotification.type, (params) => {
      this.published.set(params.uri, params)
    })
  }

  async open(file) {
    const text = readFileSync(path.join(root, file), 'utf8')
    this.texts.set(file, text)
    this.versions.set(file, 1)
    await this.connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, {
      textDocument: { uri: uri(file), languageId: 'plaintext', version: 1, text },
    })
    return this.shown(file)
  }

  /** The diagnostics of the open version, pulled or pushed. */
  async found(file) {
    if (way === 'pull') {
      const params = { textDocument: { uri: uri(file) } }
      const report = await this.connection.sendRequest(
        lsp.DocumentDiagnosticRequest.type, params)
      return report.items
    }
    for (let waited = 0; waited < 15000; waited += 5) {
      const last = this.published.get(uri(file))
      if (last?.version === this.versions.get(file)) return last.diagnostics
      await sleep(5)
    }
    throw new Error(`${file}: no findings received`)
  }

  async shown(file) {
    const lines = this.texts.get(file).split('\n')
    const findings = (await this.found(file)).map(({ range, code, severity, data }) => {
      const line = lines[range.start.line]
      const first = before(line, range.start.character)
      const last = range.end.line === range.start.line ? before(line, range.end.character) : undefined
      const covered = [...line].slice(first, last).join('')
      const where = `${file}:${range.start.line + 1}:${first + 1}`
      return `${where} ${code} ${severities[severity]} ${data?.id ?? '-'} ${covered}`
    })
    return findings.sort()
  }

  async fix(file, number) {
    const found = (await this.found(file)).filter(({ range }) => range.start.line === number - 1)
    found.sort((a, b) => a.range.start.character - b.range.start.character)
    const { start } = found[0].range
    const actions = await this.connection.sendRequest(lsp.CodeActionRequest.type, {
      textDocument: { uri: uri(file) },
      range: { start, end: start },
      context: { diagnostics: found },
    })
    let action = actions?.find((each) => each.isPreferred)
    if (!action) throw new Error(`no preferred action among ${actions?.length}`)
    if (!action.edit) {
      action = await this.connection.sendRequest(lsp.CodeActionResolveRequest.type, action)
    }
    await this.apply(file, action.edit)
  }

  /** Applies the edits of a fix to the text and sends each to the server, as an editor does. */
  async apply(file, { documentChanges }) {
    const [{ textDocument, edits }, ...others] = documentChanges
    const version = this.versions.get(file)
    if (others.length || textDocument.uri !== uri(file) || textDocument.version !== version) {
      throw new Error(`an edit of ${textDocument.uri}, version ${textDocument.version}`)
    }
    const changes = edits.map(({ range, newText }) => ({ range, text: newText }))
    changes.sort((a, b) =>
      b.range.start.line - a.range.start.line || b.range.start.character - a.range.start.character)
    let text = this.texts.get(file)
    for (const { range, text: added } of changes) {
      text = text.slice(0, place(text, range.start)) + added + text.slice(place(text, range.end))
    }
    await this.change(file, text, changes)
    writeFileSync(path.join(root, file), text)
  }

  async change(file, text, contentChanges) {
    this.texts.set(file, text)
    this.versions.set(file, this.versions.get(file) + 1)
    await this.connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, {
      textDocument: { uri: uri(file), version: this.versions.get(file) },
      contentChanges,
    })
  }

  /** Inserts a line that ends in an astral character at the top and removes it again. This must not
   * affect the following edits. */
  async disturb(file) {
    const text = this.texts.get(file)
    const top = position(0, '', 0)
    await this.change(file, `𝒳\n${text}`, [{ range: { start: top, end: top }, text: '𝒳\n' }])
    const join = { start: position(0, '𝒳', 1), end: position(1, '', 0) }
    await this.change(file, `𝒳${text}`, [{ range: join, text: '' }])
    const added = { start: top, end: position(0, '𝒳', 1) }
    await this.change(file, text, [{ range: added, text: '' }])
  }
}

async function run(say) {
  const [command, ...args] = process.env.AIDD_SERVER.split('\n')
  const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise((done) => server.once('exit', done))
  await Promise.race([talk(server, ended, say), ended.then((code) => {
    if (code !== 0) throw new Error(`the server ended with ${code}`)
  })])
}

async function talk(server, ended, say) {
  const connection = lsp.createProtocolConnection(
    new lsp.StreamMessageReader(server.stdout), new lsp.StreamMessageWriter(server.stdin))
  connection.listen()
  const { capabilities } = await connection.sendRequest(lsp.InitializeRequest.type, {
    processId: process.pid,
    rootUri: pathToFileURL(root).href,
    workspaceFolders: [{ uri: pathToFileURL(root).href, name: 'fixture' }],
    capabilities: {
      general: { positionEncodings: [encoding] },
      workspace: { workspaceEdit: { documentChanges: true }, workspaceFolders: true },
      textDocument: {
        ...(way === 'pull' ? { diagnostic: {} } : { publishDiagnostics: { versionSupport: true } }),
        codeAction: {
          codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix', 'source'] } },
          isPreferredSupport: true,
          dataSupport: true,
          resolveSupport: { properties: ['edit'] },
        },
      },
    },
  })
  if ((capabilities.positionEncoding ?? 'utf-16') !== encoding) {
    throw new Error(`the server chose ${capabilities.positionEncoding}`)
  }
  await connection.sendNotification(lsp.InitializedNotification.type, {})
  const session = new Session(connection)
  for (const file of process.env.AIDD_FILES.split('\n')) say(await session.open(file))
  const [file, line] = process.env.AIDD_FIX.split(':')
  await session.disturb(file)
  await session.fix(file, Number(line))
  say(['-- fixed', session.texts.get(file).split('\n')[line - 1]])
  say(await session.shown(file))
  await connection.sendRequest(lsp.ShutdownRequest.type)
  await connection.sendNotification(lsp.ExitNotification.type)
  await ended
}

const out = []
const limit = sleep(60000).then(() => { throw new Error('it took more than a minute') })
try {
  await Promise.race([run((lines) => out.push(...lines)), limit])
} catch (problem) {
  out.push(`failed: ${problem.message}`)
}
writeFileSync(process.env.AIDD_OUT, out.map((line) => `${line}\n`).join(''))
process.exit()
