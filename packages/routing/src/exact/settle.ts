/**
 * Converts a flow (edges with their inputs as floats) into legs and settles them: computes their amounts in exact
 * integers, with the arithmetic of the contracts. Legs that sell the input token have fixed amounts. Legs that sell any
 * other token take shares of its balance. Shares have the precision of the program, the encoded route that our
 * contract, the Executor, runs. The last leg that sells a token takes its remaining balance. An edge is a pool in one
 * direction.
 *
 * Transfer taxes follow the transfers of the program. The sender pays the first pool directly (one sell tax). The last
 * pool pays the Guard, our entry contract (one buy tax). The Guard's payment to the sender may be taxed, too; callers
 * apply that tax, because some transactions avoid this payment. Taxed tokens are never intermediates. If two legs use
 * one pool, the second leg is quoted in the state after the first.
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
import {
  FEW_UNITS,
  MAX_OVERFLOW_ROUNDS,
  OVERFLOW_MARGIN,
  SMALLER_INPUT_STEPS,
  UNIT_PRICE_DIVISOR,
} from '../tolerances.ts'
import type { Leg } from '../types.ts'
import { type BalancePart, type LegShare, type LegShares, partOfBalance, partUpTo, sharesOf } from './shares.ts'

/** Thrown if a pool refuses the input of its leg. */
export class LegRefused extends Error {
  override readonly name = 'LegRefused'
  readonly edge: number
  readonly pool: Pool
  readonly code: PoolRefusalCode
  /** Refused input, base units. */
  readonly amountIn: bigint
  /** Maximum input that the pool takes, base units; null if unknown. */
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

  /** True if the size of the input is the reason, so that the pool may accept another size. */
  get isBecauseOfSize(): boolean {
    return this.code === 'TOO_LARGE' || this.code === 'TOO_SMALL'
  }
}

/** A settled flow. */
export type Settlement = {
  readonly legs: readonly Leg[]
  /** By index in `legs`: its edge. */
  readonly edges: readonly number[]
  readonly amountOut: bigint
  /** True if several legs use one pool. */
  readonly reusesPool: boolean
}

/** Cache for settling one flow with several similar amounts. Most legs then have the same inputs again. */
export type SettlementCache = {
  readonly shares: LegShares
  /** Settled legs by edge, then by input. An entry is valid only for the pool state that it contains. */
  readonly settledLegs: Map<number, Map<bigint, CachedLeg>>
  /**
   * Fixed inputs, by edge, of the legs out of the source except the last. If null, these legs take their shares of the
   * amount.
   */
  fixedInputs: ReadonlyMap<number, bigint> | null
}

/**
 * Settles a flow. Because shares are rounded and price curves are floats, the input of a leg can exceed the capacity of
 * its pool. The leg is then reduced, and the excess goes to the other legs that sell the same token. If their pools are
 * full, too, less of the token is bought.
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
    const limits = new Map(problem.inputLimits)
    for (let round = 0; round < MAX_OVERFLOW_ROUNDS; round++) {
      const shares = round === 0 ? (cache?.shares ?? sharesOf(problem, flow)) : sharesOf(problem, flow, limits)
      const pass = new SettlementPass(problem, { shares, amountIn, limits }, taxes, cache)
      pass.run()
      const { excess, settlement } = pass
      if (!excess) return settlement
      refusal = excess.refusal
      if (excess.token === problem.source) break
      limitInflow(problem, settlement, excess, reductionRule, limits)
    }
  }
  throw refusal!
}

/** Amount of a token that remains because the pools of all legs that sell it are full. */
type Excess = { readonly token: number; readonly amount: bigint }

