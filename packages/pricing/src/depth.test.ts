/** Tests the USD that pools add to the depth of a token. Prices are set by hand. */
import type { Address } from '@sluice/chains'
import { atOnce } from '@sluice/rpc'
import { describe, expect, test } from 'vitest'
import { graphWith } from '../test/graph.ts'
import { address } from '../test/pools.ts'
import { depthOf, isAsDeepAs } from './depth.ts'
import type { PricedToken } from './token.ts'
import type { TokenPricer } from './token-pricer.ts'

const [DOLLAR, EURO, TOKEN, OTHER, NOTHING] = [1, 2, 3, 4, 5].map(address) as Address[]
const E6 = 1_000_000
/** Depth of an unlisted token is divided by this. */
const PRICE_ERROR = 1.02
/** Prices and the evidence behind them. */
const usualPrices: Readonly<Record<Address, readonly [number, number]>> = {
  ...{ [DOLLAR!]: [1, Number.POSITIVE_INFINITY], [EURO!]: [2, 10 * E6] },
  ...{ [TOKEN!]: [4, E6], [OTHER!]: [1, E6], [NOTHING!]: [Number.NaN, 0] },
}
type PoolOf = readonly [tokens: readonly Address[], reserves: readonly number[]]

function depthWith(pools: readonly PoolOf[], changes: Readonly<Record<Address, readonly [number, number]>> = {}) {
  const { put, tokenAt } = graphWith({ listed: [DOLLAR!, EURO!] })
  for (const [k, [tokens, reserves]] of pools.entries()) put(`p${k}`, tokens, [], { reserves })
  for (const [name, [price, evidence]] of Object.entries({ ...usualPrices, ...changes })) {
    const token = tokenAt(name as Address)
    if (token) Object.assign(token, { price, evidence })
  }
  const updatedTokens: Address[] = []
  const pricer = {
    updatePrice: (token: PricedToken) => {
      updatedTokens.push(token.address)
      return token
    },
    isUpToDate: () => true,
  } as unknown as TokenPricer
  const usd = (name: Address) => atOnce(depthOf(tokenAt(name), pricer))
  const isAsDeep = (name: Address, minUsd: number) => isAsDeepAs(tokenAt(name), pricer, minUsd)
  return { usd, isAsDeep, tokenAt, pricer, updatedTokens }
}

