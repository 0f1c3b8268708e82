/** The known pools between two tokens do not depend on earlier requests for other tokens. */
import { type Address, type Chain, toAddress } from '@sluice/chains'
import { type Devnet, devnetChain, startDevnet } from '@sluice/devnet'
import { createRpc, type Rpc } from '@sluice/rpc'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createMarket, type IndexedMarket } from '../src/market/market.ts'
import { pairScopeOf } from '../src/market/pairs.ts'
import { namedTokens } from '../src/trust/named-tokens.ts'
import { random } from './random.ts'

let devnet: Devnet
let rpc: Rpc
let chain: Chain
beforeAll(async () => {
  devnet = await startDevnet()
  rpc = createRpc({ chainId: devnet.chainId, urls: [devnet.url] })
  const file = JSON.stringify(devnetChain(devnet.info, devnet.url))
  chain = JSON.parse(file.replace(/"0x[0-9a-fA-F]{40}"/g, (text) => text.toLowerCase()))
})
afterAll(async () => {
  rpc?.close()
  await devnet?.stop()
})

const token = (symbol: string) => toAddress(devnet.info.tokens[symbol]!.address)
const warm = (market: IndexedMarket) =>
  vi.waitFor(() => expect(market.cacheCounts().queued!.entries).toBe(0), { timeout: 30_000, interval: 20 })

/** Ids of pools that routes between the tokens may use by default. */
function usable(market: IndexedMarket, tokens: readonly Address[]): readonly string[] {
  const passable = new Set([...tokens, ...namedTokens(chain)])
  const pools = [...market.snapshot().pools.values()]
  const isUsable = (pool: (typeof pools)[number]) => pool.tokens.filter((each) => passable.has(each)).length >= 2
  return pools.flatMap((pool) => (isUsable(pool) ? [pool.id] : [])).toSorted()
}

test('a new market knows the same pools as a market that has read every other pair before', async () => {
  const symbols = Object.keys(devnet.info.tokens)
  const queriedMarket = createMarket({ chain, rpc })
  await queriedMarket.ensureGroups(symbols.flatMap((a) => symbols.map((b) => [token(a), token(b)])))
  await warm(queriedMarket)
  const r = random(36)
  const drawn = Array.from({ length: 6 }, () => [r.pick(symbols), r.pick(symbols)])
  for (const pair of [['AAVE', 'GUSD'], ['TBTC', 'GUSD'], ['FAR', 'HEX'], ...drawn]) {
    const tokens = pair.map((symbol) => token(symbol!))
    const fresh = createMarket({ chain, rpc })
    await fresh.ensure(tokens)
    await warm(fresh)
    expect(usable(fresh, tokens), pair.join(' to ')).toEqual(usable(queriedMarket, tokens))
    await fresh.stop()
  }
  await queriedMarket.stop()
}, 180_000)

test('neighbors of one end are paired with the other end, up to a limit', async () => {
  const hubs = [token('WETH'), token('USDC')]
  const names = {
    hubs,
    stables: [],
    tokens: [],
    dexes: chain.dexes.filter(({ family }) => !/4626|wrapper/.test(family)),
  }
  const few: Chain = { ...chain, ...names }
  expect(pairScopeOf(few).intermediates).toEqual(hubs)
  // HEX is traded with LINK alone, by a pair; CRV with LINK by a pool that is known from past logs.
  const tokens = [token('CRV'), token('HEX')]
  const isBridge = ({ tokens: own }: { readonly tokens: readonly Address[] }) =>
    own.includes(token('LINK')) && own.includes(token('HEX'))
  for (const neighbors of [0, 1, 4]) {
    const market = createMarket({ chain: few, rpc, limits: { neighbors } })
    await market.ensure(tokens)
    await warm(market)
    const hasBridge = [...market.snapshot().pools.values()].some(isBridge)
    // The one neighbor of a limit of one may be another.
    if (neighbors !== 1) expect(hasBridge).toBe(neighbors > 0)
    // In addition to the native token, which pools hold.
    expect(market.cacheCounts().tokens!.entries - 1).toBeLessThanOrEqual(hubs.length + tokens.length * (1 + neighbors))
    await market.stop()
  }
})

test('neighbors are followed as long as their token, and found again with it', async () => {
  const few: Chain = { ...chain, hubs: [token('WETH')], stables: [], tokens: [] }
  const market = createMarket({ chain: few, rpc, limits: { tokenIdleMs: 3_600_000 } })
  const tokens = [token('CRV'), token('HEX')]
  const isBridge = (pool: { readonly tokens: readonly Address[] }) =>
    pool.tokens.includes(token('LINK')) && pool.tokens.includes(token('HEX'))
  const hasBridge = () => [...market.snapshot().pools.values()].some(isBridge)
  await market.ensure(tokens)
  await warm(market)
  expect(hasBridge()).toBe(true)
  const now = performance.now()
  vi.spyOn(performance, 'now').mockReturnValue(now + 3_000_000)
  await market.ensure(tokens)
  vi.spyOn(performance, 'now').mockReturnValue(now + 4_000_000)
  market.evict()
  await market.sync()
  expect(hasBridge()).toBe(true)
  vi.spyOn(performance, 'now').mockReturnValue(now + 9_000_000)
  market.evict()
  await market.sync()
  expect(hasBridge()).toBe(false)
  vi.restoreAllMocks()
  await market.ensure(tokens)
  await warm(market)
  expect(hasBridge()).toBe(true)
  await market.stop()
})
