/**
 * Shares of a flow's legs, in the precision of the program (the encoded route) that our contract, the Executor, runs. A
 * flow is a list of edges with their inputs as floats. An edge is a pool in one direction. Legs that sell the source
 * token have amounts that are fixed when the program is encoded. Legs that sell another token take shares of the
 * token's balance, and the last leg that sells a token takes its remaining balance.
 */
import { SHARE_DENOMINATOR, shareOf, toShare } from '@sluice/program'
import { type CompiledCurve, capacityOf, crossesFlat, outputOf, piecesCrossed } from '../graph/price-curve.ts'
import { curveOf, type Problem } from '../problem/problem.ts'
import type { Flow } from '../solver/flow.ts'
import { usesPoolTwice } from '../solver/shared-pools.ts'
import { FEW_UNITS, NEAR_FLAT } from '../tolerances.ts'

/** Denominator of shares of the source token. */
const SOURCE_PRECISION = 1e15
/** Denominator of shares of the source token as an integer. */
const SOURCE_UNITS = BigInt(SOURCE_PRECISION)
/** Denominator of shares of other tokens. */
const SHARE_UNITS = BigInt(SHARE_DENOMINATOR)

/** Exclusive upper limit of amounts, which have 16 bytes in the program. No token in use has as many base units. */
export const AMOUNT_LIMIT = 2n ** 128n

/** A leg before its amount is known: `from` and `to` are its sold and its bought token. */
export type LegShare = {
  readonly edge: number
  readonly from: number
  readonly to: number
  readonly isFromSource: boolean
  /** True if the leg takes the whole remaining balance. */
  readonly isLast: boolean
  /**
   * Share of the remaining balance, as a numerator. The denominator is `SOURCE_PRECISION` for the source token, and
   * `SHARE_DENOMINATOR` for other tokens.
   */
  readonly num: bigint
  /**
   * Maximum input of a leg that stops just before a tick; absent for the last leg, which must take the remaining
   * balance.
   */
  readonly limit?: bigint
}

/** Legs in execution order; `reusesPool` is true if several legs use one pool. */
export type LegShares = { readonly legs: readonly LegShare[]; readonly reusesPool: boolean }

/**
 * Computes the shares of a flow. Legs that sell the same token are adjacent in the flow.
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
  const reusesPool = usesPoolTwice(graph, edges)
  const legShares: LegShare[] = []
  for (let groupStart = 0, groupEnd = 0; groupStart < edges.length; groupStart = groupEnd) {
    const token = from[edges[groupStart]!]!
    const legIndices: number[] = []
    let unassignedInput = 0
    for (; groupEnd < edges.length && from[edges[groupEnd]!] === token; groupEnd++) {
      legIndices.push(groupEnd)
      unassignedInput += input[groupEnd]!
    }
    // If a pool is used twice, the amounts depend on the order of the legs, so it is kept.
    const orderedIndices = reusesPool ? legIndices : orderByRoom(problem, { edges, input }, legIndices, limits)
    for (const legIndex of orderedIndices) {
      const edge = edges[legIndex]!
      const isLast = legIndex === orderedIndices[orderedIndices.length - 1]
      const isFromSource = token === source
      const stopsAtTick = !isLast && stopsBeforeTick(curveOf(problem, edge), input[legIndex]!)
      const num = isLast ? 1n : encodeShare(input[legIndex]! / unassignedInput, isFromSource, stopsAtTick)
      const limit = stopsAtTick ? { limit: BigInt(Math.floor(input[legIndex]!)) } : {}
      legShares.push({ edge, from: token, to: to[edge]!, isFromSource, isLast, num, ...limit })
      unassignedInput -= input[legIndex]!
    }
  }
  return { legs: legShares, reusesPool }
}

/**
 * Orders the legs that sell one token so that the most suitable one is last, because the last leg takes the rounding
 * remainder. The room of a leg is its capacity beyond its input. Prefers legs with enough room for the remainder, and
 * among them the largest leg; then the leg with the most room. If no leg has room, the largest leg is last. The reason
 * is that the last leg takes nearly all of the reduction if less of the token arrives. Of the legs with room, those
 * that buy few units come first. The input of the last leg cannot be adjusted to buy whole units.
 *
 * @param legIndices - indices of the legs in the flow
 */
