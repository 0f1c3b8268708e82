/** Tests of the trust ledger. */
import { type Address, type Chain, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { toBeHex } from 'ethers'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Pool } from '../family.ts'
import type { Snapshot } from '../snapshot.ts'
import { TrustLedger } from './ledger.ts'
import { isTrustedPool } from './trust.ts'

const account = (n: number): Address => toAddress(toBeHex(n, 20))
const [WETH, USDC, UNLISTED, VAULT] = [account(1), account(2), account(3), account(4)]
const token = (address: Address, symbol: string) => ({ address, symbol, decimals: 0 })

const chain = {
  wrappedNative: token(WETH, 'WETH'),
  stables: [token(USDC, 'USDC')],
  hubs: [WETH],
  tokens: [],
  dexes: [],
} as unknown as Chain
const terms = { blocks: 10, pools: 3, namedTokens: 2, depthUsd: 1_000, measurementIntervalBlocks: 5 }

const pair = (n: number, tokens: readonly Address[], reserve = 1_000n): Pool => ({
  id: account(n),
  address: account(n),
  family: 'uniswap-v2',
  dex: 'test',
  tokens,
  state: { reserve0: reserve, reserve1: reserve, feePpm: 3000 },
})
/** Three pools of the untrusted token with two named tokens, 1,000 USD of them in each. */
const pools = [pair(11, [WETH, UNLISTED]), pair(12, [WETH, UNLISTED]), pair(13, [USDC, UNLISTED])]

let ledger: TrustLedger
let currentPools: ReadonlyMap<string, Pool>
function observe(number: number, of: readonly Pool[]): void {
  const next = new Map(of.map((pool) => [pool.id, pool]))
  const gone = [...currentPools.keys()].filter((id) => !next.has(id))
  const changed = [...of.filter((pool) => currentPools.get(pool.id) !== pool).map(({ id }) => id), ...gone]
  const block = { number, timestamp: number } as Snapshot['block']
  ledger.observe({ chainId: 1, block, pools: next, changedIds: changed })
  currentPools = next
}
const observeUntil = (from: number, to: number, of: readonly Pool[] = pools) => {
  for (let number = from; number <= to; number++) observe(number, of)
}

beforeEach(() => {
  currentPools = new Map()
  ledger = new TrustLedger(chain, terms)
  ledger.setPriceSource((_token, amount) => Number(amount))
})

describe('a token', () => {
  test('of the chain file is named, including the native token; an unseen token is untrusted', () => {
    expect(ledger.standingOfToken(WETH)).toMatchObject({ standing: 'named' })
    expect(ledger.named.tokens.has(ZERO_ADDRESS)).toBe(true)
    expect(ledger.standingOfToken(UNLISTED)).toEqual({ standing: 'stranger', reason: 'not seen yet' })
  })

  test('earns trust by consecutive blocks and a clean report, and is due once the blocks are complete', () => {
    observeUntil(1, 9)
    expect(ledger.tokenDueForMeasurement).toBeUndefined()
    observe(10, pools)
    expect(ledger.tokenDueForMeasurement).toBe(UNLISTED)
    expect(ledger.standingOfToken(UNLISTED).reason).toBe('not measured yet')
    const before = ledger.earned
    ledger.reportMeasurement(UNLISTED, null)
    expect(ledger.standingOfToken(UNLISTED).standing).toBe('earned')
    expect(ledger.earned.tokens.has(UNLISTED)).toBe(true)
    expect(ledger.named.tokens.has(UNLISTED)).toBe(false)
    expect(before.tokens.has(UNLISTED)).toBe(false)
    const after = ledger.earned
    observe(11, pools)
    expect(ledger.earned).toBe(after)
  })

  test.each([
    ['a bad report', () => ledger.reportMeasurement(UNLISTED, 'a tax on transfers')],
    ['a breach', () => ledger.reportBreach(UNLISTED, 'a route through it that paid less than it should')],
    ['missing depth at one block', () => observe(11, [pair(11, [WETH, UNLISTED], 1n), ...pools.slice(1, 2)])],
    ['a missing pool', () => observe(11, pools.slice(1))],
    ['a gap in the observed blocks', () => observe(200, pools)],
    ['overdue reports', () => observeUntil(11, 22)],
  ])('loses trust at once by %s', (_name, happens) => {
    observeUntil(1, 10)
    ledger.reportMeasurement(UNLISTED, null)
    expect(ledger.earned.tokens.has(UNLISTED)).toBe(true)
    happens()
    expect(ledger.earned.tokens.has(UNLISTED)).toBe(false)
    expect(ledger.standingOfToken(UNLISTED).standing).toBe('stranger')
  })

  test('loses the depth of a pool that is gone, even before the rotation values its other pools again', () => {
    const shallow = [14, 15, 16].map((n) => pair(n, [n === 14 ? USDC : WETH, UNLISTED], 10n))
    // A block values 16 tokens again, so the token is not among them at block 11.
    const others = Array.from({ length: 49 }, (_, n) => pair(1_000 + n, [WETH, account(5_000 + n)]))
    observeUntil(1, 10, [...pools, ...shallow, ...others])
    ledger.reportMeasurement(UNLISTED, null)
    expect(ledger.earned.tokens.has(UNLISTED)).toBe(true)
    observe(11, [...shallow, ...others])
    expect(ledger.earned.tokens.has(UNLISTED)).toBe(false)
  })

  test('gets no credit for its own side of a pool, for pools with other untrusted tokens, or for a single named token', () => {
    const other = account(9)
    observeUntil(1, 20, [pair(11, [WETH, UNLISTED]), pair(12, [WETH, UNLISTED]), pair(13, [other, UNLISTED])])
    expect(ledger.standingOfToken(UNLISTED).reason).toContain('2 pools')
    observeUntil(21, 40, [pair(11, [WETH, UNLISTED]), pair(12, [WETH, UNLISTED]), pair(13, [WETH, UNLISTED])])
    expect(ledger.standingOfToken(UNLISTED).reason).toContain('1 named tokens')
    ledger.setPriceSource((of, amount) => (of === UNLISTED ? 1e12 : Number(amount) / 1e6))
    observeUntil(41, 60)
    expect(ledger.standingOfToken(UNLISTED).reason).toContain('less than')
  })

  test('evicts the shallowest token when too many are watched', () => {
    const shallow = Array.from({ length: 520 }, (_, n) => pair(1000 + n, [WETH, account(5000 + n)], BigInt(n + 1)))
    observe(1, [...shallow, ...pools])
    expect(ledger.counts.watched).toBe(512)
    observeUntil(2, 12, [...shallow, ...pools])
    ledger.reportMeasurement(UNLISTED, null)
    expect(ledger.standingOfToken(UNLISTED).standing).toBe('earned')
  })

  test('is not watched if all watched tokens are deeper', () => {
    const deep = Array.from({ length: 512 }, (_, n) => pair(1_000 + n, [WETH, account(5_000 + n)]))
    observe(1, [...deep, pair(11, [WETH, UNLISTED], 10n)])
    expect(ledger.counts.watched).toBe(512)
    expect(ledger.standingOfToken(UNLISTED).reason).toBe('not seen yet')
  })
})

