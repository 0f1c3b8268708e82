import { IGuard__factory } from '@sluice/bindings'
import type { Address, Hex } from '@sluice/chains'
import { type EncodedSwap, encodeSwap, type Route, type SwapRequest } from '@sluice/routing'
import type { Rpc } from '@sluice/rpc'
import {
  blockAt,
  type SimulationContext,
  SimulationError,
  type SimulationRequest,
  type SimulationResult,
  type SwapOutcome,
} from '@sluice/simulation'
import type { SwapContracts } from '../chain/contracts.ts'
import { type Clock, defaultDeadline } from '../deadline.ts'
import type { LaterGas } from '../gas/later-gas.ts'
import { larger } from '../gas/transaction-gas.ts'
import { asOwned } from '../permit/permit.ts'
import type { WalletChecks } from '../simulation/wallet-checks.ts'
import type { TaxRecords } from '../tokens/taxes.ts'
import type { ChainView } from '../view/view.ts'
import { leftOf, minOutputOf, shortfallPpm } from './amounts.ts'
import { mostAfterGas } from './most-after-gas.ts'
import type { Simulate } from './ports.ts'
import type { DecidedRequest } from './request.ts'
import { paysDirectly, releaseTaxPpm, targetOf } from './search-amount.ts'

/** 0.5 %: what a route may pay less than settled before its pool or token counts as not understood. */
const MAX_SHORTFALL_PPM = 5_000n

const guardInterface = IGuard__factory.createInterface()

/** All of a transaction but its route, and the families that every service knows. */
export type SwapTerms = Omit<SwapRequest, 'route' | 'families'>

/** A transaction that was seen to work. */
export type WorkingTrial = {
  /** The one of the routes tried that leaves most after the gas that was measured. */
  readonly route: Route
  /** `exact` where the simulation paid what the route settled at, or more. */
  readonly outcome: 'exact' | 'adjusted'
  readonly swap: EncodedSwap
  /** Terms that the route was encoded with. */
  readonly terms: SwapTerms
  /**
   * Amount that the sender is promised, base units: what it received, or what the route settled at where that is less. More than
   * the pools' state explains, such as a balance that somebody left in a pair, may be taken away before the transaction is mined.
   */
  readonly amountOut: bigint
  readonly minOutput: bigint
  readonly simulation: SimulationResult
  /** Gas that it takes more when it is mined at its deadline. */
  readonly laterGas: number
  /** Missing from the settled output in the first simulation; negative where it paid more. */
  readonly shortfallPpm: bigint
}

/** Outcome of simulating a route. */
export type Trial =
  | WorkingTrial
  /** Pays too little for a reason not known yet. */
  | {
      readonly outcome: 'shortfall'
      readonly shortfallPpm: bigint
      /** Paid and settled amounts, where that is nearly all: of an output that is wanted, it takes as much more. */
      readonly paid?: readonly [bigint, bigint]
    }
  /** With the gas that was gone by then, where that is known: a transaction that runs out of it says nothing else. */
  | { readonly outcome: 'reverted'; readonly reason: string; readonly gasUsed?: number }

export type TrialContext = {
  readonly contracts: SwapContracts
  readonly wrappedNative: Address | null
  readonly taxes: Pick<TaxRecords, 'transferPpm' | 'isStuck'>
  readonly simulate: Simulate
  readonly clock: Clock
  readonly laterGas: LaterGas
  readonly walletChecks: WalletChecks
  readonly rpc: Rpc
  readonly simulation: Pick<SimulationContext, 'blockIntervalMs'>
  readonly view: ChainView
  readonly signal: AbortSignal
}

/**
 * Encodes a route and runs the very bytes in the block after that of the view. When they pay less than settled, the bytes are
 * encoded again with a `minOutput` from the measured output, and run again.
 *
 * @param rivals - routes that are run in the same call, each from the same state: the one that leaves most after its gas is
 *   taken where all is as settled
 * @param maxShortfallPpm - what may be missing of the settled output
 */
export async function tryRoute(
  route: Route,
  rivals: readonly Route[],
  request: DecidedRequest,
  context: TrialContext,
  maxShortfallPpm = MAX_SHORTFALL_PPM,
): Promise<Trial> {
  try {
    return await runRoute(route, rivals, request, context, maxShortfallPpm)
  } catch (error) {
    // A token that cannot even be set up for a simulation cannot be promised to anyone.
    if (error instanceof SimulationError) return { outcome: 'reverted', reason: error.message }
    throw error
  }
}

