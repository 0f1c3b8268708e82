/** Finds the pools that make a route fail, by simulating each of its legs alone. */
import { NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { encodeSwap, type Leg, type Route } from '@sluice/routing'
import { defaultDeadline } from '../deadline.ts'
import { NEUTRAL_SENDER } from './neutral-sender.ts'
import { type TrialContext, termsOf } from './try-route.ts'

/** Maximum legs that are simulated, one call each; longer routes are rare. */
const MAX_LEGS = 32
/** Parts per thousand by which a leg may pay less than settled. */
const MAX_SHORTFALL_PER_MILLE = 5n

/**
 * Returns the ids of the pools whose leg, run alone, fails or pays less than settled by more than 0.5 %. Empty if every
 * leg fails, because the cause is then the node or a token.
 */
export async function faultyPools({ legs }: Route, context: Omit<TrialContext, 'taxes'>): Promise<readonly string[]> {
  const legsToRun = legs.slice(0, MAX_LEGS)
  if (legsToRun.length < 2) return []
  const works = await Promise.all(legsToRun.map((leg) => worksAlone(leg, context)))
  const faulty = legsToRun.filter((_, k) => works[k] === false)
  return faulty.length < legsToRun.length ? [...new Set(faulty.map(({ pool }) => pool.id))] : []
}

/** Undefined if the simulation itself fails. */
async function worksAlone(leg: Leg, context: Omit<TrialContext, 'taxes'>): Promise<boolean | undefined> {
  const { contracts, view, simulate, clock, signal } = context
  const route = singleLegRoute(leg)
  const { tokenIn, tokenOut, amountIn } = route
  const { block } = view.snapshot
  try {
    const deadline = BigInt(defaultDeadline(block.timestamp, clock()))
    const terms = { ...termsOf({ from: NEUTRAL_SENDER, feePpm: 0n }, context), deadline, minOutput: 1n, direct: false }
    const { to, data } = encodeSwap({ ...terms, route, families: contracts.families })
    const { success, amountOut } = await simulate(
      {
        ...{ from: NEUTRAL_SENDER, to, data, tokenIn, tokenOut, amountIn, asSent: 'measured', signal },
        block: { blockHash: block.hash },
        known: { header: block, senderCode: '0x' },
      },
      new Set([leg.pool.address]),
    )
    return success && amountOut * 1_000n >= leg.amountOut * (1_000n - MAX_SHORTFALL_PER_MILLE)
  } catch (error) {
    if (signal.aborted) throw error
    return undefined
  }
}

/** Builds a route of a single leg. */
export function singleLegRoute(leg: Leg): Route {
  const toRouteToken = (token: Leg['tokenIn']) => (token === ZERO_ADDRESS ? NATIVE : token)
  return {
    tokenIn: toRouteToken(leg.tokenIn),
    tokenOut: toRouteToken(leg.tokenOut),
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
