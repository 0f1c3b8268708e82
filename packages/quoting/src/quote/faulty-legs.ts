/** Finds the pools that make a route fail, by simulating each of its legs alone, and legs of one account together. */
import { type Address, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
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
/** Maximum pairs of legs that are simulated together, one call each. */
const MAX_PAIRS = 8
/** Parts per thousand by which a leg may pay less than settled. */
const MAX_SHORTFALL_PER_MILLE = 5n

/** Outputs in base units below which rounding may exceed the accepted shortfall. */
const MIN_UNITS = 1_000n

export type FaultyLegs = {
  /**
   * Ids of the pools whose leg, run alone, fails or pays less than settled by more than 0.5 %. Empty if every leg fails,
   * because the cause is then the node or a token. If every leg works alone, ids of the pools that fail behind another
   * leg, because both draw on one account.
   */
  readonly faulty: readonly string[]
  /** Legs that fail alone, with the minimum amount that is known to fail. */
  readonly failed: readonly FailedLeg[]
  /** Legs that work alone. */
  readonly working: readonly Leg[]
  /** True if another leg works, so that neither the node nor all tokens are the cause. */
  readonly isConfirmed: boolean
}

type LegRun = { readonly worksFull: boolean | undefined; readonly worksSmall: boolean | undefined }

/** Runs each leg alone, for a sender without history. */
export async function faultyLegs({ legs }: RoutePlan, context: Omit<TrialContext, 'taxes'>): Promise<FaultyLegs> {
  const legsToRun = legs.slice(0, MAX_LEGS)
  const runs = await Promise.all(legsToRun.map((leg) => runAlone(leg, context)))
  const failing = legsToRun.filter((_, k) => runs[k]!.worksFull === false)
  const areAllWorking = runs.every(({ worksFull }) => worksFull)
  const faulty = areAllWorking ? await legsThatFailBehindOthers(legsToRun, context) : failing
  return {
    faulty: faulty.length < legsToRun.length ? [...new Set(faulty.map(({ pool }) => pool.id))] : [],
    failed: legsToRun.flatMap((leg, k) => {
      const { worksFull: works, worksSmall } = runs[k]!
      return works === false ? [{ ...leg, minFailing: worksSmall === false ? 0n : leg.amountIn }] : []
    }),
    working: legsToRun.filter((_, k) => runs[k]!.worksFull),
    isConfirmed: runs.some(({ worksFull: works }) => works),
  }
}

/** Simulates a leg alone, and with a small amount in the same call. Undefined if the simulation itself fails. */
function runAlone(leg: Leg, context: Omit<TrialContext, 'taxes'>): Promise<LegRun> {
  return runRoute(singleLegRoute(leg), smallLeg(leg), new Set([leg.pool.address]), context)
}

async function runRoute(
  route: RoutePlan,
  small: Leg | undefined,
  pools: ReadonlySet<Address>,
  context: Omit<TrialContext, 'taxes'>,
): Promise<LegRun> {
  const { contracts, view, simulate, clock, signal } = context
  const { tokenIn, tokenOut, amountIn, amountOut } = route
  const { block } = view.snapshot
  try {
    const deadline = BigInt(defaultDeadline(block.timestamp, clock()))
    const terms = { ...termsOf({ from: NEUTRAL_SENDER, feePpm: 0n }, context), deadline, minOutput: 1n, direct: false }
    const encode = (legRoute: RoutePlan) => encodeSwap({ ...terms, route: legRoute, families: contracts.families })
    const { to, data } = encode(route)
    const result = await simulate(
      {
        ...{ from: NEUTRAL_SENDER, to, data, tokenIn, tokenOut, amountIn, asSent: 'measured', signal },
        ...(small && { alternatives: [encode(singleLegRoute(small)).data] }),
        block: { blockHash: block.hash },
        knownState: { header: block, senderCode: '0x' },
      },
      pools,
    )
    const [smallResult] = result.alternatives ?? []
    return {
      worksFull: pays(result, amountOut),
      worksSmall: small && smallResult && pays(smallResult, small.amountOut < MIN_UNITS ? 1n : small.amountOut),
    }
  } catch (error) {
    if (signal.aborted) throw error
    return { worksFull: undefined, worksSmall: undefined }
  }
}

/**
 * Returns the smaller leg of each pair that fails together: different pools of one account, such as a vault of shares and
 * a buffer that redeems at this vault, may each pay out of the same assets.
 */
async function legsThatFailBehindOthers(
  legs: readonly Leg[],
  context: Omit<TrialContext, 'taxes'>,
): Promise<readonly Leg[]> {
  const areOfOneAccount = (a: Leg, b: Leg) =>
    a.pool.address === b.pool.address && a.pool.id !== b.pool.id && a.tokenIn === b.tokenIn && a.tokenOut === b.tokenOut
  const pairs = legs
    .flatMap((leg, k) => legs.slice(k + 1).flatMap((other) => (areOfOneAccount(leg, other) ? [[leg, other]] : [])))
    .map((pair) => pair.sort((a, b) => Number(b.amountOut - a.amountOut)) as [Leg, Leg])
    .slice(0, MAX_PAIRS)
  const works = await Promise.all(pairs.map((pair) => runTogether(pair, context)))
  return pairs.flatMap(([, smaller], k) => (works[k] === false ? [smaller] : []))
}

/** Returns true if both legs work in one route. Undefined if the simulation itself fails. */
async function runTogether([first, second]: readonly [Leg, Leg], context: Omit<TrialContext, 'taxes'>) {
  const amountIn = first.amountIn + second.amountIn
  const amountOut = first.amountOut + second.amountOut
  const fullRoute = singleLegRoute({ ...first, amountIn, amountOut })
  const legs = [
    { ...first, num: first.amountIn, den: amountIn },
    { ...second, num: 1n, den: 1n },
  ]
  const pools = new Set([first.pool.address, second.pool.address])
  return (await runRoute({ ...fullRoute, legs }, undefined, pools, context)).worksFull
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
