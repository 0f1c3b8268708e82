/** Build step: writes the package as CommonJS, with types, to `dist/cjs`. */
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

const dist = join(import.meta.dirname, '../dist')
const cjs = join(dist, 'cjs')

rmSync(cjs, { recursive: true, force: true })
for (const folder of ['client', 'program'])
  cpSync(join(dist, folder), join(cjs, folder), {
    recursive: true,
    filter: (path) => !/\.(js|map)$/.test(path),
  })
// Marks the files in this folder as CommonJS, because the package's own type is `module`.
writeFileSync(join(cjs, 'package.json'), '{ "type": "commonjs" }\n')
const bundle = await rolldown({ input: join(dist, 'client/src/index.js'), platform: 'neutral', logLevel: 'silent' })
await bundle.write({ dir: join(cjs, 'client/src'), format: 'cjs' })
await bundle.close()
