/** The examples of the documentation, run as they are printed. */
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Devnet } from '@sluice/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiReference, errorTable, type RunningServer } from '../src/index.ts'
import { startChain, startOver } from './src/devnet.ts'

const docs = join(import.meta.dirname, '../../../docs')
const has = (command: string) => spawnSync(command, ['--version']).status === 0
let devnet: Devnet
let server: RunningServer
beforeAll(async () => {
  devnet = await startChain()
  server = await startOver(devnet.url)
})
afterAll(async () => {
  await server?.close()
  await devnet?.stop()
})

/** Asynchronous, since the service that is asked runs in this very process. */
async function run(command: string, file: string): Promise<string> {
  const { tokens, accounts, guard, executor, dexes } = devnet.info
  const of = (pattern: RegExp) => dexes.flatMap(({ family, address }) => (pattern.test(family) ? [address] : []))
  const contracts = {
    ...{ guard, executors: [executor], wrapper: tokens.WETH!.address },
    ...{ managers: of(/^uniswap-v4$/), vaultsV2: of(/^balancer-v2$/), vaultsV3: of(/^balancer-v3$/) },
  }
  const env = {
    ...process.env,
    BASE_URL: server.url,
    CHAIN: '31337',
    SRC: tokens.WETH!.address,
    DST: tokens.USDC!.address,
    AMOUNT: '1000000000000000000',
    FROM: accounts[0]!.address,
    MIN: '1000000',
    CONTRACTS: JSON.stringify(contracts),
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

test('docs/api.md is what npm run docs writes, with the cause and the cure of every error', () => {
  const written = readFileSync(join(docs, 'api.md'), 'utf8')
  expect(written).toBe(apiReference())
  for (const [code, { cause, cure }] of Object.entries(errorTable))
    expect(written).toContain(`\`${code}\` | ${cause} | ${cure} |`)
})
