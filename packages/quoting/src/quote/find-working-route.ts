/** The rounds of routing and simulating by which a quote comes to a route that was seen to work. */
import { type Address, ZERO_ADDRESS } from '@sluice/chains'
import { type BoundProof, type ExactOutputRequest, MOST_WORK, type Route, type RouteRequest } from '@sluice/routing'
import { type SimulationContext, usualGas } from '@sluice/simulation'
import { QuotingError } from '../errors.ts'
import type { QuotingListener } from '../events.ts'
import type { GasProber } from '../gas/gas-prober.ts'
import { permitFault } from '../permit/fault.ts'
import type { Permit } from '../permit/permit.ts'
import type { TaxRecords, TradedToken } from '../tokens/taxes.ts'
import type { ChainView } from '../view/view.ts'
import { toPercent } from './amounts.ts'
import { culprits } from './culprits.ts'
import { onceAsked } from './once-asked.ts'
import type { AutoSlippage, Search, Work } from './ports.ts'
import { type DecidedRequest, decided, type QuoteRequest } from './request.ts'
import { routeTerms, type TermsContext } from './route-terms.ts'
import { searchAmount } from './search-amount.ts'
import { searchFailure } from './search-failure.ts'
import { mostRouteGas, tooMuchGas } from './too-much-gas.ts'
import { type Trial, type TrialContext, tryRoute, type WorkingTrial } from './try-route.ts'

/** Rounds of routing: each later one knows a tax or avoids a pool that the one before met, or whose gas no transaction can pay. */
const MAX_ROUNDS = 5
/**
 * Work of each round after the first, so that all of them together cost half as much again as the longest search: twice what
 * the hardest search of 20,000 pools takes.
 */
const LATER_WORK = MOST_WORK / 8

/** 5 %: what a route may pay less than settled if no other works. */
const MAX_LAST_SHORTFALL_PPM = 50_000n
/** 0.5 %: what a route may pay more than settled before recorded taxes count as outdated. */
const MAX_EXCESS_PPM = 5_000n

const OUT_OF_GAS = {
  outcome: 'reverted',
  reason: 'it takes more gas than a transaction may',
  gasUsed: Number.POSITIVE_INFINITY,
} as const

/** Routes that are measured beside the one that the search takes for the best, in the same call. */
const MAX_ALTERNATIVES = 3
/** The same while gas of pools is not measured yet: what the search does not know, the simulation shows. */
const MAX_UNMEASURED_ALTERNATIVES = 7

export type RoundsContext = Omit<TrialContext, 'signal' | 'taxes'> &
  TermsContext & {
    readonly search: Search
    readonly simulation: SimulationContext
    readonly emit: QuotingListener
    readonly gasProber: Pick<GasProber, 'isRunning'>
    readonly slippageOf: (route: Route) => AutoSlippage
  }

export type WorkingRoute = {
  readonly route: Route
  readonly trial: WorkingTrial
  /** Chosen slippage, where the request left it to the route. */
  readonly slippage: AutoSlippage | undefined
  /** Proof by the search that found the route, if the request wants it; null if there is none. */
  readonly proof: BoundProof | null | undefined
  /** The one that the search took for the best, before gas was measured. */
  readonly ranked: Route
  /** Place of the route among those that were tried: 0 for the one that the search took for the best. */
  readonly rival: number
  /** Request that the route was found by: the same search in the same pools finds it again. */
  readonly sought: RouteRequest | ExactOutputRequest
}

/** A route that paid less than settled for a reason that was not found. */
type ShortRoute = Omit<WorkingRoute, 'trial' | 'rival' | 'ranked'> & {
  readonly request: DecidedRequest
  readonly shortfallPpm: bigint
}

/**
 * The first route that pays what it settled at; else, of those that pay up to 5 % less, the one that lacks least, with the output
 * that was measured. Tokens that sell what they have kept of taxes before a sale move the price of their only pool by so much.
 *
 * @throws QuotingError when there is no route, or none that works
 */
