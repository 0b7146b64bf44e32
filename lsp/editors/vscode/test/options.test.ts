import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverSettings } from '../src/options'
import { isAllow, messageOf, rulesOf, statusOf, withReason } from '../src/words'

const settings = (values: Record<string, unknown>) => serverSettings((name) => values[name])

test('unset settings are omitted', () => {
  assert.deepEqual(settings({ config: null }), { run: 'onType', workspace: true, hoverMessages: false })
  assert.deepEqual(settings({ config: ' ' }), { run: 'onType', workspace: true, hoverMessages: false })
})

test('settings are passed to the server', () => {
  const values = { config: 'ci/aidd.json', run: 'onSave', workspace: false }
  assert.deepEqual(settings(values), { ...values, hoverMessages: false })
})

test('a value of the wrong type counts as unset', () => {
  assert.deepEqual(settings({ config: 3, run: 'never', workspace: 'no' }), { run: 'onType', workspace: true, hoverMessages: false })
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

test('the status item counts findings without hints, and memories', () => {
  const described = (...args: Parameters<typeof statusOf>) => {
    const { text, tooltip } = statusOf(...args)
    return `${text} | ${tooltip}`
  }
  assert.equal(
    described([0, 1, 3], [0, 1, 3, 2], 1),
    '$(shield) 2 $(notebook) 1 | aidd: 2 findings in this file, 3 findings in the workspace, 1 memory about this file. Select to show the problems.',
  )
  assert.equal(described(undefined, [1], 0), '$(shield) 1 | aidd: 1 finding in the workspace. Select to show the problems.')
})

test('only the action that allows a finding takes a reason', () => {
  const allow = { do: 'allow', uri: 'file:///a', id: '1' }
  assert.ok(isAllow(allow) && !isAllow({ do: 'fix', id: '1' }) && !isAllow(undefined))
  assert.deepEqual(withReason(allow, 'needed'), { ...allow, reason: 'needed' })
})
