/**
 * Finds a route that works: rounds of search and simulation, each with the pools, gas, and limits that earlier rounds
 * have learned.
 */
import { type Address, ZERO_ADDRESS } from '@sluice/chains'
import { type BoundProof, type ExactOutputRequest, MAX_WORK, type RoutePlan, type RouteRequest } from '@sluice/routing'
import { defaultGasLimit, type SimulationContext } from '@sluice/simulation'
import { QuotingError } from '../errors.ts'
import type { QuotingListener } from '../events.ts'
import type { GasProber } from '../gas/gas-prober.ts'
import { permitFault } from '../permit/fault.ts'
import type { Permit } from '../permit/permit.ts'
import type { TradedToken } from '../tokens/taxes.ts'
import type { ChainView } from '../view/view.ts'
import { afterRequestIsSent } from './after-request-is-sent.ts'
import { toPercent } from './amounts.ts'
import { withFaultyTokens } from './faulty-tokens.ts'
import {
  type Faults,
  type FaultsContext,
  hasTaxes,
  knownFaults,
  poolsToExclude,
  recordExplained,
} from './known-faults.ts'
import type { AutoSlippage, Search, Work } from './ports.ts'
import { type DecidedRequest, decideRequest, type QuoteRequest } from './request.ts'
import { routeTerms, type TermsContext } from './route-terms.ts'
import { searchSampled } from './sampled-search.ts'
import { searchAmount } from './search-amount.ts'
import { searchFailure } from './search-failure.ts'
import { maxRouteGas, poolsOverGasLimit } from './too-much-gas.ts'
import { type Trial, tryRoute, type WorkingTrial } from './try-route.ts'
import { assertUnwrappable } from './unwrap-limit.ts'

/** Maximum rounds. Each round after the first knows one more token tax or avoids one more pool. */
const MAX_ROUNDS = 5
/**
 * Search budget of each round after the first. Four such rounds cost half of the longest search; one has twice the work
 * of the hardest search in 20,000 pools.
 */
const LATER_WORK = MAX_WORK / 8

/** 5 %: maximum shortfall against the settled output, if no route pays all of it. */
const MAX_LAST_SHORTFALL_PPM = 50_000n
/** 0.5 %: an output above the settled one by more than this means that recorded taxes are outdated. */
const MAX_EXCESS_PPM = 5_000n

const OUT_OF_GAS = {
  outcome: 'reverted',
  reason: 'it takes more gas than a transaction may',
  gasUsed: Number.POSITIVE_INFINITY,
} as const

/** Maximum searches of the first round, each with more measured pools. */
const MAX_MEASURED_SEARCHES = 6
/** Maximum searches for an exact output by given pools, each without the foreign pools of the one before. */
const MAX_CHEAPER_SEARCHES = 2
/** 0.1 %: share of the output from which the cost of gas may decide between routes, as a divisor. */
const DECISIVE_SHARE = 1_000n

/** Maximum alternative routes simulated together with the best one. */
const MAX_ALTERNATIVES = 3
/** Maximum while gas of pools is still being measured, since the search then ranks routes by rough estimates. */
const MAX_UNMEASURED_ALTERNATIVES = 7

export type RoundsContext = FaultsContext &
  TermsContext & {
    readonly search: Search
    readonly simulation: SimulationContext
    readonly emit: QuotingListener
    readonly gasProber: Pick<GasProber, 'isRunning' | 'measureNow'>
    readonly slippageOf: (route: RoutePlan) => AutoSlippage
  }

export type WorkingRoute = {
  /** View whose pools the route was found in. */
  readonly view: ChainView
  readonly route: RoutePlan
  readonly trial: WorkingTrial
  /** Automatic slippage, if the request asks for it. */
  readonly slippage: AutoSlippage | undefined
  /** Proof of the bound, if the request asks for it; null if the search found no bound. */
  readonly proof: BoundProof | null | undefined
  /** The best route by the search's gas estimates, before simulation. */
  readonly ranked: RoutePlan
  /** Index of the route among the simulated ones; 0 is the best by the search. */
  readonly alternativeIndex: number
  /** Request of the search. The same search over the same pools finds the route again. */
  readonly searchRequest: RouteRequest | ExactOutputRequest
}

/** A route that paid less than settled for an unknown reason. */
type ShortRoute = Omit<WorkingRoute, 'trial' | 'alternativeIndex' | 'ranked'> & {
  readonly request: DecidedRequest
  readonly shortfallPpm: bigint
}

