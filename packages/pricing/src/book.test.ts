/** Tests how a book of prices follows snapshots: in slices, pool by pool, and block by block. */
import type { Address } from '@sluice/chains'
import type { Pool, Redemption, Snapshot } from '@sluice/liquidity'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { address, centre, chain, eth, pair, snapshotOf, USDC, USDT, usdc, WETH } from '../test/pools.ts'
import { Prices, priceTokens } from './book.ts'

const [LOCAL, OTHER] = [address(0x1000), address(0x1001)]
const decimals = (token: Address) => (token >= LOCAL ? 18 : undefined)
const hubs = centre()
const local = pair(LOCAL, USDC, eth(1_000), usdc(3_000))
const many = Array.from({ length: 40 }, (_, n) => pair(address(0x5000 + n), USDC, eth(1), usdc(1_000)))
const broken = { ...pair(LOCAL, WETH, 1, 1), state: null }

function blockWith(number: number, ...pools: readonly Pool[]): Snapshot {
  const snapshot = snapshotOf([...hubs, ...pools])
  return { ...snapshot, block: { ...snapshot.block, number, hash: `0x${String(number).padStart(64, '0')}` } }
}
/** Pool with the id of `pool` and its price times a factor. */
const moved = (pool: Pool, factor: number) => ({ ...pair(LOCAL, USDC, eth(1_000), usdc(3_000 * factor)), id: pool.id })

/** Ends every slice after one step. */
function useShortSlices(): void {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 10
    return now
  })
}
afterEach(() => void vi.restoreAllMocks())

describe('while a snapshot is applied in slices', () => {
  test('the same or a newer one joins the pass instead of starting another', async () => {
    useShortSlices()
    const faults: string[] = []
    const prices = new Prices(chain, { decimals, onFault: ({ id }) => faults.push(id) })
    const first = blockWith(1, ...many, broken)
    const pass = prices.follow(first)
    expect([prices.follow(first) === pass, prices.isCurrent]).toEqual([true, false])
    await pass
    expect([faults, prices.isCurrent]).toEqual([[broken.id], true])
    const next = prices.follow(blockWith(2, ...many, broken, moved(local, 2)))
    expect([prices.isCurrent, prices.follow(blockWith(2, ...many, local)) === next]).toEqual([false, true])
    await next
    expect([prices.usd(LOCAL), faults]).toEqual([expect.closeTo(3, 6), [broken.id]])
  })

  test('prices stay those of the last snapshot, and none before the first', async () => {
    useShortSlices()
    const prices = new Prices(chain, { decimals })
    const pass = prices.follow(blockWith(1, ...many, local))
    expect([prices.usd(LOCAL), await prices.depthUsd(LOCAL), (await prices.detail(LOCAL)).reason]).toEqual([
      ...[null, null, 'pending'],
    ])
    await pass
    await prices.whenCurrent()
    expect([prices.usd(LOCAL), prices.isCurrent]).toEqual([expect.closeTo(3, 6), true])
  })

  test('callers can wait for it', async () => {
    useShortSlices()
    const prices = new Prices(chain, { decimals })
    await prices.whenCurrent()
    expect(prices.isCurrent).toBe(false)
    void prices.follow(blockWith(1, ...many))
    await prices.whenCurrent()
    expect(prices.isCurrent).toBe(true)
  })
})

test('a fault of a pool ends neither the pass nor later ones', () => {
  const faults: unknown[] = []
  const prices = new Prices(chain, { decimals, onFault: ({ id }, error) => faults.push(id, error) })
  prices.applyNow(blockWith(1, broken, local))
  expect(faults).toEqual([broken.id, expect.any(TypeError)])
  expect([prices.usd(LOCAL), prices.poolsOf(LOCAL)]).toEqual([expect.closeTo(3, 6), [local]])
  // Without a listener, faults are ignored.
  expect(priceTokens(blockWith(1, broken, local), chain, { decimals }).usd(LOCAL)).toBeCloseTo(3, 6)
})

describe('a pool of the same id', () => {
  const follow = (...states: readonly (readonly Pool[])[]) => {
    const prices = new Prices(chain, { decimals })
    for (const [k, pools] of states.entries()) prices.applyNow(blockWith(k + 1, ...pools))
    return prices
  }

  test('with other tokens replaces the old one', () => {
    const other = { ...pair(OTHER, USDC, eth(1_000), usdc(5_000)), id: local.id }
    const prices = follow([local], [other], [other])
    expect([prices.usd(LOCAL), prices.usd(OTHER)]).toEqual([null, expect.closeTo(5, 6)])
    expect([prices.poolsOf(LOCAL), prices.poolsOf(OTHER)]).toEqual([[], [other]])
  })

  test('that cannot be read any more is removed, and comes back later', () => {
    const unreadable = { ...local, state: null }
    expect(follow([local], [unreadable]).poolsOf(LOCAL)).toEqual([])
    expect(follow([local], [unreadable]).usd(LOCAL)).toBeNull()
    expect(follow([local], [unreadable], [local]).usd(LOCAL)).toBeCloseTo(3, 6)
  })
})

