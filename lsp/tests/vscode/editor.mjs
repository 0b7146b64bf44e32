// Starts VS Code as code-server with its own settings and extensions, and drives it in a browser.
// Every step waits for a condition.

import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'

/** Time limit of one step: only reached if the step fails. */
const TIMEOUT = 60_000

const settings = (aidd) => ({
  'aidd.path': aidd,
  'chat.disableAIFeatures': true,
  'editor.autoClosingBrackets': 'never',
  'editor.autoClosingQuotes': 'never',
  'editor.autoIndent': 'none',
  'editor.autoSurround': 'never',
  'editor.hover.delay': 100,
  'editor.minimap.enabled': false,
  'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
  'files.autoSave': 'off',
  'git.enabled': false,
  'json.schemaDownload.enable': false,
  'security.workspace.trust.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'window.restoreWindows': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
})

/** Starts the editor on `files`; returns the driver and a function that stops everything. */
export async function start({ aidd, vsix, folder, files }) {
  const state = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'aidd-vscode-')))
  const root = path.join(state, 'project')
  for (const [name, text] of Object.entries(files)) write(root, name, text)
  mkdirSync(path.join(root, '.git'), { recursive: true })
  write(state, 'data/User/settings.json', JSON.stringify(settings(aidd)))
  write(state, 'config.yaml', '')
  const args = [
    path.join(folder, 'node_modules/code-server/out/node/entry.js'),
    ...['--user-data-dir', path.join(state, 'data')],
    ...['--extensions-dir', path.join(state, 'extensions')],
    ...['--config', path.join(state, 'config.yaml')],
    ...['--auth', 'none', '--disable-telemetry', '--disable-update-check', '--disable-workspace-trust'],
  ]
  const env = { ...process.env, HOME: state, XDG_DATA_HOME: state, XDG_CONFIG_HOME: state }
  execFileSync(process.execPath, [...args, '--install-extension', vsix], { env, stdio: 'pipe' })
  const address = `127.0.0.1:${await freePort()}`
  const server = spawn(process.execPath, [...args, '--bind-addr', address], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (data) => (log += data))
  const require = createRequire(path.join(folder, 'package.json'))
  const { chromium } = require('playwright-core')
  let browser
  const stop = async () => {
    await browser?.close().catch(() => undefined)
    const ended = new Promise((done) => server.once('exit', done))
    if (server.exitCode === null) {
      server.kill()
      await ended
    }
    rmSync(state, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    await until('code-server answers', async () => {
      if (server.exitCode !== null) throw new Error(`code-server exited:\n${log}`)
      return fetch(`http://${address}/healthz`).then((answer) => answer.ok).catch(() => false)
    })
    const executablePath = path.join(folder, 'bin/chromium')
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    page.setDefaultTimeout(TIMEOUT)
    await page.goto(`http://${address}/?folder=${encodeURIComponent(root)}`)
    await page.locator('.monaco-workbench').waitFor()
    const shots = path.join(folder, 'screenshots')
    rmSync(shots, { recursive: true, force: true })
    mkdirSync(shots)
    return { editor: new Editor(page, root, shots), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function write(root, name, text) {
  const file = path.join(root, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function freePort() {
  return new Promise((done, fail) => {
    const probe = createServer().once('error', fail)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => done(port))
    })
  })
}

/** Waits until `check` returns something other than a false value, and returns it. */
export async function until(what, check, timeout = TIMEOUT) {
  const end = Date.now() + timeout
  let last
  for (;;) {
    last = await check()
    if (last) return last
    if (Date.now() > end) throw new Error(`never: ${what}`)
    await new Promise((done) => setTimeout(done, 50))
  }
}

/** Waits until `read` returns `expected`, and otherwise fails with what it returned or threw last. */
export async function becomes(what, read, expected, timeout = 30_000) {
  let last
  const wanted = JSON.stringify(expected)
  try {
    await until(what, async () => JSON.stringify((last = await read())) === wanted, timeout)
  } catch (cause) {
    throw new Error(`${what}\n  expected ${wanted}\n  found    ${JSON.stringify(last)}\n  after    ${cause.message}`)
  }
}

/** The editor window. */
export class Editor {
  constructor(page, root, shots) {
    Object.assign(this, { page, root, shots })
  }

  press(...keys) {
    return keys.reduce((before, key) => before.then(() => this.page.keyboard.press(key)), Promise.resolve())
  }

  /** Types into the input at the top of the window, and accepts the row that contains `row`. */
  async choose(text, row = text) {
    const { page } = this
    const input = page.locator('.quick-input-widget input').first()
    await input.waitFor()
    if (text !== undefined) await input.fill(text)
    const found = page.locator('.quick-input-list .monaco-list-row').filter({ hasText: row }).first()
    await found.click()
  }

  /** The input at the top of the window that asks for `placeholder`, as soon as it is open. */
  async input(placeholder) {
    const input = this.page.locator(`.quick-input-widget input[placeholder^="${placeholder}"]`)
    await input.waitFor()
    return input
  }

  async command(title) {
    await this.press('F1')
    await this.choose(`>${title}`, title)
  }

  /** Opens a file of the project. */
  async open(name) {
    await this.press('Control+P')
    await this.choose(name, path.basename(name))
    await this.page.locator(`.tab.active[data-resource-name="${path.basename(name)}"]`).waitFor()
    await this.page.locator('.editor-instance .view-line').first().waitFor()
  }

  /** Reverts the active editor and closes all editors. */
  async closeAll() {
    await this.press('Escape', 'Escape')
    await this.command('File: Revert File')
    await this.command('View: Close All Editors')
    await until('no editor is open', async () => (await this.page.locator('.tab').count()) === 0)
  }

  async goTo(line, column) {
    await this.press('Control+G')
    const input = await this.input('Type the line number')
    await input.fill(`:${line}:${column}`)
    await this.press('Enter')
    // A key pressed before it is closed would go to it.
    await input.waitFor({ state: 'hidden' })
    await becomes('the cursor moves', () => this.status('status.editor.selection'), `Ln ${line}, Col ${column}`)
  }

  /** Replaces the text of the active editor. */
  async type(text) {
    await this.press('Control+1', 'Control+A')
    await this.page.keyboard.insertText(text)
  }

  async save() {
    await this.press('Control+1', 'Control+S')
    await until('the file is saved', async () => (await this.page.locator('.tab.dirty').count()) === 0)
  }

  /** The text of the active editor: only lines that are visible. */
  lines() {
    return this.page.evaluate(() => {
      const lines = [...document.querySelectorAll('.editor-instance .view-lines .view-line')]
      lines.sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
      return lines.map((line) => line.textContent.replaceAll('\u00a0', ' '))
    })
  }

  /** The problems of the files called `name` in the panel: `line:column rule severity`. */
  async problems(name) {
    // The list renders only visible rows, and applies the filter after a delay.
    const filter = this.page.locator('.viewpane-filter input').first()
    await filter.fill(`**/${name}`)
    return until(`the problems are filtered by ${name}`, () => this.page.evaluate((name) => {
      const panel = document.querySelector('.markers-panel')
      const rows = [...panel.querySelectorAll('.monaco-list-row')]
      const files = rows.flatMap((row) => [...row.querySelectorAll('.resource-label-container .label-name')])
      if (files.some((file) => file.textContent !== name)) return undefined
      // Either the filter has no match, or there are no problems at all.
      const message = panel.querySelector('.message-box-container')
      if (rows.length === 0 && !message?.textContent.trim()) return undefined
      const found = []
      for (const row of rows) {
        const at = /Ln (\d+), Col (\d+)/.exec(row.querySelector('.marker-line')?.textContent ?? '')
        if (at === null) continue
        const icon = row.querySelector('.marker-icon .codicon, .marker-icon.codicon')?.className ?? ''
        const severity = /codicon-(?:severity-)?(error|warning|info)/.exec(icon)?.[1] ?? icon
        const code = row.querySelector('.marker-code')?.textContent ?? ''
        found.push(`${at[1]}:${at[2]} ${code.replace(/[()]/g, '')} ${severity}`)
      }
      return found.sort()
    }, name))
  }

  async showProblems() {
    if ((await this.page.locator('.markers-panel').count()) === 0) {
      await this.command('Problems: Focus on Problems View')
    }
    await this.page.locator('.markers-panel').waitFor()
  }

  /** The squiggles in the active editor: severity, line and the text above each. */
  squiggles() {
    return this.page.evaluate(() => {
      const lines = [...document.querySelectorAll('.editor-instance .view-lines .view-line')]
      lines.sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
      const marks = [...document.querySelectorAll('.editor-instance .cdr')]
      const found = []
      for (const mark of marks) {
        const severity = /squiggly-(error|warning|info)/.exec(mark.className)?.[1]
        if (severity === undefined) continue
        const box = mark.getBoundingClientRect()
        const number = lines.findIndex((line) => Math.abs(line.getBoundingClientRect().top - box.top) < 2)
        let text = ''
        const walker = document.createTreeWalker(lines[number], NodeFilter.SHOW_TEXT)
        while (walker.nextNode()) {
          let at = 0
          for (const character of walker.currentNode.data) {
            const range = document.createRange()
            range.setStart(walker.currentNode, at)
            at += character.length
            range.setEnd(walker.currentNode, at)
            const { left, right } = range.getBoundingClientRect()
            const middle = (left + right) / 2
            if (middle > box.left && middle < box.right) text += character
          }
        }
        found.push(`${number + 1} ${text.replaceAll('\u00a0', ' ')} ${severity}`)
      }
      return found.sort()
    })
  }

  /** The text of the hover at the cursor, which contains `text`. Its parts arrive separately. */
  async hover(text) {
    await this.press('Control+K', 'Control+I')
    const hover = this.page.locator('.monaco-hover:visible .monaco-hover-content').filter({ hasText: text }).first()
    await hover.waitFor()
    return hover.innerText()
  }

  /** The titles of the actions at the cursor. */
  async actions() {
    const rows = this.page.locator('.action-widget .monaco-list-row.action')
    await until('actions are offered', async () => {
      await this.press('Control+1', 'Control+.')
      return rows.first().waitFor({ timeout: 5000 }).then(() => true, () => false)
    })
    return (await rows.allInnerTexts()).map((text) => text.trim())
  }

  /** Applies the action whose title contains `title`. */
  async apply(title) {
    await this.actions()
    await this.page.locator('.action-widget .monaco-list-row.action').filter({ hasText: title }).first().click()
  }

  /** The labels of the completions at the cursor. */
  async completions() {
    await this.press('Control+Space')
    const rows = this.page.locator('.suggest-widget.visible .monaco-list-row')
    await rows.first().waitFor()
    return (await rows.locator('.label-name').allInnerTexts()).map((text) => text.trim())
  }

  /** The text of a status item whose id contains `id`. */
  async status(id) {
    const item = this.page.locator(`.statusbar-item[id*="${id}"]`).first()
    return (await item.count()) === 0 ? undefined : (await item.innerText()).trim().replace(/\s+/g, ' ')
  }

  async tooltip(id) {
    return this.page.locator(`.statusbar-item[id*="${id}"] [aria-label]`).first().getAttribute('aria-label')
  }

  toasts() {
    return this.page.locator('.notifications-toasts .notification-list-item-message').allInnerTexts()
  }

  lenses() {
    return this.page.locator('.codelens-decoration').allInnerTexts()
  }

  tabs() {
    return this.page.locator('.tab .label-name').allInnerTexts()
  }

  read(name) {
    return readFileSync(path.join(this.root, name), 'utf8')
  }

  async shot(name) {
    await this.page.screenshot({ path: path.join(this.shots, `${name}.png`) })
  }
}
