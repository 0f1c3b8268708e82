/**
 * Tests one service with a hundred chains.
 *
 * @module-tag long
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inWaves, type ManyChains, startManyChains } from './src/many-chains.ts'
import { get, quote } from './src/swap.ts'
import { Node } from './src/wallet.ts'

const CHAINS = 100
const HUBS_PER_CHAIN = 2
const AT_ONCE = 10
/** Longer than one request to every chain takes, even on a busy machine. */
const IDLE_MS = CHAINS * 1_000

type Ready = {
  readonly chains: Readonly<Record<string, { readonly state: string; readonly head?: number; readonly pools?: number }>>
}

let many: ManyChains
beforeAll(async () => {
  // Long timeouts, since the test does not measure the machine's speed.
  const timeouts = { REQUEST_TIMEOUT_MS: '60000', RPC_TIMEOUT_MS: '30000' }
  many = await startManyChains(CHAINS, HUBS_PER_CHAIN, { IDLE_SLEEP_MS: String(IDLE_MS), ...timeouts })
})
afterAll(() => many?.stop())

const states = async () => Object.values((await get<Ready>(`${many.service.url}/ready`)).body.chains)
const query = () => {
  const { WETH, USDC } = many.devnet.info.tokens
  const from = many.devnet.info.accounts[0]!.address
  return { src: WETH.address, dst: USDC.address, amount: 10n ** 18n, from, maxSplits: 1 }
}

test('a process starts with all chains asleep', async () => {
  const { body } = await get<Record<string, { ChainName: string; Status: string }>>(`${many.service.url}/chains`)
  expect(Object.keys(body).filter((id) => body[id]!.Status === 'deployed')).toEqual(many.chainIds.map(String))
  expect(body['10']!.ChainName).toBe('optimism')
  expect(await states()).toEqual([])
})

test(`${CHAINS} chains wake at their first quote and are awake together`, async () => {
  const routes = await inWaves(many.chainIds, AT_ONCE, (chainId) => quote(many.service.url, chainId, query()))
  const awake = async () =>
    Object.entries((await get<Ready>(`${many.service.url}/ready`)).body.chains)
      .filter(([, { state }]) => state === 'awake')
      .map(([id]) => Number(id))
  // On a slow machine the first chains fall asleep before the last wake. Only the sleeping ones are requested again.
  for (let round = 0; round < 5; round++) {
    const awakeIds = new Set(await awake())
    const asleep = many.chainIds.filter((chainId) => !awakeIds.has(chainId))
    await inWaves(asleep, AT_ONCE, (chainId) => quote(many.service.url, chainId, query()))
  }
  expect(await awake()).toHaveLength(CHAINS)
  const { WETH } = many.devnet.info.tokens
  const head = Number(await new Node(many.devnet.url).request<string>('eth_blockNumber'))
  expect(new Set(routes.map(({ simulationBlock }) => simulationBlock))).toEqual(new Set([head]))
  // All chains have the same pools, but the gas price of each affects the choice.
  const amounts = routes.map(({ toAmount }) => Number(toAmount))
  expect(Math.min(...amounts) / Math.max(...amounts)).toBeGreaterThan(0.99)
  await inWaves(many.chainIds, AT_ONCE, async (chainId) => {
    const url = `${many.service.url}/prices/${chainId}?token=${WETH.address}`
    const price = async () => {
      const { status, body } = await get<Record<string, number | null>>(url)
      expect(status, JSON.stringify(body)).toBe(200)
      return body[WETH.address] ?? 0
    }
    // The first response does not wait for prices, and may be null.
    await expect.poll(price, { timeout: 10_000 }).toBeGreaterThan(1_000)
  })
}, 300_000)

test('all of them follow a new block at the next request', async () => {
  const node = new Node(many.devnet.url)
  await node.request('anvil_mine', ['0x1'])
  const head = Number(await node.request<string>('eth_blockNumber'))
  // An idle chain polls less and less often and may sleep, but a quote makes it look for blocks.
  await inWaves(many.chainIds, AT_ONCE, (chainId) => quote(many.service.url, chainId, query()))
  await expect
    .poll(async () => (await states()).filter((chain) => chain.head === head).length, { timeout: 90_000 })
    .toBe(CHAINS)
}, 240_000)

test(
  'they sleep without requests, send no more RPC requests, and wake again',
  async () => {
    await expect
      .poll(async () => (await states()).every(({ state }) => state === 'asleep'), { timeout: 2 * IDLE_MS })
      .toBe(true)
    const { calledMethods: methods } = many.proxy
    const before = methods.length
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    expect(methods.length).toBe(before)
    await quote(many.service.url, 10, query())
    expect((await states()).filter(({ state }) => state === 'awake')).toHaveLength(1)
  },
  3 * IDLE_MS,
)
