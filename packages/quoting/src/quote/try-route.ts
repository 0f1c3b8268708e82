/**
 * Encodes a route as the transaction that is returned to the caller, and simulates it. Called in each round of a quote,
 * and once more if no round finds a route that works.
 *
 * Terms: The expected output of a route is the output that the pool models predict, after the request's fee and known
 * taxes. A simulation usually puts a probe (code that measures balances) at the sender's address. A bare run puts none
 * there, because some tokens and pools treat accounts with code differently. If it ends differently, its outcome
 * counts, and `ways.sender` of the simulation is `bare`. A view is the chain's state at one block.
 */
import { IGuard__factory } from '@sluice/bindings'
import type { Address } from '@sluice/chains'
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
  type KnownState,
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
import type { SenderCodeChecks } from '../simulation/sender-code-checks.ts'
import type { TaxRecords } from '../tokens/taxes.ts'
import type { ChainView } from '../view/view.ts'
import { minOutputOf, netOf, shortfallPpm } from './amounts.ts'
import { bestAfterGas } from './best-after-gas.ts'
import { mayRunCallerCode } from './caller-code.ts'
import type { Simulate } from './ports.ts'
import type { ResolvedRequest } from './request.ts'
import { outputBeforeSlippage, paysDirectly, releaseTaxPpm } from './search-amount.ts'

/**
 * 0.5 %: maximum shortfall against the expected output. A larger shortfall means that a pool or token is not modeled
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
  /** `exact` if the simulation paid at least the route's expected output; `adjusted` if it paid slightly less. */
  readonly outcome: 'exact' | 'adjusted'
  readonly swap: EncodedSwap
  /** Terms that the transaction was encoded with. */
  readonly terms: EncodeTerms
  /**
   * Output promised to the sender in base units: the lower of the simulated and the expected output. A surplus over the
   * expected output, such as tokens sent to a pair by mistake, may be gone when the transaction is mined.
   */
  readonly amountOut: bigint
  /** Minimum output in base units that the transaction accepts. */
  readonly minOutput: bigint
  readonly simulation: SwapSimulation
  /** Tokens that our contracts (Guard and Executor) hold before the swap; undefined if they could not be read. */
  readonly balances: ContractBalances | undefined
  /** Extra gas if the transaction is mined at its deadline instead of in the next block. */
  readonly laterExtraGas: number
  /** Shortfall of the simulated output against the expected output, in ppm; negative if the simulation paid more. */
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
       * Set if the request has an exact output and the route paid too little: the paid and the expected output of the
       * route. The next search multiplies the searched output by expected / paid.
       */
      readonly exactOutputMiss?: { readonly paid: bigint; readonly expected: bigint }
    }
  /**
   * `gasUsed` is set only for a revert without data, because a transaction that runs out of gas reverts without data.
   * The gas of a revert with data says nothing. For example, a failed assertion in USDT executes INVALID, which burns
   * nearly all gas, and its caller then reverts with data.
   */
  | { readonly outcome: 'reverted'; readonly reason: string; readonly gasUsed?: number }

export type TrialContext = {
  readonly contracts: ChainContracts
  readonly wrappedNative: Address | null
  readonly taxes: Pick<TaxRecords, 'transferPpm' | 'isStuck'>
  readonly simulate: Simulate
  readonly clock: Clock
  readonly laterGas: LaterGas
  readonly contractBalances: Pick<ContractBalanceReader, 'heldTokens'>
  readonly senderCodeChecks: SenderCodeChecks
  readonly rpc: Rpc
  readonly simulation: Pick<SimulationContext, 'blockIntervalMs'>
  readonly view: ChainView
  readonly signal: AbortSignal
  /** Called immediately before each simulation is sent. */
  readonly onSimulate?: () => void
}

/** Code of the sender, and its balance of the input token. */
type SenderState = Required<Pick<KnownState, 'senderCode' | 'senderBalance'>>

