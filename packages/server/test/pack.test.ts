/** A stranger's way: the package, installed into an empty folder, on real state of Ethereum. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { deployContracts } from '@sluice/contracts'
import { type Anvil, accounts, freePort, startMainnet } from '@sluice/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'

const run = promisify(execFile)
const WETH = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'
const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
/** From the command to the first quote. */
const PROMISED_MS = 30_000
const folder = join(import.meta.dirname, '..')

const dir = mkdtempSync(join(tmpdir(), 'sluice-pack-'))
const bin = join(dir, 'node_modules/.bin/sluice-server')
let anvil: Anvil
let server: ChildProcess | undefined

beforeAll(async () => {
  await Promise.all([install(), startChain()])
}, 180_000)
afterAll(async () => {
  server?.kill('SIGKILL')
  await anvil?.stop()
  rmSync(dir, { recursive: true, force: true })
})

async function install(): Promise<void> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', dir], { cwd: folder })
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ filename: string }]
  writeFileSync(join(dir, 'package.json'), '{ "private": true }')
  const quiet = ['--omit=dev', '--no-audit', '--no-fund', '--prefer-offline']
  await run('npm', ['install', ...quiet, join(dir, filename)], { cwd: dir })
}

async function startChain(): Promise<void> {
  anvil = await startMainnet()
  await deployContracts({ rpcUrl: anvil.url, chainId: 1, deploymentsDir: join(dir, 'deployments') })
}

test('brings the run-time dependencies of the packages inside, at their versions, and nothing of them twice', () => {
  const dependencies = (path: string) =>
    (JSON.parse(readFileSync(join(folder, path), 'utf8')) as { dependencies?: Record<string, string> }).dependencies ??
    {}
  const needed = new Map<string, string>()
  const inside = new Set(['api'])
  for (const name of inside)
    for (const [dependency, version] of Object.entries(dependencies(`../${name}/package.json`)))
      if (dependency.startsWith('@sluice/')) inside.add(dependency.slice('@sluice/'.length))
      else needed.set(dependency, version)
  expect(dependencies('package.json')).toEqual(Object.fromEntries(needed))
})

test('tells its usage, and a mistake with it', async () => {
  const { stdout } = await run(bin, ['--help'])
  expect(stdout).toContain('--rpc <chain>=<url>')
  await expect(run(bin, ['--rpc', 'here'])).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--rpc here'),
  })
  await expect(run(bin, ['--port', 'x'])).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('PORT: ') })
})

test('quotes a known pair, keeps its pools, serves the page, and ends when told', async () => {
  const port = await freePort()
  const from = accounts()[0]!.address
  const options = ['--rpc', `1=${anvil.url}`, '--chains', '1', '--port', String(port), '--data-dir', join(dir, 'data')]
  // Searches in a thread, which is a file of the package too.
  const set = { DEPLOYMENTS_DIR: join(dir, 'deployments'), ROUTE_INLINE_POOLS: '0', LOG_LEVEL: 'warn' }
  server = spawn(bin, options, {
    cwd: dir,
    env: { ...process.env, DATA_DIR: '', ...set },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const ended = new Promise((resolve) => server!.once('exit', resolve))
  const url = `http://127.0.0.1:${port}`
  const query = new URLSearchParams({ src: WETH, dst: USDC, amount: String(10n ** 18n), from })
  const quote = () =>
    fetch(`${url}/aggregator/1?${query}`).then(
      (answer) => answer.json() as Promise<{ toAmount?: string }>,
      (): { toAmount?: string } => ({}),
    )
  await expect.poll(async () => BigInt((await quote()).toAmount ?? 0), { timeout: PROMISED_MS }).toBeGreaterThan(0n)
  expect(Object.keys(await fetch(`${url}/chains`).then((answer) => answer.json() as Promise<object>))).toEqual(['1'])
  expect(await fetch(url).then((answer) => answer.text())).toContain('<div id="root">')

  server.kill('SIGTERM')
  expect(await ended).toBe(0)
  expect(existsSync(join(dir, 'data/1.sqlite'))).toBe(true)
}, 60_000)
