/**
 * The parts that a flow's legs take, as the program says them: legs out of the source take amounts that are fixed when the route is
 * made, legs out of any other token representable shares of what is held, and the last one out of each takes the rest.
 */
import { SHARE_DENOMINATOR, shareOf, toShare } from '@sluice/program'
import type { Problem } from '../problem/problem.ts'
import type { Flow } from '../solver/flow.ts'
import { usesPoolTwice } from '../solver/shared-pools.ts'

/** Parts of an amount of the source that its legs are cut to. */
const PRECISION = 1_000_000_000
const WHOLE = BigInt(PRECISION)
const SHARES = BigInt(SHARE_DENOMINATOR)

/** A leg before its amount is known. */
export type Share = {
  readonly edge: number
  readonly from: number
  readonly to: number
  readonly fromSource: boolean
  /** Takes all that is left. */
  readonly last: boolean
  /** Part of what the legs before it left: one of `PRECISION` out of the source, else of `SHARE_DENOMINATOR`. */
  readonly num: bigint
}

/** A flow's legs in the order in which they are made, and true where several use one pool. */
export type Shares = { readonly inOrder: readonly Share[]; readonly sharing: boolean }

export function sharesOf({ graph, source }: Problem, { edges, input }: Flow): Shares {
  const { from, to } = graph.topology
  const sharing = usesPoolTwice(graph, edges)
  const inOrder: Share[] = []
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
    for (const place of places) {
      const edge = edges[place]!
      const last = place === places[places.length - 1]
      const fromSource = token === source
      const num = last ? 1n : partOf(input[place]! / unassigned, fromSource)
      inOrder.push({ edge, from: token, to: to[edge]!, fromSource, last, num })
      unassigned -= input[place]!
    }
  }
  return { inOrder, sharing }
}

function partOf(part: number, fromSource: boolean): bigint {
  // Not a number where the search sends nothing to the token.
  const num = BigInt(Math.min(PRECISION - 1, Math.max(1, Math.round(part * PRECISION) || 1)))
  return fromSource ? num : BigInt(toShare(num, WHOLE))
}

/**
 * The amount that a leg takes of a balance.
 *
 * @param drawn - the amount that it takes whatever is held, or all of it where that is less
 */
export function amountOf({ num, last, fromSource }: Share, balance: bigint, drawn?: bigint): bigint {
  if (last || (drawn !== undefined && drawn > balance)) return balance
  if (drawn !== undefined) return drawn
  return fromSource ? (balance * num) / WHOLE : shareOf(balance, Number(num))
}

/** An amount of what is held, in a form that the program can say. */
export type Part = { readonly amount: bigint; readonly num: bigint; readonly den: bigint }

export function partOfBalance(share: Share, balance: bigint, drawn?: bigint): Part {
  const amount = amountOf(share, balance, drawn)
  if (share.last) return { amount, num: 1n, den: 1n }
  if (share.fromSource) return { amount, num: amount, den: balance }
  return { amount, num: share.num, den: SHARES }
}

/** A smaller part of the balance, in the same form. */
export function lessOf({ amount, num, den }: Part, balance: bigint, less: bigint): Part {
  if (num === amount) return { amount: less, num: less, den }
  const fewer = (num * less) / amount
  return { amount: (balance * fewer) / den, num: fewer, den }
}
