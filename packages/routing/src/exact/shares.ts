/**
 * Shares of a flow's legs in the precision of the program. Legs out of the source take amounts fixed at encoding. Legs
 * out of other tokens take representable shares of the balance, and the last leg out of each token takes the rest.
 */
import { SHARE_DENOMINATOR, shareOf, toShare } from '@sluice/program'
import { type CompiledCurve, capacityOf, crossesFlat, outputOf, piecesCrossed } from '../graph/price-curve.ts'
import { curveOf, type Problem } from '../problem/problem.ts'
import type { Flow } from '../solver/flow.ts'
import { usesPoolTwice } from '../solver/shared-pools.ts'
import { FEW_UNITS, NEAR_FLAT } from '../tolerances.ts'

/** Number of units into which the source amount is divided. */
const PRECISION = 1e15
const WHOLE = BigInt(PRECISION)
const SHARES = BigInt(SHARE_DENOMINATOR)

/** An amount has 16 bytes in the program; no token in use has as many base units. */
export const AMOUNT_LIMIT = 2n ** 128n

/** A leg before its amount is known. */
export type LegShare = {
  readonly edge: number
  readonly from: number
  readonly to: number
  readonly fromSource: boolean
  /** Takes the whole rest. */
  readonly last: boolean
  /**
   * Share of the balance that earlier legs left: numerator over `PRECISION` out of the source, otherwise over `SHARE_DENOMINATOR`.
   */
  readonly num: bigint
  /** Maximum input of a leg that stops just before a tick; absent for the last leg, which must take the rest. */
  readonly limit?: bigint
}

/** Legs in execution order; `sharing` is true if several use one pool. */
export type LegShares = { readonly inOrder: readonly LegShare[]; readonly sharing: boolean }

/**
 * Computes the shares of a flow, with the legs out of one token adjacent.
 *
 * @param limits - by edge: maximum inputs learned from refusals, base units
 */
export function sharesOf(
  problem: Problem,
  { edges, input }: Flow,
  limits: ReadonlyMap<number, bigint> = NO_LIMITS,
): LegShares {
  const { graph, source } = problem
  const { from, to } = graph.topology
  const sharing = usesPoolTwice(graph, edges)
  const inOrder: LegShare[] = []
  for (let start = 0, end = 0; start < edges.length; start = end) {
    const token = from[edges[start]!]!
    const group: number[] = []
    let unassigned = 0
    for (; end < edges.length && from[edges[end]!] === token; end++) {
      group.push(end)
      unassigned += input[end]!
    }
    // Legs that share a pool keep their order.
    const places = sharing ? group : lastWithRoom(problem, { edges, input }, group, limits)
    for (const place of places) {
      const edge = edges[place]!
      const last = place === places[places.length - 1]
      const fromSource = token === source
      const isStopped = !last && stopsBeforeTick(curveOf(problem, edge), input[place]!)
      const num = last ? 1n : partOf(input[place]! / unassigned, fromSource, isStopped)
      const limit = isStopped ? { limit: BigInt(Math.floor(input[place]!)) } : {}
      inOrder.push({ edge, from: token, to: to[edge]!, fromSource, last, num, ...limit })
      unassigned -= input[place]!
    }
  }
  return { inOrder, sharing }
}

/**
 * Orders the legs out of one token. The last leg takes the rounding remainder: it is the largest leg with enough room, or
 * else the one with the most room. If none has room, it is the largest: when less of the token arrives, that leg takes
 * nearly all of the reduction. A leg that buys few units must not be last, because the input of the last leg cannot be
 * chosen to buy whole units.
 *
 * @param places - indices of the legs in the flow
 */
function lastWithRoom(
  problem: Problem,
  { edges, input }: Pick<Flow, 'edges' | 'input'>,
  places: readonly number[],
  limits: ReadonlyMap<number, bigint>,
): readonly number[] {
  if (places.length < 2) return places
  const total = places.reduce((sum, place) => sum + input[place]!, 0)
  const legs = places.map((place) => {
    const [edge, amount] = [edges[place]!, input[place]!]
    const curve = curveOf(problem, edge)
    const limit = limits.get(edge)
    const room = stopsBeforeTick(curve, amount) ? 0 : (limit === undefined ? capacityOf(curve) : Number(limit)) - amount
    const spare = room < total * NO_ROOM ? 0 : Math.min(room, total * ENOUGH_ROOM)
    return { place, amount, spare, rank: spare === 0 ? 0 : outputOf(curve, amount) < FEW_UNITS ? 1 : 2 }
  })
  return legs.sort((a, b) => a.rank - b.rank || a.spare - b.spare || a.amount - b.amount).map(({ place }) => place)
}

/** Returns true if rounding could move the pool across a tick, which costs gas or leads into a gap. */
function stopsBeforeTick(curve: CompiledCurve, input: number): boolean {
  if (curve.gasPerPiece === 0) return false
  const beyond = input + Math.max(4 * NEAR_FLAT * input, ROUNDED_UNITS)
  return crossesFlat(curve, input, beyond) || piecesCrossed(curve, beyond) > piecesCrossed(curve, input)
}

/** Base units that rounding of earlier legs may add to an input. */
const ROUNDED_UNITS = 2
/** Fraction of the inputs out of one token that always covers the rounding remainder. */
const ENOUGH_ROOM = 0.01
/** Fraction of the inputs out of one token below which a room may be smaller than the rounding of a share. */
const NO_ROOM = 1e-6
const NO_LIMITS: ReadonlyMap<number, bigint> = new Map()

/** @param isDown - true to round down, for legs that must not exceed their input */
function partOf(part: number, fromSource: boolean, isDown: boolean): bigint {
  // NaN if the search sends nothing to the token.
  const num = BigInt(Math.min(PRECISION - 1, Math.max(1, Math.round(part * PRECISION) || 1)))
  if (fromSource) return num
  const down = (num * SHARES) / WHOLE
  return isDown && down > 0n ? down : BigInt(toShare(num, WHOLE))
}

/** Amount of a balance that a leg takes, without its limit. */
function requestedAmount({ num, last, fromSource }: LegShare, balance: bigint, fixedInput?: bigint): bigint {
  if (last || (fixedInput !== undefined && fixedInput > balance)) return balance
  if (fixedInput !== undefined) return fixedInput
  return fromSource ? (balance * num) / WHOLE : shareOf(balance, Number(num))
}

/** Part of a balance, as an amount and as the fraction that the program encodes. */
export type BalancePart = { readonly amount: bigint; readonly num: bigint; readonly den: bigint }

/**
 * Part of a balance that a leg takes.
 *
 * @param fixedInput - fixed amount, limited to the balance
 * @param limit - maximum input of the leg
 */
export function partOfBalance(share: LegShare, balance: bigint, fixedInput?: bigint, limit = share.limit): BalancePart {
  const amount = requestedAmount(share, balance, fixedInput)
  if (limit !== undefined && limit < amount) return partUpTo(share, balance, limit)
  if (share.last) return { amount, num: 1n, den: 1n }
  if (share.fromSource) return { amount, num: amount, den: balance }
  return { amount, num: share.num, den: SHARES }
}

/** The largest representable part of the balance up to an amount. */
export function partUpTo({ fromSource }: LegShare, balance: bigint, amount: bigint): BalancePart {
  if (fromSource) return { amount, num: amount, den: balance }
  const num = (amount * SHARES) / balance
  return { amount: shareOf(balance, Number(num)), num, den: SHARES }
}
