/**
 * Finds a route that works in simulation. Runs rounds of search and simulation; each round knows the faulty pools, gas,
 * taxes, and input limits that earlier rounds learned. Called by `quoteAtView` for each quote.
 *
 * Terms: The expected output of a route is the output that the pool models predict, after the request's fee and known
 * taxes. The shortfall of a route is its expected output minus its simulated output. A trial is the outcome of
 * simulating a route. A view is the chain's state at one block. A family is a kind of pool.
 */
import { type Address, ZERO_ADDRESS } from '@sluice/chains'
import {
  type BoundProof,
  type ExactOutputRequest,
  MAX_WORK,
  type RoutePlan,
  type RouteRequest,
  type Taxes,
  taxIn,
} from '@sluice/routing'
import { defaultGasLimit, type SimulationContext } from '@sluice/simulation'
import { QuotingError } from '../errors.ts'
import type { QuotingListener } from '../events.ts'
import type { GasProber } from '../gas/gas-prober.ts'
import { findPermitFault } from '../permit/fault.ts'
import type { Permit } from '../permit/permit.ts'
import type { TradedToken } from '../tokens/taxes.ts'
import type { ChainView } from '../view/view.ts'
import { toPercent } from './amounts.ts'
import { workAfterSending } from './event-loop.ts'
import { withFaultyTokens } from './faulty-tokens.ts'
import {
  type Faults,
  type FaultsContext,
  hasTaxes,
  knownFaults,
  poolsToExclude,
  recordExplained,
} from './known-faults.ts'
import type { AutoSlippage, QuotingContext, Search } from './ports.ts'
import { type QuoteRequest, type ResolvedRequest, resolveSlippage } from './request.ts'
import { routeTerms, type TermsContext } from './route-terms.ts'
import { searchSampled } from './sampled-search.ts'
import { searchAmount, type TaxLookup, withDirectPayment } from './search-amount.ts'
import { errorOfFailedSearch } from './search-failure.ts'
import { maxRouteGas, poolsOverGasLimit } from './too-much-gas.ts'
import { type Trial, tryRoute, type WorkingTrial } from './try-route.ts'
import { assertUnwrappable } from './unwrap-limit.ts'

/** Maximum rounds. Each round after the first knows one more token tax or avoids one more pool. */
const MAX_ROUNDS = 5
/**
 * Search budget of each round after the first, in work units; the first round may use `MAX_WORK`. It is twice the work
 * of the hardest measured search in 20,000 pools. Also the budget of a search that only decides the slippage.
 */
const LATER_SEARCH_BUDGET = MAX_WORK / 8

/** 5 %: maximum shortfall of the returned route, if no route pays its expected output. */
const MAX_LAST_SHORTFALL_PPM = 50_000n
/** 0.5 %: an output that exceeds the expected one by more than this means that recorded taxes are outdated. */
const MAX_EXCESS_PPM = 5_000n

/** Outcome of a route that is not simulated, because its estimated gas exceeds the limit. */
const OUT_OF_GAS = {
  outcome: 'reverted',
  reason: 'it takes more gas than a transaction may',
  gasUsed: Number.POSITIVE_INFINITY,
} as const

/** Maximum searches in the first round for an exact input; each search knows the measured gas of more pools. */
const MAX_MEASURED_SEARCHES = 6
/**
 * Maximum searches for an exact output through the pools of a given route. Each search excludes the pools of the
 * previous result that the given route does not use.
 */
const MAX_CHEAPER_SEARCHES = 2
/** If the gas of a route costs at least 1/1,000 (0.1 %) of its output, gas may decide which route is best. */
const DECISIVE_GAS_DIVISOR = 1_000n

/** Maximum alternative routes that are simulated together with the best route. */
const MAX_ALTERNATIVES = 3
/**
 * Maximum alternative routes while the gas of pools is still being measured, since the search then ranks routes by
 * rough estimates.
 */
const MAX_UNMEASURED_ALTERNATIVES = 7

