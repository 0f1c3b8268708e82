/**
 * Runs the Dockerfile's commands without a container engine, and starts the resulting entry point as an unprivileged
 * user in a tree of another owner.
 *
 * @module-tag long
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chmodSync, chownSync, copyFileSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '@sluice/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from './lib/run.ts'

const run = promisify(execFile)
const isRoot = process.getuid?.() === 0
const NOBODY = 65_534
const MAX_MB = 80

const instructions = readFileSync(join(root, 'Dockerfile'), 'utf8').replaceAll('\\\n', '').split('\n')
const all = (name: string) =>
  instructions.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1))
const commandOf = (line: string) => JSON.parse(line.slice(line.indexOf('['))) as [string, ...string[]]

const dir = mkdtempSync(join(tmpdir(), 'sluice-container-'))
const app = join(dir, 'app')
const data = join(dir, 'data')
let service: ChildProcess | undefined

beforeAll(async () => {
  await run('npm', ['pack', '--workspace', '@sluice/server', '--pack-destination', dir], { cwd: root })
  mkdirSync(app)
  const install = all('RUN')[1]!.replaceAll('/tmp/', `${dir}/`).replaceAll('/data', data)
  await run('sh', ['-c', install], { cwd: app, env: { ...process.env, npm_config_prefer_offline: 'true' } })
  // The unprivileged user may not have access to this repository's Node.
  try {
    linkSync(process.execPath, join(dir, 'node'))
  } catch {
    copyFileSync(process.execPath, join(dir, 'node'))
  }
  chmodSync(dir, 0o755)
  if (isRoot) chownSync(data, NOBODY, NOBODY)
}, 120_000)
afterAll(() => {
  service?.kill('SIGKILL')
  rmSync(dir, { recursive: true, force: true })
})

/** Returns the options of a process with the image's environment, folder, and, if possible, user. */
function asInTheImage(port: number) {
  const set = Object.fromEntries(all('ENV').flatMap((line) => line.split(' ').map((one) => one.split('='))))
  const env = { ...set, PATH: `${dir}:${process.env.PATH}`, PORT: String(port), DATA_DIR: data, LOG_LEVEL: 'warn' }
  return { cwd: app, env, ...(isRoot && { uid: NOBODY, gid: NOBODY }) }
}

test('the image is small, and contains the expected files', async () => {
  const { stdout } = await run('du', ['-sm', app])
  expect(Number.parseInt(stdout, 10)).toBeLessThan(MAX_MB)
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string }>
  }
  const { components } = JSON.parse(readFileSync(join(app, 'sbom.cdx.json'), 'utf8')) as {
    components: { name: string; version: string }[]
  }
  const names = components.map(({ name, version }) => `${name}@${version}`)
  for (const name of ['express', 'ethers', 'qs'])
    expect(names).toContain(`${name}@${packages[`node_modules/${name}`]!.version}`)
  expect(names.filter((name) => /^(rolldown|typescript|vitest|react)@/.test(name))).toEqual([])
})

test('the service runs as a user who can write only to its data, reports its health, and ends at SIGTERM', async () => {
  const port = await freePort()
  const set = asInTheImage(port)
  const [health, ...healthArgs] = commandOf(all('HEALTHCHECK')[0]!)
  const isHealthy = () =>
    run(health, healthArgs, set).then(
      () => true,
      () => false,
    )
  expect(await isHealthy()).toBe(false)
  if (isRoot) await expect(run('sh', ['-c', 'touch bin/x'], set)).rejects.toThrow('Permission denied')

  const [node, ...args] = commandOf(all('ENTRYPOINT')[0]!)
  service = spawn(node, args, { ...set, stdio: 'inherit' })
  const ended = new Promise((resolve) => service!.once('exit', resolve))
  await expect.poll(isHealthy, { timeout: 20_000, interval: 200 }).toBe(true)
  service.kill('SIGTERM')
  expect(await ended).toBe(0)
})
