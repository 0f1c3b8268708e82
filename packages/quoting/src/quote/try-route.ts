/** Simulates a route as the transaction that is returned to the caller. */
import { IGuard__factory } from '@sluice/bindings'
import type { Address, Hex } from '@sluice/chains'
import {
  type ContractBalances,
  type EncodedSwap,
  type EncodeRequest,
  encodeSwap,
  type RoutePlan,
} from '@sluice/routing'
import type { Rpc } from '@sluice/rpc'
import {
  blockAt,
  type CallOutcome,
  type SimulationContext,
  SimulationError,
  type SimulationRequest,
  type SwapSimulation,
} from '@sluice/simulation'
import type { ChainContracts } from '../chain/contracts.ts'
import { type Clock, defaultDeadline } from '../deadline.ts'
import type { ContractBalanceReader } from '../gas/contract-balances.ts'
import type { LaterGas } from '../gas/later-gas.ts'
import { larger } from '../gas/transaction-gas.ts'
import { normalizePermit } from '../permit/permit.ts'
import type { WalletChecks } from '../simulation/wallet-checks.ts'
import type { TaxRecords } from '../tokens/taxes.ts'
import type { ChainView } from '../view/view.ts'
import { minOutputOf, netOf, shortfallPpm } from './amounts.ts'
import { bestAfterGas } from './best-after-gas.ts'
import type { Simulate } from './ports.ts'
import type { DecidedRequest } from './request.ts'
import { paysDirectly, releaseTaxPpm, targetOf } from './search-amount.ts'

/**
 * 0.5 %: maximum shortfall against the settled output; a larger one means that a pool or token is not modeled
 * correctly.
 */
const MAX_SHORTFALL_PPM = 5_000n

const guardInterface = IGuard__factory.createInterface()

/** A swap's encoding parameters, without the route and the DEX families. */
export type EncodeTerms = Omit<EncodeRequest, 'route' | 'families'>

/** A transaction that worked in simulation. */
export type WorkingTrial = {
  /** The route with the highest output after measured gas. */
  readonly route: RoutePlan
  /** `exact` if the simulation paid at least what the route settled at. */
  readonly outcome: 'exact' | 'adjusted'
  readonly swap: EncodedSwap
  /** Terms that the transaction was encoded with. */
  readonly terms: EncodeTerms
  /**
   * Output promised to the sender in base units: the lower of the simulated and the settled output. A surplus over the
   * pools' reserves, such as tokens sent to a pair by mistake, may be gone when the transaction is mined.
   */
  readonly amountOut: bigint
  readonly minOutput: bigint
  readonly simulation: SwapSimulation
  /** Tokens that the Guard and the Executor hold before the swap; undefined if they could not be read. */
  readonly balances: ContractBalances | undefined
  /** Extra gas if the transaction is mined at its deadline instead of in the next block. */
  readonly laterGas: number
  /** Shortfall against the settled output in the first simulation; negative if it paid more. */
  readonly shortfallPpm: bigint
}

/** Outcome of a route's simulation. */
export type Trial =
  | WorkingTrial
  /** Pays too little for an unknown reason. */
  | {
      readonly outcome: 'shortfall'
      readonly shortfallPpm: bigint
      /**
       * Paid and settled amounts of an exact output that was nearly met; the next search scales its target by their
       * ratio.
       */
      readonly paid?: readonly [bigint, bigint]
    }
  /**
   * `gasUsed` is the gas spent up to a revert without data, if known: running out of gas has none. With data, a token's failed
   * assertion may have used all gas (INVALID, as USDT compiles it).
   */
  | { readonly outcome: 'reverted'; readonly reason: string; readonly gasUsed?: number }

export type TrialContext = {
  readonly contracts: ChainContracts
  readonly wrappedNative: Address | null
  readonly taxes: Pick<TaxRecords, 'transferPpm' | 'isStuck'>
  readonly simulate: Simulate
  readonly clock: Clock
  readonly laterGas: LaterGas
  readonly contractBalances: Pick<ContractBalanceReader, 'of'>
  readonly walletChecks: WalletChecks
  readonly rpc: Rpc
  readonly simulation: Pick<SimulationContext, 'blockIntervalMs'>
  readonly view: ChainView
  readonly signal: AbortSignal
}

