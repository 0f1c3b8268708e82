/** Checks a response to any request: it matches the document and the request's limits. */
import { WRAPPER_FAMILY } from '@sluice/liquidity'
import { z } from 'zod'
import type { Document, Drawn } from './draw.ts'

type Leg = {
  readonly pool: string
  readonly protocol: string
  readonly dex: string
  readonly tokenIn: string
  readonly tokenOut: string
}
type Route = {
  readonly src: string
  readonly dst: string
  readonly fromAmount: string
  readonly toAmount: string
  readonly minToAmount: string
  readonly slippage?: { readonly percent: number }
  readonly simulationBlock: number
  readonly priceImpact: number | null
  readonly swaps: readonly Leg[]
  readonly tx?: { readonly from: string }
}

type Events = { readonly quote?: Route; readonly end?: { readonly error: string; readonly code: string } }
type Quotes = {
  readonly simulationBlock: number
  readonly quotes: readonly (Route | { readonly error: string; readonly code: string })[]
}

/** Error codes that a 5xx may have on a healthy chain. */
const TRUE_REASONS: ReadonlySet<string> = new Set(['OVERLOADED', 'BEHIND', 'NOT_READY', 'TIMEOUT', 'ROUTE_TIMEOUT'])

export class Checks {
  private readonly schemas: ReadonlyMap<string, z.ZodType>
  private readonly wrappedNative: string

  constructor({ components }: Document, wrappedNative: string) {
    this.schemas = new Map(Object.entries(components.schemas).map(([name, schema]) => [name, z.fromJSONSchema(schema)]))
    this.wrappedNative = wrappedNative.toLowerCase()
  }

  /** Returns descriptions of a response's faults. */
  of({ operation, path, values, lists }: Drawn, status: number, text: string): readonly string[] {
    const response = operation.responses[status]
    if (!response) return [`status ${status} is not documented`]
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      return ['the body is no JSON']
    }
    const name = Object.values(response.content)[0]!.schema.$ref.split('/').at(-1)!
    const parsed = this.schemas.get(name)!.safeParse(body)
    if (!parsed.success) return parsed.error.issues.map(({ path, message }) => `${name}.${path.join('.')}: ${message}`)
    if (status >= 500) {
      const { code = '', error = '' } = body as { code?: string; error?: string }
      // Tests cannot reach nodes of other chains.
      if (code === 'RPC_FAILED' && !path.includes('/31337')) return []
      // The local node has the state of few past blocks.
      return TRUE_REASONS.has(code) || error.includes('holds the state of block') ? [] : [`${status} ${code} ${error}`]
    }
    if (name === 'StreamEvents') return this.eventOf(values, body as Events)
    if (name === 'Quotes') return this.quotesOf(lists.quotes!, body as Quotes)
    return name === 'Route' || name === 'Quote' ? this.routeOf(values, body as Route, name) : []
  }

  private eventOf(values: Readonly<Record<string, string>>, { quote, end }: Events): readonly string[] {
    if (end) return TRUE_REASONS.has(end.code) ? [] : [`the stream ends with ${end.code} ${end.error}`]
    return quote ? this.routeOf(values, quote, 'from' in values ? 'Route' : 'Quote') : []
  }

  private quotesOf(request: Drawn['lists'][string], { simulationBlock, quotes }: Quotes): readonly string[] {
    if (quotes.length !== request.length) return [`${quotes.length} answers to ${request.length} quotes`]
    return quotes.flatMap((quote, k) => {
      if ('error' in quote) return quote.code === 'INTERNAL' ? [quote.error] : []
      const other = quote.simulationBlock === simulationBlock ? [] : ['a quote of another block']
      return [...other, ...this.routeOf(request[k]!, quote, 'tx' in quote ? 'Route' : 'Quote')]
    })
  }

  private routeOf(values: Readonly<Record<string, string>>, route: Route, name: 'Route' | 'Quote'): readonly string[] {
    const wrong: string[] = []
    const must = (holds: boolean, what: string) => void (holds || wrong.push(what))
    for (const name of ['src', 'dst'] as const) must(route[name] === values[name], `${name} is not echoed`)
    if (name === 'Route') must(route.tx?.from === values.from, 'from is not echoed')
    else must(!('tx' in route), 'a quote has a transaction')
    if (values.amount) must(BigInt(route.fromAmount) === BigInt(values.amount), 'fromAmount is not the amount')
    const isAuto = values.slippage === 'auto'
    must(isAuto === (route.slippage !== undefined), 'slippage is told where it was asked for, and nowhere else')
    const percent = isAuto ? route.slippage?.percent : (values.slippage ?? '0.5')
    const slippagePpm = BigInt(Math.round(Number(percent) * 10_000))
    const min = (BigInt(route.toAmount) * (1_000_000n - slippagePpm)) / 1_000_000n
    if (values.amountOut) {
      must(BigInt(route.minToAmount) === BigInt(values.amountOut), 'minToAmount is not amountOut')
      must(min >= BigInt(values.amountOut), 'toAmount less the slippage is below amountOut')
    } else must(BigInt(route.minToAmount) === (min > 0n ? min : 1n), 'minToAmount is not toAmount less the slippage')
    must(route.simulationBlock >= Number(values.minimumBlock ?? 0), 'simulated before minimumBlock')
    if (route.priceImpact !== null)
      must(route.priceImpact <= Number(values.maxPriceImpact ?? '15'), `priceImpact ${route.priceImpact}`)
    const legs = route.swaps.filter(({ protocol }) => protocol !== WRAPPER_FAMILY)
    const pools = new Set(legs.map(({ pool }) => pool.toLowerCase()))
    must(pools.size <= Number(values.maxSplits ?? 64), `${pools.size} pools`)
    const hops = this.longestPath(route.swaps, isNative(values.src) || isNative(values.dst))
    must(hops <= Number(values.maxHops ?? 4), `${hops} hops`)
    for (const pool of items(values.excludePools)) must(!pools.has(pool), `trades in the excluded pool ${pool}`)
    const included = items(values.includeSources)
    const excluded = items(values.excludeSources)
    for (const { protocol, dex } of legs) {
      const names = [protocol, dex].map((source) => source.toLowerCase())
      must(!names.some((source) => excluded.includes(source)), `trades in the excluded source ${names}`)
      must(included.length === 0 || names.some((source) => included.includes(source)), `${names} is not included`)
    }
    return wrong
  }

  /**
   * Returns the maximum number of pools in series. Swaps are in execution order; a wrap does not count.
   *
   * @param joined - true if the native token and its wrapper count as one token, because one of them is an end of the route
   */
  private longestPath(swaps: readonly Leg[], joined: boolean): number {
    const keyOf = (token: string) => (joined && isNative(token) ? this.wrappedNative : token.toLowerCase())
    const depth = new Map<string, number>()
    for (const { tokenIn, tokenOut, protocol } of swaps) {
      const [from, to] = [keyOf(tokenIn), keyOf(tokenOut)]
      if (from === to) continue
      const here = (depth.get(from) ?? 0) + (protocol === WRAPPER_FAMILY ? 0 : 1)
      depth.set(to, Math.max(here, depth.get(to) ?? 0))
    }
    return Math.max(0, ...depth.values())
  }
}

const isNative = (token: string | undefined): boolean => /^0x(0{40}|e{40})$/i.test(token ?? '')

function items(list: string | undefined): readonly string[] {
  return list === undefined ? [] : list.split(',').map((item) => item.trim().toLowerCase())
}
