/** Part of the build: `dist/cjs`, the package as CommonJS with its types. */
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

const dist = join(import.meta.dirname, '../dist')
const cjs = join(dist, 'cjs')

rmSync(cjs, { recursive: true, force: true })
for (const name of readdirSync(dist).filter((name) => name.endsWith('.d.ts'))) cpSync(join(dist, name), join(cjs, name))
// Types and code below are CommonJS, whatever the package says.
writeFileSync(join(cjs, 'package.json'), '{ "type": "commonjs" }\n')
const bundle = await rolldown({
  input: join(dist, 'index.js'),
  external: [/^[@a-z]/],
  platform: 'neutral',
  logLevel: 'silent',
})
await bundle.write({ dir: cjs, format: 'cjs' })
await bundle.close()
