/**
 * Finds the pools that make a route fail. Simulates each leg alone. If each leg works alone, simulates pairs of legs
 * that trade the same tokens in different pools at the same address. Called by `poolsToExclude` after a route has
 * failed in simulation.
 */
import { type Address, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { familyOf, nullIfRefused } from '@sluice/liquidity'
import { encodeSwap, type Leg, type RoutePlan } from '@sluice/routing'
import type { CallOutcome } from '@sluice/simulation'
import { defaultDeadline } from '../deadline.ts'
import { probeAmount } from '../gas/probe-amount.ts'
import { NEUTRAL_SENDER } from '../neutral-sender.ts'
import type { FailedLeg } from './faulty-pools.ts'
import { baseEncodeTerms, type TrialContext } from './try-route.ts'

/** Maximum legs of a route that are simulated, with one call per leg. Routes with more legs are rare. */
const MAX_LEGS = 32
/**
 * Parts of a leg's input, in 32nds, that are simulated in the same call as the leg. A token or a pool may limit the
 * size of a transfer, so that a smaller input works.
 */
const PART_NUMERATORS = [28n, 24n, 16n, 8n, 2n] as const
const PART_DENOMINATOR = 32n
/**
 * Maximum calls that narrow down the largest input that works. After these, the interval that contains this input is at
 * most 2 % of the leg's input.
 */
const MAX_REFINEMENTS = 3
/** Maximum pairs of legs that are simulated together, one call each. */
const MAX_PAIRS = 8
/** Maximum shortfall of a leg's simulated output against the output in the route plan, in parts per thousand. */
const MAX_SHORTFALL_PER_MILLE = 5n

/**
 * Minimum output, in base units, at which the shortfall of a leg with a smaller input is checked. Below it, rounding
 * may exceed the limit. A leg with its full input is always checked: the route has failed, so a wrong result only
 * restricts one more pool.
 */
const MIN_MEASURABLE_OUT = 1_000n

export type FaultyLegs = {
  /**
   * Ids of the pools whose leg, run alone, fails or pays more than 0.5 % less than planned. Empty if every leg fails,
   * because the cause is then the node or a token. If every leg works alone: ids of the pools whose leg fails after
   * another leg with the same tokens through the same address.
   */
  readonly faultyPoolIds: readonly string[]
  /** Legs that fail alone, with the smallest input that is known to fail and the largest that is known to work. */
  readonly failedLegs: readonly FailedLeg[]
  /** Legs that work alone. */
  readonly workingLegs: readonly Leg[]
  /**
   * True if some leg works with its input or a smaller input. The failure is then due to single pools or tokens, and
   * not to the node.
   */
  readonly someInputWorks: boolean
}

/** Result of simulating one leg with its input and with smaller inputs; undefined values were not simulated. */
type LegRun = {
  readonly worksAtFullSize: boolean | undefined
  readonly worksAtSmallSize: boolean | undefined
  /** Largest of the smaller inputs that works, in base units; 0n if none does. */
  readonly maxWorkingInput: bigint
}

/**
 * Runs each leg alone, sent by `NEUTRAL_SENDER`, an address without a history. Then narrows down the input from which
 * each failing leg fails. If all legs work, runs pairs of legs at the same address.
 */
export async function findFaultyLegs({ legs }: RoutePlan, context: Omit<TrialContext, 'taxes'>): Promise<FaultyLegs> {
  const legsToRun = legs.slice(0, MAX_LEGS)
  const runs = await Promise.all(legsToRun.map((leg) => runAlone(leg, context)))
  const failingLegs = legsToRun.filter((_, k) => runs[k]!.worksAtFullSize === false)
  const areAllWorking = runs.every(({ worksAtFullSize }) => worksAtFullSize)
  const faultyLegs = areAllWorking ? await legsThatFailAfterOthers(legsToRun, context) : failingLegs
  const failedLegs = await Promise.all(
    legsToRun.map(async (leg, k) =>
      runs[k]!.worksAtFullSize === false ? [{ ...leg, ...(await findInputBounds(leg, runs[k]!, context)) }] : [],
    ),
  )
  return {
    faultyPoolIds: faultyLegs.length < legsToRun.length ? [...new Set(faultyLegs.map(({ pool }) => pool.id))] : [],
    failedLegs: failedLegs.flat(),
    workingLegs: legsToRun.filter((_, k) => runs[k]!.worksAtFullSize),
    someInputWorks: runs.some(({ worksAtFullSize, maxWorkingInput }) => worksAtFullSize || maxWorkingInput > 0n),
  }
}

/** Returns true if a route works for `NEUTRAL_SENDER`; undefined if the simulation itself fails. */
export async function worksForNeutralSender(
  route: RoutePlan,
  context: Omit<TrialContext, 'taxes'>,
): Promise<boolean | undefined> {
  const poolAddresses = new Set(route.legs.map(({ pool }) => pool.address))
  return (await runRoute(route, { partLegs: [] }, poolAddresses, context)).worksAtFullSize
}

/** Simulates a leg alone, and with smaller inputs in the same call. */
function runAlone(leg: Leg, context: Omit<TrialContext, 'taxes'>): Promise<LegRun> {
  return runRoute(singleLegRoute(leg), smallerLegsOf(leg), new Set([leg.pool.address]), context)
}

/** Finds the smallest input at which a leg fails and the largest at which it works, within a few percent. */
async function findInputBounds(
  leg: Leg,
  run: LegRun,
  context: Omit<TrialContext, 'taxes'>,
): Promise<Pick<FailedLeg, 'minFailingInput' | 'maxWorkingInput'>> {
  let { maxWorkingInput } = run
  if (maxWorkingInput === 0n)
    return { minFailingInput: run.worksAtSmallSize === false ? 0n : leg.amountIn, maxWorkingInput }
  let minFailingInput = leg.amountIn
  for (let refinements = 0; refinements < MAX_REFINEMENTS; refinements++) {
    const width = minFailingInput - maxWorkingInput
    const amounts = PART_NUMERATORS.map((numerator) => maxWorkingInput + (width * numerator) / PART_DENOMINATOR)
    const [largestPart, ...smallerParts] = amounts.map((amount) => withInput(leg, amount)).filter((leg) => leg !== null)
    if (!largestPart) break
    const { worksAtFullSize, maxWorkingInput: maxWorkingPart } = await runRoute(
      singleLegRoute(largestPart),
      { partLegs: smallerParts },
      new Set([leg.pool.address]),
      context,
    )
    if (worksAtFullSize === undefined) break
    if (worksAtFullSize) maxWorkingInput = largestPart.amountIn
    else {
      if (maxWorkingPart > maxWorkingInput) maxWorkingInput = maxWorkingPart
      for (const { amountIn } of [largestPart, ...smallerParts])
        if (amountIn > maxWorkingInput && amountIn < minFailingInput) minFailingInput = amountIn
    }
  }
  return { minFailingInput, maxWorkingInput }
}

/**
 * Simulates a route, and the smaller legs in the same call, each from the same state.
 *
 * @param poolAddresses - addresses of the route's pools; the simulation must not take the sender's input tokens from
 *   these
 */
async function runRoute(
  route: RoutePlan,
  { smallLeg, partLegs }: SmallerLegs,
  poolAddresses: ReadonlySet<Address>,
  context: Omit<TrialContext, 'taxes'>,
): Promise<LegRun> {
  const { contracts, view, simulate, clock, signal } = context
  const { tokenIn, tokenOut, amountIn, amountOut } = route
  const smallerLegList = smallLeg ? [...partLegs, smallLeg] : partLegs
  const { block } = view.snapshot
  try {
    const deadline = BigInt(defaultDeadline(block.timestamp, clock()))
    const terms = {
      ...baseEncodeTerms({ from: NEUTRAL_SENDER, feePpm: 0n }, context),
      deadline,
      minOutput: 1n,
      direct: false,
    }
    const encode = (legRoute: RoutePlan) => encodeSwap({ ...terms, route: legRoute, families: contracts.families })
    const { to, data } = encode(route)
    const result = await simulate(
      {
        ...{ from: NEUTRAL_SENDER, to, data, tokenIn, tokenOut, amountIn, signal },
        // Also runs the call without code at the sender, because some tokens and pools treat accounts with code
        // differently.
        bareRunMode: 'measured',
        ...(smallerLegList.length > 0 && {
          alternatives: smallerLegList.map((leg) => encode(singleLegRoute(leg)).data),
        }),
        block: { blockHash: block.hash },
        knownState: { header: block, senderCode: '0x' },
      },
      poolAddresses,
    )
    const outcomes = result.alternatives ?? []
    const works = (leg: Leg, outcome: CallOutcome) =>
      paysPlannedOutput(outcome, leg.amountOut < MIN_MEASURABLE_OUT ? 1n : leg.amountOut)
    const workingSmallerLegs = smallerLegList.filter((leg, k) => outcomes[k] && works(leg, outcomes[k]))
    return {
      worksAtFullSize: paysPlannedOutput(result, amountOut),
      worksAtSmallSize: smallLeg && outcomes[partLegs.length] && workingSmallerLegs.includes(smallLeg),
      maxWorkingInput: workingSmallerLegs[0]?.amountIn ?? 0n,
    }
  } catch (error) {
    if (signal.aborted) throw error
    return { worksAtFullSize: undefined, worksAtSmallSize: undefined, maxWorkingInput: 0n }
  }
}

/**
 * Runs pairs of legs that trade the same tokens through one address. Of each pair that fails, returns the leg with less
 * output. Different pools at one address may pay from the same assets: for example, an ERC-4626 vault, and a buffer
 * that redeems its shares at this vault.
 */
async function legsThatFailAfterOthers(
  legs: readonly Leg[],
  context: Omit<TrialContext, 'taxes'>,
): Promise<readonly Leg[]> {
  const mayPayFromSameAssets = (a: Leg, b: Leg) =>
    a.pool.address === b.pool.address && a.pool.id !== b.pool.id && a.tokenIn === b.tokenIn && a.tokenOut === b.tokenOut
  const pairs = legs
    .flatMap((leg, k) => legs.slice(k + 1).flatMap((other) => (mayPayFromSameAssets(leg, other) ? [[leg, other]] : [])))
    .map((pair) => pair.sort((a, b) => Number(b.amountOut - a.amountOut)) as [Leg, Leg])
    .slice(0, MAX_PAIRS)
  const pairWorks = await Promise.all(pairs.map((pair) => runTogether(pair, context)))
  return pairs.flatMap(([, smallerLeg], k) => (pairWorks[k] === false ? [smallerLeg] : []))
}

/** Returns true if both legs work in one route, one after the other; undefined if the simulation itself fails. */
async function runTogether([first, second]: readonly [Leg, Leg], context: Omit<TrialContext, 'taxes'>) {
  const amountIn = first.amountIn + second.amountIn
  const amountOut = first.amountOut + second.amountOut
  const jointRoute = singleLegRoute({ ...first, amountIn, amountOut })
  const legs = [
    { ...first, num: first.amountIn, den: amountIn },
    { ...second, num: 1n, den: 1n },
  ]
  const poolAddresses = new Set([first.pool.address, second.pool.address])
  return (await runRoute({ ...jointRoute, legs }, { partLegs: [] }, poolAddresses, context)).worksAtFullSize
}

function paysPlannedOutput({ success, amountOut }: CallOutcome, expectedOut: bigint): boolean {
  return success && amountOut * 1_000n >= expectedOut * (1_000n - MAX_SHORTFALL_PER_MILLE)
}

type SmallerLegs = {
  /** The leg with an amount that hardly moves the pool's price; absent if the leg is already that small. */
  readonly smallLeg?: Leg
  /** The leg with parts of its input, the largest part first. */
  readonly partLegs: readonly Leg[]
}

function smallerLegsOf(leg: Leg): SmallerLegs {
  const smallAmount = probeAmount(leg.pool, leg.tokenIn, leg.tokenOut)
  const smallLeg = smallAmount !== null && smallAmount < leg.amountIn ? withInput(leg, smallAmount) : null
  const amounts = PART_NUMERATORS.map((numerator) => (leg.amountIn * numerator) / PART_DENOMINATOR)
  const partLegs = amounts.filter((amount) => amount > (smallAmount ?? 0n)).map((amount) => withInput(leg, amount))
  return { ...(smallLeg && { smallLeg }), partLegs: partLegs.filter((partLeg) => partLeg !== null) }
}

/** Returns a leg with another input; null if the pool refuses that input. */
function withInput(leg: Leg, amountIn: bigint): Leg | null {
  const { pool, tokenIn, tokenOut } = leg
  return nullIfRefused(() => {
    const { amountOut } = familyOf(pool.family)!.quoteExactInput(pool, tokenIn, tokenOut, amountIn)
    return { ...leg, amountIn, amountOut }
  })
}

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