async function runRoute(
  route: Route,
  rivals: readonly Route[],
  request: DecidedRequest,
  context: TrialContext,
  maxShortfallPpm: bigint,
): Promise<Trial> {
  const { wrappedNative, view } = context
  const { block } = view.snapshot
  const senderCode = await view.codeOf(request.from)
  const permit = request.permit && asOwned(request.permit, senderCode)
  if (request.permit && !permit) return { outcome: 'reverted', reason: 'the permit is signed by nobody' }
  const runs = await runsOf(route, rivals, { ...request, permit }, senderCode, context)
  const { encodedAs, run, runLater, isSentToo, deadline } = runs

  const wanted = request.amountOut
  const expectedOf = (of: Route) => leftOf(of.amountOut, request.feePpm, releaseTaxPpm(request, context.taxes))
  const expected = expectedOf(route)
  const settledMinOutput = wanted ?? minOutputOf(expected, request.slippagePpm)
  const others = rivals.map((rival) => encodedAs(rival, minOutputOf(expectedOf(rival), request.slippagePpm)))
  const span = { now: block.timestamp, deadline }
  const dueAt = context.laterGas.dueAt([route, ...rivals], span)
  // A permission ends at the deadline.
  const laterAt = permit && dueAt !== undefined ? deadline : dueAt
  const [first, later] = await Promise.all([
    run(encodedAs(route, settledMinOutput), others),
    laterAt === undefined ? [] : runLater(laterAt),
  ])
  const laterGas = laterGasOf([route, ...rivals], first.simulation, later)
  for (const { of, extra } of laterGas) context.laterGas.observe(of, extra, laterAt!, span)
  const extraOf = (of: Route) => laterGas.find((one) => one.of === of)?.extra ?? 0

  const measured = receivedOf(first.simulation)
  if (measured === undefined) return reverted(first)
  const missing = shortfallPpm(expected, measured)
  // What a token keeps of wallets alone is no doubt of pools: it is measured, promised so, and told.
  const { probed = first.simulation } = first.simulation
  const unexplained = shortfallPpm(expected, larger(measured, receivedOf(probed) ?? 0n))
  if (unexplained > maxShortfallPpm || measured === 0n) return { outcome: 'shortfall', shortfallPpm: unexplained }
  if (first.simulation.success && measured >= expected) {
    const ranked = bestMeasured(first, others, expectedOf, wrappedNative)
    const best = (await isSentToo(ranked.route)) ? await confirmedAsSent(first, ranked, run) : ranked
    const { route: of, terms } = best
    const amountOut = expectedOf(of)
    const shortfall = shortfallPpm(amountOut, best.simulation.amountOut)
    return {
      ...{ outcome: 'exact', ...best, amountOut, minOutput: terms.minOutput },
      ...{ laterGas: extraOf(of), shortfallPpm: shortfall },
    }
  }

  const adjusted = { outcome: 'adjusted', laterGas: extraOf(route), shortfallPpm: missing } as const
  if (wanted !== undefined) {
    if (!first.simulation.success || measured < targetOf(wanted, request))
      return { outcome: 'shortfall', shortfallPpm: missing, paid: [measured, expected] }
    return { ...adjusted, ...first, amountOut: measured, minOutput: wanted }
  }
  const minOutput = minOutputOf(measured, request.slippagePpm)
  const second = await run(encodedAs(route, minOutput))
  if (!second.simulation.success) return reverted(second)
  if (second.simulation.amountOut !== measured) return { outcome: 'shortfall', shortfallPpm: missing }
  return { ...adjusted, ...second, amountOut: measured, minOutput }
}

type Runs = {
  readonly encodedAs: (route: Route, minOutput: bigint) => Encoded
  /** Simulates a transaction in the next block, and others in the same call. */
  readonly run: (encoded: Encoded, others?: readonly Encoded[]) => Promise<Ran>
  /** Simulates all routes at a time in Unix seconds, for their gas: none if the node cannot. */
  readonly runLater: (at: number) => Promise<readonly SwapOutcome[]>
  /** True for a route that is to run without a probe at its sender too. */
  readonly isSentToo: (route: Route) => Promise<boolean>
  /** Unix seconds until which it can be mined. */
  readonly deadline: number
}

