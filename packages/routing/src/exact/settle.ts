/**
 * Converts a flow into legs and settles them in exact integers, with the chain's arithmetic. Legs that sell the input
 * token carry fixed amounts. Legs that sell any other token carry shares of the balance that the program can represent,
 * and the last such leg sells the remaining balance.
 *
 * Transfer taxes follow the program's transfers: the sender pays the first pool directly (one sell tax), and a pool
 * pays the Guard (one buy tax). The caller applies the tax on the Guard's payment to the sender, since direct mode
 * avoids it. Taxed tokens are never intermediates. If two legs use one pool, the second leg is quoted in the state
 * after the first.
 */
import { PPM } from '@sluice/chains'
import { familyOf, nullIfRefused, type Pool, PoolRefusal, type PoolRefusalCode, refusalOf } from '@sluice/liquidity'
import type { Edge } from '../graph/graph.ts'
import { capacityOf, inputOf, outputOf } from '../graph/price-curve.ts'
import { MAX_SWAPS } from '../graph/repeated-swaps.ts'
import { QUOTE_WORK } from '../problem/budget.ts'
import { curveOf, type Problem } from '../problem/problem.ts'
import type { Flow } from '../solver/flow.ts'
import { type Inflow, type ReductionRule, reduceAll, reduceByRoom } from '../solver/overflow.ts'
import { type Taxes, taxIn } from '../taxes.ts'
import { FEW_UNITS, OVERFLOW_MARGIN, OVERFLOW_ROUNDS, SMALLER_INPUT_STEPS, UNIT_PRICE_DIVISOR } from '../tolerances.ts'
import type { Leg } from '../types.ts'
import { type BalancePart, type LegShare, type LegShares, partOfBalance, partUpTo, sharesOf } from './shares.ts'

/** Thrown if a leg cannot be made with its share of the trade. */
export class LegRefused extends Error {
  override readonly name = 'LegRefused'
  readonly edge: number
  readonly pool: Pool
  readonly code: PoolRefusalCode
  /** Refused input, base units. */
  readonly amountIn: bigint
  /** Maximum input that the pool takes, base units; null if size is not the reason. */
  readonly limit: bigint | null
  /** True if the flow uses some pool more than once. */
  readonly reusesPool: boolean

  constructor(
    { graph }: Problem,
    {
      edge,
      amountIn,
      reason,
      limit,
      reusesPool,
    }: Pick<LegRefused, 'edge' | 'amountIn' | 'limit' | 'reusesPool'> & {
      readonly reason: PoolRefusal
    },
  ) {
    super(reason.message, { cause: reason })
    this.edge = edge
    this.amountIn = amountIn
    this.pool = graph.edges[edge]!.pool
    this.code = reason.code
    this.limit = limit
    this.reusesPool = reusesPool
  }

  /** True if the pool may accept another amount. */
  get isForSize(): boolean {
    return this.code === 'TOO_LARGE' || this.code === 'TOO_SMALL'
  }
}

/** A settled flow. */
export type Settlement = {
  readonly legs: readonly Leg[]
  /** Edge of each leg. */
  readonly edges: readonly number[]
  readonly amountOut: bigint
  /** True if several legs use one pool. */
  readonly reusesPool: boolean
}

/** Cache for settling one flow with similar amounts: most legs recur. */
export type SettlementCache = {
  readonly shares: LegShares
  /** Settled legs by edge and input; valid while the pool is in the same state. */
  readonly settledLegs: Map<number, Map<bigint, CachedLeg>>
  /**
   * Fixed inputs, by edge, of all legs out of the source except the last. If null, these legs take their shares of the
   * amount.
   */
  fixedInputs: ReadonlyMap<number, bigint> | null
}

/**
 * Settles a flow. Because shares are rounded and price curves are floats, a leg can exceed the capacity of its pool.
 * The leg is then reduced, and the excess goes to the other legs that sell the same token. If these legs are also full,
 * less of the token is bought.
 *
 * @param cache - cache of earlier settlements of this flow
 * @throws LegRefused, WorkSpent
 */
