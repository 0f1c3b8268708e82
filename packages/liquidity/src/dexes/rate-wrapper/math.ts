/** Exact math of wrappers of rebasing tokens. */
import { PoolRefusal } from '../../family.ts'

/** State of a wrapper, which is a pool of the rebasing token and itself, in this order. */
export type RateWrapperState = {
  /** Base units of the rebasing token that `shares` represent. */
  readonly pooled: bigint
  /** Total shares, in base units. */
  readonly shares: bigint
  /** Supply of the wrapper, in base units; each represents one share. */
  readonly supply: bigint
}

/**
 * Converts an amount to shares, or shares to an amount. On unwrapping, the rebasing token transfers whole shares, so
 * the recipient can get a few base units less than the wrapper reports.
 *
 * @throws PoolRefusal `EMPTY`, `TOO_SMALL` for no output, `TOO_LARGE` above the wrapped supply
 * @see WstETH.wrap and unwrap, StETH._transfer, lidofinance/core; WeETH, etherfi-protocol/smart-contracts
 */
export function quote(
  state: RateWrapperState,
  isWrap: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: RateWrapperState } {
  const { pooled, shares, supply } = state
  if (pooled === 0n || shares === 0n) throw new PoolRefusal('EMPTY', 'nothing is pooled')
  if (!isWrap && amountIn > supply) throw new PoolRefusal('TOO_LARGE', `only ${supply} are wrapped`)
  const amountOut = isWrap ? sharesFor(state, amountIn) : amountFor(state, sharesFor(state, amountFor(state, amountIn)))
  if (amountOut === 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  return { amountOut, state: { ...state, supply: isWrap ? supply + amountOut : supply - amountIn } }
}

/** Converts an amount of the rebasing token to shares, rounded down. */
export const sharesFor = ({ pooled, shares }: RateWrapperState, amount: bigint) => (amount * shares) / pooled
/** Converts shares to an amount of the rebasing token, rounded down. */
export const amountFor = ({ pooled, shares }: RateWrapperState, shareCount: bigint) => (shareCount * pooled) / shares
