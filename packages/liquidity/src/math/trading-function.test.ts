/** Compares the float trading function of pools with their integer quotes, on the states of the test vectors. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { adapters } from '../../test/vectors/adapters.ts'
import type { VectorFile } from '../../test/vectors/index.ts'
import { familyOf } from '../dexes/index.ts'
import { nullIfRefused, type Pool } from '../family.ts'
import { equalWeightTradingFunction, stableSwapInvariant, sumsOf, swapOn } from './trading-function.ts'

/** 0.1 %: without a fee, pools refuse swaps whose rounding lowers the value of a share. */
const FEE = 10_000_000n
const dir = join(import.meta.dirname, '../../vectors')

/** Returns one pool per state, with a fixed fee. */
function poolsOf(name: string): Pool[] {
  const file: VectorFile = JSON.parse(readFileSync(join(dir, name), 'utf8'))
  const pools = new Map<string, Pool>()
  for (const vector of file.vectors) {
    const pool = adapters[file.family]?.(file.states[vector.state]!, vector)
    if (typeof pool === 'object' && familyOf(pool.family)!.tradingFunction) pools.set(vector.state, withFixedFee(pool))
  }
  return [...pools.values()]
}

function withFixedFee(pool: Pool): Pool {
  const fees = { 'curve-stable': { offpegMultiplierE10: 0n }, 'curve-crypto': { outFeeE10: FEE, midFeeE10: FEE } }
  return { ...pool, state: { ...(pool.state as object), ...fees[pool.family as keyof typeof fees] } }
}

const files = readdirSync(dir).filter((name) => name.endsWith('.json') && poolsOf(name).length > 0)
/** Minimum balance in common units: below it the rounding of the invariant is visible. */
const MIN_BALANCE = 1e12
const PARTS = [1_000_000n, 10_000n, 300n, 20n, 5n]

describe.each(files)('%s', (name) => {
  const pools = poolsOf(name)

  test('swaps on the trading function match the integer quotes to a billionth of the balance', () => {
    let compared = 0
    for (const pool of pools) {
      const family = familyOf(pool.family)!
      const tradingFunction = family.tradingFunction!(pool)
      if (!tradingFunction || tradingFunction.balances.some((balance) => balance < MIN_BALANCE)) continue
      const reserves = family.reserves(pool)
      for (const [i, tokenIn] of pool.tokens.entries())
        for (const [j, tokenOut] of pool.tokens.entries())
          for (const part of i === j ? [] : PARTS) {
            const amountIn = reserves[i]! / part
            const exact = nullIfRefused(() => family.quoteExactInput(pool, tokenIn, tokenOut, amountIn).amountOut)
            if (exact === null || exact < 1_000_000n) continue
            const output = swapOn(tradingFunction, tradingFunction.balances.slice(), i, j, Number(amountIn))
            const off = Math.abs(output - Number(exact))
            // Integer quotes lose some units to rounding, both token and common units.
            const [unitIn, unitOut] = [i, j].map((k) => 1 + 1 / tradingFunction.units[k]!) as [number, number]
            const rounding = 4 * (unitOut + (unitIn * output) / Number(amountIn))
            expect(off, `${part} of ${tokenIn} for ${tokenOut} in ${pool.id}`).toBeLessThan(
              1e-9 * Number(reserves[j]) + 1e-8 * output + rounding,
            )
            compared++
          }
    }
    expect(compared).toBeGreaterThan(0)
  })

  test('marginal values are the derivatives of the level', () => {
    for (const pool of pools) {
      const tradingFunction = familyOf(pool.family)!.tradingFunction!(pool)
      if (!tradingFunction) continue
      const { invariant, balances, weights } = tradingFunction
      const { sum, logSum } = sumsOf(tradingFunction, balances)
      balances.forEach((balance, k) => {
        const at = (change: number) => {
          const sums = sumsOf(tradingFunction, balances.with(k, balance * (1 + change)))
          return invariant.level(sums.sum, sums.logSum)
        }
        const slope =
          invariant.derivativeBySum(sum, logSum) + (invariant.derivativeByLogSum(sum, logSum) * weights[k]!) / balance
        const measured = (at(1e-8) - at(-1e-8)) / (2e-8 * balance)
        expect(Math.abs(measured / slope - 1)).toBeLessThan(1e-4)
      })
    }
  })
})

test('a swap ends once its steps are noise, and not before', () => {
  const { derivativeBySum, derivativeByLogSum, level, ...rest } = stableSwapInvariant(600, 3e24, 3)
  let steps = 0
  const countedLevel = (sum: number, logSum: number) => {
    steps++
    return level(sum, logSum)
  }
  const counted = { ...rest, derivativeBySum, derivativeByLogSum, level: countedLevel }
  const pool = { balances: new Float64Array(3).fill(1e24), units: new Float64Array(3).fill(1), keepIn: 1, keepOut: 1 }
  const tradingFunction = equalWeightTradingFunction(counted, { ...pool, hasFixedFee: true })
  for (const [part, expectedSteps] of [
    [1e-9, 3],
    [1e-6, 4],
    [1e-3, 4],
    [0.1, 5],
    [0.9, 8],
    [5, 11],
    [100, 16],
  ] as const) {
    steps = 0
    const balances = pool.balances.slice()
    const output = swapOn(tradingFunction, balances, 0, 1, part * 1e24)
    // Newton's method doubles the digits with each step once it is near.
    expect(steps).toBe(expectedSteps)
    const { sum, logSum } = sumsOf(tradingFunction, balances)
    const slope = derivativeBySum(sum, logSum) + derivativeByLogSum(sum, logSum) / balances[1]!
    expect(Math.abs(level(sum, logSum) / slope) / 1e24).toBeLessThan(1e-13)
    expect(output).toBeLessThan(part * 1e24 * (1 + 1e-6))
  }
})
