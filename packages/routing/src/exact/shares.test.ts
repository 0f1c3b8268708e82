/** Tests the amounts that legs take of a balance, with the rounding of the program. */
import { SHARE_DENOMINATOR } from '@sluice/program'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileCurve } from '../graph/price-curve.ts'
import type { Problem } from '../problem/problem.ts'
import type { Flow } from '../solver/flow.ts'
import { type LegShare, partOfBalance, partUpTo, sharesOf } from './shares.ts'

const SHARES = BigInt(SHARE_DENOMINATOR)
const WHOLE = 10n ** 15n
const share = (change: Partial<LegShare>): LegShare => ({
  ...{ edge: 0, from: 0, to: 1, isFromSource: false, isLast: false, num: 1n },
  ...change,
})
const balances = fc.bigInt({ min: 1n, max: 2n ** 128n - 1n })

test('the last leg takes the whole balance', () => {
  for (const fromSource of [true, false])
    expect(partOfBalance(share({ isLast: true, isFromSource: fromSource }), 7n)).toEqual({
      amount: 7n,
      num: 1n,
      den: 1n,
    })
  expect(partOfBalance(share({ isLast: true, isFromSource: true }), 7n, 3n)).toEqual({ amount: 7n, num: 1n, den: 1n })
})

test('a leg out of the source takes its part rounded down, as a fixed amount', () => {
  const third = share({ isFromSource: true, num: WHOLE / 3n })
  expect(partOfBalance(third, 10n)).toEqual({ amount: 3n, num: 3n, den: 10n })
  expect(partOfBalance(share({ isFromSource: true, num: WHOLE - 1n }), 10n).amount).toBe(9n)
})

test('a fixed input is taken as it is, up to the balance', () => {
  const leg = share({ isFromSource: true, num: 1n })
  expect(partOfBalance(leg, 10n, 4n)).toEqual({ amount: 4n, num: 4n, den: 10n })
  expect(partOfBalance(leg, 10n, 10n).amount).toBe(10n)
  expect(partOfBalance(leg, 10n, 11n).amount).toBe(10n)
})

test('another leg takes what the Executor computes from its share', () => {
  let cases = 0
  fc.assert(
    fc.property(balances, fc.bigInt({ min: 1n, max: SHARES - 1n }), (balance, num) => {
      const { amount, ...fraction } = partOfBalance(share({ num }), balance)
      expect(fraction).toEqual({ num, den: SHARES })
      expect(amount).toBe((balance * num) / SHARES)
      cases++
    }),
  )
  expect(cases).toBeGreaterThan(50)
})

test('a limit below the part cuts it, and a limit of the part or above does not', () => {
  const half = share({ num: SHARES / 2n })
  expect(partOfBalance(half, 100n, undefined, 50n)).toEqual({ amount: 50n, num: SHARES / 2n, den: SHARES })
  expect(partOfBalance(half, 100n, undefined, 49n).amount).toBeLessThanOrEqual(49n)
  const source = share({ isFromSource: true, num: WHOLE / 2n, limit: 20n })
  expect(partOfBalance(source, 100n)).toEqual({ amount: 20n, num: 20n, den: 100n })
  expect(partOfBalance(share({ isLast: true, isFromSource: true }), 100n, undefined, 99n).amount).toBe(99n)
})

test('a part up to an amount is the largest share that does not exceed it', () => {
  let cases = 0
  fc.assert(
    fc.property(balances, balances, (a, b) => {
      const [limit, balance] = a < b ? [a, b] : [b, a]
      const { amount, num, den } = partUpTo(share({}), balance, limit)
      expect(den).toBe(SHARES)
      expect(amount).toBe((balance * num) / SHARES)
      expect(amount).toBeLessThanOrEqual(limit)
      expect((balance * (num + 1n)) / SHARES).toBeGreaterThanOrEqual(limit)
      cases++
    }),
  )
  expect(cases).toBeGreaterThan(50)
})

test('the share of a leg that stops before a tick is rounded down, and other shares to the nearest', () => {
  // Two legs sell token 3. The pool of the first one has a tick at 10^18 units of input, just above its input.
  const input = 1e18 - 256
  const curveWith = (gasPerPiece: number) =>
    compileCurve({
      ...{ sqrtPrice: Float64Array.of(1, 0.5, 0.25), liquidity: Float64Array.of(1e18, 1e18) },
      ...{ keepIn: 1, keepOut: 1, gasPerPiece },
    })
  const sharesWith = (gasPerPiece: number, otherInput: number) => {
    const curves = [curveWith(gasPerPiece), curveWith(0)]
    const problem = {
      graph: {
        edges: curves.map((curve, k) => ({ curve, pool: { id: `${k}` } })),
        topology: { from: [3, 3], to: [2, 2] },
      },
      ...{ source: 1, adjustedCurves: new Map() },
    } as unknown as Problem
    const flow = { edges: [0, 1], input: [input, otherInput] } as unknown as Flow
    return sharesOf(problem, flow).legs
  }
  for (const otherInput of [2e18, 5e17, 2.5e17]) {
    const part = (input / (input + otherInput)) * Number(SHARES)
    const [leg] = sharesWith(1_000, otherInput)
    expect(leg).toMatchObject({ edge: 0, num: BigInt(Math.floor(part)), limit: BigInt(input) })
    const otherLeg = sharesWith(0, otherInput).find(({ edge }) => edge === 0)!
    expect(otherLeg.limit).toBeUndefined()
    if (!otherLeg.isLast) expect(otherLeg.num).toBe(BigInt(Math.round(part)))
  }
})