export type RoundsContext = FaultsContext &
  TermsContext & {
    readonly search: Search
    readonly simulation: SimulationContext
    readonly emit: QuotingListener
    readonly gasProber: Pick<GasProber, 'isRunning' | 'measureNow'>
    /** Chooses the slippage of requests that ask for `auto`. */
    readonly slippageOf: (route: RoutePlan) => AutoSlippage
  }

export type WorkingRoute = {
  /** View of the search that found the route. It may hold more samples of pools than the view of the quote. */
  readonly view: ChainView
  readonly route: RoutePlan
  readonly trial: WorkingTrial
  /** Automatic slippage, if the request asks for it. */
  readonly slippage: AutoSlippage | undefined
  /** Proof of an upper bound on all outputs, if the request asks for it; null if the search found no bound. */
  readonly proof: BoundProof | null | undefined
  /** The best route by the search's gas estimates, before simulation. */
  readonly bestEstimated: RoutePlan
  /** Index of the route among the simulated routes; 0 is the route that the search ranked first. */
  readonly alternativeIndex: number
  /** Request of the search. The same search over the same pools finds the route again. */
  readonly searchRequest: RouteRequest | ExactOutputRequest
}

/** A route that paid less than its expected output for an unknown reason. */
type ShortRoute = Omit<WorkingRoute, 'trial' | 'alternativeIndex' | 'bestEstimated'> & {
  readonly request: ResolvedRequest
  readonly shortfallPpm: bigint
}

/**
 * Returns the first route that pays its expected output. If no route does, and the smallest shortfall is at most 5 %,
 * returns the route with this shortfall and promises its simulated output. For an exact output, such a route pays less
 * than requested, so the search runs again with targets raised by the shortfall. Shortfalls have two known causes. Some
 * taxed tokens sell their collected tax during a transfer, and some pools hold less than their reserves.
 *
 * @throws QuotingError if no route exists, or none works
 */
export async function findWorkingRoute(
  callerRequest: QuoteRequest,
  gasPriceWei: bigint,
  context: RoundsContext,
  requestContext: QuotingContext,
): Promise<WorkingRoute> {
  const shortRoutes: ShortRoute[] = []
  try {
    return await searchInRounds(callerRequest, gasPriceWei, context, requestContext, (route) => shortRoutes.push(route))
  } catch (error) {
    const [closestShortRoute] = shortRoutes
      .filter(({ shortfallPpm }) => shortfallPpm <= MAX_LAST_SHORTFALL_PPM)
      .sort((a, b) => Number(a.shortfallPpm - b.shortfallPpm))
    if (!closestShortRoute || !(error instanceof QuotingError && error.code === 'ROUTE_REVERTED')) throw error
    // An exact output needs more input than the closest route has, so search again.
    if (callerRequest.amountOut !== undefined)
      return searchInRounds(callerRequest, gasPriceWei, context, requestContext, () => {}, MAX_LAST_SHORTFALL_PPM)
    const { request, shortfallPpm: _, ...closestRoute } = closestShortRoute
    const trialContext = { ...context, taxes: context.tokens.taxes, signal: requestContext.signal }
    const retry = () => tryRoute(closestRoute.route, [], request, trialContext, MAX_LAST_SHORTFALL_PPM)
    const trial = await requestContext.time('simulate', retry)
    if (!('swap' in trial)) throw error
    return { ...closestRoute, bestEstimated: closestRoute.route, trial, alternativeIndex: 0 }
  }
}

/**
 * Searches and simulates until a route works, at most `MAX_ROUNDS` times. If a route exceeds the gas limit, no pool is
 * at fault. The pools with the most gas are then excluded until at most half of the route's estimated gas remains.
 *
 * @param onShort - called with each route that pays too little
 * @param maxShortfallPpm - maximum shortfall of a route that is used; the default of `tryRoute` if absent
 */
