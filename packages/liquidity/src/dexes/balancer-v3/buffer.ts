/**
 * ERC-4626 buffers of the Balancer V3 vault. The output does not depend on the buffer's balances: if the buffer has too
 * little, the Balancer vault deposits in the ERC-4626 vault, or redeems from it. Follows Vault and BufferHelpers of
 * balancer/balancer-v3-monorepo. Checked against the real vault.
 */
import { PoolRefusal } from '../../family.ts'
import { max } from '../../math/integers.ts'
import type { Erc4626State } from '../erc4626/math.ts'
import { approximateMaxInput, convert, exchange } from '../erc4626/math.ts'

/** A buffer of an asset and its share token, in this order. */
export type VaultBuffer = {
  readonly kind: 'buffer'
  readonly vault: Erc4626State
  /** Base units in the buffer. */
  readonly underlying: bigint
  readonly wrapped: bigint
}

/** Minimum input and output of a buffer in base units, as the vaults of all chains are configured. */
const MIN_WRAP = 10n ** 4n

/**
 * Quotes an exact input: one or two units less than the ERC-4626 vault would pay.
 *
 * @throws PoolRefusal `TOO_SMALL` below the minimum, `TOO_LARGE` above the limits of the ERC-4626 vault, `UNSUPPORTED`
 * if the buffer would need more of a token of which it already holds too much
 */
export function bufferQuote(
  state: VaultBuffer,
  isWrap: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: VaultBuffer } {
  if (amountIn < MIN_WRAP) throw new PoolRefusal('TOO_SMALL', `${amountIn} is less than a buffer takes`)
  const amountOut = convert(state.vault, isWrap, amountIn - 1n) - 1n
  if (amountOut < MIN_WRAP) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys less than a buffer pays`)
  return {
    amountOut,
    state: isWrap ? stateAfterWrap(state, amountIn, amountOut) : stateAfterUnwrap(state, amountIn, amountOut),
  }
}

/**
 * Returns the buffer after a wrap. If the shares do not suffice, the buffer deposits assets so that both sides have
 * equal value.
 */
function stateAfterWrap(state: VaultBuffer, amountIn: bigint, amountOut: bigint): VaultBuffer {
  const balancesAfter = { underlying: state.underlying + amountIn, wrapped: state.wrapped - amountOut }
  if (balancesAfter.wrapped >= 0n) return { ...state, ...balancesAfter }
  const wrappedValue = state.wrapped > 0n ? convert(state.vault, false, state.wrapped, true) : 0n
  const assets = amountIn + (state.underlying - wrappedValue) / 2n
  const { amountOut: shares, state: vault } = rebalance(state.vault, true, assets)
  return { ...state, vault, underlying: balancesAfter.underlying - assets, wrapped: balancesAfter.wrapped + shares }
}

/**
 * Returns the buffer after an unwrap. If the assets do not suffice, the buffer redeems shares so that both sides have
 * equal value.
 */
function stateAfterUnwrap(state: VaultBuffer, amountIn: bigint, amountOut: bigint): VaultBuffer {
  const balancesAfter = { underlying: state.underlying - amountOut, wrapped: state.wrapped + amountIn }
  if (balancesAfter.underlying >= 0n) return { ...state, ...balancesAfter }
  const underlyingValue = state.underlying > 0n ? convert(state.vault, true, state.underlying, true) : 0n
  const shares = amountIn + (state.wrapped - underlyingValue) / 2n
  const { amountOut: assets, state: vault } = rebalance(state.vault, false, shares)
  return { ...state, vault, underlying: balancesAfter.underlying + assets, wrapped: balancesAfter.wrapped - shares }
}

/** Deposits assets or redeems shares, as the Balancer vault does to rebalance a buffer. */
function rebalance(vault: Erc4626State, isDeposit: boolean, amount: bigint) {
  if (amount <= 0n) throw new PoolRefusal('UNSUPPORTED', 'the buffer holds too much of what it would need')
  return exchange(vault, isDeposit, amount)
}

/**
 * Returns the approximate largest input in base units: the larger of the input for which the buffer's own balance
 * suffices, and the input that the ERC-4626 vault allows if the buffer deposits or redeems.
 */
export function approximateBufferMaxInput({ vault, underlying, wrapped }: VaultBuffer, isWrap: boolean): bigint {
  const directLimit = convert(vault, !isWrap, isWrap ? wrapped : underlying)
  const reserve = isWrap ? wrapped : underlying
  const value = reserve > 0n ? convert(vault, !isWrap, reserve, true) : 0n
  const rebalancedLimit = approximateMaxInput(vault, isWrap) - ((isWrap ? underlying : wrapped) - value) / 2n
  return max(rebalancedLimit, directLimit)
}
