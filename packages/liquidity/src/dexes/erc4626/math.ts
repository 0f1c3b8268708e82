import { PoolRefusal } from '../../family.ts'
import { divUp, min } from '../../math/integers.ts'

/** A vault as a pool of its asset and its share, in this order. */
export type Erc4626State = {
  /** Base units of the asset, as the vault counts them. */
  readonly totalAssets: bigint
  /** Base units of the share. */
  readonly totalSupply: bigint
  /** Shares that the vault counts beside the supply, with one asset beside the assets; 0 for a vault without them. */
  readonly virtualShares: bigint
  /** Assets of 10^27 shares in a vault that counts by a rate of its own, as those of Aave's aTokens do; in the place of the totals. */
  readonly rate?: bigint
  /** Base units of the asset. */
  readonly maxDeposit: bigint
  /** Base units of the asset that the vault itself holds: what it can pay without help of others. */
  readonly cash: bigint
}

const RAY = 10n ** 27n

type Counting = Pick<Erc4626State, 'totalAssets' | 'totalSupply' | 'virtualShares' | 'rate'>

/**
 * Shares for so many assets, or assets for so many shares, rounded down as for a deposit or a redemption, or up as for a mint or a
 * withdrawal.
 *
 * @throws PoolRefusal `EMPTY`
 * @see ERC4626._convertToShares and _convertToAssets, OpenZeppelin Contracts 5
 */
export function converted(state: Counting, toShares: boolean, amount: bigint, up = false): bigint {
  const { totalAssets, totalSupply, virtualShares, rate } = state
  const shares = rate === undefined ? totalSupply + virtualShares : RAY
  const assets = rate ?? totalAssets + (virtualShares > 0n ? 1n : 0n)
  if (shares === 0n || assets === 0n) throw new PoolRefusal('EMPTY', 'the vault is empty')
  const [over, under] = toShares ? [amount * shares, assets] : [amount * assets, shares]
  return up ? divUp(over, under) : over / under
}

/**
 * Shares for assets, or assets for shares, rounded down as the vault does.
 *
 * @throws PoolRefusal `EMPTY`, `TOO_SMALL`, `TOO_LARGE` above what the vault takes or has
 */
export function quote(
  state: Erc4626State,
  deposit: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: Erc4626State } {
  const { totalAssets, totalSupply, maxDeposit } = state
  const amountOut = converted(state, deposit, amountIn)
  if (amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  if (deposit ? amountIn > maxDeposit : amountIn > totalSupply || amountOut > totalAssets) {
    throw new PoolRefusal('TOO_LARGE', `the vault does not take ${amountIn}`)
  }
  return {
    amountOut,
    state: deposit
      ? {
          ...state,
          totalAssets: totalAssets + amountIn,
          totalSupply: totalSupply + amountOut,
          maxDeposit: maxDeposit - amountIn,
        }
      : { ...state, totalAssets: totalAssets - amountOut, totalSupply: totalSupply - amountIn },
  }
}

/** Output for a unit of input. */
export function rateOf({ totalAssets, totalSupply, virtualShares, rate }: Counting, toShares: boolean): number {
  const shares = rate === undefined ? Number(totalSupply + virtualShares) : Number(RAY)
  const assets = Number(rate ?? totalAssets + (virtualShares > 0n ? 1n : 0n))
  return toShares ? shares / assets : assets / shares
}

/** About the largest input. */
export function limitOf(state: Erc4626State, deposit: boolean): bigint {
  if (deposit) return state.maxDeposit
  const { totalAssets, totalSupply } = state
  return min(converted(state, true, totalAssets), totalSupply)
}
