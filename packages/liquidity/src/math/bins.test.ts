/** Tests pools of bins at their ends and at the liquidity limit of a bin: the largest input is exact, in any bin. */
import { describe, expect, test } from 'vitest'
import { PoolRefusal } from '../family.ts'
import { type BinFee, type BinPool, binsCurve, maxBinsInput, walkBins } from './bins.ts'

const MIDDLE = 1 << 23
/** Liquidity limit of a bin at price 1, in base units of both tokens together. */
const LIMIT = 65251743116719673010965625540244653191619923014385985379600384103134737n >> 128n
const E18 = 10n ** 18n
const bin = (offset: number, reserveX: bigint, reserveY: bigint) => ({ id: MIDDLE + offset, reserveX, reserveY })
const poolOf = (bins: BinPool['bins'], overrides: Partial<BinPool> = {}): BinPool => ({
  ...{ binStep: 10, activeId: MIDDLE, bins, allBelow: true, allAbove: true, limited: true },
  ...overrides,
})
const feeOf = (rate: bigint, part: bigint) => (): BinFee => ({ rate, protocolFeeOf: (fee) => (fee * part) / 100n })
const fee = feeOf(3n * 10n ** 15n, 20n)

const half = LIMIT / 2n
/** Bins whose fee is half of what may still be added before the limit. */
const nearLimit = bin(0, half - half / 1_000n, half - half / 1_000n)
const plain = [-2, -1, 0, 1, 2].map((offset) =>
  bin(offset, offset < 0 ? 0n : 7n * E18, offset > 0 ? 0n : 5n * E18 + BigInt(offset)),
)
const pools: readonly (readonly [string, BinPool])[] = [
  ['with all bins', poolOf(plain)],
  ['without a limit', poolOf(plain, { limited: false })],
  ['with bins that were not read', poolOf(plain, { allBelow: false, allAbove: false })],
  ['whose active bin is empty', poolOf(plain.filter(({ id }) => id !== MIDDLE))],
  ['whose active bin is near the limit', poolOf([...plain.slice(0, 2), nearLimit, ...plain.slice(3)])],
  [
    'whose next bins are near the limit',
    poolOf([
      { ...nearLimit, id: MIDDLE - 1, reserveX: half - half / 900n },
      bin(0, E18, E18),
      { ...nearLimit, id: MIDDLE + 1, reserveY: half - half / 900n },
    ]),
  ],
  ['whose active bin is at the limit', poolOf([bin(0, half, LIMIT - half)])],
  ['whose active bin is beyond the limit', poolOf([bin(0, half, LIMIT)])],
  ['of single units', poolOf([bin(-1, 0n, 1n), bin(0, 1n, 1n), bin(1, 1n, 0n)])],
]

const codeOf = (pool: BinPool, swapForY: boolean, amountIn: bigint, feeIn: typeof fee) => {
  try {
    walkBins(pool, swapForY, amountIn, feeIn)
    return 'accepted'
  } catch (error) {
    if (!(error instanceof PoolRefusal)) throw error
    return error.code
  }
}

describe.each(pools)('a pool %s', (_, pool) => {
  test.each([
    ['no fee', feeOf(0n, 0n)],
    ['a fee', fee],
    ['a fee that stays in the bin', feeOf(10n ** 16n, 0n)],
    ['a fee that leaves the bin', feeOf(10n ** 16n, 100n)],
  ] as const)('accepts its largest input and no more, with %s', (_name, feeIn) => {
    for (const swapForY of [true, false]) {
      const max = maxBinsInput(pool, swapForY, feeIn)!
      const curve = binsCurve(pool, swapForY, feeIn)
      const end = curve.liquidity.reduce(
        (sum, depth, k) => sum + depth * (1 / curve.sqrtPrice[k + 1]! - 1 / curve.sqrtPrice[k]!),
        0,
      )
      if (max === 0n) {
        expect(codeOf(pool, swapForY, 10n ** 9n, feeIn)).not.toBe('accepted')
        expect(end).toBeLessThanOrEqual(2)
        continue
      }
      expect(codeOf(pool, swapForY, max, feeIn)).toBe('accepted')
      expect(codeOf(pool, swapForY, max + 1n, feeIn)).toBe('TOO_LARGE')
      expect(end / curve.keepIn / Number(max)).toBeCloseTo(1, 6)
    }
  })
})