export function settle(
  problem: Problem,
  flow: Flow,
  amountIn: bigint,
  taxes?: Taxes,
  cache?: SettlementCache,
): Settlement {
  let refusal: LegRefused | null = null
  for (const reductionRule of [reduceByRoom, reduceAll]) {
    const limits = new Map<number, bigint>()
    for (let round = 0; round < OVERFLOW_ROUNDS; round++) {
      const shares = round === 0 ? (cache?.shares ?? sharesOf(problem, flow)) : sharesOf(problem, flow, limits)
      const pass = new SettlementPass(problem, { shares, amountIn, limits }, taxes, cache)
      pass.run()
      const { leftOver, settlement } = pass
      if (!leftOver) return settlement
      refusal = leftOver.refusal
      if (leftOver.token === problem.source) break
      limitInflow(problem, settlement, leftOver, reductionRule, limits)
    }
  }
  throw refusal!
}

type Excess = { readonly token: number; readonly amount: bigint }

/** Lowers the limits of legs that buy a token in excess. */
function limitInflow(
  problem: Problem,
  { legs, edges }: Settlement,
  { token, amount }: Excess,
  reductionRule: ReductionRule,
  limits: Map<number, bigint>,
): void {
  const { to } = problem.graph.topology
  // A pool that limits each swap has several legs.
  const boughtByEdge = new Map<number, { amountIn: bigint; amountOut: bigint }>()
  for (const [k, { amountIn, amountOut }] of legs.entries()) {
    const edge = edges[k]!
    if (to[edge] !== token) continue
    const previous = boughtByEdge.get(edge)
    boughtByEdge.set(edge, {
      amountIn: amountIn + (previous?.amountIn ?? 0n),
      amountOut: amountOut + (previous?.amountOut ?? 0n),
    })
  }
  const inflows = Array.from(boughtByEdge, ([edge, { amountIn, amountOut }]): Inflow => {
    const input = Number(amountIn)
    return { edge, input, output: Number(amountOut), room: capacityOf(curveOf(problem, edge)) - input }
  })
  for (const [k, reducedOutput] of reductionRule(inflows, Number(amount)).entries()) {
    const { edge, output } = inflows[k]!
    if (reducedOutput < output)
      limits.set(edge, inputForFraction(problem, edge, boughtByEdge.get(edge)!.amountIn, reducedOutput / output))
  }
}

/** Input at which an edge pays a fraction of its output, by its price curve, in base units. */
function inputForFraction(problem: Problem, edge: number, amountIn: bigint, outputFraction: number): bigint {
  const curve = curveOf(problem, edge)
  const output = outputOf(curve, Number(amountIn))
  const inputFraction = inputOf(curve, output * outputFraction * (1 - OVERFLOW_MARGIN)) / Number(amountIn)
  return (amountIn * BigInt(Math.floor(Math.min(inputFraction, 1) * FRACTION_UNITS))) / BigInt(FRACTION_UNITS)
}

/** Denominator of the input's fraction; much finer than a share of a balance. */
const FRACTION_UNITS = 2 ** 50

/** The lower of two limits, if there are any. */
const lowerLimit = (a: bigint | undefined, b: bigint | undefined): bigint | undefined =>
  a === undefined || (b !== undefined && b < a) ? b : a

type PassTerms = {
  readonly shares: LegShares
  readonly amountIn: bigint
  /** By edge: maximum inputs. Extended when pools refuse. */
  readonly limits: Map<number, bigint>
}

/** One pass over the legs of a flow. */
class SettlementPass {
  /** Token that the legs cannot sell completely, with the unsold amount and the refusal that caused it. */
  leftOver: (Excess & { readonly refusal: LegRefused }) | null = null
  private readonly problem: Problem
  private readonly terms: PassTerms
  private readonly taxes: Taxes | undefined
  private readonly cache: SettlementCache | undefined
  private readonly balances = new Map<number, bigint>()
  private readonly legs: Leg[] = []
  private readonly edges: number[] = []
  /** Number of additional legs that the pool limit allows. */
  private spareLegs: number
  /** Pool states after the previous legs; null if no pool is used twice. */
  private readonly poolStates: Map<string, Pool> | null

