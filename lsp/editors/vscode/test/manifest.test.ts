/** package.json matches the code, and copied files are current. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { serverSettings } from '../src/options'

const read = (path: string) => readFileSync(path, 'utf8')
const manifest = JSON.parse(read('package.json'))
const defaults: Record<string, { default: unknown; scope: string }> =
  manifest.contributes.configuration.properties

test('only the server completes and checks the configuration, which can contain comments', () => {
  const { grammars, jsonValidation, languages } = manifest.contributes
  // The JSON extension of VS Code would add its own completions and problems to a JSON document.
  assert.equal(jsonValidation, undefined)
  assert.deepEqual(languages.map(({ id }: { id: string }) => id), ['aidd-config'])
  assert.deepEqual(JSON.parse(read(grammars[0].path)).patterns, [{ include: 'source.json.comments' }])
  assert.equal(JSON.parse(read(languages[0].configuration)).comments.lineComment, '//')
})

test('the licences are those of the project', () => {
  for (const name of ['LICENSE', 'LICENSE-APACHE', 'LICENSE-MIT']) {
    assert.equal(read(name), read(`../../../${name}`))
  }
})

test('the version is that of the program', () => {
  const version = /^version = "(.*)"$/m.exec(read('../../../Cargo.toml'))?.[1]
  assert.equal(manifest.version, version)
})

test('the defaults of the settings are those of the code', () => {
  const byDefault = serverSettings((name) => defaults[`aidd.${name}`]?.default)
  assert.deepEqual(byDefault, serverSettings(() => undefined))
})

test('an untrusted workspace cannot set the program or the configuration', () => {
  const restricted: string[] = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations
  assert.deepEqual(restricted.toSorted(), ['aidd.config', 'aidd.path'])
})

test('every version is exact', () => {
  const versions = Object.entries<string>(manifest.devDependencies)
  for (const [name, version] of versions) assert.match(version, /^\d+\.\d+\.\d+$/, name)
})

test('the lock file contains no registry', () => {
  const packages = Object.values<{ resolved?: string }>(JSON.parse(read('package-lock.json')).packages)
  assert.ok(packages.length > 5)
  for (const { resolved } of packages) {
    assert.ok(resolved === undefined || resolved.startsWith('https://registry.npmjs.org/'), resolved)
  }
})