/**
 * Encodes a route and simulates the resulting bytes in the block after the view's. If they pay less than settled, they
 * are encoded again with a `minOutput` from the simulated output, and simulated again.
 *
 * @param alternatives - routes simulated in the same call, each from the same state; if the route pays as settled, the
 *   one with the highest output after gas is returned
 * @param maxShortfallPpm - maximum shortfall against the settled output
 */
export async function tryRoute(
  route: RoutePlan,
  alternatives: readonly RoutePlan[],
  request: DecidedRequest,
  context: TrialContext,
  maxShortfallPpm = MAX_SHORTFALL_PPM,
): Promise<Trial> {
  try {
    return await runRoute(route, alternatives, request, context, maxShortfallPpm)
  } catch (error) {
    // The token cannot be funded in a simulation, so no output can be promised.
    if (error instanceof SimulationError) return { outcome: 'reverted', reason: error.message }
    throw error
  }
}

async function runRoute(
  route: RoutePlan,
  alternatives: readonly RoutePlan[],
  request: DecidedRequest,
  context: TrialContext,
  maxShortfallPpm: bigint,
): Promise<Trial> {
  const { contracts, wrappedNative, view, rpc } = context
  const { block } = view.snapshot
  const senderCode = await view.codeOf(request.from)
  const permit = request.permit && normalizePermit(request.permit, senderCode)
  if (request.permit && !permit) return { outcome: 'reverted', reason: 'the permit is signed by nobody' }
  const runner = await createRunner(route, alternatives, { ...request, permit }, senderCode, context)
  const { encode, run, runLater, asSentOf, deadline } = runner

  const requestedOut = request.amountOut
  const expectedOf = (of: RoutePlan) => netOf(of.amountOut, request.feePpm, releaseTaxPpm(request, context.taxes))
  const expected = expectedOf(route)
  const settledMinOutput = requestedOut ?? minOutputOf(expected, request.slippagePpm)
  const otherRoutes = alternatives.map((alternative) =>
    encode(alternative, minOutputOf(expectedOf(alternative), request.slippagePpm)),
  )
  const span = { now: block.timestamp, deadline }
  const dueAt = context.laterGas.dueAt([route, ...alternatives], span)
  // The permit expires at the deadline, so the later run is no later than that.
  const laterAt = permit && dueAt !== undefined ? deadline : dueAt
  const holders = { guard: contracts.guard, executor: contracts.executor.address, wrappedNative }
  const [first, later, balances] = await Promise.all([
    run(encode(route, settledMinOutput), otherRoutes),
    laterAt === undefined ? [] : runLater(laterAt),
    context.contractBalances.of([route, ...alternatives], holders, { rpc, block }),
  ])
  const laterGas = laterGasOf([route, ...alternatives], first.simulation, later)
  for (const { of, extra } of laterGas) context.laterGas.observe(of, extra, laterAt!, span)
  const extraOf = (of: RoutePlan) => laterGas.find((one) => one.of === of)?.extra ?? 0

  const measuredAmount = receivedOf(first.simulation)
  if (measuredAmount === undefined) return revertedOutcome(first)
  const missingPpm = shortfallPpm(expected, measuredAmount)
  // If a token taxes only plain accounts, the output with a probe shows that pools are not at fault. The lower output
  // is then promised with a warning.
  const { probed = first.simulation } = first.simulation
  const unexplainedPpm = shortfallPpm(expected, larger(measuredAmount, receivedOf(probed) ?? 0n))
  if (unexplainedPpm > maxShortfallPpm || measuredAmount === 0n)
    return { outcome: 'shortfall', shortfallPpm: unexplainedPpm }
  if (first.simulation.success && measuredAmount >= expected) {
    const rankedSwap = bestMeasured(first, otherRoutes, expectedOf, wrappedNative)
    const best = (await asSentOf(rankedSwap.route)) ? await confirmedAsSent(first, rankedSwap, run) : rankedSwap
    const { route: of, terms } = best
    const amountOut = expectedOf(of)
    const shortfall = shortfallPpm(amountOut, best.simulation.amountOut)
    return {
      ...{ outcome: 'exact', ...best, amountOut, minOutput: terms.minOutput },
      ...{ balances, laterGas: extraOf(of), shortfallPpm: shortfall },
    }
  }

  const adjustedOutcome = { outcome: 'adjusted', balances, laterGas: extraOf(route), shortfallPpm: missingPpm } as const
  if (requestedOut !== undefined) {
    if (!first.simulation.success || measuredAmount < targetOf(requestedOut, request))
      return { outcome: 'shortfall', shortfallPpm: missingPpm, paid: [measuredAmount, expected] }
    return { ...adjustedOutcome, ...first, amountOut: measuredAmount, minOutput: requestedOut }
  }
  const minOutput = minOutputOf(measuredAmount, request.slippagePpm)
  const second = await run(encode(route, minOutput))
  if (!second.simulation.success) return revertedOutcome(second)
  if (second.simulation.amountOut !== measuredAmount) return { outcome: 'shortfall', shortfallPpm: missingPpm }
  return { ...adjustedOutcome, ...second, amountOut: measuredAmount, minOutput }
}