describe('a gap in the observed blocks', () => {
  test.each([
    ['of 64 blocks keeps what was observed', 100, 164, UNLISTED],
    ['of 65 blocks forgets it', 100, 165, undefined],
    ['of 65 blocks back, in a deep reorg, forgets it', 100, 35, undefined],
  ])('%s', (_name, last, next, due) => {
    observeUntil(last - 8, last)
    expect(ledger.tokenDueForMeasurement).toBeUndefined()
    observe(next, pools)
    expect(ledger.tokenDueForMeasurement).toBe(due)
    if (due === undefined) expect(ledger.standingOfToken(UNLISTED).reason).toBe('not seen yet')
  })
})

describe('a block observed in steps', () => {
  const block = (number: number) => ({ number, timestamp: number }) as Snapshot['block']
  const next = () => new Map(pools.slice(1).map((pool) => [pool.id, pool]))

  test('has the same result as a block observed at once', () => {
    observeUntil(1, 10)
    ledger.reportMeasurement(UNLISTED, null)
    const steps = ledger.observeInSteps({ chainId: 1, block: block(11), pools: next(), changedIds: [pools[0]!.id] })
    let count = 0
    while (!steps.next().done) count++
    expect(count).toBeGreaterThan(2)
    expect(ledger.earned.tokens.has(UNLISTED)).toBe(false)
    expect(ledger.standingOfToken(UNLISTED).reason).toContain('2 pools')
  })

  test('stops after a reset', () => {
    observeUntil(1, 10)
    const changedIds = pools.map(({ id }) => id)
    const steps = ledger.observeInSteps({ chainId: 1, block: block(11), pools: next(), changedIds })
    steps.next()
    ledger.reset()
    expect(steps.next().done).toBe(true)
    expect(ledger.standingOfToken(UNLISTED).reason).toBe('not seen yet')
    expect(ledger.counts.watched).toBe(0)
  })
})

