import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findBinary, type Places } from '../src/binary'

const here: Places = {
  setting: '',
  folder: '/srv/app',
  home: '/home/ann',
  extension: '/ext/aidd',
  path: '/usr/local/bin:relative:/usr/bin',
  platform: 'linux',
}
const there: Places = {
  setting: '',
  folder: 'C:\\app',
  home: 'C:\\Users\\ann',
  extension: 'C:\\ext',
  path: 'C:\\tools;D:\\bin',
  platform: 'win32',
}

/** The result if exactly these programs exist. */
function found(places: Places, ...programs: string[]): string {
  const result = findBinary(places, (file) => programs.includes(file))
  return 'program' in result ? result.program : `problem: ${result.problem}`
}

test('the program in the extension takes precedence over PATH', () => {
  assert.equal(found(here, '/ext/aidd/bin/aidd', '/usr/bin/aidd'), '/ext/aidd/bin/aidd')
  assert.equal(found(here, '/usr/bin/aidd', '/usr/local/bin/aidd'), '/usr/local/bin/aidd')
  assert.equal(found(there, 'D:\\bin\\aidd.exe'), 'D:\\bin\\aidd.exe')
})

test('a relative directory in PATH is skipped', () => {
  assert.match(found(here, 'relative/aidd'), /^problem: .*not in PATH/)
})

test('the setting is used', () => {
  assert.equal(found({ ...here, setting: '/opt/aidd' }, '/opt/aidd'), '/opt/aidd')
  assert.equal(found({ ...here, setting: '~/bin/aidd' }, '/home/ann/bin/aidd'), '/home/ann/bin/aidd')
  assert.equal(found({ ...here, setting: 'tools/aidd' }, '/srv/app/tools/aidd'), '/srv/app/tools/aidd')
  const inFolder = { ...here, setting: '${workspaceFolder}/aidd' }
  assert.equal(found(inFolder, '/srv/app/aidd'), '/srv/app/aidd')
  assert.equal(found({ ...there, setting: '~\\aidd.exe' }, 'C:\\Users\\ann\\aidd.exe'), 'C:\\Users\\ann\\aidd.exe')
})

test('no other program replaces the configured one', () => {
  const wrong = { ...here, setting: '/opt/aidd' }
  assert.match(found(wrong, '/ext/aidd/bin/aidd', '/usr/bin/aidd'), /^problem: .*\/opt\/aidd/)
  const nowhere = { ...here, folder: undefined, setting: '${workspaceFolder}/aidd' }
  assert.match(found(nowhere, '/aidd', '/usr/bin/aidd'), /no folder is open/)
})
