/**
 * Gas refunds of a transaction (EIP-3529), counted by storage slot. The Guard is our entry contract, and the Executor
 * our contract that swaps. Refunded slots are their balances and allowances that are zero before and after the
 * transaction, and locks of pools that are reset. The gas in a receipt is reduced by the refund; the gas of an eth_call
 * is not.
 */
import { type Address, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { EMPTIED_REFUND, familyOf, type Pool, partGas, WRAPPER_FAMILY } from '@sluice/liquidity'
import { acceptsPrepayment } from '@sluice/program'
import { startsOrEndsNative, usesWrapper } from '../native.ts'
import type { MeasuredHop } from '../types.ts'
import { type GasLeg, type GasSwap, isEnd, isJoined, isPrepaidLeg } from './parts.ts'
import { limitedRefund } from './route-gas.ts'

/** Refund of a nonzero slot that is changed and then restored, such as the lock of a pool. */
const RESTORED_REFUND = 2_800

/**
 * Tokens that the contracts hold already before the swap. After the swap, these balances are restored, not empty, which
 * refunds less.
 */
export type ContractBalances = {
  readonly guard: ReadonlySet<Address>
  readonly executor: ReadonlySet<Address>
}
const NO_BALANCES: ContractBalances = { guard: new Set(), executor: new Set() }

const balanceRefund = (holdings: ReadonlySet<Address>, token: Address): number =>
  holdings.has(token) ? RESTORED_REFUND : EMPTIED_REFUND

/** Refund of a hop's own slots, by its position in the route. */
function hopRefund(
  { pool: { family, address }, tokenIn, tokenOut }: Pick<GasLeg, 'pool' | 'tokenIn' | 'tokenOut'>,
  isFirst: boolean,
  isLast: boolean,
  { executor } = NO_BALANCES,
): number {
  const { pullsInput, forwardsOutput, lockSlots = 0 } = familyOf(family)?.payment ?? {}
  // A vault burns its own shares without an allowance. Its address is then the input token.
  const usesAllowance = pullsInput && tokenIn !== ZERO_ADDRESS && tokenIn !== address
  const isWrapper = family === WRAPPER_FAMILY
  // The wrapper pays the Executor, and takes its own token without an allowance.
  const emptiesInput = isFirst && tokenIn !== ZERO_ADDRESS && (pullsInput || isWrapper)
  const emptiesOutput = isLast && tokenOut !== ZERO_ADDRESS && (forwardsOutput || isWrapper)
  const inputRefund = emptiesInput ? balanceRefund(executor, tokenIn) : 0
  const outputRefund = emptiesOutput ? balanceRefund(executor, tokenOut) : 0
  return (usesAllowance ? EMPTIED_REFUND : 0) + inputRefund + outputRefund + lockSlots * RESTORED_REFUND
}

/**
 * Returns the refund of a whole route before the limit of EIP-3529. Excludes the refund of the sender's own allowance.
 *
 * @param isDirect - true if the last pools pay the sender directly, so that the Guard never holds the output
 */
export function slotRefund(swap: GasSwap, isDirect = false, balances = NO_BALANCES): number {
  const { legs, tokenIn, tokenOut, wrappedNative } = swap
  const heldTokens = new Set<Address>()
  let refund = 0
  legs.forEach((leg, k) => {
    const { tokenIn: soldToken, tokenOut: boughtToken } = leg
    const isFirst = isEnd(tokenIn, soldToken, wrappedNative)
    if (isJoined(legs, k)) return
    refund += hopRefund(leg, isFirst, isEnd(tokenOut, boughtToken, wrappedNative), balances)
    // Between two hops the Executor holds the token, unless the previous hop pays the pool or both share a call.
    if (!isFirst && soldToken !== ZERO_ADDRESS && !isPrepaidLeg(swap, leg)) heldTokens.add(soldToken)
  })
  for (const token of heldTokens) refund += balanceRefund(balances.executor, token)
  const isNative = tokenOut === NATIVE || tokenOut === ZERO_ADDRESS
  return isNative || isDirect ? refund : refund + balanceRefund(balances.guard, tokenOut)
}

/**
 * Gas that a hop saves if it pays the next pool instead of the Executor. The pool already holds some of the token. When
 * the hop was measured, the Executor held none, and its first balance takes more gas.
 */
const PREPAYMENT_GAS = 17_100
/** Gas of a route outside its hops, before refunds: the transaction itself, and the Guard with its transfers. */
const ROUTE_GROSS_GAS = 42_000
/**
 * Gas that the second of two hops saves if they share a call, before (`gross`) and after refunds (`net`), measured in
 * receipts. `pulled`: for contracts that pull their input with an allowance; `usual`: for all others.
 */
const SHARED_CALL_SAVINGS = { usual: { gross: 49_400, net: 30_900 }, pulled: { gross: 80_000, net: 64_000 } }
/** Gas per hop by which the refunds of an average route fall short of their limit (a fifth of the gas). */
const REFUND_SLACK_PER_HOP = 5_000
/** Limit of refunds as a fraction of the gas used (EIP-3529). */
const MAX_REFUND_SHARE = 1 / 5

/** Savings of a shared call. If the contract pulls its input, the call also saves an allowance. */
const joinedSavings = (family: string) =>
  familyOf(family)?.payment?.pullsInput ? SHARED_CALL_SAVINGS.pulled : SHARED_CALL_SAVINGS.usual
const joinedGrossSaving = (family: string): number => joinedSavings(family).gross
/** Gas after refunds that the second of two hops of one contract saves if they share a call. */
export const joinedNetSaving = (family: string): number => joinedSavings(family).net

/**
 * Returns the gas that shared calls save in addition to `SHARED_CALL_SAVINGS.usual`, which the gas table already
 * contains.
 */
export function joinedSavingBeyondTable(legs: readonly GasLeg[]): number {
  const extraSaving = ({ pool }: GasLeg, k: number) =>
    isJoined(legs, k) ? joinedNetSaving(pool.family) - SHARED_CALL_SAVINGS.usual.net : 0
  return legs.reduce((sum, leg, k) => sum + extraSaving(leg, k), 0)
}

/** Gas of a measured hop by its position in a route, before refunds. */
function grossGasAt({ first, middle, last }: MeasuredHop, isFirst: boolean, isLast: boolean): number {
  return middle + (isFirst ? first - middle : 0) + (isLast ? last - middle : 0)
}

/** Gas of a measured hop by its position in a route, after its own refunds, so that legs can be summed. */
export function measuredHopGas(hop: MeasuredHop, pool: Pool, isFirst: boolean, isLast: boolean): number {
  const { tokenIn, tokenOut } = hop
  const grossGas = grossGasAt(hop, isFirst, isLast)
  const inputSaving =
    isFirst || tokenIn === ZERO_ADDRESS ? 0 : acceptsPrepayment(pool.family) ? PREPAYMENT_GAS : EMPTIED_REFUND
  const refund = inputSaving + hopRefund({ pool, tokenIn, tokenOut }, isFirst, isLast)
  return Math.max(grossGas - refund, grossGas * (1 - MAX_REFUND_SHARE) - REFUND_SLACK_PER_HOP)
}

/** Gas of a whole route of measured hops, after refunds. */
export function measuredRouteGas(swap: GasSwap, hops: readonly MeasuredHop[]): number {
  const { tokenIn, tokenOut, wrappedNative, legs } = swap
  const grossGas = legs.reduce((sum, leg, k) => {
    const [isFirst, isLast] = [isEnd(tokenIn, leg.tokenIn, wrappedNative), isEnd(tokenOut, leg.tokenOut, wrappedNative)]
    const sharedGas = isJoined(legs, k)
      ? joinedGrossSaving(leg.pool.family)
      : isPrepaidLeg(swap, leg)
        ? PREPAYMENT_GAS
        : 0
    return sum + grossGasAt(hops[k]!, isFirst, isLast) - sharedGas
  }, ROUTE_GROSS_GAS)
  return grossGas - limitedRefund(grossGas, slotRefund(swap))
}

/**
 * Returns the refund of a transaction, given its gas in a simulation. The simulation uses up an allowance of exactly
 * the input; the real sender is assumed to keep some of the token and of its allowance.
 *
 * @param isDirect - see `slotRefund`
 */
export function transactionRefund(swap: GasSwap, grossGas: number, isDirect: boolean, balances = NO_BALANCES): number {
  // A native input needs no allowance.
  const allowanceRefund = swap.tokenIn === NATIVE ? 0 : partGas('route').refund
  const wrapperRefund = holdsWrapped(swap) ? balanceRefund(balances.executor, swap.wrappedNative ?? ZERO_ADDRESS) : 0
  return (
    allowanceRefund + limitedRefund(grossGas - allowanceRefund, slotRefund(swap, isDirect, balances) + wrapperRefund)
  )
}

/** Returns true if the Executor holds the wrapped native token between the sender and the pools. */
function holdsWrapped(swap: GasSwap): boolean {
  const { legs } = swap
  return legs.length === 0 ? startsOrEndsNative(swap) : usesWrapper(legs, swap)
}
