// Runs under any Node from 20 up: installs what is missing, then runs `npm run <task>:inner` under the Node the lockfile brings.
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

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lockHash) {
  console.log('Installing dependencies (about a minute the first time)…')
  // npm leaves out optional packages whose `engines` the running Node does not meet, among them Hardhat's EVM: install under
  // a newer one. `install --no-save` keeps to the lockfile like `ci`, and also where a registry mirror lacks the executables
  // of other platforms, which `ci` refuses.
  const old = Number(process.versions.node.split('.')[0]) < 22
  const npm = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error']
  const [command, args] = old ? ['npx', ['--yes', '--package=node@24', 'npm', ...npm]] : ['npm', npm]
  const install = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  if (install.status !== 0) {
    console.error('The installation failed; the lines above say why. Run the same command again to retry.')
    process.exit(install.status ?? 1)
  }
  writeFileSync(stamp, lockHash)
}

const path = [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter)
const child = spawn(join(root, 'node_modules/.bin/node'), [join(root, 'scripts', `${task}.ts`), ...rest], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, PATH: path, TURBO_TELEMETRY_DISABLED: '1' },
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