/**
 * Encodes a route and simulates the transaction in the block after the view's block. If the transaction pays less than
 * expected, the route is encoded again with a `minOutput` from the simulated output, and simulated again.
 *
 * @param alternatives - routes that are simulated in the same call, each from the same state. If the first route pays
 *   its expected output, the result is the best of all routes by output after gas
 * @param maxShortfallPpm - maximum shortfall against the expected output
 */
export async function tryRoute(
  route: RoutePlan,
  alternatives: readonly RoutePlan[],
  request: ResolvedRequest,
  context: TrialContext,
  maxShortfallPpm = MAX_SHORTFALL_PPM,
): Promise<Trial> {
  try {
    return await encodeAndSimulate(route, alternatives, request, context, maxShortfallPpm)
  } catch (error) {
    // The simulation cannot give the sender the input token, so no output can be promised.
    if (error instanceof SimulationError) return { outcome: 'reverted', reason: error.message }
    throw error
  }
}

async function encodeAndSimulate(
  route: RoutePlan,
  alternatives: readonly RoutePlan[],
  request: ResolvedRequest,
  context: TrialContext,
  maxShortfallPpm: bigint,
): Promise<Trial> {
  const { contracts, wrappedNative, view, rpc } = context
  // Only a permit needs the sender's state for encoding, so other routes are encoded while the node reads it.
  const senderState = readSenderState(request, view)
  const permit = request.permit && normalizePermit(request.permit, (await senderState).senderCode)
  if (request.permit && !permit) return { outcome: 'reverted', reason: 'the permit is signed by nobody' }
  const routeRunner = createRunner(route, alternatives, { ...request, permit }, senderState, context)
  const { encode, simulate, simulateLater, bareRunModeOf, deadline } = routeRunner
  const requestedOut = request.amountOut
  const expectedOutOf = (plan: RoutePlan) =>
    netOf(plan.amountOut, request.feePpm, releaseTaxPpm(request, context.taxes))
  const expectedOut = expectedOutOf(route)
  const expectedMinOutput = requestedOut ?? minOutputOf(expectedOut, request.slippagePpm)
  const encodedAlternatives = alternatives.map((alternative) =>
    encode(alternative, minOutputOf(expectedOutOf(alternative), request.slippagePpm)),
  )
  const validity = { now: view.snapshot.block.timestamp, deadline }
  const laterSimulationDueAt = context.laterGas.simulationTimeOf([route, ...alternatives], validity)
  // With a permit, the later simulation runs at the deadline, because the permit has expired afterwards.
  const laterSimulationAt = permit && laterSimulationDueAt !== undefined ? deadline : laterSimulationDueAt
  const holders = { guard: contracts.guard, executor: contracts.executor.address, wrappedNative }
  const [firstRun, laterOutcomes, balances] = await Promise.all([
    simulate(encode(route, expectedMinOutput), encodedAlternatives),
    laterSimulationAt === undefined ? [] : simulateLater(laterSimulationAt),
    context.contractBalances.heldTokens([route, ...alternatives], holders, { rpc, block: view.snapshot.block }),
  ])
  const laterExtraGasByRoute = laterExtraGasOf([route, ...alternatives], firstRun.simulation, laterOutcomes)
  if (laterExtraGasByRoute.length > 0 && !(await mayRunCallerCode(request, view)))
    for (const comparison of laterExtraGasByRoute)
      context.laterGas.observe(comparison.route, comparison.extraGas, laterSimulationAt!, validity)
  const extraGasOf = (plan: RoutePlan) => laterExtraGasByRoute.find(({ route }) => route === plan)?.extraGas ?? 0

  const receivedAmount = receivedOf(firstRun.simulation)
  if (receivedAmount === undefined) return revertedOutcome(firstRun)
  const measuredShortfallPpm = shortfallPpm(expectedOut, receivedAmount)
  // Pools are at fault only if the run with the probe also paid too little, because tokens may tax accounts without code.
  const { outcomeWithProbe = firstRun.simulation } = firstRun.simulation
  const unexplainedShortfallPpm = shortfallPpm(expectedOut, larger(receivedAmount, receivedOf(outcomeWithProbe) ?? 0n))
  if (unexplainedShortfallPpm > maxShortfallPpm || receivedAmount === 0n)
    return { outcome: 'shortfall', shortfallPpm: unexplainedShortfallPpm }
  if (firstRun.simulation.success && receivedAmount >= expectedOut) {
    const topSwap = pickBestSwap(firstRun, encodedAlternatives, expectedOutOf, wrappedNative)
    const bestSwap = (await bareRunModeOf(topSwap.route))
      ? await confirmByBareRun(firstRun, topSwap, simulate)
      : topSwap
    const { route: bestRoute, terms } = bestSwap
    const amountOut = expectedOutOf(bestRoute)
    const shortfall = shortfallPpm(amountOut, bestSwap.simulation.amountOut)
    return {
      ...{ outcome: 'exact', ...bestSwap, amountOut, minOutput: terms.minOutput },
      ...{ balances, laterExtraGas: extraGasOf(bestRoute), shortfallPpm: shortfall },
    }
  }
  return adjustMinOutput(route, request, routeRunner, firstRun, {
    ...{ receivedAmount, expectedOut, balances },
    ...{ laterExtraGas: extraGasOf(route), shortfallPpm: measuredShortfallPpm },
  })
}