  constructor(problem: Problem, terms: PassTerms, taxes?: Taxes, cache?: SettlementCache) {
    this.problem = problem
    this.terms = terms
    this.taxes = taxes
    this.cache = cache
    this.poolStates = terms.shares.reusesPool ? new Map() : null
    this.spareLegs = problem.maxPools - terms.shares.legs.length
    this.balances.set(problem.source, terms.amountIn)
  }

  get settlement(): Settlement {
    const { legs, edges, balances, problem, terms } = this
    return { legs, edges, amountOut: balances.get(problem.target) ?? 0n, reusesPool: terms.shares.reusesPool }
  }

  /** @throws LegRefused for a reason other than too large an input */
  run(): void {
    for (const share of this.terms.shares.legs) {
      if (this.leftOver) return
      this.makeLeg(share)
    }
  }

  private makeLeg(share: LegShare): void {
    const { problem, terms, cache, poolStates, balances } = this
    const { edge, from, isLast } = share
    const balance = balances.get(from) ?? 0n
    const fixedInput = share.isFromSource ? cache?.fixedInputs?.get(edge) : undefined
    if (balance === 0n) return
    const { pool } = problem.graph.edges[edge]!
    const currentPool = poolStates?.get(pool.id) ?? pool
    const part = partOfBalance(share, balance, fixedInput, lowerLimit(terms.limits.get(edge), share.limit))
    let result = part.amount === 0n ? null : this.settleLeg(edge, currentPool, part)
    if (result instanceof PoolRefusal && result.code === 'TOO_SMALL' && !isLast)
      result = this.settleReduced(share, currentPool, part, balance) ?? result
    if (result instanceof PoolRefusal && result.code === 'TOO_LARGE') {
      this.makeLegs(share, currentPool, part.amount, result)
      return
    }
    if (result instanceof PoolRefusal) throw this.legRefusal(edge, part.amount, result)
    if (result && !isLast && result.leg.amountOut < FEW_UNITS)
      result = trimLeg(result, part, (less) => {
        const cut = partUpTo(share, balance, less)
        return cut.amount > 0n ? this.settleLeg(edge, currentPool, cut) : null
      })
    if (result) this.add(edge, result)
    const remaining = balances.get(from) ?? 0n
    if (isLast && remaining > 0n) this.recordLeftOver(share, remaining)
  }

  /**
   * Settles a leg with a slightly smaller input, worth at most one unit of output. Used if the pool refuses an amount
   * that buys few units because of rounding. Null if the pool refuses the smaller inputs too.
   */
  private settleReduced(
    share: LegShare,
    currentPool: Pool,
    { amount }: BalancePart,
    balance: bigint,
  ): SettledLeg | null {
    const units = outputOf(curveOf(this.problem, share.edge), Number(amount))
    if (!(units >= 1 && units < FEW_UNITS)) return null
    const unit = BigInt(Math.ceil(Number(amount) / units))
    for (let k = 1n; k <= SMALLER_INPUT_STEPS; k++) {
      const part = partUpTo(share, balance, amount - (unit * k) / SMALLER_INPUT_STEPS)
      const result = part.amount > 0n ? this.settleLeg(share.edge, currentPool, part) : null
      if (result && !(result instanceof PoolRefusal)) return result
    }
    return null
  }

