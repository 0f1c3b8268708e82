/** Chooses the input with which the gas of a hop is measured. */
import type { Address } from '@sluice/chains'
import { familyOf, nullIfRefused, type Pool } from '@sluice/liquidity'

/**
 * Relative change of the square root of the price by the first tried amount; so small that the swap crosses no tick.
 */
const FIRST_MOVE = 2e-6
/** Maximum tried amounts; a larger amount is tried if the previous one buys nothing. */
const MAX_TRIES = 4
/** Factor between two tried amounts. */
const STEP_FACTOR = 1_000n

/** Returns an input in base units that the pool accepts and that hardly moves its price; null if there is none. */
export function probeAmount(pool: Pool, tokenIn: Address, tokenOut: Address): bigint | null {
  const family = familyOf(pool.family)
  if (!family) return null
  const curve = nullIfRefused(() => family.priceCurve(pool, tokenIn, tokenOut))
  const initialAmount = curve && minimalAmount(curve.sqrtPrice, curve.liquidity)
  if (!initialAmount) return null
  let amount = initialAmount
  for (let tries = 0; tries < MAX_TRIES; tries++, amount *= STEP_FACTOR) {
    const quote = nullIfRefused(() => family.quoteExactInput(pool, tokenIn, tokenOut, amount))
    if (quote && quote.amountOut > 0n) return amount
  }
  return null
}

/** Returns an input that moves the price slightly within the first piece of the price curve that has liquidity. */
function minimalAmount(sqrtPrice: Float64Array, liquidity: Float64Array): bigint | null {
  const piece = liquidity.findIndex((amount) => amount > 0)
  if (piece === -1) return null
  const [startSqrtPrice, endSqrtPrice] = [sqrtPrice[piece]!, sqrtPrice[piece + 1]!]
  const targetSqrtPrice = Math.max((startSqrtPrice + endSqrtPrice) / 2, startSqrtPrice * (1 - FIRST_MOVE))
  const amount = liquidity[piece]! * (1 / targetSqrtPrice - 1 / startSqrtPrice)
  return Number.isFinite(amount) && amount > 0 ? BigInt(Math.ceil(amount)) : null
}
