// Tests the extension in VS Code; `run` starts this program.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { becomes, start, until } from './editor.mjs'

const [aidd, vsix, folder] = process.argv.slice(2)

const page = (regex, id, example = '') => `---
severity: warning
message: "\`<match>\` is last year's"
help: "paint it teal"
check:
  files: ["*.txt"]
  text:
    regex: '${regex}'
    keywords: [${regex}]
  fix: { replace: teal, safe: true }
---
# ${id}

Paint it teal.
${example}`
const example = `
## Fails

\`\`\`
blue sky
\`\`\`

\`\`\`finding
1:1 blue
\`\`\`

## Passes

\`\`\`
teal sky
\`\`\`

## Fixed

\`\`\`
teal sky
\`\`\`
`
const memory = (file, entry) => [`ai/memory/${file}.jsonl`, `${JSON.stringify(entry)}\n`]
const files = {
  '.aidd/config.json': '// the settings\n{\n  "failOn": "warning",\n  "rules": { "team/old-colour": "warning" }\n}\n',
  Dockerfile: 'FROM node:latest\nENV A b\nENV C d\nRUN sudo ls && echo 𝒳😀\nUSER app\n',
  'notes.txt': 'plain blue\n😀𝒳 é blue 😀 blue\n',
  'other.txt': 'a green door\n',
  'rules/old-colour.md': page('blue', 'team/old-colour', example),
  'src/user.ts': '// Users\nexport function loadUser(id: string) {\n  return id\n}\n',
  ...Object.fromEntries([
    memory('decisions', {
      at: 1767225600000,
      content: '`loadUser` reads from the cache only',
      id: 'decision_1767225600000_aaaaaaaaaaaa',
      metadata: { reasoning: 'The database was too slow.' },
      schemaVersion: 1,
      topic: 'user cache',
      type: 'decision',
    }),
    memory('mistakes', {
      at: 1767225600000,
      content: 'src/user.ts returned a stale user',
      id: 'mistake_1767225600000_cccccccccccc',
      metadata: { prevention: 'Invalidate the cache.' },
      schemaVersion: 1,
      type: 'mistake',
    }),
  ]),
}

/** The findings of the command line: position, rule, severity and the first line of the text. */
function check(root, ...names) {
  const args = ['check', ...names, '--format', 'json', '--fail-on', 'never']
  const { findings } = JSON.parse(execFileSync(aidd, args, { cwd: root, encoding: 'utf8' }))
  return findings
}