/** Reads the sender's state. A caller that ends before it uses the state leaves no unhandled rejection. */
function readSenderState({ from, tokenIn }: ResolvedRequest, view: ChainView): Promise<SenderState> {
  const state = Promise.all([view.codeOf(from), view.balanceOf(tokenIn, from)]).then(([senderCode, senderBalance]) => ({
    senderCode,
    senderBalance,
  }))
  state.catch(() => {})
  return state
}

/** Result of the first run of a route that paid less than expected. */
type FirstPayment = Pick<WorkingTrial, 'balances' | 'laterExtraGas' | 'shortfallPpm'> & {
  readonly receivedAmount: bigint
  readonly expectedOut: bigint
}

/** Encodes and simulates a route again with a `minOutput` from the output that it paid. */
async function adjustMinOutput(
  route: RoutePlan,
  request: ResolvedRequest,
  { encode, simulate }: Pick<RouteRunner, 'encode' | 'simulate'>,
  firstRun: SimulatedSwap,
  { receivedAmount, expectedOut, ...payment }: FirstPayment,
): Promise<Trial> {
  const { shortfallPpm } = payment
  const adjustedOutcome = { outcome: 'adjusted', ...payment } as const
  const requestedOut = request.amountOut
  if (requestedOut !== undefined) {
    if (!firstRun.simulation.success || receivedAmount < outputBeforeSlippage(requestedOut, request))
      return {
        outcome: 'shortfall',
        shortfallPpm,
        exactOutputMiss: { paid: receivedAmount, expected: expectedOut },
      }
    return { ...adjustedOutcome, ...firstRun, amountOut: receivedAmount, minOutput: requestedOut }
  }
  const minOutput = minOutputOf(receivedAmount, request.slippagePpm)
  const secondRun = await simulate(encode(route, minOutput))
  if (!secondRun.simulation.success) return revertedOutcome(secondRun)
  if (secondRun.simulation.amountOut !== receivedAmount) return { outcome: 'shortfall', shortfallPpm }
  return { ...adjustedOutcome, ...secondRun, amountOut: receivedAmount, minOutput }
}

/** Functions that encode and simulate one route and its alternatives, with the values that all of them share. */
type RouteRunner = {
  readonly encode: (route: RoutePlan, minOutput: bigint) => EncodedRoute
  /** Simulates a transaction in the next block, and `otherRoutes` in the same call, each from the same state. */
  readonly simulate: (encoded: EncodedRoute, otherRoutes?: readonly EncodedRoute[]) => Promise<SimulatedSwap>
  /** Simulates all routes at a Unix time in seconds, to measure their gas; empty if the node cannot. */
  readonly simulateLater: (at: number) => Promise<readonly CallOutcome[]>
  /** Returns the mode of the bare run of a route; undefined if none is needed. @see SenderCodeChecks */
  readonly bareRunModeOf: (route: RoutePlan) => Promise<SimulationRequest['bareRunMode']>
  /** Unix time in seconds until which the transaction is valid. */
  readonly deadline: number
}

