/** Change of what a pool pays from one block to another, and the part of it that its trades explain. Does no I/O. */
import { type Address, FLOAT_PPM, NATIVE } from '@sluice/chains'
import { familyOf, orRefused, type Pool } from '@sluice/liquidity'
import type { Leg, Route } from '@sluice/routing'

export type PoolDrift = {
  /** By how much more it pays for the same input; below 0 against the taker. Parts per million. */
  readonly ppm: number
  /** The part of that against the taker which no trade explains: 0 or below. Parts per million. */
  readonly unexplainedPpm: number
  /** The part in favour of the taker which no trade explains: 0 or above. Parts per million. */
  readonly givenPpm: number
}

const STILL: PoolDrift = { ppm: 0, unexplainedPpm: 0, givenPpm: 0 }

type Hop = Pick<Leg, 'tokenIn' | 'tokenOut' | 'amountIn'>

/**
 * A pool that trades moves along its curve: what the same trade would have made of it is what may be expected. What it pays
 * less than that was withdrawn: liquidity that was taken out, a fee or a price that somebody set anew.
 */
export function poolDrift(before: Pool, after: Pool | undefined, hop: Hop): PoolDrift {
  if (after === before) return STILL
  const paid = paidBy(before, hop)
  if (paid === 0n) return STILL
  const pays = after ? paidBy(after, hop) : 0n
  const explained = paidBy(after ? traded(before, after, hop) : before, hop)
  const [least, most] = paid < explained ? [paid, explained] : [explained, paid]
  return {
    ppm: changePpm(paid, pays),
    unexplainedPpm: Math.min(0, changePpm(least, pays)),
    givenPpm: Math.max(0, changePpm(most, pays)),
  }
}

/** Parts per million by which the second amount is more than the first; 0 where the first is none. */
export function changePpm(from: bigint, to: bigint): number {
  return from === 0n ? 0 : (Number(to - from) / Number(from)) * FLOAT_PPM
}

/** The share of the whole order that goes through each leg, from 0 to 1. */
export function sharesOf({ tokenIn, legs }: Pick<Route, 'tokenIn' | 'legs'>): readonly number[] {
  const taken = new Map<Address, number>()
  const source = (leg: Leg) => (tokenIn === NATIVE && isFirst(leg, legs) ? NATIVE : leg.tokenIn)
  for (const leg of legs) taken.set(source(leg), (taken.get(source(leg)) ?? 0) + Number(leg.amountIn))
  const held = new Map<Address, number>([[tokenIn, 1]])
  // Legs come in the order in which they are made: what flows into a token is known before it is sold.
  return legs.map((leg) => {
    const from = source(leg)
    const share = (held.get(from) ?? 0) * (Number(leg.amountIn) / (taken.get(from) || 1))
    held.set(leg.tokenOut, (held.get(leg.tokenOut) ?? 0) + share)
    return share
  })
}

/** A leg that takes the sender's input. Of NATIVE input, pools of the native token and of its wrapper are paid alike: nothing before them pays out such. */
function isFirst(leg: Leg, legs: readonly Leg[]): boolean {
  return !legs.some(({ tokenOut }) => tokenOut === leg.tokenIn)
}

function paidBy(pool: Pool, { tokenIn, tokenOut, amountIn }: Hop): bigint {
  return orRefused(() => familyOf(pool.family)!.quoteExactInput(pool, tokenIn, tokenOut, amountIn))?.amountOut ?? 0n
}

/** The pool before as the trades that lie between would have left it, all taken together; itself where nothing was traded. */
function traded(before: Pool, after: Pool, { tokenIn, tokenOut }: Hop): Pool {
  const family = familyOf(before.family)!
  const [was, is] = [family.reserves(before), family.reserves(after)]
  const gained = (token: Address) => {
    const at = before.tokens.indexOf(token)
    return (is[at] ?? 0n) - (was[at] ?? 0n)
  }
  const [of, to] = [gained(tokenIn), gained(tokenOut)]
  const trade = (sold: Address, bought: Address, amount: bigint) =>
    orRefused(() => family.quoteExactInput(before, sold, bought, amount))
  // Both less is liquidity that went. Both more is liquidity that came, or the fees of trades there and back: the price may
  // have moved as far as what came in of the one would move it.
  const swap = of > 0n ? trade(tokenIn, tokenOut, of) : to > 0n && of < 0n ? trade(tokenOut, tokenIn, to) : null
  return swap ? { ...before, state: swap.state } : before
}