/**
 * Returns the first route that pays its settled output. If there is none, returns the route with the smallest
 * shortfall, at its measured output, if that shortfall is at most 5 %; for an exact output, a route whose settled output is
 * as much higher. A taxed token that sells its collected tax during a transfer moves its only pool by such amounts, and so
 * does a pool that holds less than its reserves.
 *
 * @throws QuotingError if no route exists, or none works
 */
export async function findWorkingRoute(
  callerRequest: QuoteRequest,
  gasPriceWei: bigint,
  context: RoundsContext,
  work: Work,
): Promise<WorkingRoute> {
  const short: ShortRoute[] = []
  try {
    return await searchInRounds(callerRequest, gasPriceWei, context, work, (route) => short.push(route))
  } catch (error) {
    const [closest] = short
      .filter(({ shortfallPpm }) => shortfallPpm <= MAX_LAST_SHORTFALL_PPM)
      .sort((a, b) => Number(a.shortfallPpm - b.shortfallPpm))
    if (!closest || !(error instanceof QuotingError && error.code === 'ROUTE_REVERTED')) throw error
    // An exact output needs more input than the route has, so it is searched again with higher targets.
    if (callerRequest.amountOut !== undefined)
      return searchInRounds(callerRequest, gasPriceWei, context, work, () => {}, MAX_LAST_SHORTFALL_PPM)
    const { request, shortfallPpm: _, ...shortRoute } = closest
    const trialContext = { ...context, taxes: context.tokens.taxes, signal: work.signal }
    const run = () => tryRoute(shortRoute.route, [], request, trialContext, MAX_LAST_SHORTFALL_PPM)
    const trial = await work.time('simulate', run)
    if (!('swap' in trial)) throw error
    return { ...shortRoute, ranked: shortRoute.route, trial, alternativeIndex: 0 }
  }
}

/**
 * @param onShort - called with each route that pays too little
 * @param maxShortfallPpm - maximum shortfall of a route that is used; the default of `tryRoute` if absent
 */
async function searchInRounds(
  callerRequest: QuoteRequest,
  gasPriceWei: bigint,
  context: RoundsContext,
  work: Work,
  onShort: (route: ShortRoute) => void,
  maxShortfallPpm?: bigint,
): Promise<WorkingRoute> {
  const { signal, time } = work
  const { view, tokens, rpc, simulation } = context
  const excludePools = new Set(callerRequest.excludePools)
  const faults = knownFaults(callerRequest, context)
  const terms = { ...faults, callerRequest, gasPriceWei, excludePools }
  const maxGas = maxRouteGas(defaultGasLimit(view.snapshot.block, simulation.limits.maxGas))
  const source = { rpc, simulation, block: { blockHash: view.snapshot.block.hash }, signal }
  const trialContext = { ...context, taxes: tokens.taxes, signal }
  let request = decideRequest(callerRequest)
  let slippage: AutoSlippage | undefined
  let lastFailure = ''
  let isRetried = false
  let lift: readonly [bigint, bigint] = [1n, 1n]
  for (let round = 0; round < MAX_ROUNDS; round++) {
    signal.throwIfAborted()
    const state = { ...terms, request, lift, isFirst: round === 0, lastFailure }
    const { result, ...extra } = await searchMeasured(state, context, work)
    const { route, alternatives = [] } = result
    const isExactOutput = callerRequest.amountOut !== undefined
    if (callerRequest.slippagePpm === 'auto' && !(isExactOutput && slippage)) {
      slippage = context.slippageOf(route)
      request = decideRequest(callerRequest, slippage.ppm)
      // An exact output needs a new search: its target depends on the slippage.
      if (isExactOutput) continue
    }
    await view.assertDeployed()
    const affordable = alternatives.filter(({ gas }) => gas <= maxGas)
    const simulateRoute = async (meanwhile?: () => void) => {
      const run = () => tryRoute(route, affordable, request, trialContext, maxShortfallPpm)
      const [trial] = await time('simulate', () => Promise.all([run(), afterRequestIsSent(meanwhile, signal)]))
      context.emit(trialEvent(route, trial))
      return trial
    }
    const toWorkingRoute = (trial: WorkingTrial): WorkingRoute => {
      const alternativeIndex = [route, ...alternatives].indexOf(trial.route)
      recordExplained(faults.failed, trial.route, context)
      return { route: trial.route, ranked: route, trial, ...extra, slippage, alternativeIndex }
    }
    const trial = route.gas > maxGas ? OUT_OF_GAS : await simulateRoute(result.boundAfterGas)
    const learnTaxes = () => time('learn', () => tokens.taxes.learn(tradedTokens(route), source))
    if ('swap' in trial) {
      // The recorded tax was lifted if the route pays more than settled.
      const isTaxed = -trial.shortfallPpm > MAX_EXCESS_PPM && hasTaxes(route, tokens.taxes)
      if (isTaxed && round < MAX_ROUNDS - 1 && (await learnTaxes())) continue
      return toWorkingRoute(trial)
    }
    if (trial.outcome === 'reverted' && (trial.gasUsed ?? 0) > maxGas) {
      lastFailure = OUT_OF_GAS.reason
      // Out of gas is not a fault of pools. If gas exceeded the estimate, exclude pools worth half of the estimate.
      for (const pool of poolsOverGasLimit(route, Math.min(maxGas, route.gas / 2))) excludePools.add(pool)
      continue
    }
    await throwKnownCause(route, request, context, signal)
    lastFailure = failureOf(trial)
    if (trial.outcome === 'shortfall') onShort({ route, request, ...extra, slippage, shortfallPpm: trial.shortfallPpm })
    work.log.info({ round, failure: lastFailure, pools: poolsOf(route) }, 'route failed in simulation')
    if ('paid' in trial && trial.paid) {
      lift = raiseRatio(lift, trial.paid)
      continue
    }
    const learnedTaxes = await learnTaxes()
    tokens.standings.learn(tokens.taxes.current)
    if (learnedTaxes) continue
    // Repeat the simulation before excluding pools, since the node may have failed.
    const again = isRetried ? trial : await simulateRoute()
    isRetried = true
    if ('swap' in again) return toWorkingRoute(again)
    for (const pool of await poolsToExclude(route, context, work, faults)) excludePools.add(pool)
    if (route.legs.length === 0) break
  }
  throw revertError(lastFailure, view)
}

