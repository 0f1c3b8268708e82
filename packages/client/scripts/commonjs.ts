/**
 * Build step: `node commonjs.ts <entry>`, in a package's folder, writes the package as CommonJS with its types to
 * `dist/cjs`. The entry is a path below `dist`. Other packages are not bundled.
 */
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { rolldown } from 'rolldown'

const entry = process.argv[2]!
const dist = resolve('dist')
const cjs = join(dist, 'cjs')

rmSync(cjs, { recursive: true, force: true })
for (const name of readdirSync(dist))
  cpSync(join(dist, name), join(cjs, name), { recursive: true, filter: (path) => !/\.(js|map)$/.test(path) })
// Marks the files in this folder as CommonJS, because the package's own type is `module`.
writeFileSync(join(cjs, 'package.json'), '{ "type": "commonjs" }\n')
const bundle = await rolldown({
  input: join(dist, entry),
  external: [/^[@a-z]/],
  platform: 'neutral',
  logLevel: 'silent',
})
await bundle.write({ dir: join(cjs, dirname(entry)), format: 'cjs' })
await bundle.close()
