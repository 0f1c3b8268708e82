/** The use case behind the swap endpoint: from a wish to a transaction that was seen to work. */
import { type Address, ZERO_ADDRESS } from '@sluice/chains'
import type { Route, RouteResult } from '@sluice/routing'
import { RpcError } from '@sluice/rpc'
import type { ChainService } from '../chain/chain-service.ts'
import type { TradedToken } from '../chain/taxes.ts'
import type { ChainView } from '../chain/view.ts'
import { ApiError } from '../errors.ts'
import type { RequestContext } from '../http/context.ts'
import { toPercent } from './amounts.ts'
import { judge, type Quote } from './judge.ts'
import type { QuoteRequest } from './request.ts'
import { checkDeadline, type Trial, tryRoute, type WorkingTrial } from './trial.ts'

/** Rounds of routing: each later one knows a tax or avoids a pool that the one before met. */
const MAX_ROUNDS = 5

/** Heads in a row that may be gone before they are quoted: reorgs come one at a time. */
const MAX_ATTEMPTS = 20

/** What one piece of work has of the request that started it. */
type Work = Pick<RequestContext, 'signal' | 'time' | 'log'>

/**
 * Identical requests at the same block are worked on once.
 *
 * @param key - tells requests apart that may get different answers
 * @throws ApiError 422 when there is no route, none that works, or none within the caller's limits; 502 and 503 when
 *   the chain cannot be read or is behind
 */
export async function quote(
  request: QuoteRequest,
  key: string,
  chain: ChainService,
  context: RequestContext,
): Promise<Quote> {
  const tokens = [request.tokenIn, request.tokenOut].map((token) => chain.asErc20(token))
  const { log, signal } = context
  const quoteOf: QuoteOf = (view) => {
    checkDeadline(request.deadline, view.snapshot.block.timestamp)
    let how: 'made' | 'shared' = 'shared'
    const quoted = chain.quotes.run(`${view.snapshot.block.hash}${key}`, signal, (signal) => {
      how = 'made'
      return quoteAt(view, request, chain, { signal, log, time: (stage, work) => context.time(stage, work) })
    })
    chain.metrics.afterwards.add(() => chain.metrics.quotes.inc({ chain: chain.chain.chainId, how }))
    return { quoted, shared: how === 'shared' }
  }
  const early = chain.isFollowed ? await quoteNewest(quoteOf, tokens, request.minimumBlock, chain, signal) : undefined
  if (early) return early
  for (let attempt = 1; ; attempt++) {
    const view = await context.time('state', () => chain.views.atHead([tokens], request.minimumBlock, signal))
    const quoted = await quoteStanding(quoteOf(view), view, chain, signal, attempt < MAX_ATTEMPTS)
    if (quoted) return quoted
  }
}

type Quoting = {
  readonly quoted: Promise<Quote>
  /** With a request that came before. */
  readonly shared: boolean
}
type QuoteOf = (view: ChainView) => Quoting

/**
 * Quotes the newest block in memory; the node tells its head along with the simulation. Mostly they are the same, and the
 * question took no time; where they are not, undefined is returned.
 */
async function quoteNewest(
  quoteOf: QuoteOf,
  tokens: readonly Address[],
  minimumBlock = 0,
  chain: ChainService,
  signal: AbortSignal,
): Promise<Quote | undefined> {
  const view = await chain.views.inMemory([tokens], signal)
  const { hash, number } = view.snapshot.block
  if (number < minimumBlock) return undefined
  const { quoted, shared } = quoteOf(view)
  // What was asked for before this request came says nothing of the head now.
  const asked = shared ? chain.views.head(signal) : undefined
  asked?.catch(() => {})
  const outcome = await quoted.then(
    (quote) => ({ head: quote.head, quote }),
    (error: unknown) => {
      // Everything but a node that fails may look different at another block; the state of a block may be gone with it.
      if (error instanceof RpcError && !error.ofBlock) throw error
      return { head: undefined, error }
    },
  )
  const head = (await asked) ?? outcome.head ?? (await chain.views.head(signal))
  if (head.hash !== hash) {
    chain.metrics.quotes.inc({ chain: chain.chain.chainId, how: 'outdated' })
    return undefined
  }
  if ('error' in outcome) throw outcome.error
  return outcome.quote
}

/**
 * The quote of a block that was the head when it was begun, which may have later ones on top by now. Undefined where the block
 * is gone: a reorg put others in its place.
 *
 * @param mayRepeat - otherwise an answer is given whatever has become of the block
 */
