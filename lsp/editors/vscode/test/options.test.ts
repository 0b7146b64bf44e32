import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverSettings } from '../src/options'
import { messageOf, rulesOf } from '../src/words'

const settings = (values: Record<string, unknown>) => serverSettings((name) => values[name])

test('unset settings are omitted', () => {
  assert.deepEqual(settings({ config: null }), { run: 'onType', workspace: true })
  assert.deepEqual(settings({ config: ' ' }), { run: 'onType', workspace: true })
})

test('settings are passed to the server', () => {
  const values = { config: 'ci/aidd.json', run: 'onSave', workspace: false }
  assert.deepEqual(settings(values), values)
})

test('a value of the wrong type counts as unset', () => {
  assert.deepEqual(settings({ config: 3, run: 'never', workspace: 'no' }), { run: 'onType', workspace: true })
})

test('the rules under the cursor', () => {
  const linked = { source: 'aidd', code: { value: 'dockerfile/latest-tag', target: 'x' } }
  const plain = { source: 'aidd', code: 'team/old-colour' }
  const foreign = { source: 'ruff', code: 'F401' }
  assert.deepEqual(rulesOf([foreign, linked, plain, linked, { source: 'aidd' }, { source: 'aidd', code: 7 }]), [
    'dockerfile/latest-tag',
    'team/old-colour',
  ])
})

test('counts are formatted as messages', () => {
  assert.equal(messageOf({ files: 1, findings: 3 }), '3 findings in 1 file')
  assert.equal(messageOf({ recorded: 1 }), '1 finding recorded')
  assert.equal(messageOf(null), undefined)
  assert.equal(messageOf('# page'), undefined)
})
