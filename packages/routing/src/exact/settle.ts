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
import { familyOf, orRefused, type Pool, PoolRefusal, type PoolRefusalCode, refusalOf } from '@sluice/liquidity'
import type { Edge } from '../graph/graph.ts'
import { capacityOf, inputOf, outputOf } from '../graph/price-curve.ts'
import { MAX_SWAPS } from '../graph/repeated-swaps.ts'
import { QUOTE_WORK } from '../problem/budget.ts'
import { curveOf, type Problem } from '../problem/problem.ts'
import type { Flow } from '../solver/flow.ts'
import { type Inflow, type Less, lessByRoom, lessOfAll } from '../solver/overflow.ts'
import { type Taxes, taxIn } from '../taxes.ts'
import { FEW_UNITS, OVERFLOW_MARGIN, OVERFLOW_ROUNDS, UNIT_PARTS } from '../tolerances.ts'
import type { Leg } from '../types.ts'
import { type Part, partOfBalance, partUpTo, type Share, type Shares, sharesOf } from './shares.ts'

/** A leg that the search wanted and that cannot be made with its part of the trade. */
export class LegRefused extends Error {
  override readonly name = 'LegRefused'
  readonly edge: number
  readonly pool: Pool
  readonly code: PoolRefusalCode
  /** Input that was refused, base units. */
  readonly amountIn: bigint
  /** Input that the leg's pool takes at most, base units; null when that is not what it was refused for. */
  readonly limit: bigint | null
  /** True where the flow uses some pool more than once. */
  readonly reusing: boolean

  constructor(
    { graph }: Problem,
    {
      edge,
      amountIn,
      reason,
      limit,
      reusing,
    }: Pick<LegRefused, 'edge' | 'amountIn' | 'limit' | 'reusing'> & {
      readonly reason: PoolRefusal
    },
  ) {
    super(reason.message, { cause: reason })
    this.edge = edge
    this.amountIn = amountIn
    this.pool = graph.edges[edge]!.pool
    this.code = reason.code
    this.limit = limit
    this.reusing = reusing
  }

