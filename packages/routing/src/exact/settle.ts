/**
 * The search's shares made into legs and settled in exact integers, with the arithmetic of the chain: legs out of the
 * source carry fixed amounts, legs out of any other token take representable shares of what is held, the last one the rest.
 *
 * Transfers, and so taxes, are counted as the program makes them: the sender pays the first pool directly (one sell tax),
 * a pool pays the Guard (one buy tax). What the Guard's own payment to the sender is taxed is the caller's to count, since
 * direct mode avoids it. Taxed tokens never stand in between. A pool that two legs use is quoted for the second as the first
 * leaves it.
 */
import { PPM } from '@sluice/chains'
import { familyOf, type Pool, PoolRefusal } from '@sluice/liquidity'
import { SHARE_DENOMINATOR, shareOf, toShare } from '@sluice/program'
import type { Edge } from '../graph/graph.ts'
import { QUOTE_WORK } from '../problem/budget.ts'
import type { Problem } from '../problem/problem.ts'
import type { Flow } from '../solver/flow.ts'
import { usesPoolTwice } from '../solver/shared-pools.ts'
import { type Taxes, taxIn } from '../taxes.ts'
import { FEW_UNITS, UNIT_PARTS } from '../tolerances.ts'
import type { Leg } from '../types.ts'

/** A pool that the search wanted and that refuses its part of the trade. */
export class LegRefused extends Error {
  override readonly name = 'LegRefused'
  readonly pool: Pool
  /** True where the flow uses some pool more than once. */
  readonly reusing: boolean

  constructor(pool: Pool, reason: PoolRefusal, reusing: boolean) {
    super(reason.message, { cause: reason })
    this.pool = pool
    this.reusing = reusing
  }
}

export type Settlement = {
  readonly legs: readonly Leg[]
  /** The edge of each leg. */
  readonly edges: readonly number[]
  readonly amountOut: bigint
  /** True where several legs use one pool. */
  readonly sharing: boolean
}

/** Settlements of one flow for amounts close to each other: what the legs of one are, those of the next mostly are too. */
export type Resettled = {
  /** Legs by edge and input, taken again where their pool is as it was. */
  readonly known: Map<number, Map<bigint, Known>>
  /** Amounts, by edge, that all legs out of the source but the last take, however much there is; their shares of it where null. */
  drawn: ReadonlyMap<number, bigint> | null
}

/**
 * @param again - of earlier settlements of this flow, and for later ones
 * @throws LegRefused, WorkSpent
 */
export function settle(
  { graph, source, target, budget }: Problem,
  flow: Flow,
  amountIn: bigint,
  taxes?: Taxes,
  again?: Resettled,
): Settlement {
  const { from, to } = graph.topology
  const { edges, input } = flow
  const held = new Map<number, bigint>([[source, amountIn]])
  const legs: Leg[] = []
  const settledEdges: number[] = []
  const traded = new Map<string, Pool>()
  const sharing = usesPoolTwice(graph, flow.edges)
  const settleLeg = (edge: number, now: Pool, part: LegShare) => {
    const known = again && knownOf(again, edge)
    const same = known?.get(part.amount)
    if (same?.now === now) return settledAgain(same.settled, part)
    budget.spend(QUOTE_WORK)
    const settled = settledLeg(graph.edges[edge]!, now, part, taxes)
    known?.set(part.amount, { now, settled })
    return settled
  }
  for (let start = 0, end = 0; start < edges.length; start = end) {
    const token = from[edges[start]!]!
    const places: number[] = []
    let unassigned = 0
    for (; end < edges.length && from[edges[end]!] === token; end++) {
      places.push(end)
      unassigned += input[end]!
    }
    // Largest last: the rest then absorbs what rounding leaves over. Legs that share a pool stand in the order that pays most.
    if (places.length > 1 && !sharing) places.sort((a, b) => input[a]! - input[b]!)
    let balance = held.get(token) ?? 0n
    for (const place of places) {
      const edge = edges[place]!
      const last = place === places[places.length - 1]
      const drawn = token === source && !last ? again?.drawn?.get(edge) : undefined
      const part =
        drawn === undefined
          ? legShare(input[place]! / unassigned, balance, last, token === source)
          : fixed(drawn, balance)
      unassigned -= input[place]!
      if (part.amount === 0n) continue
      const { pool } = graph.edges[edge]!
      const now = traded.get(pool.id) ?? pool
      let settled = settleLeg(edge, now, part)
      if (settled instanceof PoolRefusal) throw new LegRefused(pool, settled, sharing)
      if (!last && settled.leg.amountOut < FEW_UNITS)
        settled = trimmed(settled, part, balance, (less) => settleLeg(edge, now, less))
      const { leg, after } = settled
      traded.set(pool.id, after)
      balance -= leg.amountIn
      held.set(to[edge]!, (held.get(to[edge]!) ?? 0n) + leg.amountOut)
      legs.push(leg)
      settledEdges.push(edge)
    }
    held.set(token, balance)
  }
  return { legs, edges: settledEdges, amountOut: held.get(target) ?? 0n, sharing }
}

