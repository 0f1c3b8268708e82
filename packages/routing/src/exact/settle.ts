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
import { familyOf, type Pool, PoolRefusal, refusalOf } from '@sluice/liquidity'
import type { Edge } from '../graph/graph.ts'
import { QUOTE_WORK } from '../problem/budget.ts'
import type { Problem } from '../problem/problem.ts'
import type { Flow } from '../solver/flow.ts'
import { type Taxes, taxIn } from '../taxes.ts'
import { FEW_UNITS, UNIT_PARTS } from '../tolerances.ts'
import type { Leg } from '../types.ts'
import { lessOf, type Part, partOfBalance, type Shares, sharesOf } from './shares.ts'

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
  readonly shares: Shares
  /** Legs by edge and input, taken again where their pool is as it was. */
  readonly known: Map<number, Map<bigint, Known>>
  /** Amounts, by edge, that all legs out of the source but the last take, however much there is; their shares of it where null. */
  drawn: ReadonlyMap<number, bigint> | null
}

/**
 * @param again - of earlier settlements of this flow, and for later ones
 * @throws LegRefused, WorkSpent
 */
export function settle(problem: Problem, flow: Flow, amountIn: bigint, taxes?: Taxes, again?: Resettled): Settlement {
  const { graph, source, target } = problem
  const held = new Map<number, bigint>()
  held.set(source, amountIn)
  const legs: Leg[] = []
  const edges: number[] = []
  const { inOrder, sharing } = again?.shares ?? sharesOf(problem, flow)
  /** Pools as the legs before leave them, where several legs use one. */
  const traded = sharing ? new Map<string, Pool>() : null
  const settleLeg = (edge: number, now: Pool, part: Part) => settledOnce(problem, { edge, now, part }, taxes, again)
  for (const share of inOrder) {
    const { edge, from, to, last } = share
    const balance = held.get(from) ?? 0n
    const part = partOfBalance(share, balance, share.fromSource ? again?.drawn?.get(edge) : undefined)
    if (part.amount === 0n) continue
    const { pool } = graph.edges[edge]!
    const now = traded?.get(pool.id) ?? pool
    let settled = settleLeg(edge, now, part)
    if (settled instanceof PoolRefusal) throw new LegRefused(pool, settled, sharing)
    if (!last && settled.leg.amountOut < FEW_UNITS)
      settled = trimmed(settled, part, balance, (less) => settleLeg(edge, now, less))
    const { leg, after } = settled
    traded?.set(pool.id, after)
    held.set(from, balance - leg.amountIn)
    held.set(to, (held.get(to) ?? 0n) + leg.amountOut)
    legs.push(leg)
    edges.push(edge)
  }
  return { legs, edges, amountOut: held.get(target) ?? 0n, sharing }
}

/**
 * The same leg where it buys few whole units: it takes the least that buys them, for the legs after it to have the
 * rest.
 */
function trimmed(
  settled: Settled,
  part: Part,
  balance: bigint,
  settles: (less: Part) => Settled | PoolRefusal,
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

/** The output of an edge's pool as it stands; 0 where it refuses. */
export function outputOfPool(edge: Edge, amountIn: bigint, taxes?: Taxes): bigint {
  const settled = amountIn > 0n ? settledLeg(edge, edge.pool, { amount: amountIn, num: 1n, den: 1n }, taxes) : null
  return settled === null || settled instanceof PoolRefusal ? 0n : settled.leg.amountOut
}

type Settled = { readonly leg: Leg; readonly after: Pool }
type Known = { readonly now: Pool; readonly settled: Settled | PoolRefusal }

/** @param now - the pool of the edge as earlier legs left it */
type Asked = { readonly edge: number; readonly now: Pool; readonly part: Part }

/**
 * A leg as it was settled before, where its pool is as it was.
 *
 * @throws WorkSpent
 */
export function settledOnce(
  { graph, budget }: Problem,
  { edge, now, part }: Asked,
  taxes?: Taxes,
  again?: Resettled,
): Settled | PoolRefusal {
  const known = again && knownOf(again, edge)
  const same = known?.get(part.amount)
  if (same?.now === now) return settledAgain(same.settled, part)
  budget.spend(QUOTE_WORK)
  const settled = settledLeg(graph.edges[edge]!, now, part, taxes)
  known?.set(part.amount, { now, settled })
  return settled
}

function knownOf({ known }: Resettled, edge: number): Map<bigint, Known> {
  const legs = known.get(edge) ?? new Map<bigint, Known>()
  known.set(edge, legs)
  return legs
}

/** The same input as another share of what is held. */
function settledAgain(settled: Settled | PoolRefusal, { num, den }: Part): Settled | PoolRefusal {
  if (settled instanceof PoolRefusal || (settled.leg.num === num && settled.leg.den === den)) return settled
  return { ...settled, leg: { ...settled.leg, num, den } }
}

/** @param now - the pool of the edge as earlier legs left it */
function settledLeg(
  { pool, tokenIn, tokenOut, tokensGas }: Edge,
  now: Pool,
  { amount: amountIn, num, den }: Part,
  taxes?: Taxes,
): Settled | PoolRefusal {
  const family = familyOf(pool.family)
  if (!family) return new PoolRefusal('UNSUPPORTED', `family ${pool.family} is not known`)
  try {
    const arrived = leftAfter(amountIn, taxIn(taxes, tokenIn, pool.id)?.sellPpm)
    const quote = family.quoteExactInput(now, tokenIn, tokenOut, arrived)
    const amountOut = leftAfter(quote.amountOut, taxIn(taxes, tokenOut, pool.id)?.buyPpm)
    const gas = quote.gas + tokensGas
    const { writes } = quote
    const leg = { pool, tokenIn, tokenOut, num, den, amountIn, amountOut, gas, ...(writes && { writes }) }
    return { leg, after: { ...pool, state: quote.state } }
  } catch (error) {
    return refusalOf(error)
  }
}

/** An amount after a tax, parts per million. */
function leftAfter(amount: bigint, taxPpm = 0): bigint {
  return taxPpm === 0 ? amount : amount - (amount * BigInt(taxPpm)) / PPM
}
