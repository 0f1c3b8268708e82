/**
 * Exact math of Aave V3 supplies and withdrawals. Follows SupplyLogic, ScaledBalanceTokenBase, and WadRayMath of npm
 * @aave/core-v3 1.19.3, and TokenMath of aave-dao/aave-v3-origin at 2674171. Checked against real results.
 */
import { PoolRefusal } from '../../family.ts'
import { NO_LIMIT } from '../../math/capacity.ts'
import { divUp, min } from '../../math/integers.ts'

/**
 * State of a reserve. Amounts are base units of the asset, or scaled units. Scaled units become base units when they
 * are multiplied by the income index.
 */
export type AaveV3State = {
  /** False if the reserve is inactive or paused. */
  readonly active: boolean
  /** True if supplies are disabled. */
  readonly frozen: boolean
  /** Income index at the block's time: asset units per scaled unit, 27 decimals. */
  readonly income: bigint
  /** Scaled supply of the aToken. */
  readonly scaledSupply: bigint
  /** Upper bound of the scaled units accrued to the treasury. */
  readonly treasury: bigint
  /** Maximum total supply in base units; 0 for no maximum. */
  readonly cap: bigint
  /** Base units that can be withdrawn now. */
  readonly cash: bigint
  /** True for releases that round in favor of the market; false for releases that round half up. */
  readonly floors: boolean
}

const RAY = 10n ** 27n

/** Fields from which amounts are converted between base units and scaled units. */
type Conversion = Pick<AaveV3State, 'income' | 'floors'>

/** Converts a scaled amount to a balance in base units. */
export const balanceOf = ({ income, floors }: Conversion, scaledAmount: bigint): bigint =>
  (scaledAmount * income + (floors ? 0n : RAY / 2n)) / RAY

/** Returns the scaled amount that a supply of `amount` base units mints. */
export const scaledMint = ({ income, floors }: Conversion, amount: bigint): bigint =>
  (amount * RAY + (floors ? 0n : income / 2n)) / income

/** Returns the scaled amount that a withdrawal or transfer of `amount` base units takes from the holder. */
export const scaledBurn = ({ income, floors }: Conversion, amount: bigint): bigint =>
  floors ? divUp(amount * RAY, income) : (amount * RAY + income / 2n) / income

/**
 * Quotes an exact input. The output of a supply is the aToken balance of a receiver that held no aTokens before. A
 * withdrawal first transfers `amountIn` aTokens to the account that withdraws. Rounding may change the amount that this
 * account receives. It withdraws all that it received.
 *
 * @throws PoolRefusal `PAUSED`; `TOO_SMALL` for no output; `TOO_LARGE` above the supply cap or the cash
 */
export function quote(
  state: AaveV3State,
  isSupply: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: AaveV3State } {
  if (!state.active || (isSupply && state.frozen)) throw new PoolRefusal('PAUSED', 'the reserve is frozen or paused')
  return isSupply ? supplyAsset(state, amountIn) : withdrawAsset(state, amountIn)
}

/** Quotes a supply of `amountIn` base units of the asset. */
function supplyAsset(state: AaveV3State, amountIn: bigint) {
  const scaledAmount = scaledMint(state, amountIn)
  const amountOut = balanceOf(state, scaledAmount)
  if (scaledAmount <= 0n || amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} mints nothing`)
  const { cap, scaledSupply, treasury, floors, cash } = state
  if (cap > 0n) {
    const countedSupply = scaledSupply + treasury
    const balanceAfter = floors
      ? balanceOf(state, countedSupply + scaledAmount)
      : balanceOf(state, countedSupply) + amountIn
    // The market may accept a larger supply than this check, because `treasury` is an upper bound.
    if (balanceAfter > cap)
      throw new PoolRefusal('TOO_LARGE', `no more than ${cap} may be supplied`, { isModelLimit: true })
  }
  return { amountOut, state: { ...state, scaledSupply: scaledSupply + scaledAmount, cash: cash + amountIn } }
}

/** Quotes a transfer of `amountIn` aTokens, followed by a withdrawal of all that arrived. */
function withdrawAsset(state: AaveV3State, amountIn: bigint) {
  const amountOut = balanceOf(state, scaledBurn(state, amountIn))
  const scaledAmount = scaledBurn(state, amountOut)
  if (amountOut <= 0n || scaledAmount <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} pays nothing`)
  const { cash, scaledSupply } = state
  if (amountOut > cash) throw new PoolRefusal('TOO_LARGE', `the reserve holds only ${cash}`)
  if (scaledAmount > scaledSupply) throw new PoolRefusal('TOO_LARGE', 'more than the supply of aTokens')
  return { amountOut, state: { ...state, scaledSupply: scaledSupply - scaledAmount, cash: cash - amountOut } }
}

/** Returns the approximate largest input in base units. The cap limits a supply, and the cash limits a withdrawal. */
export function approximateMaxInput(state: AaveV3State, isSupply: boolean): bigint {
  const { cap, cash, scaledSupply, treasury } = state
  if (isSupply) return cap > 0n ? cap - balanceOf(state, scaledSupply + treasury) : NO_LIMIT
  return min(cash, balanceOf(state, scaledSupply))
}