function createRunner(
  route: RoutePlan,
  alternatives: readonly RoutePlan[],
  request: ResolvedRequest,
  senderState: Promise<SenderState>,
  context: TrialContext,
): RouteRunner {
  const { contracts, view, signal, simulation, senderCodeChecks } = context
  const { block } = view.snapshot
  const legs = [route, ...alternatives].flatMap((plan) => plan.legs)
  const poolAddresses = new Set(legs.map(({ pool }) => pool.address))
  const deadline = request.deadline ?? defaultDeadline(block.timestamp, context.clock())
  const sharedOptions = {
    ...baseEncodeTerms(request, context),
    direct: route.legs.length > 0 && paysDirectly(request, context.taxes),
  }
  const encode = (plan: RoutePlan, minOutput: bigint, encodedDeadline = deadline): EncodedRoute => {
    const terms = { ...sharedOptions, deadline: BigInt(encodedDeadline), minOutput }
    return { route: plan, terms, swap: encodeSwap({ route: plan, families: contracts.families, ...terms }) }
  }
  const simulateEncoded = async (
    { to, data }: EncodedSwap,
    otherRoutes: readonly EncodedRoute[],
    overrides: Partial<SimulationRequest>,
  ) => {
    const sender = await senderState
    const result = await context.simulate(
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
        knownState: { header: block, ...sender, codeOf: view.codeOf },
        ...(request.permit && { allowance: 'kept' as const }),
        signal,
        ...overrides,
      },
      poolAddresses,
    )
    return withoutOwnFee(result, request)
  }
  const bareRunModeOf = (plan: RoutePlan) =>
    senderCodeChecks.bareRunModeOf(plan, context.rpc, { blockHash: block.hash })
  const simulateNext = async (
    encoded: EncodedRoute,
    otherRoutes: readonly EncodedRoute[] = [],
  ): Promise<SimulatedSwap> => {
    const bareRunMode = await bareRunModeOf(encoded.route)
    const result = await simulateEncoded(encoded.swap, otherRoutes, {
      withHead: true,
      ...(context.onSimulate && { onRun: context.onSimulate }),
      ...(bareRunMode && { bareRunMode }),
    })
    const { sender: senderWay } = result.ways
    // Do not record a difference that the caller's own code can cause. Do not record mode `charged` without a difference:
    // it compares only the gas after refunds, and its record would postpone the next run of mode `measured`.
    const isDueToRoute = senderWay === 'bare' && !(await mayRunCallerCode(request, view))
    if (isDueToRoute || (senderWay === 'same' && bareRunMode === 'measured'))
      senderCodeChecks.observe(encoded.route, senderWay === 'bare')
    return { ...encoded, simulation: result }
  }
  const simulateLater = async (at: number) => {
    // A minimum output of 1, because only the gas counts.
    const [encodedRoute, ...encodedAlternatives] = [route, ...alternatives].map((plan) => encode(plan, 1n, at))
    const laterBlock = blockAt(block, at, simulation.blockIntervalMs)
    try {
      const result = await simulateEncoded(encodedRoute!.swap, encodedAlternatives, { simulatedBlock: laterBlock })
      return result.appliedBlock ? [result, ...(result.alternatives ?? [])] : []
    } catch (error) {
      if (error instanceof SimulationError) return []
      throw error
    }
  }
  return { encode, simulate: simulateNext, simulateLater, bareRunModeOf, deadline }
}

/** Returns the output that the sender received, or would have received if the Guard had not rejected it as too low. */
function receivedOf(outcome: CallOutcome): bigint | undefined {
  return outcome.success ? outcome.amountOut : receivedFromRefusal(outcome)
}

/**
 * Subtracts the fee from the outputs if the recipient of the swap also receives the fee, since a simulation measures
 * the growth of its balance. Without this, the fee would hide a route that pays too little.
 */