async function searchInRounds(
  callerRequest: QuoteRequest,
  gasPriceWei: bigint,
  context: RoundsContext,
  requestContext: QuotingContext,
  onShort: (route: ShortRoute) => void,
  maxShortfallPpm?: bigint,
): Promise<WorkingRoute> {
  const { signal, time } = requestContext
  const { view, tokens, simulation } = context
  const excludePools = new Set(callerRequest.excludePools)
  const faults = knownFaults(callerRequest, context)
  const roundTerms = { ...faults, callerRequest, gasPriceWei, excludePools }
  const maxGas = maxRouteGas(defaultGasLimit(view.snapshot.block, simulation.limits.maxGas))
  let request = resolveSlippage(callerRequest)
  let slippage: AutoSlippage | undefined
  let lastFailure = ''
  let hasRepeatedSimulation = false
  let shortfallFactor: readonly [bigint, bigint] = [1n, 1n]
  const isExactOutput = callerRequest.amountOut !== undefined
  const firstRound = firstRoundOf(callerRequest)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    signal.throwIfAborted()
    const roundInput = { ...roundTerms, request, shortfallFactor, isFirstRound: round === firstRound, lastFailure }
    const { result, ...searchFields } = await searchMeasured(roundInput, context, requestContext)
    const { route, alternatives = [] } = result
    if (callerRequest.slippagePpm === 'auto' && !(isExactOutput && slippage)) {
      slippage = context.slippageOf(route)
      request = resolveSlippage(callerRequest, slippage.ppm)
      // An exact output needs a new search, because the searched output depends on the slippage.
      if (isExactOutput) continue
    }
    await view.assertDeployed()
    const routesWithinGas = alternatives.filter(({ gas }) => gas <= maxGas)
    const simulateRoute = async (taxes: TaxLookup, workMeanwhile?: () => void) => {
      const run = (onSimulate: () => void) =>
        tryRoute(route, routesWithinGas, request, { ...context, taxes, signal, onSimulate }, maxShortfallPpm)
      const trial = await time('simulate', () => workAfterSending(workMeanwhile, signal, run))
      context.emit(trialEvent(route, trial))
      return trial
    }
    const toWorkingRoute = (trial: WorkingTrial): WorkingRoute => {
      const alternativeIndex = [route, ...alternatives].indexOf(trial.route)
      recordExplained(faults.failedLegs, trial.route, context)
      return { route: trial.route, bestEstimated: route, trial, ...searchFields, slippage, alternativeIndex }
    }
    const trial = route.gas > maxGas ? OUT_OF_GAS : await simulateRoute(tokens.taxes, result.boundAfterGas)
    const learnTaxes = () => learnTaxesOf(route, searchFields.searchRequest, context, requestContext)
    if ('swap' in trial) {
      // If the route pays more than expected, a recorded tax no longer applies.
      const hasOutdatedTax = -trial.shortfallPpm > MAX_EXCESS_PPM && hasTaxes(route, tokens.taxes)
      if (hasOutdatedTax && round < MAX_ROUNDS - 1 && (await learnTaxes())) continue
      return toWorkingRoute(trial)
    }
    if (trial.outcome === 'reverted' && (trial.gasUsed ?? 0) > maxGas) {
      lastFailure = OUT_OF_GAS.reason
      for (const id of poolsOverGasLimit(route, Math.min(maxGas, route.gas / 2))) excludePools.add(id)
      continue
    }
    await throwKnownCause(route, request, context, signal)
    lastFailure = describeFailure(trial)
    if (trial.outcome === 'shortfall')
      onShort({ route, request, ...searchFields, slippage, shortfallPpm: trial.shortfallPpm })
    requestContext.log.info({ round, failure: lastFailure, pools: poolIdsOf(route) }, 'route failed in simulation')
    if ('exactOutputMiss' in trial && trial.exactOutputMiss) {
      shortfallFactor = raiseShortfallFactor(shortfallFactor, trial.exactOutputMiss)
      continue
    }
    const learnedTaxes = await learnTaxes()
    tokens.trustTracker.recordTaxes(tokens.taxes.taxedTokens)
    if (learnedTaxes) continue
    // Repeat once before excluding pools: the node may have failed, or the token may reject our contract as a holder.
    const repeatedTrial = hasRepeatedSimulation ? trial : await simulateRoute(withDirectPayment(tokens.taxes))
    hasRepeatedSimulation = true
    if ('swap' in repeatedTrial) return toWorkingRoute(repeatedTrial)
    for (const id of await poolsToExclude(route, context, requestContext, faults)) excludePools.add(id)
    if (route.legs.length === 0) break
  }
  throw revertError(lastFailure, view)
}