async function runsOf(
  route: Route,
  rivals: readonly Route[],
  request: DecidedRequest,
  senderCode: Hex,
  context: TrialContext,
): Promise<Runs> {
  const { contracts, view, signal, simulation, walletChecks } = context
  const { block } = view.snapshot
  const legs = [route, ...rivals].flatMap((of) => of.legs)
  const pools = new Set(legs.map(({ pool }) => pool.address))
  const deadline = request.deadline ?? defaultDeadline(block.timestamp, context.clock())
  const shared = {
    ...termsOf(request, context),
    direct: route.legs.length > 0 && paysDirectly(request, context.taxes),
  }
  const encodedAs = (of: Route, minOutput: bigint, until = deadline): Encoded => {
    const terms = { ...shared, deadline: BigInt(until), minOutput }
    return { route: of, terms, swap: encodeSwap({ route: of, families: contracts.families, ...terms }) }
  }
  const simulated = ({ to, data }: EncodedSwap, others: readonly Encoded[], more: Partial<SimulationRequest>) =>
    context.simulate(
      {
        from: request.from,
        to,
        data,
        ...(others.length > 0 && { others: others.map(({ swap }) => swap.data) }),
        tokenIn: route.tokenIn,
        amountIn: route.amountIn,
        tokenOut: route.tokenOut,
        ...(request.recipient && { recipient: request.recipient }),
        block: { blockHash: block.hash },
        known: { header: block, senderCode },
        ...(request.permit && { allowance: 'kept' as const }),
        signal,
        ...more,
      },
      pools,
    )
  const isSentToo = (of: Route) => walletChecks.isDue(of, context.rpc, { blockHash: block.hash })
  const run = async (encoded: Encoded, others: readonly Encoded[] = []): Promise<Ran> => {
    const asSent = await isSentToo(encoded.route)
    const result = await simulated(encoded.swap, others, { withHead: true, asSent })
    const { sender } = result.ways
    if (sender) walletChecks.observe(encoded.route, sender === 'bare')
    return { ...encoded, simulation: result }
  }
  const runLater = async (at: number) => {
    // Only the gas counts, whatever the output is by then.
    const [own, ...others] = [route, ...rivals].map((of) => encodedAs(of, 1n, at))
    const runsIn = blockAt(block, at, simulation.blockIntervalMs)
    try {
      const result = await simulated(own!.swap, others, { runsIn })
      return result.ranIn ? [result, ...(result.others ?? [])] : []
    } catch (error) {
      if (error instanceof SimulationError) return []
      throw error
    }
  }
  return { encodedAs, run, runLater, isSentToo, deadline }
}

/** Amount that the sender received, or would have received if the Guard had not refused it as too little. */
function receivedOf(outcome: SwapOutcome): bigint | undefined {
  return outcome.success ? outcome.amountOut : tooLittle(outcome)
}

/** The route that ranks first, where it does as it is sent what it did with a probe in the sender's place; otherwise the first one. */
async function confirmedAsSent(first: Ran, ranked: Ran, run: (encoded: Encoded) => Promise<Ran>): Promise<Ran> {
  if (ranked.route === first.route) return first
  const again = await run(ranked)
  return again.simulation.ways.sender === 'bare' ? first : again
}

/** Gas beyond that of the next block, of the routes that were run at both times. */
function laterGasOf(
  routes: readonly Route[],
  { others = [], ...first }: SimulationResult,
  later: readonly SwapOutcome[],
): readonly { readonly of: Route; readonly extra: number }[] {
  const now = [first, ...others]
  return routes.flatMap((of, k) => {
    const [before, after] = [now[k], later[k]]
    return before?.success && after?.success ? [{ of, extra: Math.max(0, after.gasUsed - before.gasUsed) }] : []
  })
}

function reverted({ simulation: { revertReason: reason = 'reverted without a reason', gasUsed } }: Ran): Trial {
  return { outcome: 'reverted', reason, gasUsed }
}

/** Terms that do not depend on the route. */
export function termsOf(
  {
    from,
    recipient,
    feePpm,
    feeRecipient,
    permit,
  }: Pick<DecidedRequest, 'from' | 'feePpm'> & Partial<Pick<DecidedRequest, 'recipient' | 'feeRecipient' | 'permit'>>,
  { contracts, wrappedNative }: Pick<TrialContext, 'contracts' | 'wrappedNative'>,
) {
  const { guard, executor } = contracts
  return {
    guard,
    executor: executor.address,
    wrappedNative,
    from,
    ...(recipient && { recipient }),
    feePpm,
    ...(feeRecipient && { feeRecipient }),
    ...(permit && { permit }),
  }
}

type Encoded = { readonly route: Route; readonly terms: SwapTerms; readonly swap: EncodedSwap }
type Ran = Encoded & { readonly simulation: SimulationResult }

/** The route that leaves most after gas, of those that paid what they settled at or more. */
function bestMeasured(
  { simulation: together, ...first }: Ran,
  others: readonly Encoded[],
  expectedOf: (route: Route) => bigint,
  wrappedNative: Address | null,
): Ran {
  const { others: outcomes = [], ...simulation } = together
  const asSettled = others.flatMap((other, k): Ran[] => {
    const outcome = outcomes[k]
    const isSettled = outcome?.success && outcome.amountOut >= expectedOf(other.route)
    if (!isSettled) return []
    const { chargedGas: _, ...shared } = simulation
    return [{ ...other, simulation: { ...shared, ...outcome } }]
  })
  return mostAfterGas([{ ...first, simulation }, ...asSettled], expectedOf, wrappedNative)
}

/** Amount that the sender would have received, from the Guard's own refusal; undefined for any other bytes, whatever they are. */
export function tooLittle({ returnData }: Pick<SimulationResult, 'returnData'>): bigint | undefined {
  try {
    const { received } = guardInterface.decodeErrorResult('OutputTooLow', returnData)
    return received as bigint
  } catch {
    return undefined
  }
}