  /**
   * Adds legs for a pool that refuses the whole amount as one swap. If the pool limits each swap, adds consecutive
   * swaps; otherwise one swap with the maximum input.
   */
  private makeLegs(share: LegShare, currentPool: Pool, amount: bigint, refusal: PoolRefusal): void {
    const { problem, terms, balances } = this
    const { edge, from, isLast } = share
    const isRepeated = familyOf(currentPool.family)!.limitsEachSwap?.(currentPool) === true
    const swaps = isRepeated ? Math.min(MAX_SWAPS, 1 + Math.max(0, this.spareLegs)) : 1
    let pool = currentPool
    let swappedIn = 0n
    for (let swap = 0; swap < swaps && swappedIn < amount; swap++) {
      if (swap > 0) this.spareLegs--
      const max = maxInputOf(problem, edge, pool, this.taxes)
      if (max === null || (swap === 0 && max >= amount)) throw this.legRefusal(edge, amount, refusal)
      const balance = balances.get(from)!
      const remainingIn = amount - swappedIn
      let part = partUpTo(share, balance, max)
      if (remainingIn <= max)
        part =
          isLast && remainingIn === balance
            ? { amount: balance, num: 1n, den: 1n }
            : partUpTo(share, balance, remainingIn)
      const result = part.amount === 0n ? null : this.settleLeg(edge, pool, part)
      if (result === null || result instanceof PoolRefusal) {
        if (result && swap === 0) throw this.legRefusal(edge, part.amount, result)
        break
      }
      this.add(edge, result)
      pool = result.poolAfter
      swappedIn += result.leg.amountIn
    }
    const remaining = balances.get(from) ?? 0n
    terms.limits.set(edge, swappedIn)
    if (isLast && remaining > 0n) this.recordLeftOver(share, remaining)
  }

  private add(edge: number, { leg, poolAfter }: SettledLeg): void {
    const { from, to } = this.problem.graph.topology
    const { balances } = this
    this.poolStates?.set(leg.pool.id, poolAfter)
    balances.set(from[edge]!, balances.get(from[edge]!)! - leg.amountIn)
    balances.set(to[edge]!, (balances.get(to[edge]!) ?? 0n) + leg.amountOut)
    this.legs.push(leg)
    this.edges.push(edge)
  }

  private recordLeftOver({ edge, from }: LegShare, amount: bigint): void {
    const { pool } = this.problem.graph.edges[edge]!
    const reason = new PoolRefusal('TOO_LARGE', `pool ${pool.id} leaves ${amount}`)
    this.leftOver = { token: from, amount, refusal: this.legRefusal(edge, amount, reason) }
  }

  private legRefusal(edge: number, amountIn: bigint, reason: PoolRefusal): LegRefused {
    const { problem, terms } = this
    const limit = terms.limits.get(edge) ?? null
    return new LegRefused(problem, { edge, amountIn, reason, limit, reusesPool: terms.shares.reusesPool })
  }

  private settleLeg(edge: number, currentPool: Pool, part: BalancePart): SettledLeg | PoolRefusal {
    return settleLegCached(this.problem, { edge, currentPool, part }, this.taxes, this.cache)
  }
}

/** Maximum input that the edge's pool accepts, in base units before tax; null if there is no maximum. */
function maxInputOf({ graph }: Problem, edge: number, currentPool: Pool, taxes?: Taxes): bigint | null {
  const { tokenIn, tokenOut, pool } = graph.edges[edge]!
  const maxArriving = nullIfRefused(() => familyOf(currentPool.family)!.maxInput(currentPool, tokenIn, tokenOut))
  const taxPpm = taxIn(taxes, tokenIn, pool.id)?.sellPpm ?? 0
  return maxArriving === null || taxPpm === 0 ? maxArriving : (maxArriving * PPM) / (PPM - BigInt(taxPpm))
}

/**
 * Reduces a leg that buys few units to the minimum input that buys the same number of units. The following legs then
 * have more input.
 */
function trimLeg(
  result: SettledLeg,
  part: BalancePart,
  tryLess: (amount: bigint) => SettledLeg | PoolRefusal | null,
): SettledLeg {
  let best = result
  const { amountOut } = result.leg
  const unit = part.amount / (amountOut + 1n)
  let [tooLittle, enough] = [part.amount - 2n * unit, part.amount]
  while ((enough - tooLittle) * UNIT_PRICE_DIVISOR > unit && enough - tooLittle > 1n) {
    const middle = (tooLittle + enough) / 2n
    const candidate = tryLess(middle)
    if (candidate === null || candidate instanceof PoolRefusal || candidate.leg.amountOut < amountOut)
      tooLittle = middle
    else {
      best = candidate
      enough = middle
    }
  }
  return best
}