/**
 * Returns the round that may use the whole budget: usually 0. For an exact output with automatic slippage, round 0 only
 * decides the slippage, so this is round 1.
 */
const firstRoundOf = ({ amountOut, slippagePpm }: QuoteRequest): number =>
  amountOut !== undefined && slippagePpm === 'auto' ? 1 : 0

type RoundInput = Faults & {
  readonly request: ResolvedRequest
  readonly gasPriceWei: bigint
  readonly excludePools: ReadonlySet<string>
  /** Factor on the searched output of an exact-output request. @see searchAmount */
  readonly shortfallFactor: readonly [numerator: bigint, denominator: bigint]
  readonly isFirstRound: boolean
  /** The request before the slippage was decided. */
  readonly callerRequest: QuoteRequest
  /** Failure of the previous round's route; empty if there was none. */
  readonly lastFailure: string
}

/**
 * Searches a route. If gas may decide between routes, measures the pools of these routes that are not measured yet, and
 * searches again. A pool can use twice the gas that is recorded for its family.
 */
async function searchMeasured(
  round: RoundInput,
  context: RoundsContext,
  requestContext: QuotingContext,
): Promise<SearchOutcome> {
  const { rpc, view, gasProber } = context
  let outcome = await searchWithoutFaults(round, context, requestContext)
  if (round.request.amountOut !== undefined)
    return round.isFirstRound && isGasDecisive(outcome.result.route)
      ? findCheaperInput(outcome, round, context, requestContext)
      : outcome
  for (let searches = 1; round.isFirstRound && searches < MAX_MEASURED_SEARCHES; searches++) {
    const { route, alternatives = [] } = outcome.result
    if (!isGasDecisive(route)) break
    const pools = new Set([route, ...alternatives].flatMap(({ legs }) => legs.map(({ pool }) => pool)))
    const source = { rpc, snapshot: view.snapshot }
    if (!(await requestContext.time('probe', () => gasProber.measureNow([...pools], source)))) break
    outcome = await searchWithoutFaults(round, context, requestContext)
  }
  return outcome
}

type SearchOutcome = Awaited<ReturnType<typeof searchRound>>

/**
 * Looks for a route of an exact output whose input and measured gas cost less together. First simulates the estimated
 * route together with candidates that sell the same input. If a candidate pays more after gas, searches the exact
 * output again in the pools of that candidate.
 */
async function findCheaperInput(
  estimatedOutcome: SearchOutcome,
  round: RoundInput,
  context: RoundsContext,
  requestContext: QuotingContext,
): Promise<SearchOutcome> {
  const { route } = estimatedOutcome.result
  const request = { ...round.request, amountIn: route.amountIn, amountOut: undefined }
  try {
    const { result } = await searchMeasured({ ...round, request }, context, requestContext)
    const otherRoutes = [result.route, ...(result.alternatives ?? [])]
    const { signal } = requestContext
    const trialContext = { ...context, taxes: context.tokens.taxes, signal }
    const trial = await requestContext.time('simulate', () => tryRoute(route, otherRoutes, request, trialContext))
    if (!('swap' in trial) || usesSamePools(trial.route, route)) return estimatedOutcome
    const bestPoolIds = new Set(poolIdsOf(trial.route))
    const excludePools = new Set(round.excludePools)
    // The search ranks these routes above the best candidate, because it ranks by estimated gas.
    let preferredRoutes = [route, ...otherRoutes.slice(0, otherRoutes.indexOf(trial.route))]
    for (let searches = 0; searches < MAX_CHEAPER_SEARCHES; searches++) {
      for (const id of preferredRoutes.flatMap(poolIdsOf)) if (!bestPoolIds.has(id)) excludePools.add(id)
      const outcome = await searchWithoutFaults({ ...round, excludePools }, context, requestContext)
      if (usesSamePools(outcome.result.route, trial.route)) return outcome
      preferredRoutes = [outcome.result.route]
    }
    return estimatedOutcome
  } catch (error) {
    if (error instanceof QuotingError) return estimatedOutcome
    throw error
  }
}

