/** Finds the pools that make a route fail, by simulating each of its legs alone, and legs of one account together. */
import { type Address, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { familyOf, nullIfRefused } from '@sluice/liquidity'
import { encodeSwap, type Leg, type RoutePlan } from '@sluice/routing'
import type { CallOutcome } from '@sluice/simulation'
import { defaultDeadline } from '../deadline.ts'
import { probeAmount } from '../gas/probe-amount.ts'
import type { FailedLeg } from './faulty-pools.ts'
import { NEUTRAL_SENDER } from './neutral-sender.ts'
import { type TrialContext, termsOf } from './try-route.ts'

/** Maximum legs that are simulated, one call each; longer routes are rare. */
const MAX_LEGS = 32
/** Parts of a failing leg's input that are simulated in the same call: a token or a pool may limit the size of a transfer. */
const PARTS = [28n, 24n, 16n, 8n, 2n] as const
const PARTS_OF_WHOLE = 32n
/** Calls that narrow the size at which a leg begins to work: the last interval is at most 2 % of the leg. */
const REFINEMENTS = 3
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
  /** Legs that fail alone, with the minimum amount that is known to fail, and the maximum that is known to work. */
  readonly failed: readonly FailedLeg[]
  /** Legs that work alone. */
  readonly working: readonly Leg[]
  /** True if another leg or a smaller input works, so that neither the node nor all tokens are the cause. */
  readonly isConfirmed: boolean
}

type LegRun = {
  readonly worksFull: boolean | undefined
  readonly worksSmall: boolean | undefined
  /** Largest of the smaller inputs that works, in base units; 0n if none does. */
  readonly maxWorking: bigint
}

/** Runs each leg alone, for a sender without history. */
export async function faultyLegs({ legs }: RoutePlan, context: Omit<TrialContext, 'taxes'>): Promise<FaultyLegs> {
  const legsToRun = legs.slice(0, MAX_LEGS)
  const runs = await Promise.all(legsToRun.map((leg) => runAlone(leg, context)))
  const failing = legsToRun.filter((_, k) => runs[k]!.worksFull === false)
  const areAllWorking = runs.every(({ worksFull }) => worksFull)
  const faulty = areAllWorking ? await legsThatFailBehindOthers(legsToRun, context) : failing
  const failed = legsToRun.map(async (leg, k) =>
    runs[k]!.worksFull === false ? [{ ...leg, ...(await sizesOf(leg, runs[k]!, context)) }] : [],
  )
  return {
    faulty: faulty.length < legsToRun.length ? [...new Set(faulty.map(({ pool }) => pool.id))] : [],
    failed: (await Promise.all(failed)).flat(),
    working: legsToRun.filter((_, k) => runs[k]!.worksFull),
    isConfirmed: runs.some(({ worksFull, maxWorking }) => worksFull || maxWorking > 0n),
  }
}

/** Simulates a leg alone, and with smaller inputs in the same call. Undefined if the simulation itself fails. */
function runAlone(leg: Leg, context: Omit<TrialContext, 'taxes'>): Promise<LegRun> {
  return runRoute(singleLegRoute(leg), smallerLegs(leg), new Set([leg.pool.address]), context)
}

/** Finds the size at which a failing leg begins to work, within a few percent. */
async function sizesOf(
  leg: Leg,
  run: LegRun,
  context: Omit<TrialContext, 'taxes'>,
): Promise<Pick<FailedLeg, 'minFailing' | 'maxWorking'>> {
  let { maxWorking } = run
  if (maxWorking === 0n) return { minFailing: run.worksSmall === false ? 0n : leg.amountIn, maxWorking }
  let minFailing = leg.amountIn
  for (let refinements = 0; refinements < REFINEMENTS; refinements++) {
    const width = minFailing - maxWorking
    const amounts = PARTS.map((part) => maxWorking + (width * part) / PARTS_OF_WHOLE)
    const [largest, ...parts] = amounts.map((amount) => withInput(leg, amount)).filter((each) => each !== null)
    if (!largest) break
    const pools = new Set([leg.pool.address])
    const { worksFull, maxWorking: ofParts } = await runRoute(singleLegRoute(largest), { parts }, pools, context)
    if (worksFull === undefined) break
    if (worksFull) maxWorking = largest.amountIn
    else {
      if (ofParts > maxWorking) maxWorking = ofParts
      for (const { amountIn } of [largest, ...parts])
        if (amountIn > maxWorking && amountIn < minFailing) minFailing = amountIn
    }
  }
  return { minFailing, maxWorking }
}