function orderByRoom(
  problem: Problem,
  { edges, input }: Pick<Flow, 'edges' | 'input'>,
  legIndices: readonly number[],
  limits: ReadonlyMap<number, bigint>,
): readonly number[] {
  if (legIndices.length < 2) return legIndices
  const total = legIndices.reduce((sum, legIndex) => sum + input[legIndex]!, 0)
  const legs = legIndices.map((legIndex) => {
    const [edge, amount] = [edges[legIndex]!, input[legIndex]!]
    const curve = curveOf(problem, edge)
    const limit = limits.get(edge)
    const room = stopsBeforeTick(curve, amount) ? 0 : (limit === undefined ? capacityOf(curve) : Number(limit)) - amount
    const usableRoom = room < total * MIN_ROOM_SHARE ? 0 : Math.min(room, total * ENOUGH_ROOM_SHARE)
    return {
      legIndex,
      amount,
      usableRoom,
      rank: usableRoom === 0 ? 0 : outputOf(curve, amount) < FEW_UNITS ? 1 : 2,
    }
  })
  return legs
    .sort((a, b) => a.rank - b.rank || a.usableRoom - b.usableRoom || a.amount - b.amount)
    .map(({ legIndex }) => legIndex)
}

/**
 * Returns true if a slightly larger input would cross a tick, which costs gas, or would enter a range without
 * liquidity.
 */
function stopsBeforeTick(curve: CompiledCurve, input: number): boolean {
  if (curve.gasPerPiece === 0) return false
  const roundedUpInput = input + Math.max(4 * NEAR_FLAT * input, ROUNDED_UNITS)
  return crossesFlat(curve, input, roundedUpInput) || piecesCrossed(curve, roundedUpInput) > piecesCrossed(curve, input)
}

/** Maximum base units by which rounding of earlier legs raises an input. */
const ROUNDED_UNITS = 2
/** Room that always covers the rounding remainder, as a fraction of the amount sold of the token. */
const ENOUGH_ROOM_SHARE = 0.01
/**
 * Room below this fraction of the amount sold of the token counts as none, because it may be smaller than the rounding
 * of a share.
 */
const MIN_ROOM_SHARE = 1e-6
const NO_LIMITS: ReadonlyMap<number, bigint> = new Map()

/** @param roundsDown - true to round down, for legs that must not exceed their input */
function encodeShare(fraction: number, isFromSource: boolean, roundsDown: boolean): bigint {
  // The fraction is NaN if the search sends nothing to the token.
  const num = BigInt(Math.min(SOURCE_PRECISION - 1, Math.max(1, Math.round(fraction * SOURCE_PRECISION) || 1)))
  if (isFromSource) return num
  const roundedDown = (num * SHARE_UNITS) / SOURCE_UNITS
  return roundsDown && roundedDown > 0n ? roundedDown : BigInt(toShare(num, SOURCE_UNITS))
}

/** Amount of a balance that a leg takes, before its limit is applied. */
function requestedAmount({ num, isLast, isFromSource }: LegShare, balance: bigint, fixedInput?: bigint): bigint {
  if (isLast || (fixedInput !== undefined && fixedInput > balance)) return balance
  if (fixedInput !== undefined) return fixedInput
  return isFromSource ? (balance * num) / SOURCE_UNITS : shareOf(balance, Number(num))
}

/** Part of a balance, as an amount and as the fraction that the program encodes. */
export type BalancePart = { readonly amount: bigint; readonly num: bigint; readonly den: bigint }

/**
 * Computes the part of a balance that a leg takes.
 *
 * @param fixedInput - amount that the leg takes instead of its share; limited to the balance
 * @param limit - maximum input of the leg
 */
export function partOfBalance(share: LegShare, balance: bigint, fixedInput?: bigint, limit = share.limit): BalancePart {
  const amount = requestedAmount(share, balance, fixedInput)
  if (limit !== undefined && limit < amount) return partUpTo(share, balance, limit)
  if (share.isLast) return { amount, num: 1n, den: 1n }
  if (share.isFromSource) return { amount, num: amount, den: balance }
  return { amount, num: share.num, den: SHARE_UNITS }
}

/** Returns the largest part of the balance that is at most `amount` and that the program can represent. */
export function partUpTo({ isFromSource }: LegShare, balance: bigint, amount: bigint): BalancePart {
  if (isFromSource) return { amount, num: amount, den: balance }
  const num = (amount * SHARE_UNITS) / balance
  return { amount: shareOf(balance, Number(num)), num, den: SHARE_UNITS }
}
