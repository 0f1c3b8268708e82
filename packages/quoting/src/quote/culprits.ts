/** Pools that are why a route fails, by trying each of its legs alone. */
import { NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { encodeSwap, type Leg, type Route } from '@sluice/routing'
import { defaultDeadline } from '../deadline.ts'
import { NEUTRAL_SENDER } from './neutral-sender.ts'
import { type TrialContext, termsOf } from './try-route.ts'

/** Legs of a route that are tried, each a call to the node: the first ones, and routes seldom have more. */
const MOST_LEGS = 32
/** Parts per thousand of what a leg settled at that it may pay less. */
const SHORT_PER_MILLE = 5n

/**
 * Ids of pools whose leg fails, or pays far less than it settled at, when it is all there is; none where every leg does, which tells
 * of the node or of a token and not of pools.
 */
export async function culprits({ legs }: Route, context: Omit<TrialContext, 'taxes'>): Promise<readonly string[]> {
  const tried = legs.slice(0, MOST_LEGS)
  if (tried.length < 2) return []
  const works = await Promise.all(tried.map((leg) => worksAlone(leg, context)))
  const guilty = tried.filter((_, k) => works[k] === false)
  return guilty.length < tried.length ? [...new Set(guilty.map(({ pool }) => pool.id))] : []
}

/** Undefined where it cannot be told. */
async function worksAlone(leg: Leg, context: Omit<TrialContext, 'taxes'>): Promise<boolean | undefined> {
  const { contracts, view, simulate, clock, signal } = context
  const route = alone(leg)
  const { tokenIn, tokenOut, amountIn } = route
  const { block } = view.snapshot
  try {
    const deadline = BigInt(defaultDeadline(block.timestamp, clock()))
    const terms = { ...termsOf({ from: NEUTRAL_SENDER, feePpm: 0n }, context), deadline, minOutput: 1n, direct: false }
    const { to, data } = encodeSwap({ ...terms, route, families: contracts.families })
    const { success, amountOut } = await simulate(
      {
        ...{ from: NEUTRAL_SENDER, to, data, tokenIn, tokenOut, amountIn, asSent: true, signal },
        block: { blockHash: block.hash },
        known: { header: block, senderCode: '0x' },
      },
      new Set([leg.pool.address]),
    )
    return success && amountOut * 1_000n >= leg.amountOut * (1_000n - SHORT_PER_MILLE)
  } catch (error) {
    if (signal.aborted) throw error
    return undefined
  }
}

/** A leg as a route of its own. */
export function alone(leg: Leg): Route {
  const outside = (token: Leg['tokenIn']) => (token === ZERO_ADDRESS ? NATIVE : token)
  return {
    tokenIn: outside(leg.tokenIn),
    tokenOut: outside(leg.tokenOut),
    amountIn: leg.amountIn,
    amountOut: leg.amountOut,
    legs: [{ ...leg, num: 1n, den: 1n }],
    gas: leg.gas,
    gasCostOut: null,
    midAmountOut: null,
    optimalityGapBps: null,
    optimalityGapNetBps: null,
  }
}
