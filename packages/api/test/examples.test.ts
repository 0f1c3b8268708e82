/** Runs the examples of the documentation as printed. */
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { accounts as accountsOf, request, swapContracts } from '@sluice/devnet'
import { beforeAll, expect, test, vi } from 'vitest'
import { apiReference, configurationReference, errorReference, errorTable } from '../src/index.ts'
import { localService } from './src/devnet.ts'
import { ask, warmUp } from './src/service.ts'

const docs = join(import.meta.dirname, '../../../docs')
const has = (command: string) => spawnSync(command, ['--version']).status === 0
const local = localService()

// The first responses of a new service have no prices yet.
beforeAll(async () => {
  const { WETH, USDC } = local.devnet.info.tokens
  const tokens = [WETH!.address, USDC!.address]
  await warmUp(local.server.url, `/quote/31337?src=${tokens[0]}&dst=${tokens[1]}&amount=${10n ** 18n}`)
  const prices = async () => JSON.parse((await ask(`${local.server.url}/prices/31337?token=${tokens}`)).text)
  await vi.waitFor(async () => expect(Object.values(await prices()).every(Number)).toBe(true), 60_000)
})

/** Runs an example. It must be asynchronous, because the service runs in the same process. */
async function run(command: string, file: string): Promise<string> {
  const { tokens, accounts } = local.devnet.info
  const env = {
    ...process.env,
    BASE_URL: local.server.url,
    CHAIN: '31337',
    SRC: tokens.WETH!.address,
    DST: tokens.USDC!.address,
    AMOUNT: '1000000000000000000',
    FROM: accounts[0]!.address,
    RPC_URL: local.devnet.url,
    PRIVATE_KEY: accountsOf(3)[file === 'viem.ts' ? 1 : 2]!.privateKey,
    MIN: '1000000',
    CONTRACTS: JSON.stringify(swapContracts(local.devnet.info)),
  }
  const { stdout } = await promisify(execFile)(command, [join(docs, 'examples', file)], { env })
  return stdout
}

test.skipIf(!has('curl'))('curl (skipped where curl is not installed)', async () => {
  const lines = (await run('sh', 'swap.sh')).trim().split('\n')
  const [prices, depth, route, simulation] = lines.map((line) => JSON.parse(line))
  expect(Object.values(prices)).toEqual([expect.any(Number), expect.any(Number)])
  expect(Object.values(depth)).toEqual([expect.any(Number)])
  expect(simulation).toMatchObject({ success: true, amountOut: route.toAmount })
})

test.skipIf(!has('python3'))('Python (skipped where python3 is not installed)', async () => {
  const printed = JSON.parse(await run('python3', 'swap.py'))
  expect(printed.simulated).toBe(printed.toAmount)
  expect(printed.gasLimit).toBeGreaterThan(100_000)
})

test('TypeScript', async () => {
  expect(await run(process.execPath, 'swap.ts')).toMatch(/toAmount: '\d+',\s+minOutput: \d+n,\s+mode: 'custody'/)
})

test.each(['viem.ts', 'ethers.ts'])('%s: the swap is mined', async (file) => {
  const { hash, toAmount } = JSON.parse(await run(process.execPath, file))
  expect(BigInt(toAmount)).toBeGreaterThan(0n)
  expect(await request(local.devnet.url, 'eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })
})

test('plain fetch', async () => {
  const lines = (await run(process.execPath, 'fetch.mjs')).trim().split('\n')
  const [quoted, streamed] = lines.map((line) => JSON.parse(line))
  expect(quoted).toMatchObject({ toAmount: expect.stringMatching(/^\d+$/), calls: 2 })
  expect(streamed).toEqual({ event: 'quote', toAmount: quoted.toAmount })
})

test('docs/api.md, docs/errors.md and docs/run/configuration.md are up to date (npm run docs)', () => {
  const written = (path: string) => readFileSync(join(docs, path), 'utf8')
  expect(written('api.md')).toBe(apiReference())
  expect(written('errors.md')).toBe(errorReference())
  expect(written('run/configuration.md')).toBe(configurationReference())
})

test('the references list the cause and remedy of every error, and every environment variable', () => {
  for (const [code, { cause, cure }] of Object.entries(errorTable))
    expect(errorReference()).toMatch(
      new RegExp(`\`${code}\` \\| \\d{3} \\| ${escaped(cause)} \\| ${escaped(cure)} \\|`),
    )
  const names = readFileSync(join(docs, '../packages/api/src/config.ts'), 'utf8').matchAll(/^ {2}([A-Z][A-Z0-9_]+): /gm)
  const rows = configurationReference().match(/^\| `[A-Z0-9_]+` \|/gm)!
  expect(rows.map((row) => row.slice(3, -3)).toSorted()).toEqual([...names].map(([, name]) => name).toSorted())
  expect(configurationReference()).toContain('| `RPC_TIMEOUT_MS` | `4000` | 50 to 60,000 |')
})

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
