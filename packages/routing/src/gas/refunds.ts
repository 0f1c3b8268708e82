/**
 * Gas that comes back at the end of a transaction (EIP-3529), counted slot by slot: balances and allowances of the Executor and the
 * Guard that are zero before and after, and locks of pools that are set back. Receipts tell the sum; an eth_call does not.
 */
import { type Address, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { EMPTIED_REFUND, familyOf, type Pool, partGas, WRAPPER_FAMILY } from '@sluice/liquidity'
import { isPrepaid } from '@sluice/program'
import type { MeasuredHop } from '../types.ts'
import { type GasLeg, type GasSwap, isEnd, isJoined, isPrepaidLeg } from './parts.ts'
import { refundOf } from './route-gas.ts'

/** Refund of a slot that goes from something to something else and back: a lock of the usual kind. */
const RESTORED = 2_800

/** Refund of a hop's own slots, at its place in a route. */
function hopRefund(
  { pool: { family, address }, tokenIn, tokenOut }: Pick<GasLeg, 'pool' | 'tokenIn' | 'tokenOut'>,
  isFirst: boolean,
  isLast: boolean,
): number {
  const { pullsInput, forwardsOutput, locks = 0 } = familyOf(family)?.payment ?? {}
  // A vault burns its own shares, for which it needs no allowance.
  const isAllowed = pullsInput && tokenIn !== ZERO_ADDRESS && tokenIn !== address
  const isWrapper = family === WRAPPER_FAMILY
  // The wrapper pays the Executor, and takes its own token without an allowance.
  const isTaken = isFirst && tokenIn !== ZERO_ADDRESS && (pullsInput || isWrapper)
  const isPassedOn = isLast && tokenOut !== ZERO_ADDRESS && (forwardsOutput || isWrapper)
  const slots = (isAllowed ? 1 : 0) + (isTaken ? 1 : 0) + (isPassedOn ? 1 : 0)
  return slots * EMPTIED_REFUND + locks * RESTORED
}

/**
 * Refund of a whole route, as if nothing limited it; that of the sender's own allowance apart.
 *
 * @param isDirect - the last pools pay the sender, so that the Guard's balance of the output is not filled and emptied
 */
export function slotRefund(swap: GasSwap, isDirect = false): number {
  const { legs, tokenIn, tokenOut, wrappedNative } = swap
  const held = new Set<Address>()
  let refund = 0
  legs.forEach((leg, k) => {
    const { tokenIn: sold, tokenOut: bought } = leg
    const isFirst = isEnd(tokenIn, sold, wrappedNative)
    if (isJoined(legs, k)) return
    refund += hopRefund(leg, isFirst, isEnd(tokenOut, bought, wrappedNative))
    // Between two hops the Executor holds the token, unless the pool is paid by the hop before, or both are one call.
    if (!isFirst && sold !== ZERO_ADDRESS && !isPrepaidLeg(swap, leg)) held.add(sold)
  })
  refund += held.size * EMPTIED_REFUND
  const isNative = tokenOut === NATIVE || tokenOut === ZERO_ADDRESS
  return isNative || isDirect ? refund : refund + EMPTIED_REFUND
}

/** Gas of a balance that the hop before pays, beyond that of one which the pool has already: a pool that measures its own input. */
const PAID_AT_POOL = 17_100
/** Gas of a route that is none of its hops', before refunds: the transaction, the Guard, its transfers. */
const ROUTE_GROSS = 42_000
/** Gas before refunds that the second of two hops saves which follow each other in one call, by receipts of routes; after refunds. */
const JOINED = { usual: { gross: 49_400, net: 30_900 }, pulled: { gross: 80_000, net: 64_000 } }
/** Gas by which refunds of an average route are below their limit, a fifth of all gas, for each of its hops. */
const SLACK = 5_000
/** EIP-3529. */
const MAX_REFUND = 1 / 5

/** A vault that takes its input by an allowance is spared that too. */
const joined = (family: string) => (familyOf(family)?.payment?.pullsInput ? JOINED.pulled : JOINED.usual)
const joinedGross = (family: string): number => joined(family).gross
/** Gas after refunds that the second of two hops saves which follow each other in one call of their contract. */
export const joinedSaves = (family: string): number => joined(family).net

/** Part of that which the table, whose figure is that of most contracts, does not know. */
export function joinedBeyondTable(legs: readonly GasLeg[]): number {
  const beyond = ({ pool }: GasLeg, k: number) => (isJoined(legs, k) ? joinedSaves(pool.family) - JOINED.usual.net : 0)
  return legs.reduce((sum, leg, k) => sum + beyond(leg, k), 0)
}

/** Gas of a measured hop at its place in a route, before refunds. */
function grossAt({ first, middle, last }: MeasuredHop, isFirst: boolean, isLast: boolean): number {
  return middle + (isFirst ? first - middle : 0) + (isLast ? last - middle : 0)
}

/** Gas of a measured hop at its place in a route, after refunds: by itself, so that legs can be added up. */
export function measuredHopGas(hop: MeasuredHop, pool: Pool, isFirst: boolean, isLast: boolean): number {
  const { tokenIn, tokenOut } = hop
  const gross = grossAt(hop, isFirst, isLast)
  const input = isFirst || tokenIn === ZERO_ADDRESS ? 0 : isPrepaid(pool.family) ? PAID_AT_POOL : EMPTIED_REFUND
  const refund = input + hopRefund({ pool, tokenIn, tokenOut }, isFirst, isLast)
  return Math.max(gross - refund, gross * (1 - MAX_REFUND) - SLACK)
}

/** Gas of a whole route of measured hops, after refunds. */
export function measuredRouteGas(swap: GasSwap, hops: readonly MeasuredHop[]): number {
  const { tokenIn, tokenOut, wrappedNative, legs } = swap
  const gross = legs.reduce((sum, leg, k) => {
    const [isFirst, isLast] = [isEnd(tokenIn, leg.tokenIn, wrappedNative), isEnd(tokenOut, leg.tokenOut, wrappedNative)]
    const shared = isJoined(legs, k) ? joinedGross(leg.pool.family) : isPrepaidLeg(swap, leg) ? PAID_AT_POOL : 0
    return sum + grossAt(hops[k]!, isFirst, isLast) - shared
  }, ROUTE_GROSS)
  return gross - refundOf(gross, slotRefund(swap))
}

/**
 * Refund of a transaction that took so much gas in a simulation, which spends an allowance of just the input; a sender is taken to keep
 * some of the token and of its allowance.
 *
 * @param isDirect - see `slotRefund`
 */
export function transactionRefund(swap: GasSwap, gross: number, isDirect: boolean): number {
  const { refund: allowance } = partGas('route')
  return allowance + refundOf(gross - allowance, slotRefund(swap, isDirect))
}
