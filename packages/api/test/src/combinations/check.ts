/** What any answer must be, whatever was asked: documented, true to its limits, in time. */
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
  readonly simulationBlock: number
  readonly priceImpact: number | null
  readonly swaps: readonly Leg[]
  readonly tx: { readonly from: string }
}

/** Codes that a 5xx may have on a healthy chain: they tell a caller what to do. */
const TRUE_REASONS: ReadonlySet<string> = new Set(['OVERLOADED', 'BEHIND', 'NOT_READY', 'TIMEOUT', 'ROUTE_TIMEOUT'])

export class Checks {
  private readonly schemas: ReadonlyMap<string, z.ZodType>
  private readonly wrappedNative: string

  constructor({ components }: Document, wrappedNative: string) {
    this.schemas = new Map(Object.entries(components.schemas).map(([name, schema]) => [name, z.fromJSONSchema(schema)]))
    this.wrappedNative = wrappedNative.toLowerCase()
  }

  /** What is wrong with an answer, in words; nothing mostly. */
  of({ operation, path, values }: Drawn, status: number, text: string): readonly string[] {
    const response = operation.responses[status]
    if (!response) return [`status ${status} is not documented`]
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      return ['the body is no JSON']
    }
    const name = response.content['application/json'].schema.$ref.split('/').at(-1)!
    const parsed = this.schemas.get(name)!.safeParse(body)
    if (!parsed.success) return parsed.error.issues.map(({ path, message }) => `${name}.${path.join('.')}: ${message}`)
    if (status >= 500) {
      const { code = '', error = '' } = body as { code?: string; error?: string }
      // No other chain's node can be reached from a test.
      if (code === 'RPC_FAILED' && !path.includes('/31337')) return []
      // The local node holds the state of few blocks of the past.
      return TRUE_REASONS.has(code) || error.includes('holds the state of block') ? [] : [`${status} ${code} ${error}`]
    }
    return name === 'Route' ? this.routeOf(values, body as Route) : []
  }

  private routeOf(values: Readonly<Record<string, string>>, route: Route): readonly string[] {
    const wrong: string[] = []
    const must = (holds: boolean, what: string) => void (holds || wrong.push(what))
    for (const name of ['src', 'dst'] as const) must(route[name] === values[name], `${name} is not echoed`)
    must(route.tx.from === values.from, 'from is not echoed')
    must(BigInt(route.fromAmount) === BigInt(values.amount!), 'fromAmount is not the amount')
    const slippagePpm = BigInt(Math.round(Number(values.slippage ?? '0.5') * 10_000))
    const least = (BigInt(route.toAmount) * (1_000_000n - slippagePpm)) / 1_000_000n
    must(BigInt(route.minToAmount) === (least > 0n ? least : 1n), 'minToAmount is not toAmount less the slippage')
    must(route.simulationBlock >= Number(values.minimumBlock ?? 0), 'simulated before minimumBlock')
    if (route.priceImpact !== null)
      must(route.priceImpact <= Number(values.maxPriceImpact ?? '15'), `priceImpact ${route.priceImpact}`)
    const legs = route.swaps.filter(({ protocol }) => protocol !== 'wrapped-native')
    const pools = new Set(legs.map(({ pool }) => pool.toLowerCase()))
    must(pools.size <= Number(values.maxSplits ?? 64), `${pools.size} pools`)
    const hops = this.longestPath(legs)
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

  /** Pools in series at most; legs come in execution order. */
  private longestPath(legs: readonly Leg[]): number {
    const one = (token: string) => (/^0x(0{40}|e{40})$/i.test(token) ? this.wrappedNative : token.toLowerCase())
    const depth = new Map<string, number>()
    for (const { tokenIn, tokenOut } of legs) {
      const here = (depth.get(one(tokenIn)) ?? 0) + 1
      depth.set(one(tokenOut), Math.max(here, depth.get(one(tokenOut)) ?? 0))
    }
    return Math.max(0, ...depth.values())
  }
}

function items(list: string | undefined): readonly string[] {
  return list === undefined ? [] : list.split(',').map((item) => item.trim().toLowerCase())
}
