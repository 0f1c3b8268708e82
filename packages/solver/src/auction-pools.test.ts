import { type Address, toAddress } from '@sluice/chains'
import { familyOf, nullIfRefused } from '@sluice/liquidity'
import { describe, expect, test } from 'vitest'
import { type Liquidity, readAuction, toFixed18 } from './auction.ts'
import { auctionPools } from './auction-pools.ts'

const [A, B, SHARE] = ['1', '2', '7'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [Address, Address, Address]
const WHOLE = 10n ** 18n
const listed = { id: 'x', address: SHARE, gasEstimate: '1' }
const pair = (reserve: object, other: object = reserve) => ({ [A]: reserve, [B]: other })
const order = {
  ...{ uid: `0x${'ab'.repeat(56)}`, sellToken: A, buyToken: B, sellAmount: '1', buyAmount: '1', kind: 'sell' },
  ...{ partiallyFillable: false, class: 'market' },
}
const auction = (change: object) => ({
  ...{ id: '1', tokens: {}, orders: [order], liquidity: [], effectiveGasPrice: '1', deadline: '2026-01-01T00:00:00Z' },
  ...change,
})
const read = (...liquidity: object[]): readonly Liquidity[] => readAuction(auction({ liquidity })).liquidity
const poolOf = (item: object) => [...auctionPools(read(item)).values()][0]?.pool
function quoted(item: object, amountIn: bigint, [tokenIn, tokenOut] = [A, B]): bigint | undefined {
  const pool = poolOf(item)!
  return (
    nullIfRefused(() => familyOf(pool.family)!.quoteExactInput(pool, tokenIn, tokenOut, amountIn).amountOut) ??
    undefined
  )
}

const product = {
  ...listed,
  kind: 'constantProduct',
  fee: '0.003',
  tokens: pair({ balance: '1000000' }, { balance: '3000000' }),
}
const weighted = {
  ...{ ...listed, kind: 'weightedProduct', fee: '0', version: 'v3Plus' },
  tokens: pair({ balance: String(100n * WHOLE), scalingFactor: '1', weight: '0.5' }),
}
const stable = {
  ...{ ...listed, kind: 'stable', fee: '0', amplificationParameter: '1000' },
  tokens: pair({ balance: String(10n ** 24n), scalingFactor: '1' }),
}
const concentrated = {
  ...{ ...listed, kind: 'concentratedLiquidity', fee: '0', tokens: [A, B], tick: 0 },
  ...{
    sqrtPrice: String(2n ** 96n),
    liquidity: String(10n ** 21n),
    liquidityNet: { '-600': String(10n ** 21n), '600': String(-(10n ** 21n)) },
  },
}
const limitOrder = {
  ...{ ...listed, kind: 'limitOrder', makerToken: B, takerToken: A },
  ...{ makerAmount: '3000', takerAmount: '1000', takerTokenFeeAmount: '0' },
}

describe('each kind pays what its own formula says', () => {
  test('constant product', () => {
    expect(quoted(product, 1_000n)).toBe((1_000n * 997n * 3_000_000n) / (1_000_000n * 1_000n + 1_000n * 997n))
    // A fee between two parts per million is rounded up.
    expect(quoted({ ...product, fee: '0.0030001' }, 10_000n)).toBe(quoted({ ...product, fee: '0.003001' }, 10_000n))
  })

  test('equal weights are a constant product', () => {
    const out = quoted(weighted, WHOLE)!
    const exact = (100n * WHOLE * WHOLE) / (101n * WHOLE)
    expect(out).toBeLessThanOrEqual(exact)
    expect(out).toBeGreaterThan(exact - 1_000n)
  })

  test('unequal weights, and the powers of each version', () => {
    const tokens = {
      [A]: { balance: String(100n * WHOLE), scalingFactor: '1', weight: '0.8' },
      [B]: { balance: String(100n * WHOLE), scalingFactor: '1', weight: '0.2' },
    }
    const out = (version: string) => Number(quoted({ ...weighted, version, tokens }, WHOLE)!) / 1e18
    const exact = 100 * (1 - (100 / 101) ** 4)
    for (const version of ['v0', 'v3Plus']) expect(Math.abs(out(version) - exact)).toBeLessThan(1e-9)
    expect(out('v0')).toBeLessThan(out('v3Plus'))
  })

  test('stable: about one for one, scaled, and without the share that it lists', () => {
    expect(quoted(stable, WHOLE)!).toBeGreaterThan((999n * WHOLE) / 1_000n)
    expect(quoted(stable, WHOLE)!).toBeLessThan(WHOLE)
    const scaled = {
      ...stable,
      tokens: pair(
        { balance: String(10n ** 24n), scalingFactor: '1' },
        { balance: String(10n ** 12n), scalingFactor: '1000000000000' },
      ),
    }
    expect(quoted(scaled, WHOLE)).toBe(999_999n)
    const share = {
      ...stable,
      tokens: { ...stable.tokens, [SHARE]: { balance: String(10n ** 30n), scalingFactor: '1' } },
    }
    expect(poolOf(share)!.tokens).toEqual([A, B])
    expect(quoted(share, WHOLE)).toBe(quoted(stable, WHOLE))
  })

  test('concentrated: x·y = k of its liquidity, up to the end of its range', () => {
    const [input, liquidity] = [WHOLE, 10n ** 21n]
    // √p falls from 1 to L / (L + x): the output is L (1 − that).
    const exact = liquidity - (liquidity * liquidity) / (liquidity + input)
    const out = quoted(concentrated, input)!
    expect(out <= exact && out > exact - 10n).toBe(true)
    expect(quoted({ ...concentrated, tokens: [B, A] }, input)).toBe(out)
    // 600 ticks are 3 % of √p.
    expect(quoted(concentrated, liquidity)).toBeUndefined()
    expect(quoted(concentrated, input, [B, A])!).toBeGreaterThan(exact - 10n)
  })

  test('limit order: one price up to its end, one way', () => {
    expect([1n, 999n, 1_000n].map((amount) => quoted(limitOrder, amount))).toEqual([3n, 2_997n, 3_000n])
    expect(quoted(limitOrder, 1_001n)).toBeUndefined()
    expect(quoted(limitOrder, 1n, [B, A])).toBeUndefined()
  })
})

test.each([
  ['a pair of three', { ...product, tokens: { ...product.tokens, [SHARE]: { balance: '1' } } }],
  ['a fee of everything', { ...product, fee: '1' }],
  ['a weight of nothing', { ...weighted, tokens: pair({ balance: '1', scalingFactor: '1', weight: '0' }) }],
  ['a scale of nothing', { ...weighted, tokens: pair({ balance: '1', scalingFactor: '0', weight: '0.5' }) }],
  ['a weighted fee of everything', { ...weighted, fee: '1.0' }],
  ['no amplification', { ...stable, amplificationParameter: '0.0001' }],
  [
    'one token and its share',
    { ...stable, tokens: { [A]: { balance: '1', scalingFactor: '1' }, [SHARE]: { balance: '1', scalingFactor: '1' } } },
  ],
  ['a price of nothing', { ...concentrated, sqrtPrice: '0' }],
  ['a token against itself', { ...concentrated, tokens: [A, A] }],
  ['a concentrated fee of everything', { ...concentrated, fee: '1' }],
  ['an order that is filled', { ...limitOrder, takerAmount: '0' }],
  ['an order that pays nothing', { ...limitOrder, makerAmount: '0' }],
  ['an order with a fee on top', { ...limitOrder, takerTokenFeeAmount: '1' }],
  ['an order of one token', { ...limitOrder, makerToken: A }],
])('%s is left out', (_, item) => expect(poolOf(item)).toBeUndefined())

test('equal ids are told apart by their places, and kinds of tomorrow are left out', () => {
  const all = read(product, { kind: 'aKindOfTomorrow', id: 5 }, product)
  expect(all).toHaveLength(2)
  expect([...auctionPools(all).values()].map(({ liquidity }) => liquidity.id)).toEqual(['x', 'x'])
})

test('decimal numbers are read to 18 places, rounded down', () => {
  expect(['0', '1', '0.005', '12.5', `0.${'9'.repeat(30)}`].map(toFixed18)).toEqual([
    ...[0n, WHOLE, WHOLE / 200n, (25n * WHOLE) / 2n, WHOLE - 1n],
  ])
})

test('decimal numbers may have an exponent, as small fees and large scaling factors do', () => {
  expect(['1E-7', '2.5e-6', '1E+12', '1.5e1', '9E-19', '1e-99'].map(toFixed18)).toEqual([
    ...[WHOLE / 10n ** 7n, (25n * WHOLE) / 10n ** 7n, WHOLE * 10n ** 12n, 15n * WHOLE, 0n, 0n],
  ])
  expect(read({ ...product, fee: '3E-3' })).toMatchObject([{ fee: '3E-3' }])
  for (const fee of ['E-3', '3E', '3E-100', '3.E2', '1e']) expect(() => read({ ...product, fee })).toThrow('fee')
})

describe('bounds of an auction', () => {
  const ticks = (count: number) => ({
    ...concentrated,
    liquidityNet: Object.fromEntries(Array.from({ length: count }, (_, k) => [k, '1'])),
  })
  test('ticks of a pool', () => {
    expect(read(ticks(20_000))).toHaveLength(1)
    expect(() => read(ticks(20_001))).toThrow('at most 20000 ticks')
  })
  test.each([
    ['liquidity.0.tick', { ...concentrated, tick: 887_273 }],
    ['liquidity.0.tick', { ...concentrated, tick: -887_273 }],
    ['liquidity.0.tokens', { ...product, tokens: { [A]: { balance: '1' } } }],
    ['liquidity.0.fee', { ...product, fee: '-1' }],
    ['liquidity.0.makerAmount', { ...limitOrder, makerAmount: '1e3' }],
  ])('%s is named', (field, item) => expect(() => read(item)).toThrow(field))
  test('amounts are below 2^256, and addresses are of any case', () => {
    const amount = (sellAmount: bigint) =>
      readAuction(auction({ orders: [{ ...order, sellAmount: String(sellAmount) }] }))
    expect(amount(2n ** 256n - 1n).orders[0]!.sellAmount).toBe(2n ** 256n - 1n)
    expect(() => amount(2n ** 256n)).toThrow('orders.0.sellAmount: must be below 2^256')
    const upper = readAuction(auction({ orders: [{ ...order, sellToken: `0x${'AB'.repeat(20)}` }] }))
    expect(upper.orders[0]!.sellToken).toBe(`0x${'ab'.repeat(20)}`)
    expect(readAuction(auction({ id: null })).deadline).toBe(Date.UTC(2026, 0, 1))
  })
})
