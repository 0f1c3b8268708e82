/**
 * Tests a new service with hundreds of tokens it has not seen: it responds at once, and knows more prices at each call.
 *
 * @module-tag long
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deployContracts } from '@sluice/contracts'
import { type Anvil, accounts, readState, startMainnet } from '@sluice/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from './src/service.ts'
import { get, type RouteBody, swapUrl } from './src/swap.ts'

type Prices = Readonly<Record<string, number | null>>
/** Maximum calls until most prices are known. */
const MAX_POLLS = 60
const POLL_MS = 500
/** The interface's limit per call. */
const MAX_TOKENS = 200

const WETH = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'
const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
const tokens = [...new Set(readState('ethereum').pools.flatMap((pool) => pool.tokens))]
const halves = [tokens.slice(0, tokens.length >> 1), tokens.slice(tokens.length >> 1)]

const dir = mkdtempSync(join(tmpdir(), 'sluice-cold-'))
let anvil: Anvil
let service: Service

beforeAll(async () => {
  anvil = await startMainnet()
  await deployContracts({ rpcUrl: anvil.url, chainId: 1, deploymentsDir: dir })
  service = await startService({ DEPLOYMENTS_DIR: dir, RPC_URL_1: anvil.url })
}, 120_000)
afterAll(async () => {
  await service?.stop()
  await anvil?.stop()
  rmSync(dir, { recursive: true, force: true })
})

/** Requests both halves in two concurrent calls. */
async function askAll(): Promise<Prices> {
  const answers = await Promise.all(halves.map((half) => get<Prices>(`${service.url}/prices/1?token=${half.join()}`)))
  for (const { status, body } of answers) expect(status, JSON.stringify(body)).toBe(200)
  return Object.assign({}, ...answers.map(({ body }) => body))
}

const priced = (prices: Prices) => Object.values(prices).filter((price) => price !== null).length

test('hundreds of new tokens get prices over several requests, while a quote is answered', async () => {
  expect(Math.max(...halves.map(({ length }) => length))).toBeLessThanOrEqual(MAX_TOKENS)
  const query = { src: WETH, dst: USDC, amount: 10n ** 18n, from: accounts()[0]!.address }
  const first = askAll()
  const quoted = get<RouteBody>(swapUrl(service.url, 1, query))
  expect(Object.keys(await first)).toHaveLength(tokens.length)
  const { status, body } = await quoted
  expect(status, JSON.stringify(body)).toBe(200)

  let pricedCount = 0
  for (let polls = 0; pricedCount <= tokens.length / 2 && polls < MAX_POLLS; polls++) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    pricedCount = priced(await askAll())
  }
  expect(pricedCount).toBeGreaterThan(tokens.length / 2)
}, 120_000)