test('a bin fills at its price, and its fee stays without the part of the protocol', () => {
  const pool = poolOf([bin(-1, 0n, 1_000n), bin(0, 1_000n, 1_000n), bin(1, 1_000n, 0n)])
  const tenth = feeOf(10n ** 17n, 50n)
  // 100 less 10 of fee buy 90 at price 1; 5 of the fee leave the bin.
  expect(walkBins(pool, true, 100n, tenth)).toEqual({
    ...{ amountOut: 90n, activeId: MIDDLE, binsCrossed: 0 },
    bins: [pool.bins[0], bin(0, 1_095n, 910n), pool.bins[2]],
  })
  expect(walkBins(pool, false, 100n, tenth)).toEqual({
    ...{ amountOut: 90n, activeId: MIDDLE, binsCrossed: 0 },
    bins: [pool.bins[0], bin(0, 910n, 1_095n), pool.bins[2]],
  })
  // 1,000 cost 1,112, of which 56 leave. Of the rest, 88, 9 are fee, and 79 buy 78 at 1 / 1.001, or 78 at 1.001.
  expect(walkBins(pool, true, 1_200n, tenth)).toMatchObject({ amountOut: 1_078n, activeId: MIDDLE - 1, binsCrossed: 1 })
  expect(walkBins(pool, false, 1_200n, tenth)).toMatchObject({ amountOut: 1_078n, activeId: MIDDLE + 1 })
})

test('nothing, too much, and what buys nothing are refused', () => {
  const pool = poolOf(plain)
  const refusal = (amountIn: bigint, of = pool) => codeOf(of, true, amountIn, fee)
  expect([0n, -1n, 1n, 1n << 128n, (1n << 128n) - 1n].map((amount) => refusal(amount))).toEqual([
    ...['TOO_SMALL', 'TOO_SMALL', 'TOO_SMALL', 'TOO_LARGE', 'TOO_LARGE'],
  ])
  expect(refusal(10n, poolOf([bin(1, 5n, 0n)]))).toBe('EMPTY')
  const far = 1 << 22
  expect(refusal(E18, poolOf([bin(-far, 0n, E18)], { activeId: MIDDLE - far }))).toBe('UNSUPPORTED')
})

test('a trade past the last bin is beyond our reading only on the side with unread bins', () => {
  const refusalOf = (unread: Partial<BinPool>, swapForY: boolean) => {
    try {
      return walkBins(poolOf(plain, unread), swapForY, 100n * E18, fee).amountOut
    } catch (error) {
      return error
    }
  }
  for (const [unread, swapForY] of [
    [{ allBelow: false }, true],
    [{ allAbove: false }, false],
  ] as const) {
    expect(refusalOf(unread, swapForY)).toMatchObject({ code: 'TOO_LARGE', isModelLimit: true })
    expect(refusalOf(unread, !swapForY)).toMatchObject({ code: 'TOO_LARGE', isModelLimit: false })
  }
})

test('the largest input ends at the largest amount of the contract, also between two bins', () => {
  const pool = poolOf([bin(-1, 0n, 1_000n), bin(0, 0n, 1_000n)])
  const free = feeOf(0n, 0n)
  for (const maxAmount of [999n, 1_000n, 1_001n]) {
    expect(maxBinsInput(pool, true, free, maxAmount)).toBe(maxAmount)
    const { sqrtPrice, liquidity } = binsCurve(pool, true, free, maxAmount)
    for (const value of [...sqrtPrice, ...liquidity]) expect(value).toBeGreaterThan(0)
  }
})
