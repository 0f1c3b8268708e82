/** Exact math of ERC-4626 vaults. */
import { PoolRefusal } from '../../family.ts'
import { divUp, max, min } from '../../math/integers.ts'

/** State of a vault. As a pool, it has two tokens: its asset and its share, in this order. */
export type Erc4626State = {
  /** Base units of the asset, from the vault's `totalAssets`. */
  readonly totalAssets: bigint
  /** Total supply in base units of the share. */
  readonly totalSupply: bigint
  /**
   * Virtual shares that conversions add to the supply. One virtual asset is then added to the assets. 0 for neither.
   */
  readonly virtualShares: bigint
  /**
   * Assets per 10^27 shares. Set for vaults that convert by a rate instead of by their totals, such as wrapped aTokens.
   */
  readonly rate?: bigint
  /** Maximum deposit in base units of the asset. */
  readonly maxDeposit: bigint
  /** Base units of the asset that the vault itself holds, so that it can pay them without external calls. */
  readonly cash: bigint
  /** Base units of the share that can be redeemed now, from `maxRedeem`; absent if it could not be read. */
  readonly maxRedeem?: bigint
}

const RAY = 10n ** 27n

/** Fields from which amounts are converted between assets and shares. */
type Conversion = Pick<Erc4626State, 'totalAssets' | 'totalSupply' | 'virtualShares' | 'rate'>

/**
 * Converts assets to shares, or shares to assets.
 *
 * @param roundsUp - true to round up, as a mint or withdrawal does; false to round down, as a deposit or redemption
 * does
 * @throws PoolRefusal `EMPTY`
 * @see ERC4626._convertToShares and _convertToAssets, OpenZeppelin Contracts 5
 */
export function convert(state: Conversion, toShares: boolean, amount: bigint, roundsUp = false): bigint {
  const { totalAssets, totalSupply, virtualShares, rate } = state
  const shares = rate === undefined ? totalSupply + virtualShares : RAY
  const assets = rate ?? totalAssets + (virtualShares > 0n ? 1n : 0n)
  if (shares === 0n || assets === 0n) throw new PoolRefusal('EMPTY', 'the vault is empty')
  const [numerator, denominator] = toShares ? [amount * shares, assets] : [amount * assets, shares]
  return roundsUp ? divUp(numerator, denominator) : numerator / denominator
}

/** Result of a deposit or redemption. */
type ExchangeResult = { readonly amountOut: bigint; readonly state: Erc4626State }

/**
 * Quotes an exact input, rounded down as the vault does.
 *
 * @throws PoolRefusal `EMPTY`, `TOO_SMALL` for no output, `TOO_LARGE` above the limits of the vault
 */
export function quote(state: Erc4626State, isDeposit: boolean, amountIn: bigint): ExchangeResult {
  const result = exchange(state, isDeposit, amountIn)
  if (result.amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  return result
}

/** Like `quote`, but accepts amounts that buy nothing. @throws PoolRefusal `EMPTY`, `TOO_LARGE` */
export function exchange(state: Erc4626State, isDeposit: boolean, amountIn: bigint): ExchangeResult {
  return isDeposit ? depositExchange(state, amountIn) : redeemExchange(state, amountIn)
}

/** Quotes a deposit. */
function depositExchange(state: Erc4626State, assets: bigint): ExchangeResult {
  const shares = convert(state, true, assets)
  if (assets > state.maxDeposit) throw new PoolRefusal('TOO_LARGE', `a deposit of ${assets} exceeds the vault's limit`)
  const stateAfter = {
    totalAssets: state.totalAssets + assets,
    totalSupply: state.totalSupply + shares,
    maxDeposit: state.maxDeposit - assets,
  }
  // A deposit does not raise `maxRedeem` or `cash`: the vault may lend the assets in the same transaction.
  return { amountOut: shares, state: { ...state, ...stateAfter } }
}

/** Quotes a redemption. */
function redeemExchange(state: Erc4626State, shares: bigint): ExchangeResult {
  const { totalAssets, totalSupply, cash, maxRedeem } = state
  const assets = convert(state, false, shares)
  if (shares > totalSupply || assets > totalAssets || (maxRedeem !== undefined && shares > maxRedeem))
    throw new PoolRefusal('TOO_LARGE', `a redemption of ${shares} exceeds the vault's limit`)
  if (maxRedeem === undefined && assets > cash)
    throw new PoolRefusal('TOO_LARGE', `the vault has ${cash} and its redemption limit is unknown`, {
      isModelLimit: true,
    })
  const stateAfter = {
    totalAssets: totalAssets - assets,
    totalSupply: totalSupply - shares,
    cash: max(cash - assets, 0n),
    ...(maxRedeem !== undefined && { maxRedeem: maxRedeem - shares }),
  }
  return { amountOut: assets, state: { ...state, ...stateAfter } }
}

/** Returns the output in base units per base unit of input. */
export function rateOf({ totalAssets, totalSupply, virtualShares, rate }: Conversion, toShares: boolean): number {
  const shares = rate === undefined ? Number(totalSupply + virtualShares) : Number(RAY)
  const assets = Number(rate ?? totalAssets + (virtualShares > 0n ? 1n : 0n))
  return toShares ? shares / assets : assets / shares
}

/** Returns the approximate largest input in base units. */
export function approximateMaxInput(state: Erc4626State, isDeposit: boolean): bigint {
  if (isDeposit) return state.maxDeposit
  const { totalAssets, totalSupply, cash, maxRedeem } = state
  const maxAssets = maxRedeem === undefined ? min(cash, totalAssets) : totalAssets
  return min(min(convert(state, true, maxAssets), totalSupply), maxRedeem ?? totalSupply)
}

/** Returns the approximate base units of the asset that can be redeemed now; 0 for a vault without assets. */
export function redeemableAssets(state: Erc4626State): bigint {
  const { totalAssets, totalSupply, cash, maxRedeem, rate } = state
  if (totalAssets === 0n || rate === 0n) return 0n
  if (maxRedeem === undefined) return min(cash, totalAssets)
  return totalSupply > maxRedeem ? min(convert(state, false, maxRedeem), totalAssets) : totalAssets
}