const tests = {
  async 'findings have the positions of the command line'(editor) {
    const names = ['Dockerfile', 'notes.txt']
    const findings = check(editor.root, ...names)
    assert.ok(findings.length >= 6, JSON.stringify(findings))
    for (const name of names) {
      await editor.open(name)
      const text = editor.read(name)
      const bytes = Buffer.from(text)
      const own = findings.filter((finding) => finding.path === name)
      const expected = own.map(({ start, end, severity }) => {
        const marked = bytes.subarray(start.offset, end.offset).toString()
        return `${start.line} ${marked} ${severity}`
      })
      await becomes(`the squiggles in ${name}`, () => editor.squiggles(), expected.sort())
      const problems = own.map(({ start, rule, severity }) => {
        // Columns of the command line count characters, those of the editor UTF-16 units.
        const line = text.split('\n')[start.line - 1]
        const column = [...line].slice(0, start.column - 1).join('').length + 1
        return `${start.line}:${column} ${rule} ${severity}`
      })
      await becomes(`the problems in ${name}`, () => editor.problems(name), problems.sort())
    }
    await editor.shot('findings')
  },

  async 'the status item counts findings and memories, and shows the problems'(editor) {
    await editor.open('Dockerfile')
    const count = check(editor.root, 'Dockerfile').length
    await becomes('the count', () => editor.status('aidd.status'), String(count))
    await editor.open('src/user.ts')
    await becomes('the counts', () => editor.status('aidd.status'), '0 1')
    assert.match(await editor.tooltip('aidd.status'), /0 findings in this file, \d+ findings in the workspace, 1 memory about this file/)
    await editor.press('Control+J')
    await until('the panel is closed', async () => (await editor.page.locator('.markers-panel:visible').count()) === 0)
    await editor.page.locator('.statusbar-item[id*="aidd.status"] a').click()
    await editor.page.locator('.markers-panel:visible').waitFor()
  },

  async 'memories are shown in code lenses and hovers'(editor) {
    await editor.open('src/user.ts')
    const decision = 'decision: user cache: `loadUser` reads from the cache only'
    await becomes('the lenses', async () => (await editor.lenses()).sort(), ['1 mistake in the project memory', decision])
    await editor.goTo(2, 18)
    const hover = await editor.hover('Project memory')
    assert.match(hover, /The database was too slow/)
    await editor.shot('memory')
    await editor.press('Escape')
    await editor.page.locator('.codelens-decoration a').filter({ hasText: 'mistake' }).click()
    await until('the memory is shown', async () => (await editor.toasts()).join().includes('Invalidate the cache'))
    await editor.shot('memory-message')
    await editor.command('Notifications: Clear All Notifications')
  },

  async 'the definition of a rule is its page'(editor) {
    await editor.open('.aidd/config.json')
    await editor.goTo(4, 25)
    await editor.press('F12')
    await editor.page.locator('.tab.active[data-resource-name="old-colour.md"]').waitFor()
  },

  async 'a hover states the message and the help once'(editor) {
    await editor.open('notes.txt')
    await becomes('the findings', async () => (await editor.squiggles()).length, 3)
    await editor.goTo(1, 8)
    const hover = await editor.hover('Paint it teal.')
    await editor.shot('hover')
    for (const text of ["is last year's", 'paint it teal', 'Paint it teal.']) {
      assert.equal(hover.split(text).length - 1, 1, `${text} in:\n${hover}`)
    }
  },

  async 'a quick fix removes its finding'(editor) {
    await editor.open('Dockerfile')
    const before = check(editor.root, 'Dockerfile').length
    await becomes('the findings', async () => (await editor.squiggles()).length, before)
    await editor.goTo(2, 6)
    const actions = await editor.actions()
    await editor.shot('actions')
    assert.ok(actions.includes('Write KEY=value'), actions.join('\n'))
    await editor.press('Escape')
    await editor.apply('Write KEY=value')
    await becomes('the finding is removed', async () => (await editor.squiggles()).length, before - 1)
    assert.equal((await editor.lines())[1], 'ENV A=b')
  },

  async 'all findings are fixed at once'(editor) {
    await editor.open('notes.txt')
    await becomes('the findings', async () => (await editor.squiggles()).length, 3)
    await editor.command('Fix All')
    await becomes('the findings are removed', async () => (await editor.squiggles()).length, 0)
    assert.deepEqual((await editor.lines()).slice(0, 2), ['plain teal', '😀𝒳 é teal 😀 teal'])
  },

  async 'a finding is allowed with a reason'(editor) {
    await editor.open('Dockerfile')
    const before = check(editor.root, 'Dockerfile').length
    await becomes('the findings', async () => (await editor.squiggles()).length, before)
    await editor.goTo(1, 8)
    await editor.apply('Allow `dockerfile/latest-tag`')
    await (await editor.input('Reason')).fill('built nightly')
    await editor.shot('reason')
    await editor.press('Enter')
    const comment = '# aidd:allow dockerfile/latest-tag built nightly'
    await becomes('the comment', async () => (await editor.lines())[0], comment)
    await becomes('the finding is allowed', async () => (await editor.squiggles()).length, before - 1)
    // Without an answer, nothing changes.
    await editor.goTo(3, 6)
    await editor.apply('Allow `dockerfile/legacy-key-value`')
    const input = await editor.input('Reason')
    await editor.press('Escape')
    await input.waitFor({ state: 'hidden' })
    assert.equal((await editor.lines())[1], 'FROM node:latest')
  },

  async 'a rule is disabled'(editor) {
    await editor.open('Dockerfile')
    const has = async (rule) => (await editor.problems('Dockerfile')).some((line) => line.includes(` ${rule} `))
    await until('the finding', () => has('dockerfile/sudo'))
    const column = editor.read('Dockerfile').split('\n')[3].indexOf('sudo') + 2
    await editor.goTo(4, column)
    await editor.apply('Disable `dockerfile/sudo`')
    await editor.open('.aidd/config.json')
    await until('the configuration is edited', async () => (await editor.lines()).join().includes('dockerfile/sudo'))
    await editor.save()
    await until('no finding of the rule', async () => !(await has('dockerfile/sudo')))
    assert.match(editor.read('.aidd/config.json'), /^\/\/ the settings[^]*"dockerfile\/sudo": "off"/)
  },

  async 'only the server completes and checks the configuration'(editor) {
    await editor.open('.aidd/config.json')
    const own = () => editor.problems('config.json')
    await becomes('no problems', own, [])
    await editor.type('// the settings\n{\n  "failsOn": "error",\n  "unknwon": 1,\n  "rules": { "dockerfile/sduo": "off" }\n}\n')
    await becomes('one problem per fault', own, [
      '3:3 aidd/invalid-config error',
      '4:3 aidd/invalid-config error',
      '5:14 aidd/invalid-config error',
    ])
    await editor.shot('configuration')
    await editor.type('{\n  \n  "ci": {}\n}\n')
    await editor.goTo(2, 3)
    const labels = await editor.completions()
    await editor.shot('completion')
    assert.equal(new Set(labels).size, labels.length, labels.join())
    assert.ok(labels.includes('baseline') && !labels.includes('ci'), labels.join())
    await editor.page.keyboard.type('excl')
    await editor.page.locator('.suggest-widget.visible .monaco-list-row.focused').filter({ hasText: 'exclude' }).waitFor()
    await editor.press('Enter')
    await becomes('the key has a value and a comma', async () => (await editor.lines())[1], '  "exclude": [],')
    await becomes('the text is valid', own, [])
  },

  async 'a half-typed configuration keeps the last valid one, without a message'(editor) {
    await editor.open('.aidd/config.json')
    await editor.type('{ "rules": { "team/old-colour": "error" } }\n')
    await editor.save()
    const notes = () => editor.problems('notes.txt')
    await becomes('the findings', async () => (await notes()).length, 3)
    const errors = (await notes()).map((line) => line.replace('warning', 'error'))
    await becomes('the configuration applies', notes, errors)
    await editor.type('{ "rules": { "team/old-colour": \n')
    await editor.save()
    const own = () => editor.problems('config.json')
    await until('its own finding', async () => (await own()).length === 1)
    await editor.shot('half-typed')
    await editor.open('notes.txt')
    await editor.goTo(1, 1)
    await editor.page.keyboard.insertText('blue ')
    await becomes('the last valid configuration applies', async () => (await notes()).filter((line) => line.endsWith('error')).length, 4)
    assert.deepEqual(await editor.toasts(), [])
    await editor.command('File: Revert File')
    await editor.open('.aidd/config.json')
    await editor.type(files['.aidd/config.json'])
    await editor.save()
    await becomes('no problems', own, [])
  },

  async 'unsaved edits of a rule page apply to other files'(editor) {
    const of = (name) => () => editor.problems(name)
    await editor.open('rules/old-colour.md')
    await becomes('no findings', of('other.txt'), [])
    await editor.open('other.txt')
    await editor.open('rules/old-colour.md')
    await editor.type(page('green', 'team/old-colour'))
    await becomes('the edited rule applies', of('other.txt'), ['1:3 team/old-colour warning'])
    await editor.type(page('green(', 'team/old-colour'))
    await until('the page has a finding', async () => (await of('old-colour.md')()).join().includes('aidd/malformed-page'))
    await editor.shot('rule-page')
    await becomes('the last valid page applies', of('other.txt'), ['1:3 team/old-colour warning'])
    await editor.type(page('blue', 'team/old-colour', example.replace('1:1 blue', '2:1 blue')))
    await becomes('a wrong position is a problem', of('old-colour.md'), ['18:1  warning'])
    await editor.shot('example')
    assert.deepEqual(await editor.toasts(), [])
    await editor.command('File: Revert File')
    await becomes('the saved rule applies', of('other.txt'), [])
  },

  async 'a rule is explained'(editor) {
    await editor.open('Dockerfile')
    await until('the findings', async () => (await editor.squiggles()).length > 0)
    await editor.goTo(1, 8)
    await editor.command('aidd: Explain a Rule')
    await until('the page', async () => (await editor.tabs()).some((tab) => tab.includes('latest-tag')))
    const frames = () => Promise.all(editor.page.frames().map((frame) => frame.locator('body').innerText({ timeout: 1000 }).catch(() => '')))
    await until('the text of the page', async () => (await frames()).join().includes('two builds of the same Dockerfile'))
    await editor.shot('explain')
  },

  async 'the workspace is checked, and the configuration is shown'(editor) {
    await editor.command('aidd: Check the Workspace')
    const count = check(editor.root, '.').length
    await until('the count', async () => (await editor.toasts()).join().includes(`aidd: ${count} findings in`))
    await editor.command('Notifications: Clear All Notifications')
    await editor.open('Dockerfile')
    await editor.command('aidd: Show the Configuration')
    await until('the configuration', async () => (await editor.lines()).join('\n').includes('"configPath": ".aidd/config.json"'))
    await editor.shot('show-configuration')
  },

  async 'existing findings are baselined'(editor) {
    await editor.open('Dockerfile')
    await editor.command('aidd: Baseline Existing Findings')
    await editor.choose(undefined, 'All findings')
    await until('the baseline', () => existsSync(path.join(editor.root, '.aidd/baseline.json')))
    await becomes('no squiggles', () => editor.squiggles(), [])
    await editor.page.locator('.markers-panel').filter({ hasText: 'No problems have been detected' }).waitFor()
    await becomes('no counted findings', () => editor.status('aidd.status'), '0')
    await editor.shot('baseline')
    await editor.command('Notifications: Clear All Notifications')
  },
}

const only = process.env.ONLY ?? ''
const { editor, stop } = await start({ aidd, vsix, folder, files })
const failed = []
try {
  await editor.showProblems()
  for (const [name, test] of Object.entries(tests).filter(([name]) => name.includes(only))) {
    const started = Date.now()
    try {
      await test(editor)
      console.log(`ok      ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`)
    } catch (error) {
      failed.push(name)
      console.log(`failed  ${name}\n${error.stack}`)
      await editor.shot(`failed-${failed.length}`)
    }
    await editor.closeAll()
  }
} finally {
  await stop()
}
process.exitCode = failed.length === 0 ? 0 : 1