/** Output of an edge's pool in its current state; 0 if the pool refuses the input. */
export const outputOfPool = (edge: Edge, amountIn: bigint, taxes?: Taxes): bigint =>
  legOf(edge, amountIn, taxes)?.amountOut ?? 0n

/** A leg through an edge's pool in its current state; null if the pool refuses the input. */
export function legOf(edge: Edge, amountIn: bigint, taxes?: Taxes): Leg | null {
  const result = amountIn > 0n ? quoteLeg(edge, edge.pool, { amount: amountIn, num: 1n, den: 1n }, taxes) : null
  return result === null || result instanceof PoolRefusal ? null : result.leg
}

type SettledLeg = { readonly leg: Leg; readonly poolAfter: Pool }
type CachedLeg = { readonly currentPool: Pool; readonly result: SettledLeg | PoolRefusal }

/** A leg to settle; `currentPool` is the state of its pool after earlier legs. */
type LegRequest = { readonly edge: number; readonly currentPool: Pool; readonly part: BalancePart }

/**
 * Settles a leg, or returns it from the cache if its pool's state is unchanged.
 *
 * @throws WorkSpent
 */
export function settleLegCached(
  { graph, budget }: Problem,
  { edge, currentPool, part }: LegRequest,
  taxes?: Taxes,
  cache?: SettlementCache,
): SettledLeg | PoolRefusal {
  const cachedLegs = cache && cachedLegsOf(cache, edge)
  const cachedLeg = cachedLegs?.get(part.amount)
  if (cachedLeg?.currentPool === currentPool) return withPart(cachedLeg.result, part)
  budget.spend(QUOTE_WORK)
  const result = quoteLeg(graph.edges[edge]!, currentPool, part, taxes)
  cachedLegs?.set(part.amount, { currentPool, result })
  return result
}

function cachedLegsOf({ settledLegs }: SettlementCache, edge: number): Map<bigint, CachedLeg> {
  const legs = settledLegs.get(edge) ?? new Map<bigint, CachedLeg>()
  settledLegs.set(edge, legs)
  return legs
}

/** Expresses the same input as another share of the balance. */
function withPart(result: SettledLeg | PoolRefusal, { num, den }: BalancePart): SettledLeg | PoolRefusal {
  if (result instanceof PoolRefusal || (result.leg.num === num && result.leg.den === den)) return result
  return { ...result, leg: { ...result.leg, num, den } }
}

/** @param currentPool - state of the edge's pool after earlier legs */
function quoteLeg(
  { pool, tokenIn, tokenOut, tokensGas }: Edge,
  currentPool: Pool,
  { amount: amountIn, num, den }: BalancePart,
  taxes?: Taxes,
): SettledLeg | PoolRefusal {
  const family = familyOf(pool.family)
  if (!family) return new PoolRefusal('UNSUPPORTED', `family ${pool.family} is not known`)
  try {
    const arrivedIn = afterTax(amountIn, taxIn(taxes, tokenIn, pool.id)?.sellPpm)
    const quote = family.quoteExactInput(currentPool, tokenIn, tokenOut, arrivedIn)
    const amountOut = afterTax(quote.amountOut, taxIn(taxes, tokenOut, pool.id)?.buyPpm)
    const gas = quote.gas + tokensGas
    const { writtenSlots: writes } = quote
    const leg = { pool, tokenIn, tokenOut, num, den, amountIn, amountOut, gas, ...(writes && { writes }) }
    return { leg, poolAfter: { ...pool, state: quote.state } }
  } catch (error) {
    return refusalOf(error)
  }
}

/** Amount after tax. */
function afterTax(amount: bigint, taxPpm = 0): bigint {
  return taxPpm === 0 ? amount : amount - (amount * BigInt(taxPpm)) / PPM
}