export async function findWorkingRoute(
  wish: QuoteRequest,
  gasPriceWei: bigint,
  context: RoundsContext,
  underWay: Work,
): Promise<WorkingRoute> {
  const short: ShortRoute[] = []
  try {
    return await searchInRounds(wish, gasPriceWei, context, underWay, (route) => short.push(route))
  } catch (error) {
    const [least] = short
      .filter(({ shortfallPpm }) => shortfallPpm <= MAX_LAST_SHORTFALL_PPM)
      .sort((a, b) => Number(a.shortfallPpm - b.shortfallPpm))
    if (!least || !(error instanceof QuotingError && error.code === 'ROUTE_REVERTED')) throw error
    const { request, shortfallPpm: _, ...found } = least
    const trialContext = { ...context, taxes: context.tokens.taxes, signal: underWay.signal }
    const run = () => tryRoute(found.route, [], request, trialContext, MAX_LAST_SHORTFALL_PPM)
    const trial = await underWay.time('simulate', run)
    if (!('swap' in trial)) throw error
    return { ...found, ranked: found.route, trial, rival: 0 }
  }
}

/** @param onShort - called with each route that pays too little */
async function searchInRounds(
  wish: QuoteRequest,
  gasPriceWei: bigint,
  context: RoundsContext,
  underWay: Work,
  onShort: (route: ShortRoute) => void,
): Promise<WorkingRoute> {
  const { signal, time } = underWay
  const { view, tokens, emit, rpc, simulation } = context
  const excludePools = new Set(wish.excludePools)
  const mostGas = mostRouteGas(usualGas(view.snapshot.block, simulation.limits.maxGas))
  let request = decided(wish)
  let slippage: AutoSlippage | undefined
  let lastFailure = ''
  let doubted = false
  let lift: readonly [bigint, bigint] = [1n, 1n]
  for (let round = 0; round < MAX_ROUNDS; round++) {
    signal.throwIfAborted()
    const state = { request, gasPriceWei, excludePools, lift, isFirst: round === 0, lastFailure }
    const { result, ...found } = await searchRound(state, context, underWay)
    const { route, rivals = [] } = result
    const lean = rivals.filter(({ gas }) => gas <= mostGas)
    if (wish.slippagePpm === 'auto' && (slippage === undefined || wish.amountOut === undefined)) {
      const isFirst = slippage === undefined
      slippage = context.slippageOf(route)
      request = decided(wish, slippage.ppm)
      // What is to be left after the slippage takes another input: it is sought once more.
      if (isFirst && wish.amountOut !== undefined) continue
    }
    await view.assertDeployed()
    const tried = async (meanwhile?: () => void) => {
      const run = () => tryRoute(route, lean, request, { ...context, taxes: tokens.taxes, signal })
      const [trial] = await time('simulate', () => Promise.all([run(), onceAsked(meanwhile, signal)]))
      emit(trialEvent(route, trial))
      return trial
    }
    const works = (trial: WorkingTrial): WorkingRoute => {
      const rival = [route, ...rivals].indexOf(trial.route)
      return { route: trial.route, ranked: route, trial, ...found, slippage, rival }
    }
    const trial = route.gas > mostGas ? OUT_OF_GAS : await tried(result.boundAfterGas)
    const source = { rpc, simulation, block: { blockHash: view.snapshot.block.hash }, signal }
    const relearn = () => time('learn', () => tokens.taxes.learn(tradedTokens(route), source))
    if ('swap' in trial) {
      // A tax that is no longer taken looks like a gift.
      const isLast = round === MAX_ROUNDS - 1
      const isTaxed = -trial.shortfallPpm > MAX_EXCESS_PPM && hasTaxes(route, tokens.taxes)
      if (isTaxed && !isLast && (await relearn())) continue
      return works(trial)
    }
    if (trial.outcome === 'reverted' && (trial.gasUsed ?? 0) > mostGas) {
      lastFailure = OUT_OF_GAS.reason
      // No pool is at fault. If the route took more gas than expected, the pools of half of that gas are left out.
      for (const pool of tooMuchGas(route, Math.min(mostGas, route.gas / 2))) excludePools.add(pool)
      continue
    }
    // Before anything is learned of pools and tokens, which may not be to blame.
    if (wish.permit) await checkPermit(route, wish.permit, wish.from, context, signal)
    lastFailure = failureOf(trial)
    if (trial.outcome === 'shortfall') onShort({ route, request, ...found, slippage, shortfallPpm: trial.shortfallPpm })
    const pools = route.legs.map(({ pool }) => pool.id)
    underWay.log.info({ round, failure: lastFailure, pools }, 'route failed in simulation')
    if ('paid' in trial && trial.paid) {
      const [paid, settled] = trial.paid
      lift = [lift[0] * settled, lift[1] * paid]
      continue
    }
    const learned = await relearn()
    tokens.standings.learn(tokens.taxes.current)
    if (!learned) {
      // A pool is not left out, nor trust lost, for what may have been the node's doing: the same bytes are run once more.
      const again = doubted ? trial : await tried()
      doubted = true
      if ('swap' in again) return works(again)
      for (const pool of await toBlame(route, context, underWay)) excludePools.add(pool)
    }
    if (!learned && route.legs.length === 0) break
  }
  throw reverted(lastFailure, view)
}

