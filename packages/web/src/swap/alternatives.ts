/** Quotes other routes for an order, for comparison with the quoted route. */
import { ClientError, type QuoteParameters, type Quote as ServiceQuote } from '@sluice/client'
import { sluice } from '../service/client.ts'
import type { OrderRequest, ShownQuote } from './use-quote.ts'

/** Maximum number of other single-pool routes that are compared, if the quoted route has one pool. */
const MAX_SINGLE_POOLS = 3

export type Alternative = {
  readonly name: string
  /** Undefined if there is no such route. */
  readonly quote: ServiceQuote | undefined
  /** Reason for a missing route. */
  readonly reason?: string
}

export type RouteComparison = {
  readonly block: number
  readonly best: ServiceQuote
  readonly alternatives: readonly Alternative[]
}

/**
 * Quotes the order without and with restrictions, such as an excluded pool. All quotes are of one block, so that they
 * differ only by the restrictions.
 */
export async function compareRoutes(
  { chainId, from: _, ...order }: OrderRequest,
  quote: ShownQuote,
  signal: AbortSignal,
): Promise<RouteComparison> {
  const parameters = order as QuoteParameters
  const nameOfPool = dexNamesOf(quote)
  const largestPoolId = largestPoolOf(quote)
  const restrictions: readonly (readonly [string, Pick<QuoteParameters, 'excludePools' | 'maxSplits' | 'maxHops'>])[] =
    quote.swaps.length === 1
      ? [[`Without ${nameOfPool(largestPoolId)}`, { excludePools: [largestPoolId] }]]
      : [
          [`Runner-up: without ${nameOfPool(largestPoolId)}`, { excludePools: [largestPoolId] }],
          ['No split: the best single pool', { maxSplits: 1 }],
          ['At most two pools', { maxSplits: 2 }],
          ['No token in between', { maxHops: 1 }],
        ]
  const [best, ...restrictedQuotes] = await sluice.getQuotes(
    chainId,
    [parameters, ...restrictions.map(([, terms]): QuoteParameters => ({ ...parameters, ...terms }))],
    signal,
  )
  if (!best || best instanceof ClientError) throw best ?? new ClientError('BAD_ANSWER', 'no quote')
  const comparedAlternatives = restrictedQuotes.map((quote, index) => toAlternative(restrictions[index]![0], quote))
  const singlePoolRoutes =
    quote.swaps.length === 1 ? await bestSinglePools(chainId, parameters, largestPoolId, signal) : []
  // The best route without the quoted pool is often a single-pool route that is listed already.
  const otherRoutes = comparedAlternatives.filter(
    ({ quote }) => !quote || !singlePoolRoutes.some((singlePoolRoute) => haveSamePools(singlePoolRoute.quote!, quote)),
  )
  return { block: best.simulationBlock, best, alternatives: [...singlePoolRoutes, ...otherRoutes] }
}

/** Returns the best single-pool routes, best first. Each request excludes the pools of the previous results. */
async function bestSinglePools(
  chainId: number,
  order: QuoteParameters,
  firstExcludedPool: string,
  signal: AbortSignal,
) {
  const pools: Alternative[] = []
  const excludedPools = [firstExcludedPool]
  while (pools.length < MAX_SINGLE_POOLS) {
    const terms = { ...order, maxSplits: 1, excludePools: excludedPools.slice() }
    const [next] = await sluice.getQuotes(chainId, [terms], signal)
    if (!next || next instanceof ClientError) break
    pools.push({ name: `Only ${next.swaps[0]!.dex}`, quote: next })
    excludedPools.push(...next.swaps.map(({ pool }) => pool))
  }
  return pools
}

const poolsOf = ({ swaps }: ServiceQuote) => swaps.map(({ pool }) => pool).join()
const haveSamePools = (a: ServiceQuote, b: ServiceQuote): boolean => poolsOf(a) === poolsOf(b)

function toAlternative(name: string, result: ServiceQuote | ClientError): Alternative {
  return result instanceof ClientError ? { name, quote: undefined, reason: result.message } : { name, quote: result }
}

/** Returns the pool with the largest input. */
function largestPoolOf({ swaps, src }: ShownQuote): string {
  // Amounts of different tokens are not comparable, so only the legs of the input token are compared.
  const legsOfInput = swaps.filter(({ tokenIn }) => tokenIn.toLowerCase() === src.toLowerCase())
  const legs = legsOfInput.length > 0 ? legsOfInput : swaps.filter(({ tokenIn }) => tokenIn === swaps[0]!.tokenIn)
  return legs.reduce((a, b) => (BigInt(b.amountIn) > BigInt(a.amountIn) ? b : a)).pool
}

function dexNamesOf({ swaps }: ShownQuote): (pool: string) => string {
  const dexByPool = new Map(swaps.map(({ pool, dex }) => [pool, dex]))
  return (pool) => dexByPool.get(pool) ?? pool
}

const MILLION = 1_000_000n

/**
 * Returns by how much an alternative pays less than the best route, in base units of the output and in percent. The
 * result is net of gas if both gas costs are known. For an exact output, returns how much more input the alternative
 * takes.
 */
export function shortfallOf(best: ServiceQuote, quote: ServiceQuote, isExactOutput: boolean) {
  if (isExactOutput) return difference(BigInt(quote.fromAmount), BigInt(best.fromAmount), BigInt(best.fromAmount))
  const isNet = typeof best.netToAmount === 'string' && typeof quote.netToAmount === 'string'
  const [a, b] = isNet ? [best.netToAmount!, quote.netToAmount!] : [best.toAmount, quote.toAmount]
  return difference(BigInt(a), BigInt(b), BigInt(a))
}

function difference(larger: bigint, smaller: bigint, reference: bigint) {
  const base = larger - smaller
  return { base, percent: reference > 0n ? Number((base * 100n * MILLION) / reference) / Number(MILLION) : 0 }
}
