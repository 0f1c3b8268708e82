/** The use case behind the swap endpoint: from a wish to a transaction that was seen to work. */
import { type Address, NATIVE } from '@sluice/chains'
import { type EncodedSwap, findRoute, type Route, type RouteResult } from '@sluice/routing'
import type { BlockHeader } from '@sluice/rpc'
import type { ChainService } from '../chain/chain-service.ts'
import type { ChainView } from '../chain/view.ts'
import { ApiError } from '../errors.ts'
import type { RequestContext } from '../http/context.ts'
import { shortfallPpm, toPercent, toWhole, transactionGas } from './amounts.ts'
import type { QuoteRequest } from './request.ts'
import { checkDeadline, type Trial, tryRoute } from './trial.ts'

/** Rounds of routing: each later one knows a tax or avoids a pool that the one before met. */
const MAX_ROUNDS = 5
/** Percent of impact from which a response warns. */
const IMPACT_WARNING_PPM = 30_000n
/**
 * Gas of bringing a pool's price oracle up to date: two accumulators of a uniswap-v2 pair, or one observation of a
 * uniswap-v3 pool. A pool traded in the simulated block itself has paid it for that block, and pays it again in the next.
 */
const ORACLE_GAS = 10_000n

export type Quote = {
  readonly route: Route
  readonly swap: EncodedSwap
  /** What the sender receives, base units. */
  readonly amountOut: bigint
  readonly minOutput: bigint
  readonly gasEstimate: bigint
  readonly block: BlockHeader
  readonly gasPriceWei: bigint
  readonly gasCostUsd: number | null
  /** `amountOut` less the gas in output units; null where the native token has no price in the output. */
  readonly netAmountOut: bigint | null
  /** Against the mid price of the same route; null when that is not known. */
  readonly priceImpactPpm: bigint | null
  readonly warnings: readonly string[]
}

type Found = Extract<Trial, { readonly swap: EncodedSwap }>

/**
 * @throws ApiError 422 when there is no route, none that works, or none within the caller's limits; 502 and 503 when
 *   the chain cannot be read or is behind
 */
export async function quote(request: QuoteRequest, chain: ChainService, context: RequestContext): Promise<Quote> {
  const tokens = [request.tokenIn, request.tokenOut].map((token) => chain.asErc20(token))
  const view = await context.time('state', () => chain.view(tokens, request.minimumBlock, context.signal))
  checkDeadline(request.deadline, view.snapshot.block.timestamp)
  const gasPriceWei = request.gasPriceWei ?? (await view.gasPriceWei())
  const { route, trial } = await findWorkingRoute(request, gasPriceWei, chain, view, context)
  return judge(request, gasPriceWei, chain, view, route, trial)
}

async function findWorkingRoute(
  request: QuoteRequest,
  gasPriceWei: bigint,
  chain: ChainService,
  view: ChainView,
  context: RequestContext,
): Promise<{ readonly route: Route; readonly trial: Found }> {
  const excludePools = new Set(request.excludePools)
  let lastFailure = ''
  for (let round = 0; round < MAX_ROUNDS; round++) {
    context.signal.throwIfAborted()
    const result = await context.time('route', () =>
      findRoute(view.graph(), {
        tokenIn: request.tokenIn,
        tokenOut: request.tokenOut,
        amountIn: request.amountIn,
        wrappedNative: chain.wrappedNative,
        gasPriceWei,
        excludePools,
        allow: (pool) => chain.executes(pool.family) && (request.allow?.(pool) ?? true),
        tax: chain.taxes.lookup,
        ...(request.maxHops !== undefined && { maxHops: request.maxHops }),
        ...(request.maxSplits !== undefined && { maxSplits: request.maxSplits }),
      }),
    )
    if (!result.ok) throw lastFailure ? reverted(lastFailure, view) : noRoute(result, view)
    const { route } = result
    await view.assertDeployed()
    const trial = await context.time('simulate', () =>
      tryRoute(route, request, { chain, view, signal: context.signal }),
    )
    record(trial, chain)
    if ('swap' in trial) return { route, trial }
    lastFailure =
      trial.outcome === 'reverted' ? trial.reason : `paid ${toPercent(trial.shortfallPpm)} percent too little`
    context.log.info(
      { round, failure: lastFailure, pools: route.legs.map(({ pool }) => pool.id) },
      'route failed in simulation',
    )
    const learned = await context.time('learn', () => chain.taxes.learn(tokensOf(route), route, view, context.signal))
    if (!learned) for (const pool of suspects(route)) excludePools.add(pool)
    if (!learned && route.legs.length === 0) break
  }
  throw reverted(lastFailure, view)
}