type LegShare = { readonly amount: bigint; readonly num: bigint; readonly den: bigint }

/** The part of a balance that a leg takes, in a form that the program can say. */
function legShare(part: number, balance: bigint, last: boolean, fromSource: boolean): LegShare {
  if (last || balance === 0n) return { amount: balance, num: 1n, den: 1n }
  const precision = 1_000_000_000
  const num = BigInt(Math.min(precision - 1, Math.max(1, Math.round(part * precision))))
  if (fromSource) {
    const amount = (balance * num) / BigInt(precision)
    return { amount, num: amount, den: balance }
  }
  const share = toShare(num, BigInt(precision))
  return { amount: shareOf(balance, share), num: BigInt(share), den: BigInt(SHARE_DENOMINATOR) }
}

const fixed = (drawn: bigint, balance: bigint): LegShare => {
  const amount = drawn < balance ? drawn : balance
  return { amount, num: amount, den: balance }
}

/**
 * The same leg where it buys few whole units: it takes the least that buys them, for the legs after it to have the
 * rest.
 */
function trimmed(
  settled: Settled,
  part: LegShare,
  balance: bigint,
  settles: (less: LegShare) => Settled | PoolRefusal,
): Settled {
  let best = settled
  const { amountOut } = settled.leg
  const unit = part.amount / (amountOut + 1n)
  let [few, enough] = [part.amount - 2n * unit, part.amount]
  while ((enough - few) * UNIT_PARTS > unit && enough - few > 1n) {
    const middle = (few + enough) / 2n
    const tried = settles(lessOf(part, balance, middle))
    if (tried instanceof PoolRefusal || tried.leg.amountOut < amountOut) few = middle
    else {
      best = tried
      enough = middle
    }
  }
  return best
}

/** A smaller part of the balance, in the same form. */
function lessOf({ amount, num, den }: LegShare, balance: bigint, less: bigint): LegShare {
  if (num === amount) return { amount: less, num: less, den }
  const fewer = (num * less) / amount
  return { amount: (balance * fewer) / den, num: fewer, den }
}

/** The output of an edge's pool as it stands; 0 where it refuses. */
export function outputOfPool(edge: Edge, amountIn: bigint, taxes?: Taxes): bigint {
  const settled = amountIn > 0n ? settledLeg(edge, edge.pool, { amount: amountIn, num: 1n, den: 1n }, taxes) : null
  return settled === null || settled instanceof PoolRefusal ? 0n : settled.leg.amountOut
}

type Settled = { readonly leg: Leg; readonly after: Pool }
type Known = { readonly now: Pool; readonly settled: Settled | PoolRefusal }

function knownOf({ known }: Resettled, edge: number): Map<bigint, Known> {
  const legs = known.get(edge) ?? new Map<bigint, Known>()
  known.set(edge, legs)
  return legs
}

/** The same input as another share of what is held. */
function settledAgain(settled: Settled | PoolRefusal, { num, den }: LegShare): Settled | PoolRefusal {
  if (settled instanceof PoolRefusal || (settled.leg.num === num && settled.leg.den === den)) return settled
  return { ...settled, leg: { ...settled.leg, num, den } }
}

/** @param now - the pool of the edge as earlier legs left it */
function settledLeg(
  { pool, tokenIn, tokenOut, tokensGas }: Edge,
  now: Pool,
  { amount: amountIn, num, den }: LegShare,
  taxes?: Taxes,
): Settled | PoolRefusal {
  const family = familyOf(pool.family)
  if (!family) return new PoolRefusal('UNSUPPORTED', `family ${pool.family} is not known`)
  const sellPpm = BigInt(taxIn(taxes, tokenIn, pool.id)?.sellPpm ?? 0)
  const buyPpm = BigInt(taxIn(taxes, tokenOut, pool.id)?.buyPpm ?? 0)
  try {
    const arrived = amountIn - (amountIn * sellPpm) / PPM
    const quote = family.quoteExactInput(now, tokenIn, tokenOut, arrived)
    const amountOut = quote.amountOut - (quote.amountOut * buyPpm) / PPM
    const gas = quote.gas + tokensGas
    const { writes } = quote
    const leg = { pool, tokenIn, tokenOut, num, den, amountIn, amountOut, gas, ...(writes && { writes }) }
    return { leg, after: { ...pool, state: quote.state } }
  } catch (error) {
    if (error instanceof PoolRefusal) return error
    throw error
  }
}