type Round = Omit<Faults, 'failed'> & {
  readonly request: DecidedRequest
  readonly gasPriceWei: bigint
  readonly excludePools: ReadonlySet<string>
  readonly lift: readonly [bigint, bigint]
  readonly isFirst: boolean
  /** The request before the slippage was decided. */
  readonly callerRequest: QuoteRequest
  /** Failure of the previous round's route; empty if there was none. */
  readonly lastFailure: string
}

/**
 * Searches. If gas may decide between routes, measures those pools of the routes that have no measurement, and searches
 * again. The gas of a family can be half of what one of its pools takes.
 */
async function searchMeasured(round: Round, context: RoundsContext, work: Work): Promise<SearchOutcome> {
  const { rpc, view, gasProber } = context
  let outcome = await searchAvoiding(round, context, work)
  if (round.request.amountOut !== undefined)
    return round.isFirst && isGasDecisive(outcome.result.route) ? cheaperInput(outcome, round, context, work) : outcome
  for (let searches = 1; round.isFirst && searches < MAX_MEASURED_SEARCHES; searches++) {
    const { route, alternatives = [] } = outcome.result
    if (!isGasDecisive(route)) break
    const pools = new Set([route, ...alternatives].flatMap(({ legs }) => legs.map(({ pool }) => pool)))
    const source = { rpc, snapshot: view.snapshot }
    if (!(await work.time('probe', () => gasProber.measureNow([...pools], source)))) break
    outcome = await searchAvoiding(round, context, work)
  }
  return outcome
}

type SearchOutcome = Awaited<ReturnType<typeof searchRound>>

/**
 * Compares the route of an exact output, by measured gas, with the candidates of an exact input of the same size. Then
 * searches the exact output again, restricted to the pools of the best candidate.
 */
