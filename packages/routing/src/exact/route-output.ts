/** Computes outputs of a route for similar amounts, with the same integers as `settle` but without building legs. */
import { familyOf, nullIfRefused, PoolRefusal } from '@sluice/liquidity'
import type { Problem } from '../problem/problem.ts'
import { type Taxes, taxIn } from '../taxes.ts'
import { FEW_UNITS } from '../tolerances.ts'
import { type Settlement, type SettlementCache, settleLegCached } from './settle.ts'
import { type LegShare, partOfBalance } from './shares.ts'

/** A leg with its tokens numbered per route; the source is 0. */
export type LegOutput = {
  readonly share: LegShare
  readonly from: number
  readonly to: number
  /** Input and output for the last amount. */
  amountIn: bigint
  amountOut: bigint
  /** Outputs of the pool by input, since most amounts change few legs. Bounded by the work budget. */
  readonly outputs: Map<bigint, bigint>
}

/** Overrides the balance of a token. */
type Fork = { readonly token: number; readonly balance: bigint }

/** Evaluates one route. */
export class RouteOutput {
  readonly problem: Problem
  readonly legs: readonly LegOutput[]
  readonly target: number
  private readonly taxes: Taxes | undefined
  private readonly cache: SettlementCache
  /** Balances by token number. */
  private readonly balances: bigint[]

  /**
   * @param cache - cache of settlements of the same route
   * @param settlement - the route, settled for some amount
   */
  constructor(problem: Problem, cache: SettlementCache, settlement: Settlement, taxes?: Taxes) {
    const numbers = new Map([[problem.source, 0]])
    const numberOf = (token: number) => {
      const number = numbers.get(token) ?? numbers.size
      numbers.set(token, number)
      return number
    }
    this.problem = problem
    this.taxes = taxes
    this.cache = cache
    this.legs = cache.shares.inOrder.map((share) => {
      const leg = settlement.legs[settlement.edges.indexOf(share.edge)]
      const outputs = new Map(leg && [[leg.amountIn, leg.amountOut]])
      return { share, from: numberOf(share.from), to: numberOf(share.to), amountIn: 0n, amountOut: 0n, outputs }
    })
    this.target = numberOf(problem.target)
    this.balances = new Array<bigint>(numbers.size)
  }

  /**
   * Returns the output; null if only a settlement gives it: for pools that are used twice or refuse, and for legs that
   * take less than their share because they buy few units.
   *
   * @throws WorkSpent
   */
  of(amountIn: bigint, fork?: Fork): bigint | null {
    const { balances, cache } = this
    if (cache.shares.sharing) return null
    balances.fill(0n)
    balances[0] = amountIn
    let before = 0
    for (const leg of this.legs) {
      const { share, from, to } = leg
      if (fork?.token === from && before !== from) balances[from] = fork.balance
      before = from
      const balance = balances[from]!
      const fixedInput = share.fromSource ? cache.fixedInputs?.get(share.edge) : undefined
      const { amount } = partOfBalance(share, balance, fixedInput)
      const output = amount === 0n ? 0n : this.outputOf(leg, amount)
      if (amount > 0n && (output === 0n || (!share.last && output < FEW_UNITS))) return null
      leg.amountIn = amount
      leg.amountOut = output
      balances[from] = balance - amount
      balances[to] = balances[to]! + output
    }
    return balances[this.target]!
  }

  /** Approximate minimum input for a leg's output by its pool's family; null if the family does not provide it. */
  inputFor({ share: { edge } }: LegOutput, amountOut: bigint): bigint | null {
    const { pool, tokenIn, tokenOut } = this.problem.graph.edges[edge]!
    if (taxIn(this.taxes, tokenIn, pool.id) || taxIn(this.taxes, tokenOut, pool.id)) return null
    return nullIfRefused(() => familyOf(pool.family)?.inputFor?.(pool, tokenIn, tokenOut, amountOut) ?? null)
  }

  /** Inputs of the legs for the last amount, by edge. */
  inputs(): ReadonlyMap<number, bigint> {
    return new Map(this.legs.map(({ share, amountIn }) => [share.edge, amountIn]))
  }

  /**
   * Output of a leg's pool; 0 if it refuses.
   *
   * @throws WorkSpent
   */
  outputOf({ share: { edge }, outputs }: LegOutput, amount: bigint): bigint {
    const before = outputs.get(amount)
    if (before !== undefined) return before
    const part = { amount, num: 1n, den: 1n }
    const { pool } = this.problem.graph.edges[edge]!
    const settlement = settleLegCached(this.problem, { edge, current: pool, part }, this.taxes, this.cache)
    const output = settlement instanceof PoolRefusal ? 0n : settlement.leg.amountOut
    outputs.set(amount, output)
    return output
  }
}