/** Simulations of one route and its alternatives, with the values that they share. */
type RouteRunner = {
  readonly encode: (route: RoutePlan, minOutput: bigint) => EncodedRoute
  /** Simulates a transaction in the next block, and others from the same state in the same call. */
  readonly run: (encoded: EncodedRoute, others?: readonly EncodedRoute[]) => Promise<SimulatedSwap>
  /** Simulates all routes at a Unix time in seconds, to measure their gas; empty if the node cannot. */
  readonly runLater: (at: number) => Promise<readonly CallOutcome[]>
  /** Returns how the route must be simulated without a probe at the sender's address, if at all. @see WalletChecks */
  readonly asSentOf: (route: RoutePlan) => Promise<SimulationRequest['asSent']>
  /** Unix time in seconds until which the transaction is valid. */
  readonly deadline: number
}

async function createRunner(
  route: RoutePlan,
  alternatives: readonly RoutePlan[],
  request: DecidedRequest,
  senderCode: Hex,
  context: TrialContext,
): Promise<RouteRunner> {
  const { contracts, view, signal, simulation, walletChecks } = context
  const { block } = view.snapshot
  const legs = [route, ...alternatives].flatMap((of) => of.legs)
  const pools = new Set(legs.map(({ pool }) => pool.address))
  const deadline = request.deadline ?? defaultDeadline(block.timestamp, context.clock())
  const sharedOptions = {
    ...termsOf(request, context),
    direct: route.legs.length > 0 && paysDirectly(request, context.taxes),
  }
  const encode = (of: RoutePlan, minOutput: bigint, encodedDeadline = deadline): EncodedRoute => {
    const terms = { ...sharedOptions, deadline: BigInt(encodedDeadline), minOutput }
    return { route: of, terms, swap: encodeSwap({ route: of, families: contracts.families, ...terms }) }
  }
  const simulate = (
    { to, data }: EncodedSwap,
    otherRoutes: readonly EncodedRoute[],
    overrides: Partial<SimulationRequest>,
  ) =>
    context.simulate(
      {
        from: request.from,
        to,
        data,
        ...(otherRoutes.length > 0 && { alternatives: otherRoutes.map(({ swap }) => swap.data) }),
        tokenIn: route.tokenIn,
        amountIn: route.amountIn,
        tokenOut: route.tokenOut,
        ...(request.recipient && { recipient: request.recipient }),
        block: { blockHash: block.hash },
        knownState: { header: block, senderCode, codeOf: view.codeOf },
        ...(request.permit && { allowance: 'kept' as const }),
        signal,
        ...overrides,
      },
      pools,
    )
  const asSentOf = (of: RoutePlan) => walletChecks.due(of, context.rpc, { blockHash: block.hash })
  const run = async (encoded: EncodedRoute, otherRoutes: readonly EncodedRoute[] = []): Promise<SimulatedSwap> => {
    const asSent = await asSentOf(encoded.route)
    const result = await simulate(encoded.swap, otherRoutes, { withHead: true, ...(asSent && { asSent }) })
    const { sender } = result.ways
    // Only a measured comparison renews the time until the next one.
    if (sender === 'bare' || (sender && asSent === 'measured')) walletChecks.observe(encoded.route, sender === 'bare')
    return { ...encoded, simulation: result }
  }
  const runLater = async (at: number) => {
    // A minimum output of 1, because only the gas counts.
    const [own, ...others] = [route, ...alternatives].map((of) => encode(of, 1n, at))
    const runsIn = blockAt(block, at, simulation.blockIntervalMs)
    try {
      const result = await simulate(own!.swap, others, { simulatedBlock: runsIn })
      return result.ranIn ? [result, ...(result.alternatives ?? [])] : []
    } catch (error) {
      if (error instanceof SimulationError) return []
      throw error
    }
  }
  return { encode, run, runLater, asSentOf, deadline }
}

