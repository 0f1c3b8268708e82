import { PoolRefusal } from '../../family.ts'

/** A wrapper as a pool of the rebasing token and itself, in this order. */
export type RateWrapperState = {
  /** Base units of the rebasing token that all `shares` together stand for. */
  readonly pooled: bigint
  /** Base units. */
  readonly shares: bigint
  /** Base units of the wrapper, each of which stands for a share. */
  readonly supply: bigint
}

/**
 * Shares for an amount, or an amount for shares. Unwrapping, the rebasing token moves whole shares: what arrives, where none
 * were held, may be a few base units less than the wrapper says.
 *
 * @throws PoolRefusal `EMPTY`, `TOO_SMALL` where nothing would come out, `TOO_LARGE` above what is wrapped
 * @see WstETH.wrap and unwrap, StETH._transfer, lidofinance/core; WeETH, etherfi-protocol/smart-contracts
 */
export function quote(
  state: RateWrapperState,
  wrap: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: RateWrapperState } {
  const { pooled, shares, supply } = state
  if (pooled === 0n || shares === 0n) throw new PoolRefusal('EMPTY', 'nothing is pooled')
  if (!wrap && amountIn > supply) throw new PoolRefusal('TOO_LARGE', `only ${supply} are wrapped`)
  const amountOut = wrap ? sharesFor(state, amountIn) : amountFor(state, sharesFor(state, amountFor(state, amountIn)))
  if (amountOut === 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  return { amountOut, state: { ...state, supply: wrap ? supply + amountOut : supply - amountIn } }
}

export const sharesFor = ({ pooled, shares }: RateWrapperState, amount: bigint) => (amount * shares) / pooled
export const amountFor = ({ pooled, shares }: RateWrapperState, count: bigint) => (count * pooled) / shares
