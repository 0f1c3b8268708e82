/** Outputs of a route for amounts close to each other, in the integers that `settle` gives, without its legs. */
import { familyOf, orRefused, PoolRefusal } from '@sluice/liquidity'
import type { Problem } from '../problem/problem.ts'
import { type Taxes, taxIn } from '../taxes.ts'
import { FEW_UNITS } from '../tolerances.ts'
import { type Resettled, type Settlement, settledOnce } from './settle.ts'
import { amountOf, type Share } from './shares.ts'

/** A leg with the tokens of its route by number, that of the source 0. */
export type LegOutput = {
  readonly share: Share
  readonly from: number
  readonly to: number
  /** Input and output of the amount asked last. */
  amountIn: bigint
  amountOut: bigint
  /** Outputs of its pool by input: most amounts of a route change few legs. At most as many as were paid for from the budget. */
  readonly known: Map<bigint, bigint>
}

/** A token by number, and what is held of it in place of what the legs before it bring. */
type Fork = { readonly token: number; readonly balance: bigint }

export class RouteOutput {
  readonly problem: Problem
  readonly legs: readonly LegOutput[]
  readonly target: number
  private readonly taxes: Taxes | undefined
  private readonly again: Resettled
  /** Balances by number of the token. */
  private readonly held: bigint[]

  /**
   * @param again - of settlements of the same route, which need not ask for what is asked here
   * @param settled - the route as settled for some amount
   */
  constructor(problem: Problem, again: Resettled, settled: Settlement, taxes?: Taxes) {
    const numbers = new Map([[problem.source, 0]])
    const numberOf = (token: number) => {
      const number = numbers.get(token) ?? numbers.size
      numbers.set(token, number)
      return number
    }
    this.problem = problem
    this.taxes = taxes
    this.again = again
    this.legs = again.shares.inOrder.map((share) => {
      const leg = settled.legs[settled.edges.indexOf(share.edge)]
      const known = new Map(leg && [[leg.amountIn, leg.amountOut]])
      return { share, from: numberOf(share.from), to: numberOf(share.to), amountIn: 0n, amountOut: 0n, known }
    })
    this.target = numberOf(problem.target)
    this.held = new Array<bigint>(numbers.size)
  }

  /**
   * Null where only a settlement tells: of pools that several legs use or that refuse, and of legs that take less than their
   * share since they buy few units.
   *
   * @throws WorkSpent
   */
  of(amountIn: bigint, fork?: Fork): bigint | null {
    const { held, again } = this
    if (again.shares.sharing) return null
    held.fill(0n)
    held[0] = amountIn
    let before = 0
    for (const leg of this.legs) {
      const { share, from, to } = leg
      if (fork?.token === from && before !== from) held[from] = fork.balance
      before = from
      const balance = held[from]!
      const amount = amountOf(share, balance, share.fromSource ? again.drawn?.get(share.edge) : undefined)
      const output = amount === 0n ? 0n : this.outputOf(leg, amount)
      if (amount > 0n && (output === 0n || (!share.last && output < FEW_UNITS))) return null
      leg.amountIn = amount
      leg.amountOut = output
      held[from] = balance - amount
      held[to] = held[to]! + output
    }
    return held[this.target]!
  }

  /** About the least input that a leg pays an output for, as its pool's family tells; null where it does not. */
  inputFor({ share: { edge } }: LegOutput, amountOut: bigint): bigint | null {
    const { pool, tokenIn, tokenOut } = this.problem.graph.edges[edge]!
    if (taxIn(this.taxes, tokenIn, pool.id) || taxIn(this.taxes, tokenOut, pool.id)) return null
    return orRefused(() => familyOf(pool.family)?.inputFor?.(pool, tokenIn, tokenOut, amountOut) ?? null)
  }

  /** Inputs of the legs for the amount asked last, by edge. */
  inputs(): ReadonlyMap<number, bigint> {
    return new Map(this.legs.map(({ share, amountIn }) => [share.edge, amountIn]))
  }

  /**
   * The output of a leg's pool; 0 where it refuses.
   *
   * @throws WorkSpent
   */
  outputOf({ share: { edge }, known }: LegOutput, amount: bigint): bigint {
    const before = known.get(amount)
    if (before !== undefined) return before
    const part = { amount, num: 1n, den: 1n }
    const { pool } = this.problem.graph.edges[edge]!
    const settled = settledOnce(this.problem, { edge, now: pool, part }, this.taxes, this.again)
    const output = settled instanceof PoolRefusal ? 0n : settled.leg.amountOut
    known.set(amount, output)
    return output
  }
}
