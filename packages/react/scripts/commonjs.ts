/** Build step: writes the package as CommonJS, with types, to `dist/cjs`. */
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

const dist = join(import.meta.dirname, '../dist')
const cjs = join(dist, 'cjs')

rmSync(cjs, { recursive: true, force: true })
for (const name of readdirSync(dist).filter((name) => name.endsWith('.d.ts'))) cpSync(join(dist, name), join(cjs, name))
// Marks the files in this folder as CommonJS, because the package's own type is `module`.
writeFileSync(join(cjs, 'package.json'), '{ "type": "commonjs" }\n')
const bundle = await rolldown({
  input: join(dist, 'index.js'),
  external: [/^[@a-z]/],
  platform: 'neutral',
  logLevel: 'silent',
})
await bundle.write({ dir: cjs, format: 'cjs' })
await bundle.close()
