/**
 * Makes `dist/`: every module that the service runs as JavaScript, in the tree of the repository, so that what modules read beside
 * themselves lies where they look for it. Node strips no types under `node_modules`. Packages of others stay imports.
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { type Lock, shrinkwrapOf } from './shrinkwrap.ts'

const root = join(import.meta.dirname, '../../..')
const out = join(import.meta.dirname, '../dist')
/** Files that modules read at run time. */
const DATA = ['packages/chains/data', 'packages/web/dist', 'packages/docs/dist', 'deployments']
/** Sources of the contracts, for whoever verifies them. */
const isNeeded = (path: string) => !path.includes('standard-json')

/** Modules of threads are named by URL: each is an entry of its own, and has a new name. */
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