  /** True when the pool may take another amount. */
  get isForSize(): boolean {
    return this.code === 'TOO_LARGE' || this.code === 'TOO_SMALL'
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
 * Settles a flow. Shares are rounded, and price curves are floats: a leg that comes to more than its pool takes is cut to what it
 * takes, and the rest goes to the other legs out of its token. When they are full as well, less of the token is bought.
 *
 * @param again - of earlier settlements of this flow, and for later ones
 * @throws LegRefused, WorkSpent
 */
export function settle(problem: Problem, flow: Flow, amountIn: bigint, taxes?: Taxes, again?: Resettled): Settlement {
  let refusal: LegRefused | null = null
  for (const less of [lessByRoom, lessOfAll]) {
    const limits = new Map<number, bigint>()
    for (let round = 0; round < OVERFLOW_ROUNDS; round++) {
      const shares = round === 0 ? (again?.shares ?? sharesOf(problem, flow)) : sharesOf(problem, flow, limits)
      const attempt = new Attempt(problem, { shares, amountIn, limits }, taxes, again)
      attempt.run()
      const { leftOver, settlement } = attempt
      if (!leftOver) return settlement
      refusal = leftOver.refusal
      if (leftOver.token === problem.source) break
      limitInflow(problem, settlement, leftOver, less, limits)
    }
  }
  throw refusal!
}

type Excess = { readonly token: number; readonly amount: bigint }

/** Lowers the limits of legs that buy a token of which too much arrives. */
function limitInflow(
  problem: Problem,
  { legs, edges }: Settlement,
  { token, amount }: Excess,
  less: Less,
  limits: Map<number, bigint>,
): void {
  const { to } = problem.graph.topology
  const buying = legs.flatMap((leg, k) => (to[edges[k]!] === token ? [{ leg, edge: edges[k]! }] : []))
  const inflows = buying.map(({ leg, edge }): Inflow => {
    const input = Number(leg.amountIn)
    return { edge, input, output: Number(leg.amountOut), room: capacityOf(curveOf(problem, edge)) - input }
  })
  for (const [k, kept] of less(inflows, Number(amount)).entries()) {
    const { edge, output } = inflows[k]!
    if (kept < output) limits.set(edge, inputFor(problem, buying[k]!, kept / output))
  }
}

/** Input with which a leg pays a part of its output, by its price curve, base units. */
function inputFor(
  problem: Problem,
  { leg: { amountIn }, edge }: { readonly leg: Leg; readonly edge: number },
  part: number,
): bigint {
  const curve = curveOf(problem, edge)
  const paid = outputOf(curve, Number(amountIn))
  const kept = inputOf(curve, paid * part * (1 - OVERFLOW_MARGIN)) / Number(amountIn)
  return (amountIn * BigInt(Math.floor(Math.min(kept, 1) * KEPT_UNITS))) / BigInt(KEPT_UNITS)
}

/** Denominator of the part of a leg's input that is kept: much finer than shares of a balance are. */
const KEPT_UNITS = 2 ** 50

type AttemptTerms = {
  readonly shares: Shares
  readonly amountIn: bigint
  /** By edge, inputs that legs take at most; more are noted as pools refuse. */
  readonly limits: Map<number, bigint>
}

/** One pass over the legs of a flow. */
class Attempt {
  /** A token of which the legs cannot take all, with what is left over and the refusal of a pool for it. */
  leftOver: (Excess & { readonly refusal: LegRefused }) | null = null
  private readonly problem: Problem
  private readonly terms: AttemptTerms
  private readonly taxes: Taxes | undefined
  private readonly again: Resettled | undefined
  private readonly held = new Map<number, bigint>()
  private readonly legs: Leg[] = []
  private readonly edges: number[] = []
  /** Legs that the limit on pools leaves beyond one for each share. */
  private spare: number
  /** Pools as the legs before leave them, when several legs use one. */
  private readonly traded: Map<string, Pool> | null

  constructor(problem: Problem, terms: AttemptTerms, taxes?: Taxes, again?: Resettled) {
    this.problem = problem
    this.terms = terms
    this.taxes = taxes
    this.again = again
    this.traded = terms.shares.sharing ? new Map() : null
    this.spare = problem.maxPools - terms.shares.inOrder.length
    this.held.set(problem.source, terms.amountIn)
  }

  get settlement(): Settlement {
    const { legs, edges, held, problem, terms } = this
    return { legs, edges, amountOut: held.get(problem.target) ?? 0n, sharing: terms.shares.sharing }
  }

  /** @throws LegRefused for a reason other than too large an input */
  run(): void {
    for (const share of this.terms.shares.inOrder) {
      if (this.leftOver) return
      this.makeLeg(share)
    }
  }

  private makeLeg(share: Share): void {
    const { problem, terms, again, traded, held } = this
    const { edge, from, last } = share
    const balance = held.get(from) ?? 0n
    const drawn = share.fromSource ? again?.drawn?.get(edge) : undefined
    const wanted = partOfBalance(share, balance, drawn)
    if (wanted.amount === 0n) return
    const { pool } = problem.graph.edges[edge]!
    const now = traded?.get(pool.id) ?? pool
    const limit = terms.limits.get(edge)
    const part = limit !== undefined && limit < wanted.amount ? partUpTo(share, balance, limit) : wanted
    let settled = part.amount === 0n ? null : this.settleLeg(edge, now, part)
    if (settled instanceof PoolRefusal && settled.code === 'TOO_LARGE') {
      this.makeLegs(share, now, part.amount, settled)
      return
    }
    if (settled instanceof PoolRefusal) throw this.refused(edge, part.amount, settled)
    if (settled && !last && settled.leg.amountOut < FEW_UNITS)
      settled = trimmed(settled, part, (less) => {
        const cut = partUpTo(share, balance, less)
        return cut.amount > 0n ? this.settleLeg(edge, now, cut) : null
      })
    if (settled) this.add(edge, settled)
    const left = held.get(from) ?? 0n
    if (last && left > 0n) this.leave(share, left)
  }

  /**
   * Legs through a pool that refuses all of an amount at once: as many as it takes one after the other, if it limits each swap, else one
   * with as much as it takes.
   */
  private makeLegs(share: Share, now: Pool, amount: bigint, refusal: PoolRefusal): void {
    const { problem, terms, held } = this
    const { edge, from, last } = share
    const isRepeated = familyOf(now.family)!.limitsEachSwap?.(now) === true
    const swaps = isRepeated ? Math.min(MAX_SWAPS, 1 + Math.max(0, this.spare)) : 1
    let pool = now
    let taken = 0n
    for (let swap = 0; swap < swaps && taken < amount; swap++) {
      if (swap > 0) this.spare--
      const most = maxInputOf(problem, edge, pool, this.taxes)
      if (most === null || (swap === 0 && most >= amount)) throw this.refused(edge, amount, refusal)
      const balance = held.get(from)!
      const wanted = amount - taken
      let part = partUpTo(share, balance, most)
      if (wanted <= most)
        part = last && wanted === balance ? { amount: balance, num: 1n, den: 1n } : partUpTo(share, balance, wanted)
      const settled = part.amount === 0n ? null : this.settleLeg(edge, pool, part)
      if (settled === null || settled instanceof PoolRefusal) {
        if (settled && swap === 0) throw this.refused(edge, part.amount, settled)
        break
      }
      this.add(edge, settled)
      pool = settled.after
      taken += settled.leg.amountIn
    }
    const left = held.get(from) ?? 0n
    terms.limits.set(edge, taken)
    if (last && left > 0n) this.leave(share, left)
  }

  private add(edge: number, { leg, after }: Settled): void {
    const { from, to } = this.problem.graph.topology
    const { held } = this
    this.traded?.set(leg.pool.id, after)
    held.set(from[edge]!, held.get(from[edge]!)! - leg.amountIn)
    held.set(to[edge]!, (held.get(to[edge]!) ?? 0n) + leg.amountOut)
    this.legs.push(leg)
    this.edges.push(edge)
  }

  private leave({ edge, from }: Share, amount: bigint): void {
    const { pool } = this.problem.graph.edges[edge]!
    const reason = new PoolRefusal('TOO_LARGE', `pool ${pool.id} leaves ${amount}`)
    this.leftOver = { token: from, amount, refusal: this.refused(edge, amount, reason) }
  }

  private refused(edge: number, amountIn: bigint, reason: PoolRefusal): LegRefused {
    const { problem, terms } = this
    const limit = terms.limits.get(edge) ?? null
    return new LegRefused(problem, { edge, amountIn, reason, limit, reusing: terms.shares.sharing })
  }

  private settleLeg(edge: number, now: Pool, part: Part): Settled | PoolRefusal {
    return settledOnce(this.problem, { edge, now, part }, this.taxes, this.again)
  }
}

/** Largest input of an edge that its pool accepts, base units before any tax; null when there is none. */
function maxInputOf({ graph }: Problem, edge: number, now: Pool, taxes?: Taxes): bigint | null {
  const { tokenIn, tokenOut, pool } = graph.edges[edge]!
  const arriving = orRefused(() => familyOf(now.family)!.maxInput(now, tokenIn, tokenOut))
  const taxPpm = taxIn(taxes, tokenIn, pool.id)?.sellPpm ?? 0
  return arriving === null || taxPpm === 0 ? arriving : (arriving * PPM) / (PPM - BigInt(taxPpm))
}

/** The same leg when it buys few whole units: it takes the least that buys them, so that the legs after it have the rest. */
function trimmed(settled: Settled, part: Part, tryLess: (amount: bigint) => Settled | PoolRefusal | null): Settled {
  let best = settled
  const { amountOut } = settled.leg
  const unit = part.amount / (amountOut + 1n)
  let [few, enough] = [part.amount - 2n * unit, part.amount]
  while ((enough - few) * UNIT_PARTS > unit && enough - few > 1n) {
    const middle = (few + enough) / 2n
    const tried = tryLess(middle)
    if (tried === null || tried instanceof PoolRefusal || tried.leg.amountOut < amountOut) few = middle
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
