/**
 * Tests a first installation: the package in an empty folder, on real Ethereum state.
 *
 * @module-tag long
 */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { deployContracts } from '@sluice/contracts'
import { type Anvil, accounts, freePort, startMainnet } from '@sluice/devnet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const run = promisify(execFile)
const WETH = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'
const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
/** Maximum milliseconds from the command to the first quote. */
const PROMISED_MS = 30_000
const folder = join(import.meta.dirname, '..')

const dir = mkdtempSync(join(tmpdir(), 'sluice-pack-'))
const bin = join(dir, 'node_modules/@sluice/server/bin/sluice-server.mjs')
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

/** The Node that runs the tests, and a Node before 22.15 if this machine has one. */
const OLD_NODE = process.env.OLD_NODE ?? '/usr/bin/node'
const isOld = existsSync(OLD_NODE) && /^v(2[01]|22\.([0-9]|1[0-4])\.)/.test(versionOf(OLD_NODE))
const nodes = [
  ['this Node', process.execPath, true],
  ['a Node before 22.15', OLD_NODE, isOld],
] as const

function versionOf(node: string): string {
  return execFileSync(node, ['--version'], { encoding: 'utf8' })
}

/** Runs the command with a Node, which is first in the path. */
function start(node: string, options: readonly string[], set: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(node, [bin, ...options], {
    cwd: dir,
    env: { ...process.env, DATA_DIR: '', DEPLOYMENTS_DIR: join(dir, 'deployments'), LOG_LEVEL: 'warn', ...set },
    stdio: ['ignore', 'inherit', 'pipe'],
  })
}

const exitOf = (child: ChildProcess) => new Promise<number | null>((resolve) => child.once('exit', resolve))

async function errorsOf(child: ChildProcess): Promise<string> {
  let text = ''
  child.stderr!.on('data', (data) => {
    text += data
  })
  await exitOf(child)
  return text
}

// Without LONG: the Node of the tests alone.
describe.each(process.env.LONG ? nodes : nodes.slice(0, 1))('under %s', (_, node, isHere) => {
  test.skipIf(!isHere)('prints its usage without a registry, and with an error', async () => {
    // npm gets no response from this address.
    const env = { ...process.env, npm_config_registry: 'http://127.0.0.1:9', npm_config_cache: join(dir, 'no-cache') }
    const { stdout } = await run(node, [bin, '--help'], { env })
    expect(stdout).toContain('--rpc <chain>=<url>')
    await expect(run(node, [bin, '--rpc', 'here'], { env })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--rpc here'),
    })
  })

  test.skipIf(!isHere)(
    'refuses an unserved chain, and a node of another chain, with the remedy',
    async () => {
      expect(await errorsOf(start(node, ['--rpc', `8543=${anvil.url}`, '--port', '0']))).toContain('did you mean 8453?')
      expect(await errorsOf(start(node, ['--rpc', `8453=${anvil.url}`, '--port', '0']))).toContain('use --rpc 1=')
      expect(await errorsOf(start(node, ['--port', 'x']))).toContain('PORT: ')
    },
    120_000,
  )

  test.skipIf(!isHere)(
    'reports an unknown transaction, and refuses an invalid hash',
    async () => {
      const judge = (...args: string[]) => run(node, [bin, 'referee', ...args], { cwd: dir, env: process.env })
      await expect(judge(`0x${'ab'.repeat(32)}`, '--rpc', anvil.url)).rejects.toMatchObject({
        code: 1,
        stdout: expect.stringContaining('the node does not know'),
      })
      await expect(judge('0x12', '--rpc', anvil.url)).rejects.toMatchObject({
        code: 2,
        stderr: expect.stringContaining('usage: sluice-server referee'),
      })
      expect((await judge('--help')).stdout).toContain('--json')
    },
    180_000,
  )

  test.skipIf(!isHere).each(['SIGTERM', 'SIGINT'] as const)(
    'quotes, serves the page, and ends by %s with all its processes',
    async (signal) => {
      const port = await freePort()
      const from = accounts()[0]!.address
      const data = join(dir, `data-${port}`)
      const options = ['--rpc', `1=${anvil.url}`, '--chains', '1', '--port', String(port), '--data-dir', data]
      // Searches run in a thread, whose module the package must contain too.
      server = start(node, options, { ROUTE_INLINE_POOLS: '0' })
      server.stderr!.pipe(process.stderr)
      const ended = exitOf(server)
      const url = `http://127.0.0.1:${port}`
      const query = new URLSearchParams({ src: WETH, dst: USDC, amount: String(10n ** 18n), from })
      const quote = () =>
        fetch(`${url}/aggregator/1?${query}`).then(
          (answer) => answer.json() as Promise<{ toAmount?: string }>,
          (): { toAmount?: string } => ({}),
        )
      await expect
        .poll(async () => BigInt((await quote()).toAmount ?? 0), { timeout: PROMISED_MS * 3 })
        .toBeGreaterThan(0n)
      expect(Object.keys(await fetch(`${url}/chains`).then((answer) => answer.json() as Promise<object>))).toEqual([
        '1',
      ])
      expect(await fetch(url).then((answer) => answer.text())).toContain('<div id="root">')
      expect(await fetch(`${url}/docs`).then((answer) => answer.text())).toContain(
        '<title>Sluice documentation</title>',
      )

      server.kill(signal)
      expect(await ended).toBe(0)
      expect(existsSync(join(data, '1.sqlite'))).toBe(true)
      // The port is free only if no process of the service is left.
      await new Promise<void>((resolve, reject) => {
        const next = createServer()
        next.once('error', reject)
        next.listen(port, '0.0.0.0', () => next.close(() => resolve()))
      })
    },
    180_000,
  )
})
