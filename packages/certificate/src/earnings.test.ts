/** Formulas of earnings, compared with every trade that a search by trial finds, in the integers that contracts pay by. */
import { describe, expect, test } from 'vitest'
import { CheckFailure } from './certificate.ts'
import { boundProduct, boundStable, concentratedTrade, rootDown, sqrtRatioAtTick } from './earnings.ts'

const RUNS = process.env.LONG ? 3_000 : 150
const Q96 = 1n << 96n
/** Prices are scaled by this. */
const SCALE = 10n ** 30n

/** A reproducible generator of numbers in [0, 1). */
function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
const between = (random: () => number, from: number, to: number) =>
  Math.exp(Math.log(from) + random() * Math.log(to / from))
const big = (value: number) => BigInt(Math.round(value * 2 ** 20)) * (SCALE >> 20n)
const whole = (value: number) => big(value) / SCALE

/** Maximizes the earnings of a trade by ternary search over its size, since pools pay less and less for more. */
function byTrial(pay: (amountIn: bigint) => bigint, sold: bigint, bought: bigint, max: bigint): bigint {
  const earned = (amount: bigint) => bought * pay(amount) - sold * amount
  let [low, high] = [0n, max]
  let best = 0n
  for (let step = 0; step < 200 && high - low > 2n; step++) {
    const [a, b] = [low + (high - low) / 3n, high - (high - low) / 3n]
    const [ofA, ofB] = [earned(a), earned(b)]
    for (const one of [ofA, ofB]) if (one > best) best = one
    if (ofA < ofB) low = a
    else high = b
  }
  return best
}

/** The bound is at least the result of trials, and above it by no more than a part and so many units. */
function expectTight(bound: bigint, searched: bigint, units: bigint, message: string): void {
  expect(bound, message).toBeGreaterThanOrEqual(searched)
  expect(bound - searched, message).toBeLessThanOrEqual(searched / 1_000_000n + units)
}

test('roots are rounded down', () => {
  for (const degree of [2n, 3n, 4n, 5n])
    for (let k = 0n; k < 200n; k++) {
      const value = k ** 5n * 987_654_321n + k
      const root = rootDown(value, degree)
      expect(root ** degree).toBeLessThanOrEqual(value)
      expect((root + 1n) ** degree).toBeGreaterThan(value)
    }
})

test('constant product: as getAmountOut of the pair pays', () => {
  let earning = 0
  for (let run = 1; run <= RUNS; run++) {
    const random = seeded(run)
    const [x, y] = [whole(between(random, 1e6, 1e24)), whole(between(random, 1e6, 1e24))]
    const feePpm = BigInt(Math.round(random() * 10_000))
    const sold = big(between(random, 1e-6, 1))
    const bought = whole((Number(sold) * Number(x) * between(random, 0.8, 1.5)) / Number(y))
    const pay = (amount: bigint) => {
      const net = amount * (1_000_000n - feePpm)
      return (net * y) / (x * 1_000_000n + net)
    }
    const searched = byTrial(pay, sold, bought, 10n * x)
    const bound = boundProduct(x, y, feePpm, sold, bought)
    if (searched > 0n) earning++
    // What whole units leave over.
    expectTight(bound, searched, 4n * (bought + sold), `run ${run}`)
  }
  expect(earning).toBeGreaterThan(RUNS / 3)
})