function record(trial: Trial, { metrics, chain }: ChainService): void {
  metrics.trials.inc({ chain: chain.chainId, outcome: trial.outcome })
  if ('shortfallPpm' in trial) metrics.settledError.observe(Math.abs(Number(trial.shortfallPpm)))
}

function tokensOf(route: Route): ReadonlySet<Address> {
  return new Set(route.legs.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]))
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

/** Figures of a route that works, and the refusals that protect the caller from it. */
function judge(
  request: QuoteRequest,
  gasPriceWei: bigint,
  chain: ChainService,
  view: ChainView,
  route: Route,
  trial: Found,
): Quote {
  const gross = (trial.amountOut * 1_000_000n) / (1_000_000n - request.feePpm)
  const priceImpactPpm = route.midAmountOut === null ? null : shortfallPpm(route.midAmountOut, gross)
  const loss = valueLossPpm(request, gross, chain, view)
  refuseLoss(request, priceImpactPpm, loss, view)

  const touched = route.legs.filter(({ pool }) => chain.touched.has(pool.id))
  const gasEstimate =
    transactionGas(trial.swap.data, BigInt(trial.simulation.gasUsed)) + BigInt(touched.length) * ORACLE_GAS
  const gasWei = gasEstimate * gasPriceWei
  const nativePrice = view.prices().usd(NATIVE)
  return {
    route,
    swap: trial.swap,
    amountOut: trial.amountOut,
    minOutput: trial.minOutput,
    gasEstimate,
    block: view.snapshot.block,
    gasPriceWei,
    gasCostUsd: nativePrice === null ? null : toWhole(gasWei, chain.chain.nativeCurrency.decimals) * nativePrice,
    netAmountOut: netAmountOut(trial.amountOut, gasWei, route, gasPriceWei, chain),
    priceImpactPpm,
    warnings: warnings(request, priceImpactPpm, chain, route),
  }
}

function netAmountOut(
  amountOut: bigint,
  gasWei: bigint,
  route: Route,
  gasPriceWei: bigint,
  { wrappedNative }: ChainService,
): bigint | null {
  if (route.tokenOut === NATIVE || route.tokenOut === wrappedNative) return amountOut - gasWei
  const routeWei = BigInt(Math.round(route.gas)) * gasPriceWei
  if (route.gasCostOut === null || routeWei === 0n) return null
  return amountOut - (route.gasCostOut * gasWei) / routeWei
}

/** Parts per million of the input's USD value that the output lacks; null unless both tokens are priced. */
function valueLossPpm(request: QuoteRequest, gross: bigint, chain: ChainService, view: ChainView): bigint | null {
  const prices = view.prices()
  const valueOf = (token: Address, amount: bigint) => {
    const price = prices.usd(token)
    const decimals = chain.tokens.decimals(token)
    return price === null || decimals === undefined ? null : toWhole(amount, decimals) * price
  }
  const given = valueOf(request.tokenIn, request.amountIn)
  const received = valueOf(request.tokenOut, gross)
  if (given === null || received === null || given === 0) return null
  return BigInt(Math.round((1 - received / given) * 1_000_000))
}

function refuseLoss(request: QuoteRequest, impactPpm: bigint | null, lossPpm: bigint | null, { snapshot }: ChainView) {
  const limit = request.maxPriceImpactPpm
  if (limit >= 1_000_000n) return
  const refuse = (code: 'PRICE_IMPACT' | 'VALUE_LOSS', what: string, ppm: bigint) =>
    new ApiError(
      code,
      `${what} is ${toPercent(ppm)} percent, above the limit of ${toPercent(limit)}; maxPriceImpact sets it`,
      {
        details: { priceImpact: impactPpm === null ? null : toPercent(impactPpm), block: snapshot.block.number },
      },
    )
  if (impactPpm !== null && impactPpm > limit) throw refuse('PRICE_IMPACT', 'the price impact', impactPpm)
  if (lossPpm !== null && lossPpm > limit) throw refuse('VALUE_LOSS', 'the loss of value in USD', lossPpm)
}

function warnings(request: QuoteRequest, impactPpm: bigint | null, chain: ChainService, route: Route): string[] {
  const found: string[] = []
  const inTax = chain.taxes.transferPpm(route.tokenIn)
  const outTax = chain.taxes.transferPpm(route.tokenOut)
  if (impactPpm !== null && impactPpm >= IMPACT_WARNING_PPM)
    found.push(`the price impact is ${toPercent(impactPpm)} percent`)
  if (inTax > 0n) found.push(`src takes ${toPercent(inTax)} percent on transfers; toAmount is what is left`)
  if (outTax > 0n) found.push(`dst takes ${toPercent(outTax)} percent on transfers; toAmount is what is left`)
  if (outTax > 0n && request.feePpm > 0n)
    found.push('with a convenience fee the tax of dst is paid once more, on the way from the Guard')
  return found
}
