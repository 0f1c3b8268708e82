/** Tests that the commands print the same results as the service. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { loadConfig, type RunningServer, startServer } from '@sluice/api'
import { type Devnet, startDevnet } from '@sluice/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from './lib/run.ts'

const dir = join(root, '.devnet')
const overlay = { CHAINS_DIR: join(dir, 'chains'), DEPLOYMENTS_DIR: join(dir, 'deployments') }
let devnet: Devnet
let server: RunningServer
beforeAll(async () => {
  devnet = await startDevnet({ dir })
  const env = { ...overlay, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'silent', RPC_URL_31337: devnet.url }
  server = await startServer(loadConfig(env))
})
afterAll(async () => {
  await server?.close()
  await devnet?.stop()
})

type Finished = { readonly code: number; readonly body: Record<string, unknown> }

async function quote(...args: readonly string[]): Promise<Finished> {
  const command = [join(root, 'scripts/quote.ts'), '--chain', '31337', '--rpc', devnet.url, ...args]
  const { stdout, code = 0 }: { stdout: string; code?: number } = await promisify(execFile)(process.execPath, command, {
    env: { ...process.env, ...overlay },
  }).catch((failed: { stdout: string; stderr: string; code: number }) => failed)
  return { code, body: JSON.parse(stdout) }
}

async function ask(endpoint: string, query: Readonly<Record<string, string>>): Promise<unknown> {
  return (await fetch(`${server.url}/${endpoint}/31337?${new URLSearchParams(query)}`)).json()
}

test('the output equals the response of the endpoint, with the transaction', async () => {
  const [src, dst] = [devnet.info.tokens.WETH!.address, devnet.info.tokens.USDC!.address]
  const amount = `${10n ** 18n}`
  const more = { from: devnet.info.accounts[0]!.address, deadline: '99999999999', slippage: '0.3', maxSplits: '2' }
  const options = Object.entries(more).flatMap(([name, value]) => [`--${name}`, value])
  const { code, body } = await quote(...options, src, dst, amount)
  // Dollar values depend on the pools that the service has found, and it may find some after its first response.
  await expect.poll(() => ask('aggregator', { src, dst, amount, ...more }), { timeout: 20_000 }).toEqual(body)
  expect({ code, tx: body.tx }).toMatchObject({ code: 0, tx: { data: expect.stringMatching(/^0x/) } })
}, 120_000)

test('without an account, it equals a quote', { tags: 'long', timeout: 120_000 }, async () => {
  const [src, dst] = [devnet.info.tokens.WETH!.address, devnet.info.tokens.USDC!.address]
  const amount = `${10n ** 18n}`
  const without = await quote(src, dst, amount)
  await expect.poll(() => ask('quote', { src, dst, amount }), { timeout: 20_000 }).toEqual(without.body)
})

test('a quote writes nothing to the data directory, which a running service may have locked', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-quote-'))
  try {
    const [src, dst] = [devnet.info.tokens.WETH!.address, devnet.info.tokens.USDC!.address]
    const args = ['--chain', '31337', '--rpc', devnet.url, src, dst, '1000000000000000000']
    const { status, stdout } = spawnSync(process.execPath, [join(root, 'scripts/quote.ts'), ...args], {
      env: { ...process.env, ...overlay, DATA_DIR: dataDir },
      encoding: 'utf8',
    })
    expect(status, stdout).toBe(0)
    expect(readdirSync(dataDir)).toEqual([])
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}, 120_000)

test('an invalid parameter has the message of the endpoint, and exit code 2', async () => {
  const [src, dst] = [devnet.info.tokens.WETH!.address, devnet.info.tokens.USDC!.address]
  const wrong = await quote(src, dst, '1.5')
  expect(wrong).toMatchObject({ code: 2, body: { code: 'INVALID_PARAMETER' } })
}, 120_000)

test('a wrong setting or file is named in one line with exit code 2, and a node that fails in a response', async () => {
  const [src, dst] = [devnet.info.tokens.WETH!.address, devnet.info.tokens.USDC!.address]
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(root, 'scripts/quote.ts'), ...args, src, dst, '1'], {
      env: { ...process.env, ...overlay },
      encoding: 'utf8',
    })
  for (const [args, message] of [
    [['--snapshot', '/nowhere'], '/nowhere is not a snapshot'],
    [['--chain', 'x', '--rpc', devnet.url], '--chain: x is not a chain id'],
    [['--chain', '31337', '--rpc', 'nowhere'], 'RPC_URL_31337: must be http'],
  ] as const) {
    const { status, stderr } = run(...args)
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(message) })
    expect(stderr).not.toMatch(/^ {4}at /m)
  }
  const { status, stdout } = run('--chain', '31337', '--rpc', 'http://127.0.0.1:1', '--route')
  expect({ status, body: JSON.parse(stdout) }).toMatchObject({ status: 1, body: { code: 'RPC_FAILED' } })
}, 120_000)

test('a refusal has the message of the endpoint, and exit code 1', { tags: 'long', timeout: 120_000 }, async () => {
  const src = devnet.info.tokens.WETH!.address
  const nowhere = await quote(src, `0x${'77'.repeat(20)}`, '1')
  expect(nowhere).toMatchObject({ code: 1, body: { code: 'UNKNOWN_TOKEN' } })
})

function prices(...args: readonly string[]) {
  const command = [join(root, 'scripts/prices.ts'), '--chain', '31337', '--rpc', devnet.url, ...args]
  return promisify(execFile)(process.execPath, command, { env: { ...process.env, ...overlay } })
}

test('prices equal those of the endpoint, with their sources', async () => {
  const token = devnet.info.tokens.WETH!.address
  const now = JSON.parse((await prices(token)).stdout)
  // The service prices newly found pools one block later.
  const pricesOf = async () => (await ask('prices', { token, detail: '1' })) as Record<string, { usd: number }>
  await expect.poll(async () => (await pricesOf())[token]!.usd, { timeout: 20_000 }).toBe(now[token].usd)
  expect(now[token]).toMatchObject({ reason: null, sources: expect.any(Array) })
}, 120_000)

test('prices of past blocks, and exit codes of failures', { tags: 'long', timeout: 120_000 }, async () => {
  const token = devnet.info.tokens.WETH!.address
  const now = JSON.parse((await prices(token)).stdout)
  expect(JSON.parse((await prices('--block', String(now[token].block), token)).stdout)).toEqual(now)
  await expect(prices('--block', '99999999', token)).rejects.toMatchObject({ code: 1 })
  await expect(prices('no-token')).rejects.toMatchObject({ code: 2 })
})
