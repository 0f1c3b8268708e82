/** Tests that states with negative liquidity are refused by every family with ticks, and that real states are not. */
import { type Address, toAddress } from '@sluice/chains'
import { describe, expect, test } from 'vitest'
import type { Pool } from '../../family.ts'
import { sqrtRatioAtTick } from '../../math/ticks.ts'
import { families, familyOf } from '../index.ts'
import { pathOfTicks } from './consistent-state.ts'

const address = toAddress(`0x${'cc'.repeat(20)}`)
const tokens = [toAddress(`0x${'aa'.repeat(20)}`), toAddress(`0x${'bb'.repeat(20)}`)] as const
const L = 10n ** 18n
const hooks = toAddress(`0x${'00'.repeat(20)}`)

/** A pool at price 1 with one position from −100 to 100, of which `liquidity` claims to be in range. */
const concentrated = (liquidity: bigint) => ({
  sqrtPriceX96: 1n << 96n,
  tick: 0,
  liquidity,
  feePpm: 500,
  fee0Ppm: 500,
  fee1Ppm: 500,
  protocolFee0Ppm: 0,
  protocolFee1Ppm: 0,
  tickSpacing: 10,
  ticks: [
    [-100, L, L],
    [100, -L, L],
  ],
})
/** Like `concentrated`, in Ekubo's representation. */
const ekuboState = (liquidity: bigint) => ({
  sqrtRatio: 1n << 128n,
  tick: 0,
  liquidity,
  ticks: [
    [-100, L, L],
    [100, -L, L],
  ],
})
const states: Readonly<Record<string, { fixed?: unknown; stateOf: (liquidity: bigint) => unknown }>> = {
  ...Object.fromEntries(
    ['uniswap-v3', 'pancake-v3', 'slipstream', 'ramses-cl', 'solidly-v3', 'algebra-integral', 'algebra-v1'].map(
      (id) => [id, { stateOf: concentrated }],
    ),
  ),
  'uniswap-v4': { fixed: { fee: 500, tickSpacing: 10, hooks }, stateOf: concentrated },
  algebra: { fixed: { version: 'integral' }, stateOf: concentrated },
  'pancake-infinity': {
    fixed: { vault: address, hooks, fee: 500, parameters: '0x' },
    stateOf: (liquidity) => ({ kind: 'cl', ...concentrated(liquidity) }),
  },
  ekubo: {
    // No extension, a fee of 2^59 / 2^64, and the tick spacing 10.
    fixed: { config: `0x${'00'.repeat(20)}0800000000000000${(0x80000000 + 10).toString(16)}` },
    stateOf: ekuboState,
  },
  'ekubo-v2': {
    // The same fee and spacing.
    fixed: { config: `0x${'00'.repeat(20)}08000000000000000000000a` },
    stateOf: ekuboState,
  },
  iziswap: {
    stateOf: (liquidity) => ({
      sqrtPriceX96: sqrtRatioAtTick(0),
      point: 0,
      liquidity,
      liquidityX: 0n,
      feePpm: 500,
      pointDelta: 10,
      points: [
        { point: -100, endpoint: true, order: false, liquidityNet: L, sellingX: 0n, sellingY: 0n },
        { point: 100, endpoint: true, order: false, liquidityNet: -L, sellingX: 0n, sellingY: 0n },
      ],
    }),
  },
  ambient: {
    stateOf: (liquidity) => ({
      feeRate: 500n,
      protocolTake: 0n,
      priceRoot: 1n << 64n,
      ambientSeeds: 0n,
      concLiq: (liquidity >> 11n) << 11n,
      seedDeflator: 0n,
      concGrowth: 0n,
      levels: [
        [-100, (L >> 11n) << 1n, 0n],
        [100, 0n, (L >> 11n) << 1n],
      ],
    }),
  },
}
const poolOf = (id: string, liquidity: bigint): Pool => ({
  id: 'x',
  family: id,
  dex: 'test',
  address,
  tokens,
  fixed: states[id]!.fixed,
  state: states[id]!.stateOf(liquidity),
})
const swaps: readonly (readonly [Address, Address])[] = [
  [tokens[0], tokens[1]],
  [tokens[1], tokens[0]],
]

test('every family with ticks is covered', () => {
  const withTicks = families
    .filter(
      ({ id, sampled }) =>
        !sampled &&
        /v3|v4$|cl$|slipstream|algebra|infinity|ekubo|iziswap|ambient/.test(id) &&
        id !== 'balancer-v3' &&
        id !== 'aave-v3',
    )
    .map(({ id }) => id)
  expect(Object.keys(states).sort()).toEqual(withTicks.sort())
})

describe.each(Object.keys(states))('%s', (id) => {
  const family = familyOf(id)!

  test('quotes a possible state', () => {
    for (const [tokenIn, tokenOut] of swaps) {
      expect(family.quoteExactInput(poolOf(id, L), tokenIn, tokenOut, 10n ** 12n).amountOut).toBeGreaterThan(0n)
      expect(family.maxInput(poolOf(id, L), tokenIn, tokenOut)).not.toBe(0n)
    }
  })

  // The first sells on 0 liquidity at a price inside of the position, the second on less than leaves with it.
  test.each([0n, L / 2n, -L])('refuses a liquidity of %s inside the position', (liquidity) => {
    for (const [tokenIn, tokenOut] of swaps) {
      const pool = poolOf(id, liquidity)
      expect(() => family.quoteExactInput(pool, tokenIn, tokenOut, 10n ** 6n)).toThrow(
        expect.objectContaining({ code: 'UNSUPPORTED' }),
      )
      expect(family.maxInput(pool, tokenIn, tokenOut)).toBe(0n)
      expect(family.priceCurve(pool, tokenIn, tokenOut).liquidity.length).toBe(0)
      expect(family.reserves(pool)).toEqual([0n, 0n])
    }
  })
})

test('negative liquidity is refused without ticks, and if the first tick makes it positive', () => {
  const pool = poolOf('uniswap-v3', -L)
  for (const ticks of [[], [[100, 2n * L, L]]])
    for (const [tokenIn, tokenOut] of swaps)
      expect(() =>
        familyOf('uniswap-v3')!.quoteExactInput(
          { ...pool, state: { ...(pool.state as object), ticks } },
          tokenIn,
          tokenOut,
          9n,
        ),
      ).toThrow(expect.objectContaining({ code: 'UNSUPPORTED' }))
})

test('a tick at the price counts as crossed: its liquidity is left when the price falls', () => {
  const { changesBelow, changesAbove } = pathOfTicks(0n, 0, [
    [-10, L],
    [0, -L],
    [1, 2n * L],
    [10, -2n * L],
  ])
  expect([...changesBelow]).toEqual([L, -L])
  expect([...changesAbove]).toEqual([2n * L, -2n * L])
})
