/** The extension: starts `aidd lsp` and shows the results of its commands. */

import * as os from 'node:os'
import * as vscode from 'vscode'
import { LanguageClient, type LanguageClientOptions } from 'vscode-languageclient/node'
import { findBinary } from './binary'
import { documents, serverArguments, serverSettings, restartSettings } from './options'
import { isAllow, messageOf, rulesOf, statusOf, withReason, type Severity } from './words'

const HELP = 'https://github.com/aidd-dev/aidd/blob/main/docs/editors.md'

/** The URI scheme of documents with command results. */
const ANSWERS = 'aidd-answer'

/** The kind of actions that the extension extends with a question. */
type Action = vscode.CodeAction & { data?: unknown }

let client: LanguageClient | undefined
/** Serializes starts and stops. */
let queue: Promise<void> = Promise.resolve()

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const answers = new Answers()
  const status = new StatusItem()
  const restart = () =>
    (queue = queue
      .then(stop)
      .then(() => start(context, answers))
      .then(() => status.update()))
  context.subscriptions.push(
    status,
    vscode.workspace.registerTextDocumentContentProvider(ANSWERS, answers),
    vscode.commands.registerCommand('aidd.restart', restart),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (restartSettings.some((name) => event.affectsConfiguration(name))) void restart()
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
  )
  await restart()
}

export function deactivate(): Promise<void> {
  return (queue = queue.then(stop))
}

async function start(context: vscode.ExtensionContext, answers: Answers): Promise<void> {
  const settings = vscode.workspace.getConfiguration('aidd')
  const found = findBinary({
    setting: settings.get('path', ''),
    folder: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath,
    home: os.homedir(),
    extension: context.extensionPath,
    path: process.env['PATH'] ?? '',
    platform: process.platform,
  })
  if ('problem' in found) {
    void showProblem(found.problem)
    return
  }
  const server = { command: found.program, args: [...serverArguments] }
  const starting = new LanguageClient('aidd', 'aidd', server, options(answers))
  client = starting
  try {
    await starting.start()
    await running(true)
  } catch (error) {
    client = undefined
    await starting.dispose().catch(() => undefined)
    const why = error instanceof Error ? error.message : String(error)
    void showProblem(`${found.program} failed to start as a language server: ${why}`)
  }
}

async function stop(): Promise<void> {
  const stopping = client
  client = undefined
  await running(false)
  // Ignore errors: a crashed server cannot be stopped.
  await stopping?.dispose().catch(() => undefined)
}

function running(now: boolean): Thenable<unknown> {
  return vscode.commands.executeCommand('setContext', 'aidd.running', now)
}

function options(answers: Answers): LanguageClientOptions {
  const settings = () => vscode.workspace.getConfiguration('aidd')
  return {
    documentSelector: documents,
    initializationOptions: () => serverSettings((name) => settings().get(name)),
    synchronize: { configurationSection: 'aidd' },
    markdown: { supportHtml: false },
    middleware: {
      // The server allows a finding with the reason in the data of the action.
      resolveCodeAction: async (action: Action, token, next) => {
        if (!isAllow(action.data)) return next(action, token)
        const reason = await vscode.window.showInputBox({
          title: action.title,
          prompt: 'Why is this finding allowed? The comment states the reason.',
          placeHolder: 'Reason',
        })
        if (reason === undefined) return action
        action.data = withReason(action.data, reason)
        return next(action, token)
      },
      // The client registers an editor command for each server command; the extension prompts for
      // arguments and shows the result.
      executeCommand: async (command, args, next) => {
        const byPerson = args.length === 0
        const full = byPerson ? await ask(command) : args
        if (full === undefined) return undefined
        const answer: unknown = await next(command, full)
        if (byPerson) await show(answers, command, full, answer)
        return answer
      },
    },
  }
}

/** Prompts for the arguments of a command called by the user; `undefined` if they cancelled. */
async function ask(command: string): Promise<unknown[] | undefined> {
  const { document } = vscode.window.activeTextEditor ?? {}
  const uri = document?.uri.scheme === 'file' ? document.uri.toString() : undefined
  switch (command) {
    case 'aidd.explain': {
      const rule = await askRule()
      return rule ? [rule, uri] : undefined
    }
    case 'aidd.writeBaseline': {
      const chosen = await vscode.window.showQuickPick(recordings, { title: 'What to record' })
      return chosen && [{ uri, acceptNew: chosen.acceptNew }]
    }
    case 'aidd.showConfig':
      return [uri]
    default:
      return []
  }
}

