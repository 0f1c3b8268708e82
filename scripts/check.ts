/**
 * `npm run check`: runs all static checks. They cover format and lint of the whole tree, lint of the contracts, imports
 * by file (.dependency-cruiser.mjs) and by folder (.dependency-cruiser.folders.mjs), unused code (knip.json), lengths of
 * sources and beginnings of comments, language rules, compatibility of the HTTP interface, and types of every package.
 */
import { join } from 'node:path'
import { root, run } from './lib/run.ts'

const lint = await run('biome', ['check', '.'])
const solidity = await run('solhint', ['--noPoster', '--max-warnings', '0', 'src/**/*.sol'], {
  cwd: join(root, 'contracts'),
})
const cruisedFolders = ['packages', 'contracts/deploy', 'contracts/test', 'bench', 'test', 'scripts']
const imports = await run('depcruise', [
  '--config',
  '.dependency-cruiser.mjs',
  '--output-type',
  'err',
  ...cruisedFolders,
])
const folderImports = await run('depcruise', [
  '--config',
  '.dependency-cruiser.folders.mjs',
  '--output-type',
  'err',
  'packages',
])
const unused = await run('knip', ['--no-progress', '--no-config-hints'])
const sources = await run('node', ['scripts/check-source.ts'])
const language = await run('node', ['scripts/language.ts'])
const api = await run('node', ['scripts/check-api.ts'])
const types = await run('turbo', [
  'run',
  'typecheck',
  '--output-logs=new-only',
  '--log-order=stream',
  '--continue',
  '--concurrency=2',
])
const scripts = await run('tsgo', ['--noEmit', '-p', '.'])
process.exit(
  [lint, solidity, imports, folderImports, unused, sources, language, api, types, scripts].some(
    ({ code }) => code !== 0,
  )
    ? 1
    : 0,
)