describe('the depth', () => {
  test.each<[string, Address, readonly PoolOf[], number]>([
    [
      'of two listed tokens is both sides in full',
      DOLLAR!,
      [
        [
          [DOLLAR!, EURO!],
          [100, 300],
        ],
      ],
      700,
    ],
    [
      'of one listed token is twice the smaller side',
      TOKEN!,
      [
        [
          [DOLLAR!, TOKEN!],
          [100, 300],
        ],
      ],
      200 / PRICE_ERROR,
    ],
    [
      'of one listed token is so for that one too',
      DOLLAR!,
      [
        [
          [DOLLAR!, TOKEN!],
          [5_000, 300],
        ],
      ],
      2_400,
    ],
    [
      'of two unlisted tokens is twice the smaller side',
      TOKEN!,
      [
        [
          [OTHER!, TOKEN!],
          [100, 300],
        ],
      ],
      200 / PRICE_ERROR,
    ],
    [
      'of a token without a price is nothing',
      TOKEN!,
      [
        [
          [NOTHING!, TOKEN!],
          [100, 300],
        ],
      ],
      0,
    ],
    [
      'of two listed tokens and a third limits the third only',
      TOKEN!,
      [
        [
          [DOLLAR!, EURO!, TOKEN!],
          [100, 300, 5_000],
        ],
      ],
      1_400 / PRICE_ERROR,
    ],
    [
      'of one listed token among three limits each side to the others',
      TOKEN!,
      [
        [
          [DOLLAR!, OTHER!, TOKEN!],
          [5_000, 10, 5],
        ],
      ],
      60 / PRICE_ERROR,
    ],
    [
      'of several pools is their sum',
      TOKEN!,
      [
        [
          [DOLLAR!, TOKEN!],
          [100, 300],
        ],
        [
          [TOKEN!, OTHER!],
          [300, 50],
        ],
      ],
      300 / PRICE_ERROR,
    ],
  ])('%s', (_, token, pools, expected) => {
    const { usd, isAsDeep } = depthWith(pools)
    expect(usd(token)).toBeCloseTo(expected, 9)
    expect([isAsDeep(token, expected * 0.999), isAsDeep(token, expected * 1.001 + 0.001)]).toEqual([true, false])
  })

  test('counts a side up to the evidence of its token', () => {
    const pools: readonly PoolOf[] = [
      [
        [DOLLAR!, EURO!],
        [100, 300],
      ],
    ]
    expect(depthWith(pools, { [EURO!]: [2, 50] }).usd(DOLLAR!)).toBe(150)
  })

  test('of pools without a listed token is at most twice the evidence of the token', () => {
    const unlisted: PoolOf = [
      [OTHER!, TOKEN!],
      [500, 500],
    ]
    const { usd, isAsDeep } = depthWith([unlisted, unlisted], { [TOKEN!]: [4, 300] })
    expect(usd(TOKEN!)).toBeCloseTo(600 / PRICE_ERROR, 9)
    expect([isAsDeep(TOKEN!, 588), isAsDeep(TOKEN!, 589)]).toEqual([true, false])
    const listed: PoolOf = [
      [DOLLAR!, TOKEN!],
      [500, 500],
    ]
    expect(depthWith([listed, listed, listed], { [TOKEN!]: [4, 300] }).usd(TOKEN!)).toBeCloseTo(1_800 / PRICE_ERROR, 9)
    expect(depthWith([listed, unlisted], { [TOKEN!]: [4, 300] }).usd(TOKEN!)).toBeCloseTo(600 / PRICE_ERROR, 9)
    // A listed token without a price does not count as one.
    const unpriced = depthWith([listed, listed], { [TOKEN!]: [4, 300], [DOLLAR!]: [Number.NaN, 0] })
    expect(unpriced.usd(TOKEN!)).toBe(0)
  })

  test('of a listed token counts all its pools, with unlisted tokens too', () => {
    const pool: PoolOf = [
      [OTHER!, EURO!],
      [500, 500],
    ]
    expect(depthWith([pool, pool, pool], { [EURO!]: [2, 300] }).usd(EURO!)).toBe(1_800)
  })

  test('is added up in one step for each pool', () => {
    const pool: PoolOf = [
      [DOLLAR!, TOKEN!],
      [100, 25],
    ]
    const { tokenAt, pricer } = depthWith([pool, pool, pool])
    expect([...depthOf(tokenAt(TOKEN!), pricer)]).toHaveLength(3)
  })

  test('reaches a minimum exactly', () => {
    const { isAsDeep } = depthWith([
      [
        [DOLLAR!, EURO!],
        [100, 100],
      ],
    ])
    // Less than a millionth above the depth.
    expect([isAsDeep(DOLLAR!, 300), isAsDeep(DOLLAR!, 300.0001)]).toEqual([true, false])
  })
})

