// Entry point of the npm scripts. Installs missing dependencies, builds outdated packages, and then runs
// scripts/<task>.ts under the Node version of the lockfile. It must itself run under Node 20 and later.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const [task, ...rest] = process.argv.slice(2)
const stamp = join(root, 'node_modules/.sluice-installed')
const lockHash = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex')

// Suffix of the stamp if devDependencies are not installed. Only tests, checks, and benchmarks need them, a third of
// all packages, so they are installed when the first of these runs.
const LEAN = ' without devDependencies'
const tasksWithoutDevDependencies = [
  'start',
  'mainnet',
  'send',
  'serve',
  'pack',
  'indexer',
  'solver',
  'build',
  'deploy',
  'quote',
  'prices',
  'referee',
  'replay',
  'snapshot',
  'check-chain',
  'verify-deployment',
]
const installedStamp = existsSync(stamp) ? readFileSync(stamp, 'utf8') : LEAN
const isLean = tasksWithoutDevDependencies.includes(task) && installedStamp.endsWith(LEAN)
if (installedStamp !== lockHash && !(isLean && installedStamp === lockHash + LEAN)) {
  console.error('Installing dependencies (about a minute the first time)…')
  // npm skips optional packages, such as Hardhat's EVM, whose `engines` exclude the running Node. So npm runs under a
  // newer Node. Like `ci`, `install --no-save` installs the versions of the lockfile, but it does not fail if a
  // registry mirror lacks the executables of other platforms.
  const isOldNode = Number(process.versions.node.split('.')[0]) < 22
  const npm = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error', ...(isLean ? ['--omit=dev'] : [])]
  const [command, args] = isOldNode ? ['npx', ['--yes', '--package=node@24', 'npm', ...npm]] : ['npm', npm]
  const install = spawnSync(command, args, { cwd: root, stdio: ['inherit', 2, 2] })
  if (install.status !== 0) {
    console.error('The installation failed; the lines above say why. Run the same command again to retry.')
    process.exit(install.status ?? 1)
  }
  writeFileSync(stamp, lockHash + (isLean ? LEAN : ''))
}

const node = join(root, 'node_modules/.bin/node')
const path = [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter)
// The cache of compiled modules halves their loading time. Child processes, such as those of tests, use it too.
const compileCacheEnv = { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node') }
const env = { ...compileCacheEnv, ...process.env, PATH: path, TURBO_TELEMETRY_DISABLED: '1' }

// The build creates the bindings that scripts import. It prints to stderr, because stdout belongs to the script.
if (task !== 'format') {
  if (!existsSync(join(root, 'packages/bindings/dist'))) console.error('Compiling contracts and bindings…')
  const isPrinted = task === 'build' || process.env.CI === 'true'
  const build = spawnSync(
    join(root, 'node_modules/.bin/turbo'),
    ['run', 'build', '--output-logs=new-only', '--log-order=stream'],
    { cwd: root, env, encoding: 'utf8', stdio: isPrinted ? ['ignore', 2, 2] : ['ignore', 'pipe', 'pipe'] },
  )
  if (build.status !== 0) {
    console.error(`${build.stdout ?? ''}${build.stderr ?? ''}The build failed; the lines above say why.`)
    process.exit(build.status ?? 1)
  }
}
if (task === 'build') process.exit(0)

const child = spawn(node, [join(root, 'scripts', `${task}.ts`), ...rest], { cwd: root, stdio: 'inherit', env })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