export function withoutOwnFee<T extends SwapSimulation>(
  simulation: T,
  { from, recipient = from, feePpm, feeRecipient }: Pick<ResolvedRequest, 'from' | 'feePpm'> & FeePayees,
): T {
  if (feeRecipient !== recipient) return simulation
  const withoutFee = <O extends CallOutcome>(outcome: O): O => ({
    ...outcome,
    amountOut: netOf(outcome.amountOut, feePpm, 0n),
  })
  const { alternatives, outcomeWithProbe } = simulation
  return {
    ...withoutFee(simulation),
    ...(alternatives && { alternatives: alternatives.map(withoutFee) }),
    ...(outcomeWithProbe && { outcomeWithProbe: withoutFee(outcomeWithProbe) }),
  }
}

type FeePayees = Partial<Pick<ResolvedRequest, 'recipient' | 'feeRecipient'>>

/** Simulates the best route by a bare run. Falls back to the first route if the outcome depends on the probe. */
async function confirmByBareRun(
  firstSwap: SimulatedSwap,
  topSwap: SimulatedSwap,
  run: (encoded: EncodedRoute) => Promise<SimulatedSwap>,
): Promise<SimulatedSwap> {
  if (topSwap.route === firstSwap.route) return firstSwap
  const confirmedSwap = await run(topSwap)
  return confirmedSwap.simulation.ways.sender === 'bare' ? firstSwap : confirmedSwap
}

/** Returns the extra gas at the later time compared with the next block, for each route that succeeds at both times. */
function laterExtraGasOf(
  routes: readonly RoutePlan[],
  { alternatives: alternativeOutcomes = [], ...firstOutcome }: SwapSimulation,
  laterOutcomes: readonly CallOutcome[],
): readonly { readonly route: RoutePlan; readonly extraGas: number }[] {
  const outcomesNow = [firstOutcome, ...alternativeOutcomes]
  return routes.flatMap((candidateRoute, k) => {
    const [outcomeNow, outcomeLater] = [outcomesNow[k], laterOutcomes[k]]
    return outcomeNow?.success && outcomeLater?.success
      ? [{ route: candidateRoute, extraGas: Math.max(0, outcomeLater.gasUsed - outcomeNow.gasUsed) }]
      : []
  })
}

function revertedOutcome({
  simulation: { revertReason: reason = 'reverted without a reason', gasUsed, returnData },
}: SimulatedSwap): Trial {
  return { outcome: 'reverted', reason, ...(returnData === '0x' && { gasUsed }) }
}

/** Returns the encoding terms that do not depend on the route. */
export function baseEncodeTerms(
  {
    from,
    recipient,
    feePpm,
    feeRecipient,
    permit,
  }: Pick<ResolvedRequest, 'from' | 'feePpm'> & Partial<Pick<ResolvedRequest, 'recipient' | 'feeRecipient' | 'permit'>>,
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

/** Returns the best swap by output after gas, among the swaps that paid at least their expected output. */
function pickBestSwap(
  { simulation: simulationWithAlternatives, ...firstSwap }: SimulatedSwap,
  otherRoutes: readonly EncodedRoute[],
  expectedOf: (route: RoutePlan) => bigint,
  wrappedNative: Address | null,
): SimulatedSwap {
  const { alternatives: outcomes = [], ...simulation } = simulationWithAlternatives
  const payingSwaps = otherRoutes.flatMap((other, k): SimulatedSwap[] => {
    const outcome = outcomes[k]
    const paysExpectedOutput = outcome?.success && outcome.amountOut >= expectedOf(other.route)
    if (!paysExpectedOutput) return []
    // The gas after refunds comes from the bare run, which only the first route had.
    const { chargedGas: _, ...sharedFields } = simulation
    return [{ ...other, simulation: { ...sharedFields, ...outcome } }]
  })
  return bestAfterGas([{ ...firstSwap, simulation }, ...payingSwaps], expectedOf, wrappedNative)
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
