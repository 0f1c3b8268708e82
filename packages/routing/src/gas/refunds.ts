/**
 * Gas that comes back at the end of a transaction (EIP-3529), counted slot by slot: balances and allowances of the Executor and the
 * Guard that are zero before and after, and locks of pools that are set back. Receipts tell the sum; an eth_call does not.
 */
import { type Address, NATIVE, ZERO_ADDRESS } from '@sluice/chains'

import { type GasSwap, isJoined, isPrepaidLeg } from './parts.ts'

/** Refund of a slot that goes from zero to something and back. */
const EMPTIED = 19_900
/** Refund of a slot that goes from something to something else and back: a lock of the usual kind. */
const RESTORED = 2_800

type Slots = {
  /** The Executor holds the input before it pays the pool, which takes it by an allowance. */
  readonly takes?: true
  /** The Executor holds the output before it passes it on. */
  readonly passesOn?: true
  /** Slots of the pool that are set back. */
  readonly locks?: number
  readonly noAllowance?: true
}

/** Families whose hops do more than to pay the pool and to be paid by it. */
const SLOTS: Readonly<Record<string, Slots>> = {
  'aave-gsm': { takes: true },
  'aave-v3': { takes: true },
  ambient: { takes: true, passesOn: true },
  'balancer-v1': { takes: true, passesOn: true, locks: 1 },
  'balancer-v2': { takes: true, locks: 1 },
  'camelot-v2': { locks: 1 },
  'curve-crypto': { takes: true, passesOn: true },
  'curve-stable': { takes: true, passesOn: true },
  'pancake-stable': { takes: true, passesOn: true, locks: 1 },
  'dodo-v2': { locks: 1 },
  erc4626: { takes: true },
  'fluid-dex': { takes: true },
  'lite-psm': { takes: true },
  'liquidity-book': { locks: 1 },
  'pancake-v3': { locks: 1 },
  'rate-wrapper': { takes: true, passesOn: true },
  solidly: { locks: 1 },
  syncswap: { locks: 1 },
  'uniswap-v2': { locks: 1 },
  'velodrome-v2': { locks: 1 },
  'woofi-v2': { locks: 1 },
  'wrapped-native': { takes: true, noAllowance: true },
}

/** Refund of a hop's own slots, at its place in a route. */
export function hopRefund(family: string, isFirst: boolean, isLast: boolean): number {
  const { takes, passesOn, locks = 0, noAllowance } = SLOTS[family] ?? {}
  const allowance = takes && !noAllowance ? EMPTIED : 0
  return allowance + (takes && isFirst ? EMPTIED : 0) + (passesOn && isLast ? EMPTIED : 0) + locks * RESTORED
}

/** Refund of a whole route, as if nothing limited it; that of the sender's own allowance apart. */
export function slotRefund(swap: GasSwap): number {
  const { legs, tokenIn, tokenOut, wrappedNative } = swap
  const isEnd = (end: Address, token: Address) =>
    token === end || (end === NATIVE && (token === wrappedNative || token === ZERO_ADDRESS))
  const held = new Set<Address>()
  let refund = 0
  legs.forEach((leg, k) => {
    const { pool, tokenIn: sold, tokenOut: bought } = leg
    const [isFirst, isLast] = [isEnd(tokenIn, sold), isEnd(tokenOut, bought)]
    refund += hopRefund(pool.family, isFirst && sold !== ZERO_ADDRESS, isLast && bought !== ZERO_ADDRESS)
    // Between two hops the Executor holds the token, unless the pool is paid by the hop before, or both are one call.
    if (!isFirst && sold !== ZERO_ADDRESS && !isJoined(legs, k) && !isPrepaidLeg(swap, leg)) held.add(sold)
  })
  refund += held.size * EMPTIED
  return tokenOut === NATIVE ? refund : refund + EMPTIED
}
