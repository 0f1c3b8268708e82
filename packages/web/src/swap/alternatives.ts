/** Other routes for the same order, for comparison with the quoted one. */
import { ClientError, type QuoteParameters, type Quote as ServiceQuote } from '@sluice/client'
import { sluice } from '../service/client.ts'
import type { ShownQuote, TypedRequest } from './use-quote.ts'

/** Maximum single pools named next to a route with one pool. */
const MAX_LOSERS = 3

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
  readonly others: readonly Alternative[]
}

/** Requests the order again with restrictions, all at one block, so that only the restrictions differ. */
export async function compare(
  { chainId, from: _, ...order }: TypedRequest,
  quote: ShownQuote,
  signal: AbortSignal,
): Promise<RouteComparison> {
  const all = order as QuoteParameters
  const names = namesOf(quote)
  const top = largestPool(quote)
  const narrowedParameters: readonly (readonly [
    string,
    Pick<QuoteParameters, 'excludePools' | 'maxSplits' | 'maxHops'>,
  ])[] =
    quote.swaps.length === 1
      ? [[`Without ${names(top)}`, { excludePools: [top] }]]
      : [
          [`Runner-up: without ${names(top)}`, { excludePools: [top] }],
          ['No split: the best single pool', { maxSplits: 1 }],
          ['At most two pools', { maxSplits: 2 }],
          ['No token in between', { maxHops: 1 }],
        ]
  const [best, ...narrow] = await sluice.getQuotes(
    chainId,
    [all, ...narrowedParameters.map(([, terms]): QuoteParameters => ({ ...all, ...terms }))],
    signal,
  )
  if (!best || best instanceof ClientError) throw best ?? new ClientError('BAD_ANSWER', 'no quote')
  const comparedAlternatives = narrow.map((other, index) => alternative(narrowedParameters[index]![0], other))
  const losers = quote.swaps.length === 1 ? await singlePools(chainId, all, top, signal) : []
  // The best single pool is often also the best route without the quoted pool.
  const others = comparedAlternatives.filter(
    ({ quote: other }) => !other || !losers.some((loser) => samePools(loser.quote!, other)),
  )
  return { block: best.simulationBlock, best, others: [...losers, ...others] }
}

/** Returns the next best single pools, each found without the ones before it. */
async function singlePools(chainId: number, order: QuoteParameters, top: string, signal: AbortSignal) {
  const pools: Alternative[] = []
  const excludedPools = [top]
  while (pools.length < MAX_LOSERS) {
    const terms = { ...order, maxSplits: 1, excludePools: excludedPools.slice() }
    const [next] = await sluice.getQuotes(chainId, [terms], signal)
    if (!next || next instanceof ClientError) break
    pools.push({ name: `Only ${next.swaps[0]!.dex}`, quote: next })
    excludedPools.push(...next.swaps.map(({ pool }) => pool))
  }
  return pools
}

const poolsOf = ({ swaps }: ServiceQuote) => swaps.map(({ pool }) => pool).join()
const samePools = (a: ServiceQuote, b: ServiceQuote): boolean => poolsOf(a) === poolsOf(b)

function alternative(name: string, result: ServiceQuote | ClientError): Alternative {
  return result instanceof ClientError ? { name, quote: undefined, reason: result.message } : { name, quote: result }
}

function largestPool({ swaps, src }: ShownQuote): string {
  // Shares are of the input of each token, so only legs of the paid token are comparable.
  const first = swaps.filter(({ tokenIn }) => tokenIn.toLowerCase() === src.toLowerCase())
  const legs = first.length > 0 ? first : swaps.filter(({ tokenIn }) => tokenIn === swaps[0]!.tokenIn)
  return legs.reduce((a, b) => (BigInt(b.amountIn) > BigInt(a.amountIn) ? b : a)).pool
}

function namesOf({ swaps }: ShownQuote): (pool: string) => string {
  const byPool = new Map(swaps.map(({ pool, dex }) => [pool, dex]))
  return (pool) => byPool.get(pool) ?? pool
}

const MILLION = 1_000_000n

/**
 * Returns how much less an alternative pays than the best route: in base units of the output, net of gas if both are
 * known, and in percent. For an exact output, how much more it costs.
 */
export function lossOf(best: ServiceQuote, other: ServiceQuote, isExactOutput: boolean) {
  if (isExactOutput) return difference(BigInt(other.fromAmount), BigInt(best.fromAmount), BigInt(best.fromAmount))
  const isNet = typeof best.netToAmount === 'string' && typeof other.netToAmount === 'string'
  const [a, b] = isNet ? [best.netToAmount!, other.netToAmount!] : [best.toAmount, other.toAmount]
  return difference(BigInt(a), BigInt(b), BigInt(a))
}

function difference(more: bigint, less: bigint, whole: bigint) {
  const base = more - less
  return { base, percent: whole > 0n ? Number((base * 100n * MILLION) / whole) / Number(MILLION) : 0 }
}
