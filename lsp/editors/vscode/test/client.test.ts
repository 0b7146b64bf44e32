/**
 * Starts the located program with the arguments and settings of the extension and connects a
 * protocol client. With AIDD=PATH the program is aidd, otherwise a stub.
 */

import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import {
  createProtocolConnection,
  DidOpenTextDocumentNotification,
  ExecuteCommandRequest,
  ExitNotification,
  InitializedNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
  type PublishDiagnosticsParams,
} from 'vscode-languageserver-protocol/node'
import { findBinary } from '../src/binary'
import { serverArguments, serverSettings } from '../src/options'
import { rulesOf } from '../src/words'

const real = process.env['AIDD'] ?? ''
const withoutShell = process.platform === 'win32' && real === ''

/** An installed extension that includes a program: the stub. */
function install(folder: string): void {
  mkdirSync(path.join(folder, 'bin'))
  const program = path.join(folder, 'bin', 'aidd')
  const stub = path.resolve('dist/test/stub.js')
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${stub}' "$@"\n`)
  chmodSync(program, 0o755)
}

test('a session', { skip: withoutShell && 'the stub is a shell script', timeout: 30_000 }, async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'aidd-'))
  let server: ChildProcess | undefined
  try {
    install(folder)
    const found = findBinary({
      setting: real,
      folder,
      home: os.homedir(),
      extension: folder,
      path: '',
      platform: process.platform,
    })
    assert.ok('program' in found, JSON.stringify(found))
    const { program } = found
    server = spawn(program, serverArguments, { stdio: ['pipe', 'pipe', 'inherit'] })
    await session(server, folder)
  } finally {
    server?.kill()
    rmSync(folder, { recursive: true, force: true })
  }
})

async function session(server: ChildProcess, folder: string): Promise<void> {
  const { stdin, stdout } = server
  assert.ok(stdin && stdout)
  const ended = once(server, 'exit')
  const connection = createProtocolConnection(new StreamMessageReader(stdout), new StreamMessageWriter(stdin))
  connection.listen()
  const published = new Promise<PublishDiagnosticsParams>((done) => {
    connection.onNotification(PublishDiagnosticsNotification.type, done)
  })
  const answer = await connection.sendRequest(InitializeRequest.type, {
    processId: process.pid,
    rootUri: pathToFileURL(folder).href,
    workspaceFolders: [{ uri: pathToFileURL(folder).href, name: 'folder' }],
    initializationOptions: serverSettings(() => undefined),
    capabilities: { textDocument: { publishDiagnostics: { versionSupport: true } } },
  })
  assert.ok(answer.capabilities.executeCommandProvider?.commands.includes('aidd.explain'))
  await connection.sendNotification(InitializedNotification.type, {})

  const uri = pathToFileURL(path.join(folder, 'Dockerfile')).href
  const text = 'FROM node:latest\nUSER app\n'
  await connection.sendNotification(DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: 'dockerfile', version: 1, text },
  })
  const shown = await published
  assert.equal(shown.uri, uri)
  assert.equal(shown.version, 1)
  const rules = rulesOf(shown.diagnostics)
  assert.ok(rules.includes('dockerfile/latest-tag'), rules.join())

  const page: unknown = await connection.sendRequest(ExecuteCommandRequest.type, {
    command: 'aidd.explain',
    arguments: ['dockerfile/latest-tag'],
  })
  assert.match(String(page), /dockerfile\/latest-tag/)

  await connection.sendRequest(ShutdownRequest.type)
  await connection.sendNotification(ExitNotification.type)
  const [code]: unknown[] = await ended
  assert.equal(code, 0)
}
