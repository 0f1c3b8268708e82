/** The float trading function of a pool against its own integers, on the states of the known answers. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { familyOf } from '../dexes/index.ts'
import { orRefused, type Pool } from '../family.ts'
import { adapters } from '../vectors/adapters.ts'
import type { VectorFile } from '../vectors/index.ts'
import { sumsOf, swapOn } from './trading-function.ts'

/** A thousandth: without any, pools refuse the swaps that lower the value of a share. */
const FEE = 10_000_000n
const dir = join(import.meta.dirname, '../../vectors')

/** One pool of every state, without the fees that move with the balances. */
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
/** Common units below which the rounding of the invariant shows. */
const FEW = 1e12
const PARTS = [1_000_000n, 10_000n, 300n, 20n, 5n]

describe.each(files)('%s', (name) => {
  const pools = poolsOf(name)

  test('swaps on the trading function buy what the integers do, to a billionth of the balance', () => {
    let compared = 0
    for (const pool of pools) {
      const family = familyOf(pool.family)!
      const tradingFunction = family.tradingFunction!(pool)
      if (!tradingFunction || tradingFunction.balances.some((balance) => balance < FEW)) continue
      const reserves = family.reserves(pool)
      for (const [i, tokenIn] of pool.tokens.entries())
        for (const [j, tokenOut] of pool.tokens.entries())
          for (const part of i === j ? [] : PARTS) {
            const amountIn = reserves[i]! / part
            const exact = orRefused(() => family.quoteExactInput(pool, tokenIn, tokenOut, amountIn).amountOut)
            if (exact === null || exact < 1_000_000n) continue
            const bought = swapOn(tradingFunction, tradingFunction.balances.slice(), i, j, Number(amountIn))
            const off = Math.abs(bought - Number(exact))
            // Integers lose some units, be they the tokens' own or the common ones.
            const [unitIn, unitOut] = [i, j].map((k) => 1 + 1 / tradingFunction.units[k]!) as [number, number]
            const rounding = 4 * (unitOut + (unitIn * bought) / Number(amountIn))
            expect(off, `${part} of ${tokenIn} for ${tokenOut} in ${pool.id}`).toBeLessThan(
              1e-9 * Number(reserves[j]) + 1e-8 * bought + rounding,
            )
            compared++
          }
    }
    expect(compared).toBeGreaterThan(0)
  })

  test('marginal values are the slopes of the level', () => {
    for (const pool of pools) {
      const tradingFunction = familyOf(pool.family)!.tradingFunction!(pool)
      if (!tradingFunction) continue
      const { invariant, balances, weights } = tradingFunction
      const { sum, logs } = sumsOf(tradingFunction, balances)
      balances.forEach((balance, k) => {
        const at = (change: number) => {
          const moved = sumsOf(tradingFunction, balances.with(k, balance * (1 + change)))
          return invariant.level(moved.sum, moved.logs)
        }
        const slope = invariant.linear(sum, logs) + (invariant.logarithmic(sum, logs) * weights[k]!) / balance
        const measured = (at(1e-8) - at(-1e-8)) / (2e-8 * balance)
        expect(Math.abs(measured / slope - 1)).toBeLessThan(1e-4)
      })
    }
  })
})
