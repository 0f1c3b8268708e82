/**
 * Exact math of ERC-4626 buffers of the Balancer V3 vault. A buffer holds an asset and the share of an ERC-4626 vault.
 * It exchanges the asset for the share (wrap), and back (unwrap). The output does not depend on the buffer's balances.
 * If the buffer holds too little, the Balancer vault deposits into the ERC-4626 vault, or redeems from it. The amount
 * is such that the assets and the shares in the buffer then have equal value. Follows Vault and BufferHelpers of
 * balancer/balancer-v3-monorepo. Checked against the real vault.
 */
import { PoolRefusal } from '../../family.ts'
import { max } from '../../math/integers.ts'
import type { Erc4626State } from '../erc4626/math.ts'
import { approximateMaxInput, convert, exchange } from '../erc4626/math.ts'

/** State of a buffer, which is a pool of an asset and its share, in this order. */
export type VaultBuffer = {
  readonly kind: 'buffer'
  /** State of the ERC-4626 vault. */
  readonly vault: Erc4626State
  /** Base units of the asset in the buffer. */
  readonly underlying: bigint
  /** Base units of the share in the buffer. */
  readonly wrapped: bigint
}

/** Minimum input and output of a buffer in base units. It is the same in the Balancer vaults of all chains. */
const MIN_WRAP = 10n ** 4n

/**
 * Quotes an exact input. Like the Balancer vault, converts one base unit less than the input, and subtracts one base
 * unit from the result.
 *
 * @throws PoolRefusal `TOO_SMALL` below the minimum; `TOO_LARGE` above the limits of the ERC-4626 vault; `UNSUPPORTED`
 * if the computed deposit or redemption is not positive
 */
export function bufferQuote(
  state: VaultBuffer,
  isWrap: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: VaultBuffer } {
  if (amountIn < MIN_WRAP) throw new PoolRefusal('TOO_SMALL', `${amountIn} is below a buffer's minimum input`)
  const amountOut = convert(state.vault, isWrap, amountIn - 1n) - 1n
  if (amountOut < MIN_WRAP) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys less than a buffer's minimum output`)
  return {
    amountOut,
    state: isWrap ? stateAfterWrap(state, amountIn, amountOut) : stateAfterUnwrap(state, amountIn, amountOut),
  }
}

/** Returns the buffer after a wrap. If the buffer has too few shares, assets are deposited. */
function stateAfterWrap(state: VaultBuffer, amountIn: bigint, amountOut: bigint): VaultBuffer {
  const balancesAfter = { underlying: state.underlying + amountIn, wrapped: state.wrapped - amountOut }
  if (balancesAfter.wrapped >= 0n) return { ...state, ...balancesAfter }
  const wrappedValue = state.wrapped > 0n ? convert(state.vault, false, state.wrapped, true) : 0n
  const assets = amountIn + (state.underlying - wrappedValue) / 2n
  const { amountOut: shares, state: vault } = rebalance(state.vault, true, assets)
  return { ...state, vault, underlying: balancesAfter.underlying - assets, wrapped: balancesAfter.wrapped + shares }
}

/** Returns the buffer after an unwrap. If the buffer has too few assets, shares are redeemed. */
function stateAfterUnwrap(state: VaultBuffer, amountIn: bigint, amountOut: bigint): VaultBuffer {
  const balancesAfter = { underlying: state.underlying - amountOut, wrapped: state.wrapped + amountIn }
  if (balancesAfter.underlying >= 0n) return { ...state, ...balancesAfter }
  const underlyingValue = state.underlying > 0n ? convert(state.vault, true, state.underlying, true) : 0n
  const shares = amountIn + (state.wrapped - underlyingValue) / 2n
  const { amountOut: assets, state: vault } = rebalance(state.vault, false, shares)
  return { ...state, vault, underlying: balancesAfter.underlying + assets, wrapped: balancesAfter.wrapped - shares }
}

/** Deposits assets into the ERC-4626 vault, or redeems shares. */
function rebalance(vault: Erc4626State, isDeposit: boolean, amount: bigint) {
  if (amount <= 0n) throw new PoolRefusal('UNSUPPORTED', 'the buffer would rebalance by a negative amount')
  return exchange(vault, isDeposit, amount)
}

/**
 * Returns the approximate largest input in base units. Up to `directLimit`, the buffer's own balance suffices. Up to
 * `rebalancedLimit`, the ERC-4626 vault accepts the deposit or redemption that the swap needs.
 */
export function approximateBufferMaxInput({ vault, underlying, wrapped }: VaultBuffer, isWrap: boolean): bigint {
  const directLimit = convert(vault, !isWrap, isWrap ? wrapped : underlying)
  const reserve = isWrap ? wrapped : underlying
  const value = reserve > 0n ? convert(vault, !isWrap, reserve, true) : 0n
  const rebalancedLimit = approximateMaxInput(vault, isWrap) - ((isWrap ? underlying : wrapped) - value) / 2n
  return max(rebalancedLimit, directLimit)
}