type Round = {
  readonly request: DecidedRequest
  readonly gasPriceWei: bigint
  readonly excludePools: ReadonlySet<string>
  readonly lift: readonly [bigint, bigint]
  readonly isFirst: boolean
  /** Failure of the route of the round before; empty if there was none. */
  readonly lastFailure: string
}

/** @throws QuotingError if no route is found */
async function searchRound(
  { request, gasPriceWei, excludePools, lift, isFirst, lastFailure }: Round,
  context: RoundsContext,
  { signal, time }: Work,
) {
  const { view, tokens, search } = context
  const terms = await routeTerms(request, gasPriceWei, context, excludePools)
  const amount = searchAmount(request, tokens.taxes, lift)
  const isMeasured = 'amountIn' in amount && gasPriceWei > 0n
  const work = !isFirst && { work: LATER_WORK }
  const sought = {
    ...terms,
    ...amount,
    ...work,
    ...(request.withProof && { proof: true }),
    ...(isMeasured && { mostRivals: context.gasProber.isRunning ? MAX_UNMEASURED_ALTERNATIVES : MAX_ALTERNATIVES }),
  }
  const result = await time('route', () => search(view, sought, signal))
  if (result.ok) return { sought, result, proof: result.proof }
  if (lastFailure && result.code !== 'BAD_TOKEN') throw reverted(lastFailure, view)
  const searchAgain = (other: RouteRequest | ExactOutputRequest) => search(view, { ...other, work: LATER_WORK }, signal)
  throw await searchFailure(result, { sought, request, taxes: tokens.taxes, view, searchAgain })
}

const failureOf = (trial: Exclude<Trial, WorkingTrial>): string =>
  trial.outcome === 'reverted' ? trial.reason : `paid ${toPercent(trial.shortfallPpm)} percent too little`

/** Pools that a route is to do without, since it failed; what it passed through loses trust. */
async function toBlame(route: Route, context: RoundsContext, { signal, time }: Work): Promise<readonly string[]> {
  const { standings, taxes } = context.tokens
  standings.blame(passedThrough(route))
  const guilty = hasTaxes(route, taxes) ? [] : await time('learn', () => culprits(route, { ...context, signal }))
  return guilty.length > 0 ? guilty : suspects(route)
}

function hasTaxes({ legs }: Route, { current }: TaxRecords): boolean {
  return legs.some(({ tokenIn, tokenOut }) => current.has(tokenIn) || current.has(tokenOut))
}

/** @throws QuotingError `BAD_PERMIT` where the permission is why a route failed */
async function checkPermit(
  { tokenIn, amountIn }: Route,
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

function trialEvent({ optimalityGapBps }: Route, trial: Trial) {
  const shortfallPpm = 'shortfallPpm' in trial ? trial.shortfallPpm : undefined
  return { kind: 'trial', outcome: trial.outcome, shortfallPpm, optimalityGapBps } as const
}

function tradedTokens(route: Route): readonly TradedToken[] {
  const tokens = route.legs.flatMap(({ pool, tokenIn, tokenOut }) =>
    [tokenIn, tokenOut].map((token) => ({ token, pool })),
  )
  return tokens.filter(({ token }) => token !== ZERO_ADDRESS)
}

/** Pools, and tokens that the caller did not ask for. */
function passedThrough({ legs, tokenIn, tokenOut }: Route): ReadonlySet<string> {
  const ids = legs.flatMap((leg) => [leg.pool.id, leg.tokenIn, leg.tokenOut])
  return new Set(ids.filter((id) => id !== tokenIn && id !== tokenOut))
}

/** The pool that carries most of the route: without a better witness, the likeliest to have failed it. */
function suspects({ legs, amountIn, tokenIn }: Route): readonly string[] {
  const share = (leg: (typeof legs)[number]) =>
    leg.tokenIn === tokenIn ? Number(leg.amountIn) / Number(amountIn) : 0.5
  const [first] = [...legs].sort((a, b) => share(b) - share(a))
  return first ? [first.pool.id] : []
}

function reverted(reason: string, { snapshot }: ChainView): QuotingError {
  const details = { reasons: [], block: snapshot.block.number }
  return new QuotingError('ROUTE_REVERTED', `the route fails in simulation: ${reason}`, details)
}