async function runRoute(
  route: RoutePlan,
  { small, parts }: SmallerLegs,
  pools: ReadonlySet<Address>,
  context: Omit<TrialContext, 'taxes'>,
): Promise<LegRun> {
  const { contracts, view, simulate, clock, signal } = context
  const { tokenIn, tokenOut, amountIn, amountOut } = route
  const smaller = small ? [...parts, small] : parts
  const { block } = view.snapshot
  try {
    const deadline = BigInt(defaultDeadline(block.timestamp, clock()))
    const terms = { ...termsOf({ from: NEUTRAL_SENDER, feePpm: 0n }, context), deadline, minOutput: 1n, direct: false }
    const encode = (legRoute: RoutePlan) => encodeSwap({ ...terms, route: legRoute, families: contracts.families })
    const { to, data } = encode(route)
    const result = await simulate(
      {
        ...{ from: NEUTRAL_SENDER, to, data, tokenIn, tokenOut, amountIn, asSent: 'measured', signal },
        ...(smaller.length > 0 && { alternatives: smaller.map((leg) => encode(singleLegRoute(leg)).data) }),
        block: { blockHash: block.hash },
        knownState: { header: block, senderCode: '0x' },
      },
      pools,
    )
    const outcomes = result.alternatives ?? []
    const works = (leg: Leg, outcome: CallOutcome) => pays(outcome, leg.amountOut < MIN_UNITS ? 1n : leg.amountOut)
    const working = smaller.filter((leg, k) => outcomes[k] && works(leg, outcomes[k]))
    return {
      worksFull: pays(result, amountOut),
      worksSmall: small && outcomes[parts.length] && working.includes(small),
      maxWorking: working[0]?.amountIn ?? 0n,
    }
  } catch (error) {
    if (signal.aborted) throw error
    return { worksFull: undefined, worksSmall: undefined, maxWorking: 0n }
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
  return (await runRoute({ ...fullRoute, legs }, { parts: [] }, pools, context)).worksFull
}

function pays({ success, amountOut }: CallOutcome, expected: bigint): boolean {
  return success && amountOut * 1_000n >= expected * (1_000n - MAX_SHORTFALL_PER_MILLE)
}

type SmallerLegs = {
  /** The leg with an amount that hardly moves the pool's price; absent if the leg is already that small. */
  readonly small?: Leg
  /** The leg with parts of its input, the largest first. */
  readonly parts: readonly Leg[]
}

function smallerLegs(leg: Leg): SmallerLegs {
  const probe = probeAmount(leg.pool, leg.tokenIn, leg.tokenOut)
  const small = probe !== null && probe < leg.amountIn ? withInput(leg, probe) : null
  const amounts = PARTS.map((part) => (leg.amountIn * part) / PARTS_OF_WHOLE)
  const parts = amounts.filter((amount) => amount > (probe ?? 0n)).map((amount) => withInput(leg, amount))
  return { ...(small && { small }), parts: parts.filter((part) => part !== null) }
}

/** Returns a leg with another input; null if the pool refuses it. */
function withInput(leg: Leg, amountIn: bigint): Leg | null {
  const { pool, tokenIn, tokenOut } = leg
  return nullIfRefused(() => {
    const { amountOut } = familyOf(pool.family)!.quoteExactInput(pool, tokenIn, tokenOut, amountIn)
    return { ...leg, amountIn, amountOut }
  })
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
