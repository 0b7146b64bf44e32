// Bundles the extension into dist/ with the licences of the bundled packages, and copies aidd's
// licences. With --tests, bundles the tests too.

import { build } from 'esbuild'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

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
for (const name of ['LICENSE', 'LICENSE-APACHE', 'LICENSE-MIT']) copyFileSync(`${root}/${name}`, name)
const { metafile } = await build({
  ...common,
  entryPoints: ['src/extension.ts'],
  outdir: 'dist',
  minify: true,
  metafile: true,
})
writeFileSync('dist/NOTICES.txt', notices(Object.keys(metafile.inputs)))

if (process.argv.includes('--tests')) {
  const tests = readdirSync('test').filter((name) => name.endsWith('.ts'))
  await build({ ...common, entryPoints: tests.map((name) => `test/${name}`), outdir: 'dist/test' })
}

/** The licences of the packages that contain these files. */
function notices(files) {
  const folders = files.map((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1])
  const packages = [...new Set(folders.filter((folder) => folder !== undefined))].sort()
  return packages
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
      if (file === undefined) throw new Error(`${name} has no licence file`)
      return `${name} ${version} (${license})\n\n${readFileSync(`${folder}/${file}`, 'utf8').trim()}\n`
    })
    .join('\n')
}