async function quoteStanding(
  { quoted, shared }: Quoting,
  { snapshot: { block } }: ChainView,
  chain: ChainService,
  signal: AbortSignal,
  mayRepeat: boolean,
): Promise<Quote | undefined> {
  const isGone = async () => {
    await chain.views.head(signal)
    const gone = !chain.holds(block)
    if (gone) chain.metrics.quotes.inc({ chain: chain.chain.chainId, how: 'reorged' })
    return gone
  }
  try {
    const quote = await quoted
    const stands = !shared && quote.head?.hash === block.hash
    return !mayRepeat || stands || !(await isGone()) ? quote : undefined
  } catch (error) {
    if (!(error instanceof RpcError) || !error.ofBlock || !mayRepeat || !(await isGone())) throw error
    return undefined
  }
}

async function quoteAt(view: ChainView, request: QuoteRequest, chain: ChainService, work: Work): Promise<Quote> {
  // Asked for now, needed after routing; a failure is met there.
  view.codeOf(request.from).catch(() => {})
  const gasPriceWei = request.gasPriceWei ?? (await view.gasPriceWei())
  const { route, trial } = await findWorkingRoute(request, gasPriceWei, chain, view, work)
  const found = { request, gasPriceWei, chain, view, route, trial, signal: work.signal }
  return work.time('judge', () => judge(found))
}

async function findWorkingRoute(
  request: QuoteRequest,
  gasPriceWei: bigint,
  chain: ChainService,
  view: ChainView,
  { signal, time, log }: Work,
): Promise<{ readonly route: Route; readonly trial: WorkingTrial }> {
  const excludePools = new Set(request.excludePools)
  let lastFailure = ''
  for (let round = 0; round < MAX_ROUNDS; round++) {
    signal.throwIfAborted()
    const l1FeePerByteWei = await view.l1FeePerByteWei()
    const trust = chain.standings.trust(request.intermediates)
    const result = await time('route', () =>
      chain.findRoute(
        view,
        {
          tokenIn: request.tokenIn,
          tokenOut: request.tokenOut,
          amountIn: request.amountIn,
          wrappedNative: chain.wrappedNative,
          ...(chain.nativeErc20 && { nativeErc20: chain.nativeErc20 }),
          gasPriceWei,
          l1FeePerByteWei,
          excludePools,
          sources: { ...request.sources, executable: chain.executable },
          taxes: chain.taxes.current,
          ...(trust && { trust }),
          ...(request.maxHops !== undefined && { maxHops: request.maxHops }),
          ...(request.maxSplits !== undefined && { maxSplits: request.maxSplits }),
        },
        signal,
      ),
    )
    if (!result.ok)
      throw lastFailure && result.code !== 'BAD_TOKEN' ? reverted(lastFailure, view) : noRoute(result, view)
    const { route } = result
    await view.assertDeployed()
    const trial = await time('simulate', () => tryRoute(route, request, { chain, view, signal }))
    chain.metrics.afterwards.add(() => record(route, trial, chain))
    if ('swap' in trial) return { route, trial }
    lastFailure =
      trial.outcome === 'reverted' ? trial.reason : `paid ${toPercent(trial.shortfallPpm)} percent too little`
    log.info(
      { round, failure: lastFailure, pools: route.legs.map(({ pool }) => pool.id) },
      'route failed in simulation',
    )
    const block = { blockHash: view.snapshot.block.hash }
    const source = { rpc: chain.rpc, simulation: chain.simulation, block, signal }
    const learned = await time('learn', () => chain.taxes.learn(tradedTokens(route), source))
    chain.standings.learn(chain.taxes.current)
    if (!learned) {
      chain.standings.blame(passedThrough(route))
      for (const pool of suspects(route)) excludePools.add(pool)
    }
    if (!learned && route.legs.length === 0) break
  }
  throw reverted(lastFailure, view)
}

function record(route: Route, trial: Trial, { metrics, chain }: ChainService): void {
  if (route.optimalityGapBps !== null) metrics.routeGap.observe(route.optimalityGapBps)
  metrics.trials.inc({ chain: chain.chainId, outcome: trial.outcome })
  if ('shortfallPpm' in trial) metrics.settledError.observe(Math.abs(Number(trial.shortfallPpm)))
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

function noRoute(result: Extract<RouteResult, { ok: false }>, { snapshot }: ChainView): ApiError {
  const { code, message, reasons, maxRoutableAmount } = result
  return new ApiError(code, message, {
    details: {
      reasons: reasons.slice(0, 50),
      ...(maxRoutableAmount !== undefined && { maxRoutableAmount: maxRoutableAmount.toString() }),
      block: snapshot.block.number,
    },
  })
}

function reverted(reason: string, { snapshot }: ChainView): ApiError {
  return new ApiError('ROUTE_REVERTED', `the route fails in simulation: ${reason}`, {
    details: { reasons: [], block: snapshot.block.number },
  })
}