describe('a pool whose quotes depend on an account', () => {
  const vault = (totalAssets: bigint, totalSupply = 1_000n): Pool => ({
    ...pair(0, [WETH, USDC]),
    id: VAULT,
    address: VAULT,
    family: 'erc4626',
    state: { totalAssets, totalSupply, virtualShares: 0n, maxDeposit: 10n ** 30n, cash: 10n ** 30n },
  })

  test('earns trust by its own history, and loses it when its quotes change without a trade', () => {
    const pool = { ...pair(20, [WETH, USDC]), family: 'dodo-v2', state: dodo(10n ** 18n) }
    observeUntil(1, 10, [pool])
    expect(ledger.earned.pools.has(pool.id)).toBe(true)
    observe(11, [{ ...pool, state: dodo(99n * 10n ** 16n) }])
    expect(ledger.earned.pools.has(pool.id)).toBe(false)
  })

  test('earns no trust while an oracle moves its price without a trade, as in markets of LlamaLend', () => {
    const market = (isGoverned: boolean, priced: bigint): Pool => ({
      ...pair(0, [WETH, USDC]),
      ...{ id: VAULT, address: VAULT, family: 'curve-llamma', fixed: { isGoverned } },
      state: {
        samples: [
          [
            [1_000n, 1_000n * priced],
            [2_000n, 1_990n * priced],
          ],
          [],
        ],
        ...{ focus: [[], []], sold: [10n ** 9n, 10n ** 9n], stamp: 'no trade' },
      },
    })
    expect(isTrustedPool(market(true, 10n ** 6n), ledger.earned)).toBe(true)
    for (let number = 1; number <= 30; number++) observe(number, [market(false, 10n ** 6n + 100n * BigInt(number % 2))])
    expect(ledger.counts.watched).toBe(1)
    expect(isTrustedPool(market(false, 10n ** 6n), ledger.earned)).toBe(false)
    // The movement alone is the reason.
    observeUntil(31, 41, [market(false, 10n ** 6n)])
    expect(isTrustedPool(market(false, 10n ** 6n), ledger.earned)).toBe(true)
  })

  test('gives no trust to its tokens, and loses its own by a breach', () => {
    // A DODO pool depends on its own code.
    const dodoPool = (n: number, tokens: readonly Address[]) => ({
      ...pair(n, tokens),
      ...{ family: 'dodo-v2', state: dodo(10n ** 18n) },
    })
    const pool = dodoPool(20, [WETH, USDC])
    const ofToken = [21, 22, 23].map((n) => dodoPool(n, [n === 23 ? USDC : WETH, UNLISTED]))
    observeUntil(1, 10, [pool, ...ofToken])
    expect(ledger.earned.pools.has(pool.id)).toBe(true)
    expect(ledger.tokenDueForMeasurement).toBeUndefined()
    expect(ledger.standingOfToken(UNLISTED).reason).toBe('not seen yet')
    ledger.reportBreach(pool.id, 'a route through it that paid less than it should')
    expect(ledger.earned.pools.has(pool.id)).toBe(false)
  })

  test('loses its trust when it is gone, and starts again when it is back', () => {
    observeUntil(1, 10, [vault(1_000n)])
    expect(ledger.earned.pools.has(VAULT)).toBe(true)
    observe(11, [])
    expect([ledger.earned.pools.has(VAULT), ledger.counts.watched]).toEqual([false, 0])
    observeUntil(12, 20, [vault(1_000n)])
    expect(ledger.earned.pools.has(VAULT)).toBe(false)
    observe(21, [vault(1_000n)])
    expect(ledger.earned.pools.has(VAULT)).toBe(true)
  })

  test('keeps trust when a deposit leaves its quotes unchanged', () => {
    observeUntil(1, 10, [vault(1_000n)])
    expect(ledger.earned.pools.has(VAULT)).toBe(true)
    observe(11, [vault(1_001n, 1_001n)])
    expect(ledger.earned.pools.has(VAULT)).toBe(true)
  })

  test('keeps trust when a trade changes its quotes', () => {
    const pool = { ...pair(20, [WETH, USDC]), family: 'dodo-v2', state: dodo(10n ** 18n) }
    observeUntil(1, 10, [pool])
    observe(11, [{ ...pool, state: { ...pool.state, base: 900_000n, quote: 1_101_111n, side: 'ABOVE_ONE' } }])
    expect(ledger.earned.pools.has(pool.id)).toBe(true)
  })
})

/** State of a DODO pool at its target balances. */
const dodo = (price: bigint) => ({
  price,
  slippage: 10n ** 17n,
  base: 1_000_000n,
  quote: 1_000_000n,
  baseTarget: 1_000_000n,
  quoteTarget: 1_000_000n,
  side: 'ONE',
  lpFee: 0n,
  maintainerFee: 0n,
})

test('the depth of a pool is the value of the named tokens in it, each by its own reserve', () => {
  const uneven = (n: number, tokens: readonly Address[], named: 0 | 1) => {
    const reserves = [named === 0 ? 1_000n : 1n, named === 0 ? 1n : 1_000n] as const
    const state = { reserve0: reserves[0], reserve1: reserves[1], feePpm: 3_000 }
    return { ...pair(n, tokens), state }
  }
  const others = (named: 0 | 1) => [
    uneven(11, [WETH, UNLISTED], named),
    uneven(12, [UNLISTED, WETH], named === 0 ? 1 : 0),
    uneven(13, [USDC, UNLISTED], named),
  ]
  observeUntil(1, 20, others(1))
  expect(ledger.tokenDueForMeasurement).toBeUndefined()
  observeUntil(21, 30, others(0))
  expect(ledger.tokenDueForMeasurement).toBe(UNLISTED)
})
