// Entry point of the npm scripts, which runs under Node 20 or later: installs missing dependencies, builds outdated packages,
// and then runs scripts/<task>.ts under the Node version of the lockfile.
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

// Suffix of the stamp if devDependencies are not installed. A third of the packages is used only by tests, checks, and
// benchmarks, and is installed when the first of these runs.
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
  // npm leaves out optional packages, such as Hardhat's EVM, if the running Node does not meet their `engines`, so it runs
  // under a newer Node. `install --no-save` installs what the lockfile says, as `ci` does. But `ci` fails if a registry
  // mirror lacks the executables of other platforms.
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
// The cache of compiled modules halves their loading time, also in tests and in the processes that they start.
const compileCacheEnv = { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node') }
const env = { ...compileCacheEnv, ...process.env, PATH: path, TURBO_TELEMETRY_DISABLED: '1' }

// Scripts import the bindings, which the build creates. The build prints to stderr, since stdout is for the script.
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
