/** A minimal server: it reports the word `latest` and explains any rule. */

import {
  createProtocolConnection,
  DidOpenTextDocumentNotification,
  ExecuteCommandRequest,
  ExitNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
  TextDocumentSyncKind,
  type InitializeResult,
} from 'vscode-languageserver-protocol/node'

const connection = createProtocolConnection(
  new StreamMessageReader(process.stdin),
  new StreamMessageWriter(process.stdout),
)
let asked = false

connection.onRequest(InitializeRequest.type, (): InitializeResult => ({
  capabilities: { textDocumentSync: TextDocumentSyncKind.Incremental, executeCommandProvider: { commands: ['aidd.explain'] } },
}))
connection.onNotification(DidOpenTextDocumentNotification.type, ({ textDocument }) => {
  const { uri, version, text } = textDocument
  const diagnostics = text.split('\n').flatMap((words, line) => {
    const character = words.indexOf('latest')
    const start = { line, character }
    const range = { start, end: { line, character: character + 6 } }
    const finding = { range, source: 'aidd', code: 'dockerfile/latest-tag', message: 'it moves' }
    return character < 0 ? [] : [finding]
  })
  void connection.sendNotification(PublishDiagnosticsNotification.type, { uri, version, diagnostics })
})
connection.onRequest(ExecuteCommandRequest.type, ({ arguments: [rule] = [] }) => `# ${rule}\n`)
connection.onRequest(ShutdownRequest.type, () => {
  asked = true
})
connection.onNotification(ExitNotification.type, () => process.exit(asked ? 0 : 1))
connection.listen()
