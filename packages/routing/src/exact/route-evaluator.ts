/**
 * Computes the outputs of a settled route, whose amounts are exact integers, at nearby amounts. The results equal those
 * of `settle` to the unit, but the legs are not built.
 */
import { familyOf, nullIfRefused, PoolRefusal } from '@sluice/liquidity'
import type { Problem } from '../problem/problem.ts'
import { type Taxes, taxIn } from '../taxes.ts'
import { FEW_UNITS } from '../tolerances.ts'
import { type Settlement, type SettlementCache, settleLegCached } from './settle.ts'
import { type LegShare, partOfBalance } from './shares.ts'

/** A leg of the route. The tokens `from` and `to` are numbered within the route; the source is 0. */
export type EvaluatedLeg = {
  readonly share: LegShare
  readonly from: number
  readonly to: number
  /** Input and output of the leg at the last evaluation. */
  amountIn: bigint
  amountOut: bigint
  /**
   * Cached outputs of the pool by input. If `fixedInputs` fixes all legs out of the source except one, most legs keep
   * their input from one amount to the next. The work budget bounds the size.
   */
  readonly outputByInput: Map<bigint, bigint>
}

/** A balance that replaces the computed balance of a token, other than the source, before its legs trade. */
type BalanceOverride = { readonly token: number; readonly balance: bigint }

/** Computes outputs of one route, whose legs keep their shares. */
export class RouteEvaluator {
  readonly problem: Problem
  readonly legs: readonly EvaluatedLeg[]
  readonly target: number
  private readonly taxes: Taxes | undefined
  private readonly cache: SettlementCache
  /** Scratch: balances by token number. */
  private readonly balances: bigint[]

  /**
   * @param cache - shares of the route, and cache of its settlements
   * @param settlement - the route, settled for some amount
   */
  constructor(problem: Problem, cache: SettlementCache, settlement: Settlement, taxes?: Taxes) {
    const tokenNumbers = new Map([[problem.source, 0]])
    const numberOf = (token: number) => {
      const number = tokenNumbers.get(token) ?? tokenNumbers.size
      tokenNumbers.set(token, number)
      return number
    }
    this.problem = problem
    this.taxes = taxes
    this.cache = cache
    this.legs = cache.shares.legs.map((share) => {
      const leg = settlement.legs[settlement.edges.indexOf(share.edge)]
      const outputByInput = new Map(leg && [[leg.amountIn, leg.amountOut]])
      return { share, from: numberOf(share.from), to: numberOf(share.to), amountIn: 0n, amountOut: 0n, outputByInput }
    })
    this.target = numberOf(problem.target)
    this.balances = new Array<bigint>(tokenNumbers.size)
  }

  /**
   * Returns the output for an input. Null if only `settle` can compute the output. There are four such cases: a pool is
   * used twice, a pool refuses its input, an input is above its limit, or a leg buys so few units that `settle` would
   * reduce its input.
   *
   * @throws WorkSpent
   */
  outputAt(amountIn: bigint, balanceOverride?: BalanceOverride): bigint | null {
    const { problem, balances, cache } = this
    if (cache.shares.reusesPool) return null
    balances.fill(0n)
    balances[0] = amountIn
    let previousFrom = 0
    for (const leg of this.legs) {
      const { share, from, to } = leg
      if (balanceOverride?.token === from && previousFrom !== from) balances[from] = balanceOverride.balance
      previousFrom = from
      const balance = balances[from]!
      const fixedInput = share.isFromSource ? cache.fixedInputs?.get(share.edge) : undefined
      const { amount } = partOfBalance(share, balance, fixedInput)
      const limit = problem.inputLimits?.get(share.edge)
      if (limit !== undefined && amount > limit) return null
      const output = amount === 0n ? 0n : this.outputOf(leg, amount)
      if (amount > 0n && (output === 0n || (!share.isLast && output < FEW_UNITS))) return null
      leg.amountIn = amount
      leg.amountOut = output
      balances[from] = balance - amount
      balances[to] = balances[to]! + output
    }
    return balances[this.target]!
  }

  /**
   * Asks the family of a leg's pool for the approximate minimum input that yields an output. Null if the family cannot
   * answer, or if a token is taxed.
   */
  inputFor({ share: { edge } }: EvaluatedLeg, amountOut: bigint): bigint | null {
    const { pool, tokenIn, tokenOut } = this.problem.graph.edges[edge]!
    if (taxIn(this.taxes, tokenIn, pool.id) || taxIn(this.taxes, tokenOut, pool.id)) return null
    return nullIfRefused(() => familyOf(pool.family)?.inputFor?.(pool, tokenIn, tokenOut, amountOut) ?? null)
  }

  /** Inputs of the legs at the last evaluation, by edge (a pool in one direction). */
  inputsByEdge(): ReadonlyMap<number, bigint> {
    return new Map(this.legs.map(({ share, amountIn }) => [share.edge, amountIn]))
  }

  /**
   * Returns the output of a leg's pool; 0 if the pool refuses the input.
   *
   * @throws WorkSpent
   */
  outputOf({ share: { edge }, outputByInput }: EvaluatedLeg, amount: bigint): bigint {
    const cachedOutput = outputByInput.get(amount)
    if (cachedOutput !== undefined) return cachedOutput
    const wholeAmount = { amount, num: 1n, den: 1n }
    const { pool } = this.problem.graph.edges[edge]!
    const settlement = settleLegCached(
      this.problem,
      { edge, currentPool: pool, part: wholeAmount },
      this.taxes,
      this.cache,
    )
    const output = settlement instanceof PoolRefusal ? 0n : settlement.leg.amountOut
    outputByInput.set(amount, output)
    return output
  }
}
