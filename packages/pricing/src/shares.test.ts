import { type Address, type Chain, NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { RedeemedPart, Redemption } from '@sluice/liquidity'
import { describe, expect, test } from 'vitest'
import type { TokenGraph } from './graph.ts'
import { observationOf, SharePricer } from './shares.ts'
import type { PricedToken } from './token.ts'
import type { TokenPricer } from './token-pricer.ts'

const testAddress = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [share, outer, dollar, ether, unlistedToken, wrapper] = [1, 2, 3, 4, 5, 6].map(testAddress) as [
  ...[Address, Address, Address, Address, Address, Address],
]
const FLOOR = 100
/** Dollars of a base unit, and dollars behind that; base units are whole tokens here unless a test says otherwise. */
const PRICES = new Map([
  [dollar, { price: 1, evidence: 1e9 }],
  [ether, { price: 2_000, evidence: 1e6 }],
  [wrapper, { price: 2_000, evidence: 5e5 }],
  [unlistedToken, { price: 10, evidence: 3_000 }],
])
const NAMED = new Set([dollar, ether, wrapper])

type Setting = {
  readonly readings: Readonly<Record<Address, readonly Redemption[]>>
  readonly decimals?: (token: Address) => number | undefined
  readonly named?: ReadonlySet<Address>
  readonly pricedPools?: Readonly<Record<Address, PricedToken['pricedPools']>>
  readonly unsellable?: Address
}

function shares({ readings, decimals = () => 0, named = NAMED, pricedPools = {}, unsellable }: Setting): SharePricer {
  const tokenOf = (address: Address) =>
    ({ address, pricedPools: pricedPools[address] ?? [], ...PRICES.get(address) }) as unknown as PricedToken
  const findPriced = (address: Address) => (PRICES.has(address) ? tokenOf(address) : undefined)
  const findAny = (address: Address) => findPriced(address) ?? (pricedPools[address] ? tokenOf(address) : undefined)
  return new SharePricer({
    chain: { wrappedNative: { address: wrapper } } as unknown as Chain,
    graph: { findToken: findAny, isListed: (address: Address) => named.has(address) } as unknown as TokenGraph,
    pricer: { updatePrice: (token: PricedToken) => token, observationsOf: () => [] } as unknown as TokenPricer,
    ...{ decimals, findPriced, isUnsellable: (address: Address) => address === unsellable, minEvidenceUsd: FLOOR },
    redemptions: (address) => readings[address],
  })
}

const part = (token: Address, balance: bigint, scale = 0): RedeemedPart => ({ token, balance, scale })
function reading(parts: readonly RedeemedPart[], overrides: Partial<Redemption> = {}): Redemption {
  return {
    share,
    kind: 'vault' as Redemption['kind'],
    supply: 1_000n,
    parts,
    rate: 1,
    maxRedeemable: null,
    ...overrides,
  }
}
const worthOf = (setting: Setting | readonly Redemption[], of = share) =>
  shares(
    'readings' in setting ? (setting as Setting) : { readings: { [share]: setting as readonly Redemption[] } },
  ).redemptionPrice(of)

describe('a share of one token', () => {
  test('is worth its rate in the token, as far as dollars stand behind it', () => {
    expect(worthOf([reading([part(dollar, 5_000n)], { rate: 1.25 })])).toMatchObject({
      price: 1.25,
      // An unlisted share counts its redeemable value at prices that may be 2 % too high.
      evidence: 5_000 / 1.02,
      redeemableUsd: 5_000 / 1.02,
      sourcePool: { id: share, family: 'redemption', address: share, tokens: [share, dollar], state: null },
    })
  })

  test('counts in full if the chain names it', () => {
    const readings = { [share]: [reading([part(dollar, 5_000n)])] }
    expect(worthOf({ readings, named: new Set([share, dollar]) })).toMatchObject({
      evidence: 5_000,
      redeemableUsd: 5_000,
    })
  })

  test('has no more behind it than can be withdrawn, nor than stands behind the token', () => {
    expect(worthOf([reading([part(dollar, 5_000n)], { maxRedeemable: 1_020n })])?.evidence).toBeCloseTo(1_000)
    expect(worthOf([reading([part(dollar, 1_020n)], { maxRedeemable: 5_000n })])?.evidence).toBeCloseTo(1_000)
    expect(worthOf([reading([part(unlistedToken, 10_000n)])])?.evidence).toBeCloseTo(3_000 / 1.02)
  })

  test('has no worth below the floor, of an unknown token, or by a rate that is none', () => {
    expect(worthOf([reading([part(dollar, 102n)])])?.evidence).toBeCloseTo(100)
    expect(worthOf([reading([part(dollar, 101n)])])).toBeUndefined()
    expect(worthOf([reading([part(testAddress(99), 5_000n)])])).toBeUndefined()
    expect(worthOf([reading([part(dollar, 5_000n)], { rate: 0 })])).toBeUndefined()
    expect(worthOf([reading([part(dollar, 5_000n)], { rate: Number.POSITIVE_INFINITY })])).toBeUndefined()
    expect(worthOf([])).toBeUndefined()
  })

  test('takes the native token for its wrapper', () => {
    for (const token of [ZERO_ADDRESS, NATIVE])
      expect(worthOf([reading([part(token, 10n)])])).toMatchObject({ price: 2_000 })
  })
})

test('a share, or a component that is a share, has no price if it cannot be sold', () => {
  const readings = {
    [share]: [reading([part(dollar, 5_000n)])],
    [outer]: [reading([part(share, 5_000n)], { share: outer })],
  }
  const pricesWithout = (unsellable?: Address) =>
    [share, outer].map((token) => worthOf({ readings, ...(unsellable && { unsellable }) }, token)?.price)
  expect(pricesWithout()).toEqual([1, 1])
  expect(pricesWithout(share)).toEqual([undefined, undefined])
  expect(pricesWithout(outer)).toEqual([1, undefined])
})

test('of two readings the lower price and the lower evidence count, in either order', () => {
  const [rich, poor] = [reading([part(dollar, 5_000n)], { rate: 2 }), reading([part(dollar, 9_000n)], { rate: 1.5 })]
  for (const readings of [
    [rich, poor],
    [poor, rich],
  ]) {
    const valuation = worthOf(readings)!
    expect(valuation.price).toBe(1.5)
    expect(valuation.evidence).toBeCloseTo(5_000 / 1.02)
    expect(valuation.redeemableUsd).toBeCloseTo(5_000 / 1.02)
  }
  // If the newest reading is invalid, the older one gives no price either.
  expect(worthOf([rich, reading([part(testAddress(99), 1n)])])).toBeUndefined()
})

describe('a share of several tokens', () => {
  const pair = (balances: readonly [bigint, bigint], overrides: Partial<Redemption> = {}) =>
    reading([part(ether, balances[0]), part(dollar, balances[1])], { kind: 'pair', ...overrides })

  test('of a pair is worth twice the root of both sides, so that a trade in it changes nothing', () => {
    expect(worthOf([pair([10n, 20_000n])])?.price).toBeCloseTo(40, 9)
    // After a trade: the sides are 40,000 and 10,000 dollars, their product is the same.
    expect(worthOf([pair([20n, 10_000n])])?.price).toBeCloseTo(40, 9)
  })

  test('of unequal coins is worth its virtual price times their mean and number, up to the value of the balances', () => {
    const mean = Math.sqrt(2_000)
    const priceAt = (price: number) =>
      worthOf([
        reading([part(ether, 10n), part(dollar, 20_000n)], { kind: 'crypto', rate: (price / (2 * mean)) * 1e18 }),
      ])?.price
    // The balances are worth 40 a share.
    expect(priceAt(36)).toBeCloseTo(36, 9)
    expect(priceAt(41)).toBeCloseTo(40, 9)
    expect([priceAt(32.1) !== undefined, priceAt(31.9)]).toEqual([true, undefined])
    // The scale of a token does not count in such a pool.
    const scaled = [part(ether, 10n, 2), part(dollar, 20_000n, 2)]
    expect(worthOf([reading(scaled, { kind: 'crypto', rate: (36 / (2 * mean)) * 1e18 })])?.price).toBeCloseTo(36, 9)
    const third = Math.cbrt(2_000)
    const ofThree = [part(ether, 10n), part(dollar, 10_000n), part(dollar, 10_000n)]
    const rate = (36 / (3 * third)) * 1e18
    expect(worthOf([reading(ofThree, { kind: 'crypto', rate })])?.price).toBeCloseTo(36, 9)
  })

  test('of weighted tokens goes by their weights', () => {
    const valuation = worthOf([reading([part(ether, 40n, 0.8), part(dollar, 20_000n, 0.2)], { kind: 'weighted' })])
    const expected = ((80_000 / 0.8) ** 0.8 * (20_000 / 0.2) ** 0.2) / 1_000
    expect(valuation?.price).toBeCloseTo(expected, 9)
  })

  test('is worth no more than what is held', () => {
    const valuation = worthOf([reading([part(ether, 10n, 0.6), part(dollar, 20_000n, 0.6)], { kind: 'weighted' })])
    expect(valuation?.price).toBeCloseTo(40, 9)
  })

  const stable = (rate: number, scale = 0) =>
    reading([part(dollar, 20_000n), part(testAddress(7), 20_000n, scale)], { kind: 'stable', rate })
  const pegged = (readings: readonly Redemption[], price = 0.98) => {
    PRICES.set(testAddress(7), { price, evidence: 1e9 })
    try {
      return worthOf({
        readings: { [share]: readings },
        named: new Set([...NAMED, testAddress(7)]),
        decimals: () => 18,
      })
    } finally {
      PRICES.delete(testAddress(7))
    }
  }
  test('that are meant to be worth the same goes by the virtual price of the cheapest', () => {
    // 18 decimals cancel out: a base unit is a dollar here, and the virtual price is in whole units.
    expect(pegged([stable(40)])?.price).toBeCloseTo(40 * 0.98, 6)
    expect(pegged([stable(45)])?.price).toBeCloseTo(39.6, 6)
  })

  test('that are meant to differ by a factor goes by the virtual price of the cheapest for its factor', () => {
    // Twice 20,000 base units, of 1 and 1.225 dollars; a unit of the second should be worth 1.25 of the first.
    expect(pegged([stable(40, 1.25)], 1.225)?.price).toBeCloseTo(40 * 0.98, 6)
  })

  test('has no price if the virtual one is far below what is held: its units are not understood', () => {
    expect(pegged([stable(33)])?.price).toBeCloseTo(33 * 0.98, 6)
    expect(pegged([stable(32)])).toBeUndefined()
  })

  test('counts the dollars of tokens that nobody names up to those of the others', () => {
    // 20,000 USD of a listed token and 2,000 of an unlisted one, both within their evidence.
    const mixed = (unlistedBalance: bigint) =>
      worthOf([reading([part(dollar, 1_000n), part(unlistedToken, unlistedBalance)], { kind: 'pair' })])!
        .redeemableUsd * 1.02
    expect(mixed(20n)).toBeCloseTo(1_200)
    expect(mixed(100n)).toBeCloseTo(2_000)
    expect(mixed(10_000n)).toBeCloseTo(2_000)
    const nameless = { [share]: [reading([part(dollar, 1_000n), part(unlistedToken, 50n)], { kind: 'pair' })] }
    expect(worthOf({ readings: nameless, named: new Set() })!.redeemableUsd * 1.02).toBeCloseTo(2 * 500)
    // More components do not help: each may be minted, except the one with the least value.
    const parts = [part(dollar, 1_000n), part(unlistedToken, 50n), part(ether, 1n)]
    const threeNameless = { [share]: [reading(parts, { kind: 'pair' })] }
    expect(worthOf({ readings: threeNameless, named: new Set() })!.redeemableUsd * 1.02).toBeCloseTo(2 * 500)
  })
})

describe('shares of shares', () => {
  const chainOf = (levels: number) => {
    const readings: Record<Address, readonly Redemption[]> = {}
    for (let k = 0; k < levels; k++)
      readings[testAddress(100 + k)] = [
        reading([part(k + 1 < levels ? testAddress(101 + k) : dollar, 50_000n)], {
          share: testAddress(100 + k),
          rate: 2,
        }),
      ]
    return shares({
      readings,
      named: new Set([dollar, ...[0, 1, 2, 3].map((k) => testAddress(100 + k))]),
    }).redemptionPrice(testAddress(100))
  }
  test('are followed over three levels and no more', () => {
    expect(chainOf(1)?.price).toBe(2)
    expect(chainOf(2)?.price).toBe(4)
    expect(chainOf(3)?.price).toBe(8)
    expect(chainOf(4)).toBeUndefined()
  })

  test('a share that is itself a pool with its own token among those it trades is no redemption', () => {
    const readings = { [outer]: [reading([part(dollar, 5_000n)], { share: outer })] }
    const pricedPool = (tokens: readonly Address[], address = outer) =>
      ({ [outer]: [{ pool: { address, tokens } }] }) as unknown as Record<Address, PricedToken['pricedPools']>
    expect(worthOf({ readings, pricedPools: pricedPool([outer, dollar]) }, outer)).toBeUndefined()
    expect(worthOf({ readings, pricedPools: pricedPool([dollar, ether]) }, outer)?.price).toBe(1)
    expect(worthOf({ readings, pricedPools: pricedPool([outer, dollar], testAddress(50)) }, outer)?.price).toBe(1)
  })

  test('is heard among pools, each by what stands behind it', () => {
    const all = shares({ readings: { [share]: [reading([part(dollar, 5_100n)])] } })
    const redeemed = all.redemptionPrice(share)!
    expect(observationOf(redeemed)).toMatchObject({ value: 1, weight: redeemed.evidence })
    const pool = redeemed.sourcePool
    expect(all.combine(redeemed, [{ pool, value: 3, weight: 4_000 }])).toEqual({
      price: 1,
      evidence: redeemed.evidence,
    })
    expect(all.combine(redeemed, [{ pool, value: 3, weight: 6_000 }])).toEqual({ price: 3, evidence: 6_000 })
    expect([all.isShare(share), all.isShare(dollar)]).toEqual([true, false])
  })
})

describe('a share of shares of many tokens', () => {
  /** A share of `width` shares, each of `width` tokens; counts how often prices are looked up. */
  function nested(width: number) {
    const middle = Array.from({ length: width }, (_, k) => testAddress(100 + k))
    const sum = (of: Address, tokens: readonly Address[]) =>
      reading(
        tokens.map((token) => part(token, 1_000n)),
        { kind: 'pair', share: of },
      )
    const leaves = [dollar, ether, wrapper, unlistedToken]
    const readings: Record<Address, readonly Redemption[]> = {}
    for (const token of middle) readings[token] = [sum(token, leaves), sum(token, leaves)]
    readings[share] = [sum(share, middle), sum(share, middle)]
    let lookups = 0
    const pricer = shares({
      readings,
      named: new Proxy(NAMED, {
        get(target, name) {
          const value = Reflect.get(target, name)
          if (name !== 'has') return value
          return (token: Address) => {
            lookups++
            return target.has(token)
          }
        },
      }),
    })
    return { price: pricer.redemptionPrice(share), lookups: () => lookups }
  }

  test('prices each of them once', () => {
    const { price, lookups } = nested(4)
    expect(price).toMatchObject({ price: expect.any(Number) })
    // Four leaves, four shares, and once for each of the ten readings.
    expect(lookups()).toBe(4 + 4 + 10)
  })

  test('has no price if there are too many', () => {
    const { price, lookups } = nested(21)
    expect(price).toBeUndefined()
    expect(lookups()).toBeLessThan(100)
  })
})
