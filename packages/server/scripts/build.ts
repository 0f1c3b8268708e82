/**
 * Builds `dist/`: the service's modules as JavaScript in the repository's folder structure, so that modules find files
 * relative to themselves. Node does not strip types under `node_modules`. Third-party packages stay imports.
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { type Lock, shrinkwrapOf } from './shrinkwrap.ts'

const root = join(import.meta.dirname, '../../..')
const out = join(import.meta.dirname, '../dist')
/** Files that modules read at run time. */
const DATA = ['packages/chains/data', 'packages/web/dist', 'packages/docs/dist', 'deployments']
/** Excludes contract sources, which only verification needs. */
const isNeeded = (path: string) => !path.includes('standard-json')

/** Makes thread modules, which code references by URL, separate entries, and changes their URLs to the new names. */
const threads: Plugin = {
  name: 'threads',
  transform(code, id) {
    return code.replaceAll(/new URL\((['"])(\.[^'"]+)\.ts\1, import\.meta\.url\)/g, (_, _quote, path: string) => {
      const module = join(dirname(id), `${path}.ts`)
      this.emitFile({ type: 'chunk', id: module, name: relative(root, module).replace(/\.ts$/, '') })
      return `new URL('${path}.js', import.meta.url)`
    })
  },
}

rmSync(out, { recursive: true, force: true })
const build = await rolldown({
  input: join(root, 'packages/server/src/main.ts'),
  platform: 'node',
  external: /^(node:|(?!@sluice\/)@?[a-z])/,
  plugins: [threads],
})
await build.write({ dir: out, format: 'esm', preserveModules: true, preserveModulesRoot: root })
await build.close()
for (const path of DATA) cpSync(join(root, path), join(out, path), { recursive: true, filter: isNeeded })
cpSync(join(root, 'LICENSE'), join(out, 'LICENSE'))
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
writeFileSync(
  join(import.meta.dirname, '../npm-shrinkwrap.json'),
  JSON.stringify(shrinkwrapOf(lock, 'packages/server')),
)