describe('concentrated liquidity', () => {
  test('prices at ticks are those of TickMath', () => {
    expect(sqrtRatioAtTick(-887_272)).toBe(4_295_128_739n)
    expect(sqrtRatioAtTick(887_272)).toBe(1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342n)
    expect(sqrtRatioAtTick(0)).toBe(Q96)
    for (let tick = -887_000; tick < 887_000; tick += 12_345) {
      const exact = Math.exp((tick * Math.log(1.0001)) / 2)
      expect(Number(sqrtRatioAtTick(tick)) / 2 ** 96 / exact).toBeCloseTo(1, 6)
    }
  })

  test('pieces earn what swaps through them do, in both directions', () => {
    let earning = 0
    for (let run = 1; run <= RUNS; run++) {
      const random = seeded(run)
      const zeroForOne = run % 2 === 0
      const feePpm = BigInt([100, 500, 3_000, 10_000][run % 4]!)
      const start = Math.round((random() - 0.5) * 100_000)
      const width = 10 + Math.round(random() * 300)
      const ends = [1, 2, 3].map((k) => start + (zeroForOne ? -1 : 1) * k * width)
      const liquidity = ends.map((_, k) => (k === 1 && run % 5 === 0 ? 0n : whole(between(random, 1e15, 1e24))))
      const edges = [start, ...ends].map(sqrtRatioAtTick)
      // Amounts that the pieces take and pay, in turn, as SqrtPriceMath has them.
      const amounts = liquidity.map((depth, k) => {
        const [a, b] = [edges[k]!, edges[k + 1]!]
        const [low, high] = a < b ? [a, b] : [b, a]
        const [over0, by0, over1, by1] = [depth * Q96 * (high - low), high * low, depth * (high - low), Q96]
        // What comes in is rounded up, what goes out down.
        return zeroForOne ? [(over0 + by0 - 1n) / by0, over1 / by1] : [(over1 + by1 - 1n) / by1, over0 / by0]
      })
      const pay = (amount: bigint) => {
        let unspent = (amount * (1_000_000n - feePpm)) / 1_000_000n
        let paid = 0n
        for (const [k, [takes, pays]] of amounts.entries()) {
          if (unspent >= takes!) {
            unspent -= takes!
            paid += pays!
            continue
          }
          const [depth, at] = [liquidity[k]!, edges[k]!]
          if (depth === 0n) break
          const next = zeroForOne
            ? (depth * Q96 * at + depth * Q96 + unspent * at - 1n) / (depth * Q96 + unspent * at)
            : at + (unspent * Q96) / depth
          return paid + (zeroForOne ? (depth * (at - next)) / Q96 : (depth * Q96 * (next - at)) / (next * at))
        }
        return paid
      }
      const rate = (Number(edges[0]) / 2 ** 96) ** (zeroForOne ? 2 : -2)
      const sold = big(1)
      const bought = whole((Number(sold) / rate) * between(random, 0.98, 1.05))
      const max = (amounts.reduce((sum, [takes]) => sum + takes!, 0n) * 11n) / 10n + 1_000n
      const searched = byTrial(pay, sold, bought, max)
      const { isProfitable, earnInPiece } = concentratedTrade(zeroForOne, feePpm, sold, bought)
      let bound = 0n
      for (let k = 0; k < 3 && isProfitable(edges[k]!); k++) {
        const { earned, isEnd } = earnInPiece(liquidity[k]!, edges[k]!, edges[k + 1]!)
        bound += earned
        if (isEnd) break
      }
      if (searched > 0n) earning++
      expectTight(bound, searched, 12n * (bought + sold), `run ${run}`)
    }
    expect(earning).toBeGreaterThan(RUNS / 3)
  })
})

