/** Amounts with which the gas of hops is measured. */
import type { Address } from '@sluice/chains'
import { familyOf, nullIfRefused, type Pool } from '@sluice/liquidity'

/** Relative change of the square root price by the first amount; small, so that it crosses no tick. */
const FIRST_MOVE = 2e-6
/** Maximum amounts to try, and the factor between them, if an amount buys nothing. */
const MAX_TRIES = 4
const STEP = 1_000n

/** Returns an amount that the pool accepts and that hardly moves its price; null if there is none. */
export function probeAmount(pool: Pool, tokenIn: Address, tokenOut: Address): bigint | null {
  const family = familyOf(pool.family)
  if (!family) return null
  const curve = nullIfRefused(() => family.priceCurve(pool, tokenIn, tokenOut))
  const first = curve && firstAmount(curve.sqrtPrice, curve.liquidity)
  if (!first) return null
  let amount = first
  for (let tries = 0; tries < MAX_TRIES; tries++, amount *= STEP) {
    const quote = nullIfRefused(() => family.quoteExactInput(pool, tokenIn, tokenOut, amount))
    if (quote && quote.amountOut > 0n) return amount
  }
  return null
}

/** Returns an input that moves the price slightly within the first piece of the curve with liquidity. */
function firstAmount(sqrtPrice: Float64Array, liquidity: Float64Array): bigint | null {
  const piece = liquidity.findIndex((amount) => amount > 0)
  if (piece === -1) return null
  const [from, end] = [sqrtPrice[piece]!, sqrtPrice[piece + 1]!]
  const to = Math.max((from + end) / 2, from * (1 - FIRST_MOVE))
  const amount = liquidity[piece]! * (1 / to - 1 / from)
  return Number.isFinite(amount) && amount > 0 ? BigInt(Math.ceil(amount)) : null
}
