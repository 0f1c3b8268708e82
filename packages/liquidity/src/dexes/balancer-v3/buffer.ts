/**
 * Buffers of shares of tokenised vaults: what they give does not depend on how full they are, and where they lack it the vault of
 * Balancer deposits or redeems itself. Checked against answers of the genuine vault; Vault and BufferHelpers of
 * balancer/balancer-v3-monorepo.
 */
import { PoolRefusal } from '../../family.ts'
import { max } from '../../math/integers.ts'
import type { Erc4626State } from '../erc4626/math.ts'
import { converted, limitOf } from '../erc4626/math.ts'

/** Asset and share, in this order. */
export type Buffer = {
  readonly kind: 'buffer'
  /** Vault that the shares are of. */
  readonly vault: Erc4626State
  /** Base units in the buffer. */
  readonly underlying: bigint
  readonly wrapped: bigint
}

/** Least amount of either token, base units, as the vaults of all chains were made with. */
const LEAST_WRAP = 10n ** 4n

/**
 * The output of an exact input, a unit or two less than the share's own vault would give.
 *
 * @throws PoolRefusal `TOO_SMALL` below the least amount, `TOO_LARGE` beyond what the vault of the shares takes or has, `UNSUPPORTED` where
 *   the buffer would be evened out the other way
 */
export function bufferQuote(
  state: Buffer,
  wrap: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: Buffer } {
  if (amountIn < LEAST_WRAP) throw new PoolRefusal('TOO_SMALL', `${amountIn} is less than a buffer takes`)
  const amountOut = converted(state.vault, wrap, amountIn - 1n) - 1n
  if (amountOut < LEAST_WRAP) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys less than a buffer pays`)
  return { amountOut, state: wrap ? wrapped(state, amountIn, amountOut) : unwrapped(state, amountIn, amountOut) }
}

function wrapped(state: Buffer, amountIn: bigint, amountOut: bigint): Buffer {
  const held = { underlying: state.underlying + amountIn, wrapped: state.wrapped - amountOut }
  if (held.wrapped >= 0n) return { ...state, ...held }
  const worth = state.wrapped > 0n ? converted(state.vault, false, state.wrapped, true) : 0n
  const assets = amountIn + (state.underlying - worth) / 2n
  const shares = moved(state.vault, true, assets)
  const { vault } = state
  return {
    ...state,
    vault: { ...vault, totalAssets: vault.totalAssets + assets, totalSupply: vault.totalSupply + shares },
    underlying: held.underlying - assets,
    wrapped: held.wrapped + shares,
  }
}

function unwrapped(state: Buffer, amountIn: bigint, amountOut: bigint): Buffer {
  const held = { underlying: state.underlying - amountOut, wrapped: state.wrapped + amountIn }
  if (held.underlying >= 0n) return { ...state, ...held }
  const worth = state.underlying > 0n ? converted(state.vault, true, state.underlying, true) : 0n
  const shares = amountIn + (state.wrapped - worth) / 2n
  const assets = moved(state.vault, false, shares)
  const { vault } = state
  return {
    ...state,
    vault: { ...vault, totalAssets: vault.totalAssets - assets, totalSupply: vault.totalSupply - shares },
    underlying: held.underlying + assets,
    wrapped: held.wrapped - shares,
  }
}

/** Shares that a deposit makes, or assets that a redemption pays. */
function moved(vault: Erc4626State, deposit: boolean, amount: bigint): bigint {
  if (amount <= 0n) throw new PoolRefusal('UNSUPPORTED', 'the buffer holds too much of what it would need')
  const out = converted(vault, deposit, amount)
  const { totalAssets, totalSupply, maxDeposit } = vault
  if (deposit ? amount > maxDeposit : amount > totalSupply || out > totalAssets)
    throw new PoolRefusal('TOO_LARGE', `the vault of the shares does not take ${amount}`)
  return out
}

/** About the largest input: what the buffer has to give, or what the vault of the shares takes beside it. */
export function bufferLimit({ vault, underlying, wrapped }: Buffer, wrap: boolean): bigint {
  const direct = converted(vault, !wrap, wrap ? wrapped : underlying)
  const held = wrap ? wrapped : underlying
  const worth = held > 0n ? converted(vault, !wrap, held, true) : 0n
  const moved = limitOf(vault, wrap) - ((wrap ? underlying : wrapped) - worth) / 2n
  return max(moved, direct)
}