const usesSamePools = (a: RoutePlan, b: RoutePlan): boolean =>
  [...poolIdsOf(a)].sort().join() === [...poolIdsOf(b)].sort().join()

const isGasDecisive = ({ amountOut, gasCostOut }: RoutePlan): boolean =>
  gasCostOut !== null && gasCostOut * DECISIVE_GAS_DIVISOR >= amountOut

/**
 * Searches without the pools, tokens, and inputs that failed in recent quotes. If no route exists without them, forgets
 * these faults and searches again.
 */
async function searchWithoutFaults(round: RoundInput, context: RoundsContext, requestContext: QuotingContext) {
  const { poolIds, inputLimits } = round.recentFaults
  try {
    return await searchRound(round, context, requestContext)
  } catch (error) {
    const avoidsAny = poolIds.size + inputLimits.size + round.avoidedTokens.size > 0
    if (!avoidsAny || !(error instanceof QuotingError) || error.code === 'BAD_TOKEN') throw error
  }
  poolIds.clear()
  inputLimits.clear()
  round.avoidedTokens.clear()
  return searchRound(round, context, requestContext)
}

/** Runs the search of one round with its faults and limits. @throws QuotingError if no route is found */
async function searchRound(
  {
    request,
    callerRequest,
    gasPriceWei,
    excludePools,
    recentFaults,
    inputLimits: ownInputLimits,
    avoidedTokens,
    shortfallFactor,
    isFirstRound,
    lastFailure,
  }: RoundInput,
  context: RoundsContext,
  { signal, time }: QuotingContext,
) {
  const { view, tokens, search } = context
  const avoidedPools =
    recentFaults.poolIds.size === 0 ? excludePools : new Set([...excludePools, ...recentFaults.poolIds])
  const terms = await routeTerms(request, gasPriceWei, context, avoidedPools)
  const inputLimits = [...recentFaults.inputLimits, ...ownInputLimits]
  const amount = searchAmount(request, tokens.taxes, shortfallFactor)
  const usesAlternatives = 'amountIn' in amount && gasPriceWei > 0n
  const searchRequest = {
    ...terms,
    ...(avoidedTokens.size > 0 && { taxes: withFaultyTokens(terms.taxes, avoidedTokens) }),
    ...(inputLimits.length > 0 && { inputLimits }),
    ...amount,
    ...(request.withProof && { proof: true }),
    ...(usesAlternatives && {
      maxAlternatives: context.gasProber.isRunning ? MAX_UNMEASURED_ALTERNATIVES : MAX_ALTERNATIVES,
    }),
  }
  const slippagePpmOf = (route: RoutePlan) =>
    callerRequest.slippagePpm === 'auto' ? context.slippageOf(route).ppm : request.slippagePpm
  const runSearch = (searchBudget?: number) =>
    time('route', () =>
      searchSampled(
        view,
        { ...searchRequest, ...(searchBudget !== undefined && { work: searchBudget }) },
        { search, signal, slippagePpmOf, mayRefine: isFirstRound },
      ),
    )
  let outcome = await runSearch(isFirstRound ? undefined : LATER_SEARCH_BUDGET)
  // A search that runs out of its budget also reports too little liquidity. Search with the full budget to be sure.
  if (!isFirstRound && !outcome.result.ok && outcome.result.code === 'INSUFFICIENT_LIQUIDITY')
    outcome = await runSearch()
  const { result } = outcome
  if (result.ok) return { ...outcome, result, proof: result.proof }
  const isDueToSize = result.code === 'INSUFFICIENT_LIQUIDITY' && ownInputLimits.length > 0
  if (lastFailure && result.code !== 'BAD_TOKEN' && !isDueToSize) throw revertError(lastFailure, view)
  const searchAgain = (changedRequest: RouteRequest | ExactOutputRequest) =>
    search(view, { ...changedRequest, work: LATER_SEARCH_BUDGET }, signal)
  throw await errorOfFailedSearch(result, { searchRequest, request, taxes: tokens.taxes, view, searchAgain })
}

