/**
 * Computes the change of a pool's output between two blocks, and the part of the change that trades in the pool do not
 * explain. Does no I/O.
 */
import { type Address, FLOAT_PPM, NATIVE } from '@sluice/chains'
import { familyOf, nullIfRefused, type Pool } from '@sluice/liquidity'
import type { Leg, RoutePlan } from '@sluice/routing'

/** Changes of a pool's output for the same input, in parts per million. */
export type PoolDrift = {
  /** Relative change of the output; negative is a loss of the taker. */
  readonly ppm: number
  /** The part of a loss that no trade explains: 0 or negative. */
  readonly unexplainedPpm: number
  /** The part of a gain that no trade explains: 0 or positive. */
  readonly unexplainedGainPpm: number
}

const NO_DRIFT: PoolDrift = { ppm: 0, unexplainedPpm: 0, unexplainedGainPpm: 0 }

type Hop = Pick<Leg, 'tokenIn' | 'tokenOut' | 'amountIn'>

/**
 * Compares a pool's output at two blocks. The explained output is the output of the earlier pool after the net trade
 * between the blocks. If the later output is below both the earlier and the explained output, the quote faded:
 * liquidity was removed, or a fee or price was changed.
 */
export function poolDrift(earlierPool: Pool, laterPool: Pool | undefined, hop: Hop): PoolDrift {
  if (laterPool === earlierPool) return NO_DRIFT
  const paidBefore = outputOf(earlierPool, hop)
  if (paidBefore === 0n) return NO_DRIFT
  const paidAfter = laterPool ? outputOf(laterPool, hop) : 0n
  const explainedOutput = outputOf(laterPool ? applyNetTrade(earlierPool, laterPool, hop) : earlierPool, hop)
  const isRaised = paidBefore < explainedOutput
  const [lowerOutput, upperOutput] = isRaised ? [paidBefore, explainedOutput] : [explainedOutput, paidBefore]
  return {
    ppm: changePpm(paidBefore, paidAfter),
    unexplainedPpm: Math.min(0, changePpm(lowerOutput, paidAfter)),
    unexplainedGainPpm: Math.max(0, changePpm(upperOutput, paidAfter)),
  }
}

/** Returns the relative change in ppm; 0 if `before` is 0. */
export function changePpm(before: bigint, after: bigint): number {
  return before === 0n ? 0 : (Number(after - before) / Number(before)) * FLOAT_PPM
}

/** Returns the share of the route's input that passes through each leg, from 0 to 1. */
export function sharesOf({ tokenIn, legs }: Pick<RoutePlan, 'tokenIn' | 'legs'>): readonly number[] {
  const soldAmounts = new Map<Address, number>()
  const soldTokenOf = (leg: Leg) => (tokenIn === NATIVE && spendsInput(leg, legs) ? NATIVE : leg.tokenIn)
  for (const leg of legs)
    soldAmounts.set(soldTokenOf(leg), (soldAmounts.get(soldTokenOf(leg)) ?? 0) + Number(leg.amountIn))
  const shareByToken = new Map<Address, number>([[tokenIn, 1]])
  // Legs are in execution order, so all legs that buy a token precede the legs that sell it.
  return legs.map((leg) => {
    const soldToken = soldTokenOf(leg)
    const share = (shareByToken.get(soldToken) ?? 0) * (Number(leg.amountIn) / (soldAmounts.get(soldToken) || 1))
    shareByToken.set(leg.tokenOut, (shareByToken.get(leg.tokenOut) ?? 0) + share)
    return share
  })
}

/**
 * Returns true if a leg spends the sender's input. For a NATIVE input, such a leg trades the native token or its
 * wrapper, and no other leg buys the token that it sells.
 */
function spendsInput(leg: Leg, legs: readonly Leg[]): boolean {
  return !legs.some(({ tokenOut }) => tokenOut === leg.tokenIn)
}

function outputOf(pool: Pool, { tokenIn, tokenOut, amountIn }: Hop): bigint {
  return nullIfRefused(() => familyOf(pool.family)!.quoteExactInput(pool, tokenIn, tokenOut, amountIn))?.amountOut ?? 0n
}

/** Returns the earlier pool after the net trade that the reserves of both pools show; unchanged if there was none. */
function applyNetTrade(earlierPool: Pool, laterPool: Pool, { tokenIn, tokenOut }: Hop): Pool {
  const family = familyOf(earlierPool.family)!
  const [reservesBefore, reservesAfter] = [family.reserves(earlierPool), family.reserves(laterPool)]
  const changeOf = (token: Address) => {
    const tokenIndex = earlierPool.tokens.indexOf(token)
    return (reservesAfter[tokenIndex] ?? 0n) - (reservesBefore[tokenIndex] ?? 0n)
  }
  const [changeIn, changeOut] = [changeOf(tokenIn), changeOf(tokenOut)]
  const quoteTrade = (soldToken: Address, boughtToken: Address, amount: bigint) =>
    nullIfRefused(() => family.quoteExactInput(earlierPool, soldToken, boughtToken, amount))
  // If both reserves fell, liquidity was removed. If both rose, liquidity was added, or there were trades in both
  // directions: apply the inflow of `tokenIn`, which explains the larger loss.
  const netTrade =
    changeIn > 0n
      ? quoteTrade(tokenIn, tokenOut, changeIn)
      : changeOut > 0n && changeIn < 0n
        ? quoteTrade(tokenOut, tokenIn, changeOut)
        : null
  return netTrade ? { ...earlierPool, state: netTrade.state } : earlierPool
}