/** Lowers the input limits of the edges that buy a token, so that they buy less of it by the excess. */
function limitInflow(
  problem: Problem,
  { legs, edges }: Settlement,
  { token, amount }: Excess,
  reductionRule: ReductionRule,
  limits: Map<number, bigint>,
): void {
  const { to } = problem.graph.topology
  // A pool that limits each swap may have several legs with one edge.
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

/** Input at which an edge pays a fraction of what it pays for `amountIn`, by its price curve. In base units. */
function inputForFraction(problem: Problem, edge: number, amountIn: bigint, outputFraction: number): bigint {
  const curve = curveOf(problem, edge)
  const output = outputOf(curve, Number(amountIn))
  const inputFraction = inputOf(curve, output * outputFraction * (1 - OVERFLOW_MARGIN)) / Number(amountIn)
  return (amountIn * BigInt(Math.floor(Math.min(inputFraction, 1) * FRACTION_UNITS))) / BigInt(FRACTION_UNITS)
}

/** Denominator of a fraction of an input; much finer than a share of a balance. */
const FRACTION_UNITS = 2 ** 50

/** The lower of two limits; undefined if there is none. */
const lowerLimit = (a: bigint | undefined, b: bigint | undefined): bigint | undefined =>
  a === undefined || (b !== undefined && b < a) ? b : a

type PassInput = {
  readonly shares: LegShares
  readonly amountIn: bigint
  /** By edge: maximum input, at first by the request. The pass adds the limits of pools that refuse. */
  readonly limits: Map<number, bigint>
}

/** One pass over the legs of a flow, in their order, with the given limits. */
class SettlementPass {
  /** Unsold amount of a token whose legs are all full, with the refusal that caused it. The pass ends there. */
  excess: (Excess & { readonly refusal: LegRefused }) | null = null
  private readonly problem: Problem
  private readonly passInput: PassInput
  private readonly taxes: Taxes | undefined
  private readonly cache: SettlementCache | undefined
  private readonly balances = new Map<number, bigint>()
  private readonly legs: Leg[] = []
  private readonly edges: number[] = []
  /** Number of additional legs that the pool limit allows. */
  private spareLegs: number
  /** Pools in their states after the previous legs, by id; null if no pool is used twice. */
  private readonly poolStates: Map<string, Pool> | null

  constructor(problem: Problem, passInput: PassInput, taxes?: Taxes, cache?: SettlementCache) {
    this.problem = problem
    this.passInput = passInput
    this.taxes = taxes
    this.cache = cache
    this.poolStates = passInput.shares.reusesPool ? new Map() : null
    this.spareLegs = problem.maxPools - passInput.shares.legs.length
    this.balances.set(problem.source, passInput.amountIn)
  }

  get settlement(): Settlement {
    const { legs, edges, balances, problem, passInput } = this
    return { legs, edges, amountOut: balances.get(problem.target) ?? 0n, reusesPool: passInput.shares.reusesPool }
  }

  /** @throws LegRefused if a pool refuses for a reason other than too large an input, or has no known maximum input */
  run(): void {
    for (const share of this.passInput.shares.legs) {
      if (this.excess) return
      this.makeLeg(share)
    }
  }

  /** Settles one leg and adds it. Adds several legs if the pool limits each swap, and none if the amount is 0. */
  private makeLeg(share: LegShare): void {
    const { problem, passInput, cache, poolStates, balances } = this
    const { edge, from, isLast } = share
    const balance = balances.get(from) ?? 0n
    const fixedInput = share.isFromSource ? cache?.fixedInputs?.get(edge) : undefined
    if (balance === 0n) return
    const { pool } = problem.graph.edges[edge]!
    const currentPool = poolStates?.get(pool.id) ?? pool
    const part = partOfBalance(share, balance, fixedInput, lowerLimit(passInput.limits.get(edge), share.limit))
    let result = part.amount === 0n ? null : this.settleLeg(edge, currentPool, part)
    if (result instanceof PoolRefusal && result.code === 'TOO_SMALL' && !isLast)
      result = this.settleReduced(share, currentPool, part, balance) ?? result
    if (result instanceof PoolRefusal && result.code === 'TOO_LARGE') {
      this.makeLimitedLegs(share, currentPool, part.amount, result)
      return
    }
    if (result instanceof PoolRefusal) throw this.legRefusal(edge, part.amount, result)
    if (result && !isLast && result.leg.amountOut < FEW_UNITS)
      result = trimLeg(result, part, (smallerAmount) => {
        const smallerPart = partUpTo(share, balance, smallerAmount)
        return smallerPart.amount > 0n ? this.settleLeg(edge, currentPool, smallerPart) : null
      })
    if (result) this.addLeg(edge, result)
    const remaining = balances.get(from) ?? 0n
    if (isLast && remaining > 0n) this.recordExcess(share, remaining)
  }

  /**
   * Settles a leg with a slightly smaller input: smaller by at most the input for one output unit. A pool may refuse
   * one input because of rounding and accept a smaller one, if the leg buys few units. Null if the leg buys many units,
   * or if the pool also refuses the smaller inputs.
   */
  private settleReduced(
    share: LegShare,
    currentPool: Pool,
    { amount }: BalancePart,
    balance: bigint,
  ): SettledLeg | null {
    const outputUnits = outputOf(curveOf(this.problem, share.edge), Number(amount))
    if (!(outputUnits >= 1 && outputUnits < FEW_UNITS)) return null
    const inputPerUnit = BigInt(Math.ceil(Number(amount) / outputUnits))
    for (let k = 1n; k <= SMALLER_INPUT_STEPS; k++) {
      const part = partUpTo(share, balance, amount - (inputPerUnit * k) / SMALLER_INPUT_STEPS)
      const result = part.amount > 0n ? this.settleLeg(share.edge, currentPool, part) : null
      if (result && !(result instanceof PoolRefusal)) return result
    }
    return null
  }

  /**
   * Adds legs for a pool that refuses the whole amount as one swap. If the pool limits each swap, adds several swaps in
   * a row; otherwise one swap with the maximum input.
   */
  private makeLimitedLegs(share: LegShare, currentPool: Pool, amount: bigint, refusal: PoolRefusal): void {
    const { problem, passInput, balances } = this
    const { edge, from, isLast } = share
    const isRepeated = familyOf(currentPool.family)!.limitsEachSwap?.(currentPool) === true
    const maxSwaps = isRepeated ? Math.min(MAX_SWAPS, 1 + Math.max(0, this.spareLegs)) : 1
    let pool = currentPool
    let swappedIn = 0n
    for (let swap = 0; swap < maxSwaps && swappedIn < amount; swap++) {
      if (swap > 0) this.spareLegs--
      const maxInput = maxInputOf(problem, edge, pool, this.taxes)
      if (maxInput === null || (swap === 0 && maxInput >= amount)) throw this.legRefusal(edge, amount, refusal)
      const balance = balances.get(from)!
      const remainingIn = amount - swappedIn
      let part = partUpTo(share, balance, maxInput)
      if (remainingIn <= maxInput)
        part =
          isLast && remainingIn === balance
            ? { amount: balance, num: 1n, den: 1n }
            : partUpTo(share, balance, remainingIn)
      const result = part.amount === 0n ? null : this.settleLeg(edge, pool, part)
      if (result === null || result instanceof PoolRefusal) {
        if (result && swap === 0) throw this.legRefusal(edge, part.amount, result)
        break
      }
      this.addLeg(edge, result)
      pool = result.poolAfter
      swappedIn += result.leg.amountIn
    }
    const remaining = balances.get(from) ?? 0n
    passInput.limits.set(edge, swappedIn)
    if (isLast && remaining > 0n) this.recordExcess(share, remaining)
  }

  private addLeg(edge: number, { leg, poolAfter }: SettledLeg): void {
    const { from, to } = this.problem.graph.topology
    const { balances } = this
    this.poolStates?.set(leg.pool.id, poolAfter)
    balances.set(from[edge]!, balances.get(from[edge]!)! - leg.amountIn)
    balances.set(to[edge]!, (balances.get(to[edge]!) ?? 0n) + leg.amountOut)
    this.legs.push(leg)
    this.edges.push(edge)
  }

  private recordExcess({ edge, from }: LegShare, amount: bigint): void {
    const { pool } = this.problem.graph.edges[edge]!
    const reason = new PoolRefusal('TOO_LARGE', `pool ${pool.id} leaves ${amount}`)
    this.excess = { token: from, amount, refusal: this.legRefusal(edge, amount, reason) }
  }

  private legRefusal(edge: number, amountIn: bigint, reason: PoolRefusal): LegRefused {
    const { problem, passInput } = this
    const limit = passInput.limits.get(edge) ?? null
    return new LegRefused(problem, { edge, amountIn, reason, limit, reusesPool: passInput.shares.reusesPool })
  }

  private settleLeg(edge: number, currentPool: Pool, part: BalancePart): SettledLeg | PoolRefusal {
    return settleLegCached(this.problem, { edge, currentPool, part }, this.taxes, this.cache)
  }
}

/** Maximum input that the edge's pool accepts, in base units before the token's tax; null if there is no maximum. */
function maxInputOf({ graph }: Problem, edge: number, currentPool: Pool, taxes?: Taxes): bigint | null {
  const { tokenIn, tokenOut, pool } = graph.edges[edge]!
  const maxArrivingInput = nullIfRefused(() => familyOf(currentPool.family)!.maxInput(currentPool, tokenIn, tokenOut))
  const taxPpm = taxIn(taxes, tokenIn, pool.id)?.sellPpm ?? 0
  return maxArrivingInput === null || taxPpm === 0
    ? maxArrivingInput
    : (maxArrivingInput * PPM) / (PPM - BigInt(taxPpm))
}

/**
 * Reduces a leg that buys few units to about the minimum input that buys the same number of units, by bisection. More
 * of the sold token then remains for the next legs.
 */
function trimLeg(
  result: SettledLeg,
  part: BalancePart,
  trySmaller: (amount: bigint) => SettledLeg | PoolRefusal | null,
): SettledLeg {
  let best = result
  const { amountOut } = result.leg
  const inputPerUnit = part.amount / (amountOut + 1n)
  let [insufficientInput, sufficientInput] = [part.amount - 2n * inputPerUnit, part.amount]
  while (
    (sufficientInput - insufficientInput) * UNIT_PRICE_DIVISOR > inputPerUnit &&
    sufficientInput - insufficientInput > 1n
  ) {
    const middle = (insufficientInput + sufficientInput) / 2n
    const candidate = trySmaller(middle)
    if (candidate === null || candidate instanceof PoolRefusal || candidate.leg.amountOut < amountOut)
      insufficientInput = middle
    else {
      best = candidate
      sufficientInput = middle
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
/** Result of settling a leg when its pool was in the state `currentPool`. */
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

/** Returns a cached result with `num` and `den` of another part of a balance with the same amount. */
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
    // Some pools, such as those of concentrated liquidity, accept an input that buys nothing.
    if (amountOut === 0n) return new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing in pool ${pool.id}`)
    const gas = quote.gas + tokensGas
    const { writtenSlots: writes } = quote
    const leg = { pool, tokenIn, tokenOut, num, den, amountIn, amountOut, gas, ...(writes && { writes }) }
    return { leg, poolAfter: { ...pool, state: quote.state } }
  } catch (error) {
    return refusalOf(error)
  }
}

function afterTax(amount: bigint, taxPpm = 0): bigint {
  return taxPpm === 0 ? amount : amount - (amount * BigInt(taxPpm)) / PPM
}
