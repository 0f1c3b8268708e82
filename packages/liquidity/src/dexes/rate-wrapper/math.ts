/** Exact math of wrappers of rebasing tokens. */
import { PoolRefusal } from '../../family.ts'

/** State of a wrapper. As a pool, it has two tokens: the rebasing token and the wrapper, in this order. */
export type RateWrapperState = {
  /** Base units of the rebasing token that all `shares` represent. */
  readonly pooled: bigint
  /** Total shares of the rebasing token. One base unit of the wrapper represents one share. */
  readonly shares: bigint
  /** Total supply of the wrapper, in base units. */
  readonly supply: bigint
}

/**
 * Quotes a wrap or an unwrap, rounded down. In an unwrap, the rebasing token transfers whole shares. So the recipient
 * can get a few base units less than the wrapper reports.
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
  if (pooled === 0n || shares === 0n) throw new PoolRefusal('EMPTY', 'the rebasing token has no shares')
  if (!isWrap && amountIn > supply) throw new PoolRefusal('TOO_LARGE', `only ${supply} are wrapped`)
  const amountOut = isWrap
    ? sharesForAmount(state, amountIn)
    : amountForShares(state, sharesForAmount(state, amountForShares(state, amountIn)))
  if (amountOut === 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  return { amountOut, state: { ...state, supply: isWrap ? supply + amountOut : supply - amountIn } }
}

/** Converts an amount of the rebasing token to shares, rounded down. */
export const sharesForAmount = ({ pooled, shares }: RateWrapperState, amount: bigint) => (amount * shares) / pooled
/** Converts shares to an amount of the rebasing token, rounded down. */
export const amountForShares = ({ pooled, shares }: RateWrapperState, shareCount: bigint) =>
  (shareCount * pooled) / shares
