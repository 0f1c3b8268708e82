/** Finds the pools that make a route fail, by simulating each of its legs alone. */
import { NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { familyOf } from '@sluice/liquidity'
import { encodeSwap, type Leg, type RoutePlan } from '@sluice/routing'
import type { CallOutcome } from '@sluice/simulation'
import { defaultDeadline } from '../deadline.ts'
import { probeAmount } from '../gas/probe-amount.ts'
import type { FailedLeg } from './faulty-pools.ts'
import { NEUTRAL_SENDER } from './neutral-sender.ts'
import { type TrialContext, termsOf } from './try-route.ts'

/** Maximum legs that are simulated, one call each; longer routes are rare. */
const MAX_LEGS = 32
/** Parts per thousand by which a leg may pay less than settled. */
const MAX_SHORTFALL_PER_MILLE = 5n

/** Outputs in base units below which rounding may exceed the accepted shortfall. */
const MIN_UNITS = 1_000n

export type FaultyLegs = {
  /**
   * Ids of the pools whose leg, run alone, fails or pays less than settled by more than 0.5 %. Empty if every leg fails,
   * because the cause is then the node or a token.
   */
  readonly faulty: readonly string[]
  /** Legs that fail alone, with the minimum amount that is known to fail. */
  readonly failed: readonly FailedLeg[]
  /** True if another leg works, so that neither the node nor all tokens are the cause. */
  readonly isConfirmed: boolean
}

type LegRun = { readonly worksFull: boolean | undefined; readonly worksSmall: boolean | undefined }

/** Runs each leg alone, for a sender without history. */
export async function faultyLegs({ legs }: RoutePlan, context: Omit<TrialContext, 'taxes'>): Promise<FaultyLegs> {
  const legsToRun = legs.slice(0, MAX_LEGS)
  const runs = await Promise.all(legsToRun.map((leg) => runAlone(leg, context)))
  const faulty = legsToRun.filter((_, k) => runs[k]!.worksFull === false)
  return {
    faulty: faulty.length < legsToRun.length ? [...new Set(faulty.map(({ pool }) => pool.id))] : [],
    failed: legsToRun.flatMap((leg, k) => {
      const { worksFull: works, worksSmall } = runs[k]!
      return works === false ? [{ ...leg, minFailing: worksSmall === false ? 0n : leg.amountIn }] : []
    }),
    isConfirmed: runs.some(({ worksFull: works }) => works),
  }
}

/** Simulates a leg alone, and with a small amount in the same call. Undefined if the simulation itself fails. */
async function runAlone(leg: Leg, context: Omit<TrialContext, 'taxes'>): Promise<LegRun> {
  const { contracts, view, simulate, clock, signal } = context
  const route = singleLegRoute(leg)
  const { tokenIn, tokenOut, amountIn } = route
  const { block } = view.snapshot
  try {
    const deadline = BigInt(defaultDeadline(block.timestamp, clock()))
    const terms = { ...termsOf({ from: NEUTRAL_SENDER, feePpm: 0n }, context), deadline, minOutput: 1n, direct: false }
    const encode = (of: RoutePlan) => encodeSwap({ ...terms, route: of, families: contracts.families })
    const { to, data } = encode(route)
    const small = smallLeg(leg)
    const result = await simulate(
      {
        ...{ from: NEUTRAL_SENDER, to, data, tokenIn, tokenOut, amountIn, asSent: 'measured', signal },
        ...(small && { alternatives: [encode(singleLegRoute(small)).data] }),
        block: { blockHash: block.hash },
        knownState: { header: block, senderCode: '0x' },
      },
      new Set([leg.pool.address]),
    )
    const [smallResult] = result.alternatives ?? []
    return {
      worksFull: pays(result, leg.amountOut),
      worksSmall: small && smallResult && pays(smallResult, small.amountOut < MIN_UNITS ? 1n : small.amountOut),
    }
  } catch (error) {
    if (signal.aborted) throw error
    return { worksFull: undefined, worksSmall: undefined }
  }
}

function pays({ success, amountOut }: CallOutcome, expected: bigint): boolean {
  return success && amountOut * 1_000n >= expected * (1_000n - MAX_SHORTFALL_PER_MILLE)
}

/** Returns the leg with an amount that hardly moves the pool's price; undefined if the leg is already that small. */
function smallLeg(leg: Leg): Leg | undefined {
  const { pool, tokenIn, tokenOut } = leg
  const amountIn = probeAmount(pool, tokenIn, tokenOut)
  if (amountIn === null || amountIn >= leg.amountIn) return undefined
  const quote = familyOf(pool.family)!.quoteExactInput(pool, tokenIn, tokenOut, amountIn)
  return { ...leg, amountIn, amountOut: quote.amountOut }
}

/** Builds a route of a single leg. */
export function singleLegRoute(leg: Leg): RoutePlan {
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