const recordings = [
  { label: 'All findings', description: 'also those that the baseline does not have yet', acceptNew: true },
  { label: 'Only known findings', description: 'drops from the baseline what is gone', acceptNew: false },
]

/** The rule to explain: the rule of the finding under the cursor, or a rule typed by the user. */
async function askRule(): Promise<string | undefined> {
  const editor = vscode.window.activeTextEditor
  const all = editor ? vscode.languages.getDiagnostics(editor.document.uri) : []
  const rules = rulesOf(all.filter(({ range }) => editor && range.contains(editor.selection.active)))
  const title = 'Which rule?'
  if (rules.length > 1) return vscode.window.showQuickPick(rules, { title })
  return rules[0] ?? vscode.window.showInputBox({ title, placeHolder: 'dockerfile/latest-tag' })
}

async function show(answers: Answers, command: string, args: unknown[], answer: unknown): Promise<void> {
  if (command === 'aidd.explain' && typeof answer === 'string') {
    const uri = answers.keep(`${String(args[0])}.md`, answer)
    await vscode.commands.executeCommand('markdown.showPreview', uri)
  } else if (command === 'aidd.showConfig' && answer) {
    const uri = answers.keep('config.json', JSON.stringify(answer, null, 2))
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri))
  } else {
    const message = messageOf(answer)
    if (message !== undefined) void vscode.window.showInformationMessage(`aidd: ${message}`)
  }
}

async function showProblem(problem: string): Promise<void> {
  const actions = { 'How to Install': openHelp, 'Open Settings': openSettings, Retry: retry }
  const chosen = await vscode.window.showErrorMessage(
    `${problem} Install aidd, or set aidd.path to its path.`,
    ...(Object.keys(actions) as (keyof typeof actions)[]),
  )
  if (chosen) await actions[chosen]()
}

const openHelp = () => vscode.env.openExternal(vscode.Uri.parse(HELP))
const openSettings = () => vscode.commands.executeCommand('workbench.action.openSettings', 'aidd.path')
const retry = () => vscode.commands.executeCommand('aidd.restart')

/** The status item, with the findings of the open file and the memories that name it. */
class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('aidd.status', vscode.StatusBarAlignment.Left, 0)
  private readonly listeners = [
    vscode.languages.onDidChangeDiagnostics(() => this.show()),
    vscode.window.onDidChangeActiveTextEditor(() => void this.update()),
    vscode.workspace.onDidSaveTextDocument(() => void this.update()),
  ]
  private memories = 0

  constructor() {
    this.item.name = 'aidd'
    this.item.command = 'workbench.actions.view.problems'
  }

  /** Counts the memories again, and shows the item while the server runs. */
  async update(): Promise<void> {
    this.memories = 0
    this.show()
    const uri = openFile()
    if (uri === undefined || client === undefined) return
    const memories = await countMemories(client, uri)
    // Another file can be open by now.
    if (openFile() !== uri) return
    this.memories = memories
    this.show()
  }

  private show(): void {
    if (client?.isRunning() !== true) {
      this.item.hide()
      return
    }
    const { document } = vscode.window.activeTextEditor ?? {}
    const file = document && severities(vscode.languages.getDiagnostics(document.uri))
    const all = vscode.languages.getDiagnostics().flatMap(([, diagnostics]) => severities(diagnostics))
    const { text, tooltip } = statusOf(file, all, this.memories)
    this.item.text = text
    this.item.tooltip = tooltip
    this.item.accessibilityInformation = { label: tooltip }
    this.item.show()
  }

  dispose(): void {
    for (const listener of this.listeners) listener.dispose()
    this.item.dispose()
  }
}

function openFile(): string | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri
  return uri?.scheme === 'file' ? uri.toString() : undefined
}

function severities(diagnostics: readonly vscode.Diagnostic[]): Severity[] {
  return diagnostics.filter(({ source }) => source === 'aidd').map(({ severity }) => severity)
}

async function countMemories(running: LanguageClient, uri: string): Promise<number> {
  try {
    const request = { command: 'aidd.status', arguments: [uri] }
    const answer = await running.sendRequest<{ memories?: number } | null>('workspace/executeCommand', request)
    return answer?.memories ?? 0
  } catch {
    // An older server does not have this command.
    return 0
  }
}

/** Command results as read-only documents. */
class Answers implements vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>()
  private readonly changed = new vscode.EventEmitter<vscode.Uri>()
  readonly onDidChange = this.changed.event

  keep(name: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: ANSWERS, path: `/${name}` })
    this.texts.set(uri.toString(), text)
    this.changed.fire(uri)
    return uri
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? ''
  }
}