async function cheaperInput(
  estimatedOutcome: SearchOutcome,
  round: Round,
  context: RoundsContext,
  work: Work,
): Promise<SearchOutcome> {
  const { route } = estimatedOutcome.result
  const request = { ...round.request, amountIn: route.amountIn, amountOut: undefined }
  try {
    const { result } = await searchMeasured({ ...round, request }, context, work)
    const otherRoutes = [result.route, ...(result.alternatives ?? [])]
    const { signal } = work
    const trialContext = { ...context, taxes: context.tokens.taxes, signal }
    const trial = await work.time('simulate', () => tryRoute(route, otherRoutes, request, trialContext))
    if (!('swap' in trial) || usesSamePools(trial.route, route)) return estimatedOutcome
    const best = new Set(poolsOf(trial.route))
    const excludePools = new Set(round.excludePools)
    // The search prefers these routes, as it does not know their measured gas.
    let preferredRoutes = [route, ...otherRoutes.slice(0, otherRoutes.indexOf(trial.route))]
    for (let searches = 0; searches < MAX_CHEAPER_SEARCHES; searches++) {
      for (const pool of preferredRoutes.flatMap(poolsOf)) if (!best.has(pool)) excludePools.add(pool)
      const outcome = await searchAvoiding({ ...round, excludePools }, context, work)
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
  [...poolsOf(a)].sort().join() === [...poolsOf(b)].sort().join()

const isGasDecisive = ({ amountOut, gasCostOut }: RoutePlan): boolean =>
  gasCostOut !== null && gasCostOut * DECISIVE_SHARE >= amountOut

/** Searches without swaps that failed lately. Searches with all of them if there is no route without them. */
async function searchAvoiding(round: Round, context: RoundsContext, work: Work) {
  const { pools, limits } = round.recentFaults
  try {
    return await searchRound(round, context, work)
  } catch (error) {
    const hasAvoided = pools.size + limits.size + round.avoidedTokens.size > 0
    if (!hasAvoided || !(error instanceof QuotingError) || error.code === 'BAD_TOKEN') throw error
  }
  pools.clear()
  limits.clear()
  round.avoidedTokens.clear()
  return searchRound(round, context, work)
}

/** @throws QuotingError if no route is found */
async function searchRound(
  {
    request,
    callerRequest,
    gasPriceWei,
    excludePools,
    recentFaults,
    limits,
    avoidedTokens,
    lift,
    isFirst,
    lastFailure,
  }: Round,
  context: RoundsContext,
  { signal, time }: Work,
) {
  const { view, tokens, search } = context
  const avoidedPools = recentFaults.pools.size === 0 ? excludePools : new Set([...excludePools, ...recentFaults.pools])
  const terms = await routeTerms(request, gasPriceWei, context, avoidedPools)
  const inputLimits = [...recentFaults.limits, ...limits]
  const amount = searchAmount(request, tokens.taxes, lift)
  const isMeasured = 'amountIn' in amount && gasPriceWei > 0n
  const searchRequest = {
    ...terms,
    ...(avoidedTokens.size > 0 && { taxes: withFaultyTokens(terms.taxes, avoidedTokens) }),
    ...(inputLimits.length > 0 && { inputLimits }),
    ...amount,
    ...(request.withProof && { proof: true }),
    ...(isMeasured && {
      maxAlternatives: context.gasProber.isRunning ? MAX_UNMEASURED_ALTERNATIVES : MAX_ALTERNATIVES,
    }),
  }
  const slippagePpmOf = (route: RoutePlan) =>
    callerRequest.slippagePpm === 'auto' ? context.slippageOf(route).ppm : request.slippagePpm
  const find = (work?: number) =>
    time('route', () =>
      searchSampled(
        view,
        { ...searchRequest, ...(work !== undefined && { work }) },
        { search, signal, slippagePpmOf, mayRefine: isFirst },
      ),
    )
  let outcome = await find(isFirst ? undefined : LATER_WORK)
  // Too little work looks like too little liquidity, which other pools or a slightly larger output need not cause.
  if (!isFirst && !outcome.result.ok && outcome.result.code === 'INSUFFICIENT_LIQUIDITY') outcome = await find()
  const { result } = outcome
  if (result.ok) return { ...outcome, result, proof: result.proof }
  const isForSize = result.code === 'INSUFFICIENT_LIQUIDITY' && limits.length > 0
  if (lastFailure && result.code !== 'BAD_TOKEN' && !isForSize) throw revertError(lastFailure, view)
  const searchAgain = (other: RouteRequest | ExactOutputRequest) => search(view, { ...other, work: LATER_WORK }, signal)
  throw await searchFailure(result, { searchRequest, request, taxes: tokens.taxes, view, searchAgain })
}

/** Raises the factor by which an exact output's target exceeds it, after a route that paid too little. */
function raiseRatio([num, den]: readonly [bigint, bigint], [paid, settled]: readonly [bigint, bigint]) {
  return [num * settled, den * paid] as const
}

const poolsOf = ({ legs }: RoutePlan): readonly string[] => legs.map(({ pool }) => pool.id)

const failureOf = (trial: Exclude<Trial, WorkingTrial>): string =>
  trial.outcome === 'reverted' ? trial.reason : `paid ${toPercent(trial.shortfallPpm)} percent too little`

/** Throws the cause of a failed route that lies with the request, so that pools and tokens are not blamed. */
async function throwKnownCause(route: RoutePlan, request: DecidedRequest, context: RoundsContext, signal: AbortSignal) {
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
  const fault = await permitFault(rpc, permit, {
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

function revertError(reason: string, { snapshot }: ChainView): QuotingError {
  const details = { reasons: [], block: snapshot.block.number }
  return new QuotingError('ROUTE_REVERTED', `the route fails in simulation: ${reason}`, details)
}