/**
 * Multiplies the factor on the searched output by the ratio of expected to paid output of a route that paid too little.
 */
function raiseShortfallFactor(
  [numerator, denominator]: readonly [bigint, bigint],
  { paid, expected }: { readonly paid: bigint; readonly expected: bigint },
): readonly [bigint, bigint] {
  return [numerator * expected, denominator * paid]
}

const poolIdsOf = ({ legs }: RoutePlan): readonly string[] => legs.map(({ pool }) => pool.id)

const describeFailure = (trial: Exclude<Trial, WorkingTrial>): string =>
  trial.outcome === 'reverted' ? trial.reason : `paid ${toPercent(trial.shortfallPpm)} percent too little`

/** Throws if the request itself explains a failed route: a bad permit, or an unwrap that is too large. */
async function throwKnownCause(
  route: RoutePlan,
  request: ResolvedRequest,
  context: RoundsContext,
  signal: AbortSignal,
) {
  if (request.permit) await checkPermit(route, request.permit, request.from, context, signal)
  await assertUnwrappable(route, request, context, signal)
}

/** @throws QuotingError `BAD_PERMIT` if the permit is the reason for a failed route */
async function checkPermit(
  { tokenIn, amountIn }: RoutePlan,
  permit: Permit,
  owner: Address,
  { rpc, contracts, view }: RoundsContext,
  signal: AbortSignal,
): Promise<void> {
  const fault = await findPermitFault(rpc, permit, {
    ...{ token: tokenIn, owner, ownerCode: await view.codeOf(owner), spender: contracts.guard, amount: amountIn },
    ...{ block: view.snapshot.block, signal },
  })
  if (fault)
    throw new QuotingError('BAD_PERMIT', fault.message, { field: fault.field, block: view.snapshot.block.number })
}

function trialEvent({ optimalityGapBps }: RoutePlan, trial: Trial) {
  const shortfallPpm = 'shortfallPpm' in trial ? trial.shortfallPpm : undefined
  return { kind: 'trial', outcome: trial.outcome, shortfallPpm, optimalityGapBps } as const
}

function tradedTokens(route: RoutePlan): readonly TradedToken[] {
  const tokens = route.legs.flatMap(({ pool, tokenIn, tokenOut }) =>
    [tokenIn, tokenOut].map((token) => ({ token, pool })),
  )
  return tokens.filter(({ token }) => token !== ZERO_ADDRESS)
}

/** Measures the taxes of a route's tokens. @returns true if the taxes differ from those of the route's search */
async function learnTaxesOf(
  route: RoutePlan,
  { taxes: searchedTaxes }: Pick<RouteRequest, 'taxes'>,
  { tokens: { taxes }, rpc, simulation, view }: RoundsContext,
  { time, signal }: QuotingContext,
): Promise<boolean> {
  const taxSource = { rpc, simulation, block: { blockHash: view.snapshot.block.hash }, signal }
  const hasLearned = await time('learn', () => taxes.learn(tradedTokens(route), taxSource))
  // A quote that runs at the same time may have measured the tokens since the search.
  return hasLearned || haveTaxesChanged(route, searchedTaxes, taxes.taxedTokens)
}

/** True if a token of the route has other taxes than those with which the route was searched. */
function haveTaxesChanged(route: RoutePlan, searchedTaxes: Taxes | undefined, currentTaxes: Taxes): boolean {
  return tradedTokens(route).some(({ token, pool }) => {
    const [searchedTax, currentTax] = [searchedTaxes, currentTaxes].map((taxes) => taxIn(taxes, token, pool.id))
    return (['buyPpm', 'sellPpm', 'transferPpm', 'surchargePpm'] as const).some(
      (name) => (searchedTax?.[name] ?? 0) !== (currentTax?.[name] ?? 0),
    )
  })
}

function revertError(reason: string, { snapshot }: ChainView): QuotingError {
  const details = { reasons: [], block: snapshot.block.number }
  return new QuotingError('ROUTE_REVERTED', `the route fails in simulation: ${reason}`, details)
}