/** Returns the output that the sender received, or would have received if the Guard had not rejected it as too low. */
function receivedOf(outcome: CallOutcome): bigint | undefined {
  return outcome.success ? outcome.amountOut : receivedFromRefusal(outcome)
}

/**
 * Simulates the best route without a probe at the sender's address. Falls back to the first route if the result depends
 * on the probe.
 */
async function confirmedAsSent(
  first: SimulatedSwap,
  rankedSwap: SimulatedSwap,
  run: (encoded: EncodedRoute) => Promise<SimulatedSwap>,
): Promise<SimulatedSwap> {
  if (rankedSwap.route === first.route) return first
  const again = await run(rankedSwap)
  return again.simulation.ways.sender === 'bare' ? first : again
}

/** Extra gas at the later time compared with the next block, for routes that succeed at both. */
function laterGasOf(
  routes: readonly RoutePlan[],
  { alternatives: others = [], ...first }: SwapSimulation,
  later: readonly CallOutcome[],
): readonly { readonly of: RoutePlan; readonly extra: number }[] {
  const now = [first, ...others]
  return routes.flatMap((candidateRoute, k) => {
    const [before, after] = [now[k], later[k]]
    return before?.success && after?.success
      ? [{ of: candidateRoute, extra: Math.max(0, after.gasUsed - before.gasUsed) }]
      : []
  })
}

function revertedOutcome({
  simulation: { revertReason: reason = 'reverted without a reason', gasUsed, returnData },
}: SimulatedSwap): Trial {
  return { outcome: 'reverted', reason, ...(returnData === '0x' && { gasUsed }) }
}

/** Returns the encoding terms that do not depend on the route. */
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

type EncodedRoute = { readonly route: RoutePlan; readonly terms: EncodeTerms; readonly swap: EncodedSwap }
type SimulatedSwap = EncodedRoute & { readonly simulation: SwapSimulation }

/** Returns the route with the highest output after gas, among those that paid at least what they settled at. */
function bestMeasured(
  { simulation: together, ...first }: SimulatedSwap,
  otherRoutes: readonly EncodedRoute[],
  expectedOf: (route: RoutePlan) => bigint,
  wrappedNative: Address | null,
): SimulatedSwap {
  const { alternatives: outcomes = [], ...simulation } = together
  const settledSwaps = otherRoutes.flatMap((other, k): SimulatedSwap[] => {
    const outcome = outcomes[k]
    const isSettled = outcome?.success && outcome.amountOut >= expectedOf(other.route)
    if (!isSettled) return []
    const { chargedGas: _, ...shared } = simulation
    return [{ ...other, simulation: { ...shared, ...outcome } }]
  })
  return bestAfterGas([{ ...first, simulation }, ...settledSwaps], expectedOf, wrappedNative)
}

/** Decodes the received amount from the Guard's `OutputTooLow` error; undefined for any other return data. */
export function receivedFromRefusal({ returnData }: Pick<SwapSimulation, 'returnData'>): bigint | undefined {
  try {
    const { received } = guardInterface.decodeErrorResult('OutputTooLow', returnData)
    return received as bigint
  } catch {
    return undefined
  }
}
