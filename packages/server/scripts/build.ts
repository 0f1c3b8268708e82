/**
 * Builds `dist/`: the service's modules as JavaScript, because Node does not strip types under `node_modules`. Keeps
 * the repository's folders, because modules find data files by relative paths. Third-party packages are not bundled.
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { type Lock, shrinkwrapOf } from './shrinkwrap.ts'

const root = join(import.meta.dirname, '../../..')
const out = join(import.meta.dirname, '../dist')
/** Folders that modules read at run time. */
const DATA_FOLDERS = ['packages/chains/data', 'packages/web/dist', 'packages/docs/dist', 'deployments']
/** Returns false for contract sources, which only the verification of contracts needs. */
const isNeeded = (path: string) => !path.includes('standard-json')

/** Builds modules of worker threads, which code references by URL, as separate entries. Replaces the URLs. */
const workerEntries: Plugin = {
  name: 'worker-entries',
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
  plugins: [workerEntries],
})
await build.write({ dir: out, format: 'esm', preserveModules: true, preserveModulesRoot: root })
await build.close()
for (const path of DATA_FOLDERS) cpSync(join(root, path), join(out, path), { recursive: true, filter: isNeeded })
cpSync(join(root, 'LICENSE'), join(out, 'LICENSE'))
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
writeFileSync(
  join(import.meta.dirname, '../npm-shrinkwrap.json'),
  JSON.stringify(shrinkwrapOf(lock, 'packages/server')),
)