describe('the check of a minimum', () => {
  const deep: PoolOf = [
    [DOLLAR!, TOKEN!],
    [1_000, 250],
  ]
  const thin: PoolOf = [
    [DOLLAR!, TOKEN!],
    [10, 2.5],
  ]

  test('looks at the pool that sufficed last time first', () => {
    const { isAsDeep, tokenAt, updatedTokens } = depthWith([thin, deep, thin])
    expect(isAsDeep(TOKEN!, 1_500)).toBe(true)
    expect(tokenAt(TOKEN!).sufficientPool).toBe(tokenAt(TOKEN!).pricedPools[1])
    updatedTokens.length = 0
    expect(isAsDeep(TOKEN!, 1_500)).toBe(true)
    // The token itself, and the two of the pool.
    expect(updatedTokens).toEqual([TOKEN, DOLLAR, TOKEN])
  })

  test('names no pool that suffices only together with others', () => {
    const { isAsDeep, tokenAt } = depthWith([deep, deep])
    expect(isAsDeep(TOKEN!, 3_000)).toBe(true)
    expect(tokenAt(TOKEN!).sufficientPool).toBeUndefined()
  })

  test('does not trust a pool that sufficed and does not any more', () => {
    const { isAsDeep, tokenAt } = depthWith([thin])
    tokenAt(TOKEN!).sufficientPool = tokenAt(TOKEN!).pricedPools[0]
    expect(isAsDeep(TOKEN!, 1_500)).toBe(false)
  })

  test('counts a pool without a listed token that sufficed once at most at twice the evidence of the token', () => {
    const pool: PoolOf = [
      [TOKEN!, OTHER!, NOTHING!],
      [250, 2_000, 2_000],
    ]
    const { isAsDeep, usd, tokenAt } = depthWith([pool], { [TOKEN!]: [4, 1_000], [NOTHING!]: [1, E6] })
    tokenAt(TOKEN!).sufficientPool = tokenAt(TOKEN!).pricedPools[0]
    const depth = usd(TOKEN!)
    expect([isAsDeep(TOKEN!, depth * 0.999), isAsDeep(TOKEN!, depth * 1.001)]).toEqual([true, false])
  })

  test('looks at no pool if the edge with the most weight has the liquidity on both sides', () => {
    const { put, tokenAt } = graphWith({ listed: [DOLLAR!] })
    const updatedTokens: Address[] = []
    const pricer = {
      updatePrice: (token: PricedToken) => {
        updatedTokens.push(token.address)
        return token
      },
      isUpToDate: () => true,
    } as unknown as TokenPricer
    const looksAt = (backing: number, rate: number, evidences: readonly [number, number], minUsd: number) => {
      put('p', [TOKEN!, DOLLAR!], [{ rate, backing }])
      Object.assign(tokenAt(TOKEN!), { price: 4, evidence: evidences[0], bestEdgeIndex: 0 })
      Object.assign(tokenAt(DOLLAR!), { price: 1, evidence: evidences[1] })
      updatedTokens.length = 0
      return [isAsDeepAs(tokenAt(TOKEN!), pricer, minUsd), updatedTokens.length === 1]
    }
    // 1,000 dollars on each side, which are 2,000 dollars of depth, less 2 %.
    expect(looksAt(1_000, 4, [E6, E6], 1_960)).toEqual([true, true])
    expect(looksAt(1_000, 4, [E6, E6], 1_961)).toEqual([false, false])
    expect(looksAt(900, 3.6, [E6, E6], 1_960)).toEqual([false, false])
    expect(looksAt(1_000, 8, [E6, E6], 1_960)).toEqual([false, false])
    expect(looksAt(1_000, 4, [900, E6], 1_960)).toEqual([false, false])
    expect(looksAt(1_000, 4, [E6, 900], 1_960)).toEqual([false, false])
    tokenAt(TOKEN!).bestEdgeIndex = -1
    updatedTokens.length = 0
    expect([isAsDeepAs(tokenAt(TOKEN!), pricer, 1), updatedTokens.length > 1]).toEqual([false, true])
  })

  test('skips pools whose prices are not computed yet, until no other pool suffices', () => {
    const { tokenAt, pricer, updatedTokens } = depthWith([
      [
        [OTHER!, TOKEN!],
        [2_000, 500],
      ],
      [
        [DOLLAR!, TOKEN!],
        [1_000, 250],
      ],
    ])
    const lazyPricer = { ...pricer, isUpToDate: ({ address }: PricedToken) => address !== OTHER } as never
    expect(isAsDeepAs(tokenAt(TOKEN!), lazyPricer, 1_500)).toBe(true)
    expect(updatedTokens).not.toContain(OTHER)
    tokenAt(TOKEN!).sufficientPool = undefined
    expect(isAsDeepAs(tokenAt(TOKEN!), lazyPricer, 3_000)).toBe(true)
    expect(updatedTokens).toContain(OTHER)
  })
})