describe('accepted price jumps', () => {
  const stay = pair(LOCAL, USDT, eth(900), usdc(2_700))
  const jumped = () => {
    const prices = new Prices(chain, { decimals })
    prices.applyNow(blockWith(1, local, stay))
    prices.applyNow(blockWith(2, moved(local, 4), stay))
    return prices
  }

  test('count at once', async () => {
    const prices = jumped()
    expect([prices.usd(LOCAL), prices.hasNoPendingJumps]).toEqual([expect.closeTo(3, 6), false])
    await prices.acceptJumps()
    expect([prices.usd(LOCAL), prices.hasNoPendingJumps]).toEqual([expect.closeTo(12, 6), true])
  })

  test('are not those of a snapshot that arrives in the meantime', async () => {
    const prices = jumped()
    const accepted = prices.acceptJumps()
    prices.applyNow(blockWith(3, moved(local, 16), stay))
    await accepted
    expect([prices.usd(LOCAL), prices.hasNoPendingJumps]).toEqual([expect.closeTo(3, 6), false])
  })

  test('do nothing before the first snapshot', async () => {
    const prices = new Prices(chain, { decimals })
    await prices.acceptJumps()
    prices.applyNow(blockWith(1, local))
    expect([prices.hasNoPendingJumps, prices.usd(LOCAL)]).toEqual([true, expect.closeTo(3, 6)])
  })

  test('of a block that is read again stay pending', () => {
    const prices = jumped()
    prices.applyNow(blockWith(2, moved(local, 4), stay))
    expect([prices.usd(LOCAL), prices.hasNoPendingJumps]).toEqual([expect.closeTo(3, 6), false])
    prices.applyNow(blockWith(3, moved(local, 4), stay))
    expect([prices.usd(LOCAL), prices.hasNoPendingJumps]).toEqual([expect.closeTo(12, 6), true])
  })
})

test('decimals of a stable that become known price other tokens without a new snapshot', async () => {
  const decimalsByToken = new Map<Address, number>()
  const stables = [{ symbol: 'USDC', address: USDC, decimals: null as never }]
  const prices = new Prices(
    { ...chain, stables },
    { decimals: (token) => decimalsByToken.get(token) ?? (token === USDC ? undefined : decimals(token)) },
  )
  prices.applyNow(blockWith(1, local))
  expect([prices.usd(LOCAL), prices.usd(USDC), (await prices.detail(USDC)).reason]).toEqual([null, null, 'no-decimals'])
  decimalsByToken.set(USDC, 6)
  prices.usd(LOCAL)
  await prices.whenCurrent()
  expect([prices.usd(LOCAL), prices.usd(USDC)]).toEqual([expect.closeTo(3, 6), 1])
})

test('missing balances count from the next price on', () => {
  const prices = new Prices(chain, { decimals })
  prices.applyNow(blockWith(1, local))
  expect(prices.setMissing(local.id, [0, usdc(2_900)])).toBe(true)
  expect(prices.usd(LOCAL)).toBeNull()
  expect(prices.setMissing(local.id, [0, usdc(2_900)])).toBe(false)
  expect([prices.setMissing(local.id, [0, 0]), prices.usd(LOCAL)]).toEqual([true, expect.closeTo(3, 6)])
})

test('missing balances reported while a snapshot is applied count after it, also if the pool does not change', async () => {
  const prices = new Prices(chain, { decimals })
  prices.applyNow(blockWith(1, local))
  useShortSlices()
  const pass = prices.follow(blockWith(2, ...many, local))
  expect([prices.isCurrent, prices.setMissing(local.id, [0, usdc(2_900)])]).toEqual([false, true])
  await pass
  expect([prices.isCurrent, prices.usd(LOCAL)]).toEqual([true, null])
})

test('a share that pools trade too has the redeemable value at every price impact, in addition to that of the pools', async () => {
  const reading: Redemption = {
    ...{ share: LOCAL, kind: 'vault', supply: 10n ** 21n, rate: 3e-12, maxRedeemable: null },
    parts: [{ token: USDC, balance: BigInt(usdc(3_000)), scale: 0 }],
  }
  const redemptions = (token: Address) => (token === LOCAL ? [reading] : undefined)
  const snapshot = blockWith(1, local)
  const pools = (await priceTokens(snapshot, chain, { decimals }).depthCurve(LOCAL))!
  const both = (await priceTokens(snapshot, chain, { decimals, redemptions }).depthCurve(LOCAL))!
  const { usd, confidence, sources } = await priceTokens(blockWith(1), chain, { decimals, redemptions }).detail(LOCAL)
  // Without pools the price is that of the redemption.
  expect([usd, sources.length]).toEqual([expect.closeTo(3, 6), 1])
  expect(confidence).toBeGreaterThan(0)
  // The share is not listed, so its redeemable value is divided by 1.02.
  const redeemableUsd = 3_000 / 1.02
  expect(both).toEqual(pools.map(({ impact, usd }) => ({ impact, usd: expect.closeTo(usd + redeemableUsd, 3) })))
})
