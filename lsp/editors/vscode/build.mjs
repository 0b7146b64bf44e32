// Bundles the extension into dist/ and copies in what has its home elsewhere in the repository: the
// schema of the configuration and the licences. With --tests, bundles the tests too.

import { build } from 'esbuild'
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs'

const root = '../../..'
const common = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  external: ['vscode'],
  logLevel: 'warning',
}

process.chdir(import.meta.dirname)
rmSync('dist', { recursive: true, force: true })
mkdirSync('dist')
copyFileSync(`${root}/docs/config.schema.json`, 'dist/config.schema.json')
for (const name of ['LICENSE', 'LICENSE-APACHE', 'LICENSE-MIT']) copyFileSync(`${root}/${name}`, name)
await build({ ...common, entryPoints: ['src/extension.ts'], outdir: 'dist', minify: true })

if (process.argv.includes('--tests')) {
  const tests = readdirSync('test').filter((name) => name.endsWith('.ts'))
  await build({ ...common, entryPoints: tests.map((name) => `test/${name}`), outdir: 'dist/test' })
}