describe('stable', () => {
  /** get_dy and exchange of curvefi's 3pool, in its integers. */
  function invariant(xp: readonly bigint[], ann: bigint): bigint {
    const n = BigInt(xp.length)
    const sum = xp.reduce((all, x) => all + x, 0n)
    let d = sum
    for (let step = 0; step < 255; step++) {
      let product = d
      for (const x of xp) product = (product * d) / (x * n)
      const before = d
      d = ((ann * sum + product * n) * d) / ((ann - 1n) * d + (n + 1n) * product)
      if (d - before <= 1n && before - d <= 1n) break
    }
    return d
  }
  function exchange(xp: readonly bigint[], a: bigint, fee: bigint, i: number, j: number, dx: bigint) {
    const n = BigInt(xp.length)
    const ann = a * n
    const d = invariant(xp, ann)
    let [c, sum] = [d, 0n]
    for (const [k, scaled] of xp.entries()) {
      if (k === j) continue
      const x = k === i ? scaled + dx : scaled
      sum += x
      c = (c * d) / (x * n)
    }
    c = (c * d) / (ann * n)
    const b = sum + d / ann
    let y = d
    for (let step = 0; step < 255; step++) {
      const before = y
      y = (y * y + c) / (2n * y + b - d)
      if (y - before <= 1n && before - y <= 1n) break
    }
    const dy = xp[j]! - y - 1n
    return dy - (dy * fee) / 10n ** 10n
  }
  const draw = (random: () => number, coins: number) => ({
    balances: Array.from({ length: coins }, () => whole(between(random, 1e23, 3e24))),
    a: BigInt(Math.round(between(random, 10, 3_000))),
    feeE10: BigInt(Math.round(between(random, 1e6, 4e7))),
  })

  test.each([2, 3, 4])('pools of %i coins: any one swap', (coins) => {
    let earning = 0
    for (let run = 1; run <= RUNS / 3; run++) {
      const random = seeded(run)
      const { balances, a, feeE10 } = draw(random, coins)
      const units = balances.map(() => 1n)
      const [i, j] = [run % coins, (run + 1) % coins]
      const sold = big(1)
      const bought = big(between(random, 0.99, 1.1))
      const pay = (dx: bigint) => (dx > 0n ? exchange(balances, a, feeE10, i, j, dx) : 0n)
      const searched = byTrial(pay, sold, bought, 20n * 10n ** 24n)
      const only = (price: bigint, at: number) => units.map((_, k) => (k === at ? price : null))
      const bound = boundStable({ balances, units, a100: a * 100n, feeE10 }, only(sold, i), only(bought, j))
      if (searched > 0n) earning++
      expectTight(bound, searched, 100n * (sold + bought), `run ${run}`)
    }
    expect(earning).toBeGreaterThan(RUNS / 20)
  })

  test('balances of any size give a bound, or end the check', () => {
    const [results, anySize] = [{ bounds: 0, failures: 0 }, (random: () => number) => whole(between(random, 1, 1e70))]
    for (let run = 1; run <= RUNS; run++) {
      const random = seeded(run)
      const balances = [1, 2, 3, 4].map(() => anySize(random))
      const pool = { balances, units: balances.map(() => 1n), a100: 100n * (1n + anySize(random)), feeE10: 0n }
      try {
        expect(boundStable(pool, [null, big(1), null, null], [big(1), null, null, 1n])).toBeGreaterThanOrEqual(0n)
        results.bounds++
      } catch (error) {
        expect(error, `run ${run}`).toBeInstanceOf(CheckFailure)
        results.failures++
      }
    }
    expect(Math.min(results.bounds, results.failures)).toBeGreaterThan(RUNS / 20)
  })

  test('pools of three coins: two swaps, into one coin and out of one, in base units of 6 and 18 decimals', () => {
    for (let run = 1; run <= RUNS / 10; run++) {
      const random = seeded(run)
      const { balances, a, feeE10 } = draw(random, 3)
      const units = [1n, 10n ** 12n, 1n]
      const amounts = balances.map((balance, k) => balance / units[k]!)
      const prices = [1, random() * 0.04 + 0.99, random() * 0.04 + 0.99].map(big)
      const base = prices.map((price, k) => price * units[k]!)
      const isFork = run % 2 === 0
      const sides = {
        sold: base.map((price, k) => ((k === 0) === isFork ? price : null)),
        bought: base.map((price, k) => ((k === 0) === isFork ? null : price)),
      }
      const bound = boundStable({ balances: amounts, units, a100: a * 100n, feeE10 }, sides.sold, sides.bought)
      // In one coin and out of the two others, or the other way round, each swap on what the one before left.
      let searched = 0n
      for (let first = 0; first <= 24; first++)
        for (let second = 0; second <= 24; second++) {
          const parts = [first, second].map((k) => (k === 0 ? 0n : whole(1e20 * 1.55 ** k)))
          let [earned, now] = [0n, balances]
          for (const [k, dx] of parts.entries()) {
            if (dx === 0n) continue
            const [i, j] = isFork ? [0, k + 1] : [k + 1, 0]
            const paid = exchange(now, a, feeE10, i, j, dx)
            if (paid <= 0n) continue
            earned += prices[j]! * paid - prices[i]! * dx
            // The whole fee leaves, so that none of it is reused.
            now = now.with(i, now[i]! + dx).with(j, now[j]! - (paid * 10n ** 10n) / (10n ** 10n - feeE10))
          }
          if (earned > searched) searched = earned
        }
      expect(bound, `run ${run}`).toBeGreaterThanOrEqual(searched)
      // The grid is coarse.
      expect(Number(bound), `run ${run}`).toBeLessThan(Number(searched) * 1.25 + 1e50)
    }
  })
})
