/**
 * The parts that a flow's legs take, as the program says them: legs out of the source take amounts that are fixed when the route is
 * made, legs out of any other token representable shares of what is held, and the last one out of each takes the rest.
 */
import { SHARE_DENOMINATOR, shareOf, toShare } from '@sluice/program'
import { capacityOf, crossesFlat } from '../graph/price-curve.ts'
import { curveOf, type Problem } from '../problem/problem.ts'
import type { Flow } from '../solver/flow.ts'
import { usesPoolTwice } from '../solver/shared-pools.ts'
import { NEAR_FLAT } from '../tolerances.ts'

/** Parts of an amount of the source that its legs are cut to. */
const PRECISION = 1e15
const WHOLE = BigInt(PRECISION)
const SHARES = BigInt(SHARE_DENOMINATOR)

/** A leg's amount has 16 bytes in the program; no token in use has as many base units. */
export const AMOUNT_LIMIT = 2n ** 128n

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

/**
 * The legs of a flow, those out of one token side by side.
 *
 * @param limits - by edge, inputs that pools were found to take at most, base units
 */
export function sharesOf(
  problem: Problem,
  { edges, input }: Flow,
  limits: ReadonlyMap<number, bigint> = NO_LIMITS,
): Shares {
  const { graph, source } = problem
  const { from, to } = graph.topology
  const sharing = usesPoolTwice(graph, edges)
  /** Input that a leg could take beyond its own. */
  const room = (place: number): number => {
    const limit = limits.get(edges[place]!)
    const most = limit === undefined ? capacityOf(curveOf(problem, edges[place]!)) : Number(limit)
    return most - input[place]!
  }
  const inOrder: Share[] = []
  for (let start = 0, end = 0; start < edges.length; start = end) {
    const token = from[edges[start]!]!
    const places: number[] = []
    let unassigned = 0
    for (; end < edges.length && from[edges[end]!] === token; end++) {
      places.push(end)
      unassigned += input[end]!
    }
    // The last leg takes what rounding leaves over: the largest of those with enough room for it, or the one with most room. Legs that
    // share a pool stand in the order that pays most.
    const enough = unassigned * ENOUGH_ROOM
    const spare = (place: number): number => Math.min(room(place), enough)
    if (places.length > 1 && !sharing) places.sort((a, b) => spare(a) - spare(b) || input[a]! - input[b]!)
    for (const place of places) {
      const edge = edges[place]!
      const last = place === places[places.length - 1]
      const fromSource = token === source
      // A share rounded up could bring a pool just into a gap.
      const curve = curveOf(problem, edge)
      const isDown = curve.gasPerPiece > 0 && crossesFlat(curve, input[place]!, input[place]! * (1 + 2 * NEAR_FLAT))
      const num = last ? 1n : partOf(input[place]! / unassigned, fromSource, isDown)
      inOrder.push({ edge, from: token, to: to[edge]!, fromSource, last, num })
      unassigned -= input[place]!
    }
  }
  return { inOrder, sharing }
}

/** Part of the inputs of legs out of one token that rounding never leaves over. */
const ENOUGH_ROOM = 0.01
const NO_LIMITS: ReadonlyMap<number, bigint> = new Map()

/** @param isDown - true when a little less is better than a little more */
function partOf(part: number, fromSource: boolean, isDown: boolean): bigint {
  // Not a number where the search sends nothing to the token.
  const num = BigInt(Math.min(PRECISION - 1, Math.max(1, Math.round(part * PRECISION) || 1)))
  if (fromSource) return num
  const down = (num * SHARES) / WHOLE
  return isDown && down > 0n ? down : BigInt(toShare(num, WHOLE))
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

/** A part of the balance that is no larger than an amount, in the form of the share's leg. */
export function partUpTo({ fromSource }: Share, balance: bigint, amount: bigint): Part {
  if (fromSource) return { amount, num: amount, den: balance }
  const num = (amount * SHARES) / balance
  return { amount: shareOf(balance, Number(num)), num, den: SHARES }
}
