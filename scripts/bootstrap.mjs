// Runs under any Node from 20 up: installs what is missing, builds what is stale, then runs scripts/<task>.ts under the Node
// that the lockfile brings.
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

// A third of the packages is used only by tests, checks, and benchmarks, and is installed when the first of these runs.
const LEAN = ' without devDependencies'
const withoutTools = [
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
]
const installed = existsSync(stamp) ? readFileSync(stamp, 'utf8') : LEAN
const lean = withoutTools.includes(task) && installed.endsWith(LEAN)
if (installed !== lockHash && !(lean && installed === lockHash + LEAN)) {
  console.error('Installing dependencies (about a minute the first time)…')
  // npm leaves out optional packages, such as Hardhat's EVM, if the running Node does not meet their `engines`, so it runs
  // under a newer Node. `install --no-save` installs what the lockfile says, as `ci` does. But `ci` fails if a registry
  // mirror lacks the executables of other platforms.
  const old = Number(process.versions.node.split('.')[0]) < 22
  const npm = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error', ...(lean ? ['--omit=dev'] : [])]
  const [command, args] = old ? ['npx', ['--yes', '--package=node@24', 'npm', ...npm]] : ['npm', npm]
  const install = spawnSync(command, args, { cwd: root, stdio: ['inherit', 2, 2] })
  if (install.status !== 0) {
    console.error('The installation failed; the lines above say why. Run the same command again to retry.')
    process.exit(install.status ?? 1)
  }
  writeFileSync(stamp, lockHash + (lean ? LEAN : ''))
}

const node = join(root, 'node_modules/.bin/node')
const path = [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter)
// The cache of compiled modules halves their loading time, also in tests and in the processes that they start.
const compiled = { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node') }
const env = { ...compiled, ...process.env, PATH: path, TURBO_TELEMETRY_DISABLED: '1' }

// Scripts import the bindings, which the build creates. It prints to stderr, since stdout is for the output of the script.
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
